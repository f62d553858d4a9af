#include "covary/algebra/conditional_covariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "algebra/solve_columns.h"
#include "base/simd/simd.h"
#include "covary/algebra/factor.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index panel_width = 32;  // columns that are made together in matrix products
constexpr Index together = 4;      // columns that one pass over a single column takes off

}  // namespace

ConditionalCovariance::ConditionalCovariance(Covariances k, int threads, double nothing)
    : k_(std::move(k)), threads_(threads), nothing_(nothing), remaining_(k_.diagonal) {}

/// The number of the panel that holds column j.
size_t ConditionalCovariance::panel_of(Index j) const {
  const auto after = std::upper_bound(panels_.begin(), panels_.end(), j,
                                      [](Index at, const Panel& p) { return at < p.first; });
  return size_t(after - panels_.begin()) - 1;
}

Eigen::Ref<const Vector> ConditionalCovariance::column(Index j) const {
  const Panel& panel = panels_[panel_of(j)];
  return panel.g.col(j - panel.first);
}

void ConditionalCovariance::reserve(Index more) {
  const Index lacking = count() + more - room();
  if (lacking <= 0) return;
  const Index width = padded(lacking, together);
  check_memory(8.0 * double(size()) * double(width),
               fmt::format("the covariances of {} with {} observations", size(), room() + width));
  // Columns to come are read before they are written. Pages that the system only promises to be 0 would then be
  // copied on that write, with an interrupt of every other thread: each run is written here, by a thread of its own.
  panels_.push_back({room(), Matrix(size(), width)});
  Matrix& g = panels_.back().g;
  for_runs(size(), threads_, [&](Range r) { g.middleRows(r.first, r.count).setZero(); });
}

/// q x s: K(some, S) L'^-1 where only L is kept, then the columns that are.
Matrix ConditionalCovariance::rows_of_g(const std::vector<Index>& some) const {
  Matrix out(std::ssize(some), count());
  if (dense_) {
    Matrix half = among(k_, {rows_.begin(), rows_.begin() + dense_}, some);
    blas::solve_lower(lower_, half, 1);
    out.leftCols(dense_) = half.transpose();
  }
  for (const Panel& p : panels_) {
    const Index width = std::min(p.g.cols(), count() - p.first);
    if (width > 0) out.middleCols(p.first, width) = p.g(some, Eigen::seqN(0, width));
  }
  return out;
}

/// weights = L'^-1 own', so that G own' = K(., S) weights for those whose columns are not kept.
ConditionalCovariance::Prepared ConditionalCovariance::prepare(std::vector<Index> at) const {
  Matrix own = rows_of_g(at), weights = own.leftCols(dense_).transpose();
  if (dense_) blas::solve_lower_transposed(lower_, weights, 1);
  return {std::move(at), std::move(own), std::move(weights)};
}

/// part -= G_r own': 2 s flops and, for observations of which only L is kept, a kernel value for each number. A
/// single column goes four columns of G at a time (those to come are 0), more in matrix products.
void ConditionalCovariance::subtract(Range r, const Prepared& others, Matrix& part) const {
  if (part.size() == 0) return;
  if (dense_)
    blas::multiply(-1, k_.block(r, {rows_.begin(), rows_.begin() + dense_}), others.weights, 1, part, 1);
  for (const Panel& p : panels_) {
    const Index width = std::min(p.g.cols(), count() - p.first);
    if (width <= 0) break;
    const auto own = others.own.middleCols(p.first, width);
    if (part.cols() > 1) {
      blas::multiply(-1, p.g.block(r.first, 0, r.count, width), own.transpose(), 1, part, 1);
      continue;
    }
    Vector w = Vector::Zero(padded(width, together));
    w.head(width) = own.row(0).transpose();
    for (Index j = 0; j < width; j += together)
      simd::loops().subtract_four(p.g.col(j).data() + r.first, size(), w.data() + j, part.data(), r.count);
  }
}

Matrix ConditionalCovariance::covariance(Range r, const Prepared& others) const {
  Matrix out = k_.block(r, others.at);
  subtract(r, others, out);
  return out;
}

Vector ConditionalCovariance::covariance(Index i) const {
  Vector out(size());
  const Prepared self = prepare({i});
  for_runs(size(), threads_, [&](Range r) { out.segment(r.first, r.count) = covariance(r, self); });
  return out;
}

/// The column that was written last is one of G from now on.
void ConditionalCovariance::took(Index i, double root) {
  rows_.push_back(i);
  roots_.conservativeResize(count());
  roots_[count() - 1] = root;
}

/// remaining <- remaining - g o g for a run of a new column of G, while it is in the cache.
void ConditionalCovariance::reduce(Range r, const Eigen::Ref<const Vector>& g) {
  auto remaining = remaining_.segment(r.first, r.count);
  remaining = (remaining.array() - g.array().square()).max(0);
}

void ConditionalCovariance::condition_on(Index i, double noise) {
  add_column(i, noise, [&](Range r, Matrix& part) { part = k_.block(r, {i}); });
}

void ConditionalCovariance::condition_on(Index i, double noise, const Eigen::Ref<const Vector>& column) {
  add_column(i, noise, [&](Range r, Matrix& part) { part = column.segment(r.first, r.count); });
}

/// g = (K_:i - G G_i') / root, where fill(run, part) writes a run of K_:i.
void ConditionalCovariance::add_column(Index i, double noise,
                                       const std::function<void(Range, Matrix&)>& fill) {
  const double variance = remaining_[i] + noise;
  const double root = variance > nothing_ * k_.diagonal[i] ? std::sqrt(variance) : 0;
  if (room() == count()) reserve(std::clamp<Index>(count(), 8, panel_width));
  Panel& panel = panels_[panel_of(count())];
  auto g = panel.g.col(count() - panel.first);
  if (root > 0) {
    const Prepared self = prepare({i});
    for_runs(
        size(), threads_,
        [&](Range r) {
          Matrix part;
          fill(r, part);
          subtract(r, self, part);
          g.segment(r.first, r.count) = part / root;
          reduce(r, g.segment(r.first, r.count));
        },
        watch_);
  } else {
    g.setZero();
  }
  took(i, root);
}

/// A panel at a time: G_new = (K_:new - G G_new') L'^-1, L L' = K_new,new - G_new G_new' + noise.
void ConditionalCovariance::condition_on(const std::vector<Index>& all, const Vector& noise) {
  for (Index first = 0; first < std::ssize(all);) {
    if (room() == count()) reserve(panel_width);
    Panel& panel = panels_[panel_of(count())];
    const Index from = count() - panel.first, q = std::min(panel.g.cols() - from, std::ssize(all) - first);
    const std::vector<Index> some(all.begin() + first, all.begin() + first + q);
    const Prepared self = prepare(some);
    Matrix l = among(k_, some, some) - self.own * self.own.transpose();
    l.diagonal() += noise.segment(first, q);
    if (blas::cholesky(l, 1) != 0 || is_singular(l, k_.diagonal(some))) {  // one of them tells nothing new
      for (Index i = 0; i < q; ++i) condition_on(some[static_cast<size_t>(i)], noise[first + i]);
    } else {
      for_runs(size(), threads_, [&](Range r) {
        auto g = panel.g.block(r.first, from, r.count, q);
        g = l.triangularView<Eigen::Lower>().solve(covariance(r, self).transpose()).transpose();
        for (Index j = 0; j < q; ++j) reduce(r, g.col(j));
      });
      for (Index i = 0; i < q; ++i) took(some[static_cast<size_t>(i)], l(i, i));
    }
    first += q;
    if (watch_) watch_(double(first) / double(all.size()));
  }
}

bool ConditionalCovariance::begin_with(const std::vector<Index>& some, const Vector& noise, Matrix& right,
                                       const std::function<void(Range, const Matrix&)>& seen) {
  const Index s = std::ssize(some);
  check_memory(24.0 * double(s) * double(s), fmt::format("a factor of {} observations", s));
  Matrix l = among(k_, some, some);
  l.diagonal() += noise;
  if (blas::cholesky(l, threads_) != 0 || is_singular(l, k_.diagonal(some))) return false;
  lower_ = l.triangularView<Eigen::Lower>();
  if (right.cols()) blas::solve_lower(lower_, right, 1);
  for_runs(
      size(), threads_,
      [&](Range r) {
        Matrix half = k_.block(r, some).transpose();
        blas::solve_lower(lower_, half, 1);
        auto remaining = remaining_.segment(r.first, r.count);
        remaining = (remaining - half.colwise().squaredNorm().transpose()).cwiseMax(0);
        seen(r, half);
      },
      watch_);
  rows_ = some, roots_ = lower_.diagonal(), dense_ = s;
  dense_remaining_ = remaining_;
  return true;
}

void ConditionalCovariance::truncate(Index s) {
  rows_.resize(static_cast<size_t>(s));
  roots_.conservativeResize(s);
  remaining_ = dense_ ? dense_remaining_ : k_.diagonal;
  for (Index j = dense_; j < s; ++j) remaining_.array() -= column(j).array().square();
  remaining_ = remaining_.cwiseMax(0);
}

}  // namespace covary
