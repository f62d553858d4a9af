#include "covary/kernels/records/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "covary/base/error.h"
#include "covary/base/row_names.h"

namespace covary {
using namespace internal;
namespace {

template <class Y>
Y object_of(const std::string& text);
template <>
std::string object_of<std::string>(const std::string& text) {
  return text;
}
template <>
ItemSet object_of<ItemSet>(const std::string& text) {
  return read_item_set(text);
}
template <>
Graph object_of<Graph>(const std::string& text) {
  return read_graph(text);
}

/// What the codes of a dictionary stand for, each read once.
template <class Y>
class Objects {
 public:
  explicit Objects(std::shared_ptr<Dictionary> texts) : texts_(std::move(texts)) {}
  Index size() const { return texts_->size(); }
  std::vector<Y> pick(const std::vector<Index>& codes) {
    const std::lock_guard lock(mutex_);
    for (Index code = std::ssize(read_); code < texts_->size(); ++code)
      read_.push_back(object_of<Y>(texts_->text(code)));
    std::vector<Y> out;
    out.reserve(codes.size());
    for (const Index code : codes) out.push_back(read_[static_cast<size_t>(code)]);
    return out;
  }

 private:
  std::shared_ptr<Dictionary> texts_;
  std::mutex mutex_;
  std::vector<Y> read_;
};

/// Covariances of the first objects of a dictionary with each other, row by row of the lower triangle.
struct Triangle {
  Index size = 0;
  std::vector<double> values;
  Vector variances = {};  // of each object, as the kernel gives them by themselves
  double operator()(Index i, Index j) const {
    if (i < j) std::swap(i, j);
    return values[static_cast<size_t>(i * (i + 1) / 2 + j)];
  }
};

/// The triangle of a kernel without parameters, which grows with the dictionary. Whoever has a triangle keeps it.
template <class Y>
class KeptCovariances {
 public:
  static constexpr Index most = 10'000;  // objects: 400 MB
  std::shared_ptr<const Triangle> now() const {
    const std::lock_guard lock(mutex_);
    return triangle_;
  }
  /// Of at least `size` objects. O(size^2) evaluations of the kernel, the first time.
  void grow(const Kernel<Y>& k, Objects<Y>& objects, Index size) {
    const std::lock_guard lock(mutex_);
    const Index had = triangle_->size;
    if (size <= had) return;
    auto more = std::make_shared<Triangle>(*triangle_);
    more->values.resize(static_cast<size_t>(size * (size + 1) / 2));
    more->size = size;
    const std::vector<Y> all = objects.pick(all_indices(size));
    const Prepared<Y> prepared = k.prepare(Batch<Y>(all));
    more->variances = prepared.diag();
    constexpr Index tile = 256;
    for (Index i = had; i < size; i += tile)
      for (Index j = 0; j <= i + tile - 1 && j < size; j += tile) {
        const Range r{i, std::min(tile, size - i)}, c{j, std::min(tile, size - j)};
        const Matrix block = slice(prepared, r).cross(slice(prepared, c));
        for (Index a = 0; a < r.count; ++a)
          for (Index b = 0; b < c.count && c.first + b <= r.first + a; ++b)
            more->values[static_cast<size_t>((r.first + a) * (r.first + a + 1) / 2 + c.first + b)] =
                block(a, b);
      }
    triangle_ = std::move(more);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Triangle> triangle_ = std::make_shared<const Triangle>();
};

/// A batch of codes, and what the inner kernel prepares of their objects, which is done when it is first needed:
/// never, where covariances are kept.
template <class Y>
struct CodedPoints {
  struct Work {
    Kernel<Y> kernel;
    std::shared_ptr<Objects<Y>> objects;
    std::vector<Index> codes;
    Index largest = -1;
    mutable std::once_flag once;
    mutable Prepared<Y> prepared;
    Work(Kernel<Y> k, std::shared_ptr<Objects<Y>> o, std::vector<Index> c)
        : kernel(std::move(k)), objects(std::move(o)), codes(std::move(c)) {
      for (const Index code : codes) largest = std::max(largest, code);
    }
  };
  std::shared_ptr<const Work> work;
  Range range;

  Index code(Index i) const { return work->codes[static_cast<size_t>(range.first + i)]; }
  Prepared<Y> prepared() const {
    std::call_once(work->once, [&] {
      const auto all = std::make_shared<const std::vector<Y>>(work->objects->pick(work->codes));
      work->prepared = work->kernel.prepare(Batch<Y>(*all), all);
    });
    return slice(work->prepared, range);
  }
  friend CodedPoints slice(CodedPoints x, Range r) {
    x.range = {x.range.first + r.first, r.count};
    return x;
  }
};

template <class Y>
struct OnObjects {
  Index column;
  Kernel<Y> inner;
  std::shared_ptr<Objects<Y>> objects;
  std::shared_ptr<KeptCovariances<Y>> kept;  // null unless `inner` has no parameters
  std::string name;

  using Coded = CodedPoints<Y>;
  Coded prepare(Rows x) const {
    std::vector<Index> codes = codes_of(x);
    const Index all = objects->size();
    // A batch that is a good part of all objects, as the rows of a fit are; not one point after another.
    if (kept && all <= KeptCovariances<Y>::most && all <= 2 * x.rows() + 32) keep(all);
    return {std::make_shared<const typename Coded::Work>(inner, objects, std::move(codes)), {0, x.rows()}};
  }
  Matrix cross(const Coded& a, const Coded& b) const {
    const auto known = kept ? kept->now() : nullptr;
    if (!known || std::max(a.work->largest, b.work->largest) >= known->size)
      return named([&] { return a.prepared().cross(b.prepared()); });
    Matrix k(a.range.count, b.range.count);
    for (Index j = 0; j < k.cols(); ++j)
      for (Index i = 0; i < k.rows(); ++i) k(i, j) = (*known)(a.code(i), b.code(j));
    return k;
  }
  Vector diag(const Coded& a) const {
    const auto known = kept ? kept->now() : nullptr;
    if (!known || a.work->largest >= known->size) return named([&] { return a.prepared().diag(); });
    Vector d(a.range.count);
    for (Index i = 0; i < d.size(); ++i) d[i] = known->variances[a.code(i)];
    return d;
  }
  Vector pullback(const Coded& a, const Coded& b, const Matrix& w) const {
    return kept ? Vector(0) : named([&] { return a.prepared().pullback(b.prepared(), w); });
  }
  Matrix cross(Rows a, Rows b) const { return cross(prepare(a), prepare(b)); }
  Vector diag(Rows a) const { return diag(prepare(a)); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return pullback(prepare(a), prepare(b), w); }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const {  // codes have no neighborhoods
    return Matrix::Zero(a.rows(), a.cols());
  }
  Vector theta() const { return inner.theta(); }
  OnObjects with(const Vector& t) const { return {column, inner.with(t), objects, kept, name}; }
  Expression node() const {
    Expression e = combined_node("on", inner.node());
    e.columns = {name.empty() ? std::to_string(column + 1) : name};
    e.reads = {column};
    unitless(e);
    return e;
  }
  /// Distances between objects are not in the unit of the column.
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = inner.parameters();
    for (Parameter& p : all) p.reads = {column}, p.column = -1;
    for (Parameter& p : all)
      if (p.role == Role::lengthscale) p.role = Role::shape;
    return all;
  }
  OnObjects sized(Rows x) const {
    const std::vector<Y> some = objects->pick(codes_of(x));
    return {column, named([&] { return inner.sized(Batch<Y>(some)); }), objects, kept, name};
  }
  Vector start(Rows x, double variance) const {
    const std::vector<Y> some = objects->pick(codes_of(x));
    return named([&] { return inner.start(Batch<Y>(some), variance); });
  }

 private:
  /// An error here is of some object of the dictionary: what these points cannot do is said where it is needed.
  void keep(Index all) const {
    try {
      kept->grow(inner, *objects, all);
    } catch (const Error&) {
      return;
    }
  }
  /// f(), whose errors name the column.
  template <class F>
  auto named(F f) const {
    try {
      return f();
    } catch (const Error& e) {
      if (name.empty() || (e.problem() != Problem::data && e.problem() != Problem::limit)) throw;
      throw Error(e.problem(), fmt::format("column '{}': {}", name, e.what()));
    }
  }
  static void unitless(Expression& e) {
    for (Parameter& p : e.parameters) {
      if (p.role == Role::lengthscale) p.role = Role::shape;
      p.column = -1, p.reads.clear();
    }
    for (Expression& part : e.parts) unitless(part);
  }
  std::vector<Index> codes_of(const Rows& x) const {
    if (x.rows() == 0) return {};  // points to come
    if (column >= x.cols())
      throw Error(Problem::usage, fmt::format("on: column {} was asked for, the points have {} columns",
                                              column + 1, x.cols()));
    const Index size = objects->size();
    std::vector<Index> out(static_cast<size_t>(x.rows()));
    for (Index i = 0; i < x.rows(); ++i) {
      const double v = x(i, column);
      if (!(v >= 0 && v < double(size) && v == std::floor(v)))
        throw Error(Problem::data, fmt::format("{}, column {}: expected a code from 0 to {}, found {}",
                                               row_words(i), column + 1, size - 1, v));
      out[static_cast<size_t>(i)] = Index(v);
    }
    return out;
  }
};

}  // namespace

template <class Y>
Kernel<Row> on(Index column, Kernel<Y> inner, std::shared_ptr<internal::Dictionary> objects,
               std::string name) {
  auto kept = inner.theta().size() == 0 ? std::make_shared<KeptCovariances<Y>>() : nullptr;
  return OnObjects<Y>{column, std::move(inner), std::make_shared<Objects<Y>>(std::move(objects)),
                      std::move(kept), std::move(name)};
}

template Kernel<Row> on(Index, Kernel<std::string>, std::shared_ptr<internal::Dictionary>, std::string);
template Kernel<Row> on(Index, Kernel<ItemSet>, std::shared_ptr<internal::Dictionary>, std::string);
template Kernel<Row> on(Index, Kernel<Graph>, std::shared_ptr<internal::Dictionary>, std::string);

}  // namespace covary
