#include "inference/fused_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "covary/inference/vecchia_blocks.h"
#include "covary/kernels/sphere/sphere.h"
#include "kernels/distance.h"

namespace covary::internal {
namespace {

/// Walks a tree in the order of the kernel's parameters.
class Reader {
 public:
  explicit Reader(const Kernel<Row>& kernel) {
    Index next = 0;
    for (const Parameter& p : kernel.parameters()) slots_.push_back(p.fixed ? -1 : next++);
  }

  /// The terms of e on these columns; false if it is of another kind.
  bool read(const Expression& e, const std::vector<Index>& seen, std::vector<FusedTerm>& terms) {
    using Kind = Expression::Kind;
    if (e.kind == Kind::number) return constant(e.value, terms);
    if (e.kind == Kind::scaled) return scaled(e, seen, terms);
    if (e.kind == Kind::sum) {
      for (const Expression& part : e.parts)
        if (!read(part, seen, terms)) return false;
      return true;
    }
    if (e.kind == Kind::product) return product(e, seen, terms);
    return e.kind == Kind::call && call(e, seen, terms);
  }

  std::vector<Coordinate> coordinates;

 private:
  Index take() { return at_ < slots_.size() ? slots_[at_++] : -1; }
  int place(const Coordinate& c) {
    const auto found = std::find(coordinates.begin(), coordinates.end(), c);
    if (found == coordinates.end()) return coordinates.push_back(c), int(coordinates.size()) - 1;
    return int(found - coordinates.begin());
  }

  bool constant(double variance, std::vector<FusedTerm>& terms) {
    FusedTerm t;
    t.variance = variance;
    add_slot(t);
    terms.push_back(std::move(t));
    return true;
  }
  void add_slot(FusedTerm& t) {
    if (const Index slot = take(); slot >= 0) t.slots.push_back(slot);
  }

  bool scaled(const Expression& e, const std::vector<Index>& seen, std::vector<FusedTerm>& terms) {
    const Index slot = take();
    const size_t first = terms.size();
    if (!read(e.parts[0], seen, terms)) return false;
    for (size_t i = first; i < terms.size(); ++i) {
      terms[i].variance *= e.value;
      if (slot >= 0) terms[i].slots.push_back(slot);
    }
    return true;
  }

  /// Each part must be one term.
  bool product(const Expression& e, const std::vector<Index>& seen, std::vector<FusedTerm>& terms) {
    FusedTerm all;
    for (const Expression& part : e.parts) {
      std::vector<FusedTerm> own;
      if (!read(part, seen, own) || own.size() != 1) return false;
      all.variance *= own[0].variance;
      all.slots.insert(all.slots.end(), own[0].slots.begin(), own[0].slots.end());
      all.factors.insert(all.factors.end(), own[0].factors.begin(), own[0].factors.end());
    }
    terms.push_back(std::move(all));
    return true;
  }

  bool call(const Expression& e, const std::vector<Index>& seen, std::vector<FusedTerm>& terms) {
    if (e.function) return false;
    if (e.name == "fixed" && e.parts.size() == 1) return read(e.parts[0], seen, terms);
    if (e.name == "on" && e.parts.size() == 1) {
      std::vector<Index> inner;
      for (const Index k : e.reads) {
        if (k < 0 || k >= std::ssize(seen)) return false;
        inner.push_back(seen[static_cast<size_t>(k)]);
      }
      return read(e.parts[0], inner, terms);
    }
    if (e.name == "constant" && e.parameters.size() == 1) return constant(e.parameters[0].value, terms);
    if (!e.parts.empty()) return false;
    FusedTerm t;
    if (e.name.starts_with("sphere_") ? !sphere(e, seen, t) : !stationary(e, seen, t)) return false;
    terms.push_back(std::move(t));
    return true;
  }

  static std::optional<simd::Profile> profile(const std::string& name) {
    if (name == "se") return simd::Profile::se;
    if (name == "matern12") return simd::Profile::matern12;
    if (name == "matern32") return simd::Profile::matern32;
    if (name == "matern52") return simd::Profile::matern52;
    if (name == "rational_quadratic") return simd::Profile::rational_quadratic;
    return {};
  }

  bool stationary(const Expression& e, const std::vector<Index>& seen, FusedTerm& t) {
    const std::optional<simd::Profile> p = profile(e.name);
    if (!p) return false;
    FusedFactor f;
    f.profile = *p;
    for (const Index k : seen) f.coordinates.push_back(place({Coordinate::Kind::column, {k}, 0}));
    for (const Parameter& q : e.parameters) {
      if (q.path == "alpha") {
        f.alpha = q.value, f.alpha_slot = take();
        continue;
      }
      f.weights.push_back(1 / (q.value * q.value));
      f.slots.push_back(take());
    }
    if (f.weights.size() == 1) f.weights.resize(seen.size(), f.weights[0]);
    if (f.weights.size() != seen.size()) return false;
    t.factors.push_back(std::move(f));
    return true;
  }

  bool sphere(const Expression& e, const std::vector<Index>& seen, FusedTerm& t) {
    const std::optional<simd::Profile> p = profile(e.name.substr(7));
    if (!p || seen.size() != 2 || e.parameters.size() != 1) return false;
    FusedFactor f;
    f.profile = *p;
    for (Index axis = 0; axis < 3; ++axis)
      f.coordinates.push_back(place({Coordinate::Kind::space, seen, axis}));
    f.weights.assign(3, 1 / (e.parameters[0].value * e.parameters[0].value));
    f.slots.push_back(take());
    t.factors.push_back(std::move(f));
    return true;
  }

  std::vector<Index> slots_;
  size_t at_ = 0;
};

}  // namespace

double FusedKernel::variance() const {
  double sum = 0;
  for (const FusedTerm& t : terms) sum += t.variance;
  return sum;
}

Matrix FusedKernel::at(const Rows& x) const {
  Matrix out(std::ssize(coordinates), x.rows());
  Matrix places;
  std::vector<Index> of_places;
  for (Index i = 0; i < out.rows(); ++i) {
    const Coordinate& c = coordinates[static_cast<size_t>(i)];
    if (c.kind == Coordinate::Kind::column) {
      out.row(i) = x.col(c.columns[0]).transpose();
    } else {
      if (of_places != c.columns) places = places_in_space(Matrix(x(Eigen::all, c.columns)));
      of_places = c.columns;
      out.row(i) = places.col(c.axis).transpose();
    }
  }
  return out;
}

Vector FusedKernel::search_weights() const {
  Vector sum = Vector::Zero(std::ssize(coordinates));
  double share = 0;
  for (const FusedTerm& t : terms) {
    if (t.factors.empty()) continue;
    share += t.variance;
    for (const FusedFactor& f : t.factors)
      for (size_t i = 0; i < f.coordinates.size(); ++i) sum[f.coordinates[i]] += t.variance * f.weights[i];
  }
  return share > 0 ? Vector(sum / share) : sum;
}

std::optional<FusedKernel> fused_kernel(const Kernel<Row>& kernel, Index columns) {
  Reader reader(kernel);
  FusedKernel out;
  if (!reader.read(kernel.node(), all_indices(columns), out.terms)) return {};
  out.coordinates = std::move(reader.coordinates);
  if (out.coordinates.empty() || !std::isfinite(out.variance())) return {};
  return out;
}

std::shared_ptr<const FusedKernel> fused_or_none(const Kernel<Row>& kernel, Index columns) {
  std::optional<FusedKernel> found = fused_kernel(kernel, columns);
  return found ? std::make_shared<const FusedKernel>(std::move(*found)) : nullptr;
}
Matrix fused_coordinates(const FusedKernel& kernel, const Rows& x) { return kernel.at(x); }
Vector fused_search_scales(const FusedKernel& kernel) { return kernel.search_weights().cwiseSqrt(); }

}  // namespace covary::internal
