#include "covary/select/belief.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/decompositions.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
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

PoolPosterior::PoolPosterior(Pool pool, Index targets, int threads, Index most)
    : pool_(std::move(pool)),
      threads_(threads_or_all(threads)),
      most_(most),
      given_(static_cast<const Covariances&>(pool_), threads_, nothing),
      first_left_(pool_.basis),
      left_(pool_.basis),
      half_basis_(0, pool_.basis.cols()),
      targets_(0, targets),
      half_(0, targets),
      base_(Matrix::Zero(pool_.size, targets)) {}

void PoolPosterior::watched_by(Watch watch) {
  watch_ = std::move(watch);
  given_.watched_by(!watch_ ? std::function<void(double)>()
                            : [w = watch_](double share) { w("labels", share); });
}

void PoolPosterior::runs(const char* work, const std::function<void(Range)>& fn) const {
  if (!watch_) return for_runs(pool_.size, threads_, fn);
  for_runs(pool_.size, threads_, fn, [&](double share) { watch_(work, share); });
}

void PoolPosterior::append(Index candidate) {
  given_.condition_on(candidate, pool_.noise[candidate]);
  follow(given_.count() - 1);
}

/// (L^-1 F)_j = U_j / root_j, U <- U - c_j (L^-1 F)_j: 2 m p flops.
void PoolPosterior::follow(Index j) {
  if (left_.cols() == 0) return;
  resize_rows(half_basis_, j + 1);
  half_basis_.row(j).setZero();
  const double root = given_.roots()[j];
  if (root > 0) half_basis_.row(j) = left_.row(order()[static_cast<size_t>(j)]) / root;
  left_.noalias() -= given_.column(j) * half_basis_.row(j);
}

void PoolPosterior::answer(Index candidate, const Vector& label) {
  resize_rows(targets_, labels_ + 1);
  resize_rows(half_, labels_ + 1);
  targets_.row(labels_) = label.transpose();
  half_.row(labels_).setZero();
  if (const double root = given_.roots()[labels_]; root > 0) {
    const Vector off = label.array() - pool_.known[candidate] - base_.row(candidate).transpose().array();
    half_.row(labels_) = off.transpose() / root;
  }
  base_.noalias() += given_.column(labels_) * half_.row(labels_);
  ++labels_;
}

void PoolPosterior::tell(Index candidate, const Vector& label) {
  check_candidate(candidate, pool_.size);
  check_finite(label, "the label");
  std::vector<Index> waiting(order().begin() + labels_, order().end());
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

void PoolPosterior::tell(const std::vector<Index>& candidates, const Matrix& labels) {
  for (const Index c : candidates) check_candidate(c, pool_.size);
  drop_pending();
  const double numbers = double(pool_.size) * double(candidates.size());
  if (order().empty() && numbers > double(most_) && begin_without_columns(candidates, labels)) return;
  const Index before = given_.count();
  given_.condition_on(candidates, pool_.noise(candidates));
  for (Index j = before; j < given_.count(); ++j) follow(j);
  for (size_t i = 0; i < candidates.size(); ++i) answer(candidates[i], labels.row(Index(i)).transpose());
}

/// With H = L^-1 K(labelled, run), the mean gains H' L^-1 y and the trend loses H' L^-1 F, run by run: m n^2
/// flops. False if one of the labels tells nothing new.
bool PoolPosterior::begin_without_columns(const std::vector<Index>& at, const Matrix& labels) {
  const Index c = labels.cols(), p = left_.cols();
  Matrix right(labels.rows(), c + p);
  right << labels.colwise() - pool_.known(at), pool_.basis(at, Eigen::all);
  const bool done = given_.begin_with(at, pool_.noise(at), right, [&](Range r, const Matrix& h) {
    base_.middleRows(r.first, r.count) = h.transpose() * right.leftCols(c);
    if (p) left_.middleRows(r.first, r.count) -= h.transpose() * right.rightCols(p);
  });
  if (!done) return false;
  targets_ = labels, labels_ = labels.rows();
  half_ = right.leftCols(c), half_basis_ = right.rightCols(p);
  first_left_ = left_;
  return true;
}

void PoolPosterior::pend(Index candidate) {
  check_candidate(candidate, pool_.size);
  append(candidate);
}

void PoolPosterior::drop_pending() {
  if (!pending()) return;
  given_.truncate(labels_);
  left_ = first_left_;
  if (left_.cols())
    for (Index j = given_.first_kept(); j < labels_; ++j)
      left_.noalias() -= given_.column(j) * half_basis_.row(j);
  ++generation_;
}

void PoolPosterior::replace(Pool pool) {
  const std::vector<Index> labelled(order().begin(), order().begin() + labels_);
  const Matrix labels = targets();
  const Index generation = generation_ + 1;
  Watch watch = std::move(watch_);
  *this = PoolPosterior(std::move(pool), targets_.cols(), threads_, most_);
  generation_ = generation;
  watched_by(std::move(watch));
  tell(labelled, labels);
}

Matrix PoolPosterior::coefficients() const {
  const Matrix r = triangle(half_basis_.topRows(left_.cols() ? labels_ : 0));
  if (!r.rows()) return Matrix::Zero(left_.cols(), half_.cols());
  const Matrix right = half_basis_.topRows(labels_).transpose() * half_.topRows(labels_);
  return r.triangularView<Eigen::Upper>().solve(r.transpose().triangularView<Eigen::Lower>().solve(right));
}

Matrix PoolPosterior::mean() const {
  Matrix out = base_;
  out.colwise() += pool_.known;
  const Matrix beta = coefficients();
  if (beta.size() == 0) return out;
  Matrix left = left_;
  for (Index j = labels_; j < given_.count(); ++j) left.noalias() += given_.column(j) * half_basis_.row(j);
  return out + left * beta;
}

PoolPosterior::Weights PoolPosterior::weights() const {
  Matrix half = half_.topRows(labels_);
  const Matrix beta = coefficients();
  if (beta.size()) half.noalias() -= half_basis_.topRows(labels_) * beta;
  Matrix lower = given_.rows_of_g({order().begin(), order().begin() + labels_}).leftCols(labels_);
  for (Index j = 0; j < labels_; ++j) {
    const double root = given_.roots()[j];
    lower(j, j) = root > 0 ? root : 1;  // C there lacks the noise
    if (root == 0) half.row(j).setZero();
  }
  return {lower.triangularView<Eigen::Lower>().transpose().solve(half), beta};
}

Matrix PoolPosterior::trend_of(const Matrix& left) const {
  const Matrix r = triangle(half_basis_.topRows(left_.cols() ? given_.count() : 0));
  if (!r.rows()) return Matrix(left.rows(), 0);
  if (r.rows() == 1) return left / r(0, 0);
  return r.transpose().triangularView<Eigen::Lower>().solve(left.transpose()).transpose();
}

Matrix PoolPosterior::trend() const { return trend_of(left_); }

Vector PoolPosterior::variance() const {
  const Matrix t = trend();
  return t.cols() ? Vector(given_.remaining() + t.rowwise().squaredNorm()) : given_.remaining();
}

Matrix PoolPosterior::covariance(Range r, const std::vector<Index>& others) const {
  Matrix out = given_.covariance(r, given_.prepare(others));
  const Matrix t = trend_of(left_.middleRows(r.first, r.count));
  if (t.cols()) out.noalias() += t * trend_of(left_(others, Eigen::all)).transpose();
  return out;
}

Vector PoolPosterior::covariance(Index candidate) const {
  check_candidate(candidate, pool_.size);
  Vector out(pool_.size);
  for_runs(pool_.size, threads_,
           [&](Range r) { out.segment(r.first, r.count) = covariance(r, {candidate}); });
  return out;
}

}  // namespace covary
