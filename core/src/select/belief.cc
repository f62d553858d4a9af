#include "covary/select/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "base/simd/simd.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"

namespace covary {
namespace {

void check_candidate(Index candidate, Index m) {
  if (candidate < 0 || candidate >= m)
    throw Error(Problem::usage,
                fmt::format("candidate {} does not exist: there are {}, counted from 0", candidate, m));
}

/// Below this share of a prior variance there is nothing but rounding.
constexpr double nothing = 1e-13;

/// R of L^-1 F = Q R, or empty if the labels do not determine the trend.
Matrix triangle(const Eigen::Ref<const Matrix>& half_basis) {
  const Index p = half_basis.cols();
  if (p == 0 || half_basis.rows() < p) return Matrix(0, 0);
  Matrix r = Reflections(half_basis).r();
  const Vector norms = half_basis.colwise().norm();
  return (r.diagonal().array().abs() > 1e-9 * norms.array()).all() ? r : Matrix(0, 0);
}

void resize_rows(Matrix& a, Index rows) {
  if (a.rows() < rows) a.conservativeResize(std::max<Index>(2 * a.rows(), rows), Eigen::NoChange);
}

}  // namespace

Belief::Belief(Pool pool, Index targets, int threads, Index most)
    : pool_(std::move(pool)),
      threads_(threads_or_all(threads)),
      most_(most),
      spread_(pool_.diagonal),
      left_(pool_.basis),
      half_basis_(0, pool_.basis.cols()),
      targets_(0, targets),
      half_(0, targets),
      base_(Matrix::Zero(pool_.size, targets)) {}

void Belief::runs(const char* work, const std::function<void(Range)>& fn) const {
  if (!watch_) return for_runs(pool_.size, threads_, fn);
  std::mutex mutex;
  Index done = 0;
  for_runs(pool_.size, threads_, [&](Range r) {
    fn(r);
    const std::lock_guard lock(mutex);
    watch_(work, double(done += r.count) / double(pool_.size));
  });
}

Eigen::Ref<const Vector> Belief::column(Index j) const {
  return panels_[static_cast<size_t>((j - lean_) / wide)].col((j - lean_) % wide);
}

Eigen::Ref<Vector> Belief::place(Index j) {
  const Index k = j - lean_;
  if (k / wide == std::ssize(panels_)) {
    check_memory(8.0 * double(pool_.size) * double(wide),
                 fmt::format("what {} labels say of {} candidates", j + wide, pool_.size));
    panels_.emplace_back(Matrix::Zero(pool_.size, wide));
  }
  return panels_[static_cast<size_t>(k / wide)].col(k % wide);
}

/// q x n: L^-1 K(labelled, candidates) transposed where only L is kept, then the columns that are.
Matrix Belief::rows(const std::vector<Index>& candidates) const {
  Matrix out(std::ssize(candidates), std::ssize(order_));
  if (lean_) {
    Matrix half = pool_.among({order_.begin(), order_.begin() + lean_}, candidates);
    blas::solve_lower(factor_, half, 1);
    out.leftCols(lean_) = half.transpose();
  }
  for (Index j = lean_; j < out.cols(); ++j) out.col(j) = column(j)(candidates);
  return out;
}

/// lean x q: L'^-1 own', so that C own' = K(., labelled) weights.
Matrix Belief::lean_weights(const Matrix& own) const {
  Matrix w = own.leftCols(lean_).transpose();
  if (lean_) blas::solve_lower_transposed(factor_, w, 1);
  return w;
}

Belief::Some Belief::ready(std::vector<Index> at) const {
  Matrix own = rows(at), weights = lean_weights(own);
  return {std::move(at), std::move(own), std::move(weights)};
}

/// part -= C_r own': 2 n flops and, for the labels of which only L is kept, a kernel value for each number.
void Belief::subtract(Range r, const Some& others, Matrix& part) const {
  if (lean_)
    blas::multiply(-1, pool_.block(r, {order_.begin(), order_.begin() + lean_}), others.weights, 1, part, 1);
  for (Index j = lean_; j < std::ssize(order_); j += wide) {
    const Index width = std::min(wide, std::ssize(order_) - j);
    const Matrix& panel = panels_[static_cast<size_t>((j - lean_) / wide)];
    blas::multiply(-1, panel.block(r.first, 0, r.count, width), others.own.middleCols(j, width).transpose(),
                   1, part, 1);
  }
}

void Belief::append(Index candidate) {
  const Index n = std::ssize(order_), kept = n - lean_;
  const Some self = ready({candidate});
  Vector own = Vector::Zero((kept + 3) / 4 * 4);  // four columns at a time; those to come are 0
  own.head(kept) = self.own.row(0).tail(kept).transpose();
  const double variance = spread_[candidate] + pool_.noise[candidate];
  const double root = variance > nothing * pool_.diagonal[candidate] ? std::sqrt(variance) : 0;
  Eigen::Ref<Vector> c = place(n);
  if (root == 0) {
    c.setZero();
  } else {
    runs("labels", [&](Range r) {
      auto part = c.segment(r.first, r.count);
      part = pool_.block(r, {candidate});
      if (lean_) part -= pool_.block(r, {order_.begin(), order_.begin() + lean_}) * self.weights;
      for (Index j = 0; j < kept; j += 4)
        simd::loops().subtract_four(panels_[static_cast<size_t>(j / wide)].col(j % wide).data() + r.first,
                                    pool_.size, own.data() + j, part.data(), r.count);
      part /= root;
    });
  }
  roots_.conservativeResize(n + 1);
  roots_[n] = root;
  order_.push_back(candidate);
  follow();
}

void Belief::follow() {
  const Index n = std::ssize(order_) - 1, p = left_.cols();
  const auto c = column(n);
  spread_ = (spread_.array() - c.array().square()).max(0);
  if (p == 0) return;
  resize_rows(half_basis_, n + 1);
  half_basis_.row(n).setZero();
  if (roots_[n] > 0) half_basis_.row(n) = left_.row(order_.back()) / roots_[n];
  left_.noalias() -= c * half_basis_.row(n);
}

void Belief::answer(Index candidate, const Vector& label) {
  resize_rows(targets_, labels_ + 1);
  resize_rows(half_, labels_ + 1);
  targets_.row(labels_) = label.transpose();
  half_.row(labels_).setZero();
  if (const double root = roots_[labels_]; root > 0) {
    const Vector off = label.array() - pool_.known[candidate] - base_.row(candidate).transpose().array();
    half_.row(labels_) = off.transpose() / root;
  }
  base_.noalias() += column(labels_) * half_.row(labels_);
  ++labels_;
}

void Belief::tell(Index candidate, const Vector& label) {
  check_candidate(candidate, pool_.size);
  check_finite(label, "the label");
  std::vector<Index> waiting(order_.begin() + labels_, order_.end());
  const bool first = !waiting.empty() && waiting[0] == candidate;
  if (!first) {
    drop_pending();
    append(candidate);
    if (const auto own = std::find(waiting.begin(), waiting.end(), candidate); own != waiting.end())
      waiting.erase(own);
  }
  answer(candidate, label);
  if (!first)
    for (const Index other : waiting) append(other);
}

void Belief::tell(const std::vector<Index>& candidates, const Matrix& labels) {
  for (const Index c : candidates) check_candidate(c, pool_.size);
  drop_pending();
  const double numbers = double(pool_.size) * double(candidates.size());
  if (order_.empty() && numbers > double(most_) && begin_lean(candidates, labels)) return;
  append(candidates);
  for (size_t i = 0; i < candidates.size(); ++i) answer(candidates[i], labels.row(Index(i)).transpose());
}

/// L of the labels, and what they say of every candidate, run by run: with H = L^-1 K(labelled, run), spread
/// loses the squares of H, the mean gains H' L^-1 y, the trend loses H' L^-1 F. m n^2 flops. False, and
/// nothing is done, if one of them tells nothing new: then L is singular.
bool Belief::begin_lean(const std::vector<Index>& at, const Matrix& labels) {
  const Index n = std::ssize(at);
  check_memory(24.0 * double(n) * double(n), fmt::format("a factor of {} labels", n));
  Matrix l = pool_.among(at, at);
  l.diagonal() += pool_.noise(at);
  if (blas::cholesky(l, threads_) != 0 || is_singular(l, pool_.diagonal(at))) return false;
  factor_ = l.triangularView<Eigen::Lower>();
  targets_ = labels;
  half_ = labels.colwise() - pool_.known(at);
  half_basis_ = pool_.basis(at, Eigen::all);
  blas::solve_lower(factor_, half_, 1);
  if (half_basis_.cols()) blas::solve_lower(factor_, half_basis_, 1);
  runs("labels", [&](Range r) {
    Matrix h = pool_.block(r, at).transpose();
    blas::solve_lower(factor_, h, 1);
    auto spread = spread_.segment(r.first, r.count);
    spread = (spread - h.colwise().squaredNorm().transpose()).cwiseMax(0);
    base_.middleRows(r.first, r.count) = h.transpose() * half_;
    if (left_.cols()) left_.middleRows(r.first, r.count) -= h.transpose() * half_basis_;
  });
  order_ = at, roots_ = factor_.diagonal(), labels_ = lean_ = n;
  lean_spread_ = spread_, lean_left_ = left_;
  return true;
}

/// In blocks of a panel: C_new = (K - C C_new')L'^-1, where L is the factor of what the block leaves open.
void Belief::append(const std::vector<Index>& candidates) {
  for (size_t first = 0; first < candidates.size();) {
    const Index n = std::ssize(order_), from = (n - lean_) % wide,
                room = std::min(wide - from, Index(candidates.size() - first));
    const std::vector<Index> some(candidates.begin() + Index(first),
                                  candidates.begin() + Index(first) + room);
    const Some self = ready(some);
    Matrix corner = pool_.among(some, some) - self.own * self.own.transpose();
    for (Index i = 0; i < room; ++i) corner(i, i) += pool_.noise[some[static_cast<size_t>(i)]];
    Matrix l = corner;
    if (blas::cholesky(l, 1) != 0 || is_singular(l, pool_.diagonal(some))) {
      for (const Index c : some) append(c);  // one of them tells nothing new
      first += size_t(room);
      continue;
    }
    (void)place(n);
    Matrix& panel = panels_.back();
    for_runs(pool_.size, threads_, [&](Range r) {
      Matrix part = pool_.block(r, some);
      subtract(r, self, part);
      part = l.triangularView<Eigen::Lower>().solve(part.transpose()).transpose().eval();
      panel.block(r.first, from, r.count, room) = part;
    });
    for (Index i = 0; i < room; ++i) {
      roots_.conservativeResize(n + i + 1);
      roots_[n + i] = l(i, i);
      order_.push_back(some[static_cast<size_t>(i)]);
      follow();
    }
    first += size_t(room);
    if (watch_) watch_("labels", double(first) / double(candidates.size()));
  }
}

void Belief::pend(Index candidate) {
  check_candidate(candidate, pool_.size);
  append(candidate);
}

void Belief::drop_pending() {
  if (!pending()) return;
  Vector spread = lean_ ? lean_spread_ : pool_.diagonal;
  Matrix left = lean_ ? lean_left_ : pool_.basis;
  for (Index j = lean_; j < labels_; ++j) {
    spread.array() -= column(j).array().square();
    if (left.cols()) left.noalias() -= column(j) * half_basis_.row(j);
  }
  spread_ = spread.cwiseMax(0);
  left_ = std::move(left);
  order_.resize(static_cast<size_t>(labels_));
  roots_.conservativeResize(labels_);
  ++generation_;
}

void Belief::replace(Pool pool) {
  const std::vector<Index> labelled(order_.begin(), order_.begin() + labels_);
  const Matrix labels = targets_.topRows(labels_);
  const Index generation = generation_ + 1;
  Watch watch = std::move(watch_);
  *this = Belief(std::move(pool), targets_.cols(), threads_, most_);
  generation_ = generation, watch_ = std::move(watch);
  tell(labelled, labels);
}

Matrix Belief::coefficients() const {
  const Matrix r = triangle(half_basis_.topRows(left_.cols() ? labels_ : 0));
  if (!r.rows()) return Matrix::Zero(left_.cols(), half_.cols());
  const Matrix right = half_basis_.topRows(labels_).transpose() * half_.topRows(labels_);
  return r.triangularView<Eigen::Upper>().solve(r.transpose().triangularView<Eigen::Lower>().solve(right));
}

Matrix Belief::mean() const {
  Matrix out = base_;
  out.colwise() += pool_.known;
  const Matrix beta = coefficients();
  if (beta.size() == 0) return out;
  Matrix left = left_;
  for (Index j = labels_; j < std::ssize(order_); ++j) left.noalias() += column(j) * half_basis_.row(j);
  return out + left * beta;
}

Belief::Weights Belief::weights() const {
  Matrix half = half_.topRows(labels_);
  const Matrix beta = coefficients();
  if (beta.size()) half.noalias() -= half_basis_.topRows(labels_) * beta;
  Matrix lower = rows({order_.begin(), order_.begin() + labels_}).leftCols(labels_);
  for (Index j = 0; j < labels_; ++j) {
    lower(j, j) = roots_[j] > 0 ? roots_[j] : 1;  // C there lacks the noise
    if (roots_[j] == 0) half.row(j).setZero();
  }
  return {lower.triangularView<Eigen::Lower>().transpose().solve(half), beta};
}

Matrix Belief::trend_of(const Matrix& left) const {
  const Matrix r = triangle(half_basis_.topRows(left_.cols() ? std::ssize(order_) : 0));
  if (!r.rows()) return Matrix(left.rows(), 0);
  return r.transpose().triangularView<Eigen::Lower>().solve(left.transpose()).transpose();
}

Matrix Belief::trend() const { return trend_of(left_); }

Vector Belief::variance() const {
  const Matrix t = trend();
  return t.cols() ? Vector(spread_ + t.rowwise().squaredNorm()) : spread_;
}

Matrix Belief::without_trend(Range r, const Some& others) const {
  Matrix out = pool_.block(r, others.at);
  subtract(r, others, out);
  return out;
}

Matrix Belief::covariance(Range r, const std::vector<Index>& others) const {
  Matrix out = without_trend(r, ready(others));
  const Matrix t = trend_of(left_.middleRows(r.first, r.count));
  if (t.cols()) out.noalias() += t * trend_of(left_(others, Eigen::all)).transpose();
  return out;
}

Vector Belief::covariance(Index candidate) const {
  check_candidate(candidate, pool_.size);
  Vector out(pool_.size);
  for_runs(pool_.size, threads_,
           [&](Range r) { out.segment(r.first, r.count) = covariance(r, {candidate}); });
  return out;
}

}  // namespace covary
