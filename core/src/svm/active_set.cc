#include "svm/active_set.h"

#include <cmath>
#include <limits>

#include "base/constants.h"

namespace covary {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

ActiveSet::ActiveSet(const Matrix& k, const Vector& y, const Vector& bound, Vector start)
    : k_(k),
      y_(y),
      low_((y.array() > 0).select(Vector::Zero(y.size()), -bound)),
      high_((y.array() > 0).select(bound, Vector::Zero(y.size()))),
      w_(std::move(start)),
      is_free_(static_cast<size_t>(y.size()), false),
      root_(k.diagonal().cwiseAbs().cwiseSqrt()) {}

/// Of e where it matters, at points that have weights: |k_ij| <= root_i root_j.
double ActiveSet::rounding() const {
  const Vector size = w_.cwiseAbs().cwiseProduct(root_);
  return 4 * epsilon * (1 + size.sum() * (w_.array() != 0).select(root_, 0).maxCoeff());
}

/// The gradient is computed anew whenever nothing is left to do by the one that was kept up to date.
bool ActiveSet::solve(double tolerance) {
  e_ = y_ - k_ * w_;
  if (!begin()) return false;
  for (int again = 0; again < 4; ++again) {
    if (!run(tolerance)) return false;
    e_ = y_ - k_ * w_;
    if (spread() <= 2 * rounding() && worst(std::max(tolerance, rounding())) < 0) break;
  }
  return true;
}

/// What stands inside its range is free from the start.
bool ActiveSet::begin() {
  for (Index i = 0; i < w_.size(); ++i)
    if (w_[i] > low_[i] && w_[i] < high_[i] && !is_free_[static_cast<size_t>(i)] && !enter(i)) return false;
  return true;
}

bool ActiveSet::run(double tolerance) {
  const Index most = steps_ + 50 * w_.size() + 1000;  // rounding may go round in circles
  while (steps_ < most) {
    settle();
    const Index j = worst(std::max(tolerance, rounding()));
    if (j < 0) return true;
    if (!enter(j)) return false;
  }
  return true;
}

/// The free ones to their optimum; a second step corrects the rounding of the first.
void ActiveSet::settle() {
  double before = infinity;
  while (!free_.empty()) {
    const double now = spread();
    if (now <= rounding() || now > before / 2) return;
    const Vector d = newton();
    const Reach r = reach(free_, d);
    ++steps_;
    advance(free_, d, std::min(1.0, r.length));
    before = r.length < 1 ? infinity : now;
    if (r.length < 1) leave(r.stop);
  }
}

double ActiveSet::offset() const { return e_(free_).mean(); }

double ActiveSet::spread() const { return free_.empty() ? 0 : e_(free_).maxCoeff() - e_(free_).minCoeff(); }

/// Of the weights at an end of their range; -1 if none violates by more. With none free it is the one that
/// would grow first.
Index ActiveSet::worst(double tolerance) const {
  Index up = -1, down = -1;  // largest e that could grow, smallest that could shrink
  for (Index i = 0; i < w_.size(); ++i) {
    if (is_free_[static_cast<size_t>(i)]) continue;
    if (w_[i] < high_[i] && (up < 0 || e_[i] > e_[up])) up = i;
    if (w_[i] > low_[i] && (down < 0 || e_[i] < e_[down])) down = i;
  }
  if (free_.empty()) return up >= 0 && down >= 0 && e_[up] - e_[down] > 2 * tolerance ? up : -1;
  const double over = up < 0 ? 0 : e_[up] - offset(), under = down < 0 ? 0 : offset() - e_[down];
  return std::max(over, under) > tolerance ? (over >= under ? up : down) : -1;
}

/// K d = e - offset on the free ones; the sum of all weights goes back to 0.
Vector ActiveSet::newton() const {
  const Vector a = factor_.solve(e_(free_).array() - offset());
  const Vector ones = factor_.solve(Vector::Ones(factor_.size()));
  return a - ones * ((a.sum() + w_.sum()) / ones.sum());
}

/// A direction without curvature: the free ones make up for a step of 1 of the point whose column this is.
Vector ActiveSet::flat(const Vector& column) const {
  const Vector a = factor_.solve(column), ones = factor_.solve(Vector::Ones(column.size()));
  Vector d(column.size() + 1);
  d << ones * ((a.sum() - 1) / ones.sum()) - a, 1;
  return d;
}

/// Where the point has nothing of its own beside the free ones, all move together uphill until one stops.
bool ActiveSet::enter(Index j) {
  const double least = 64 * epsilon * (1 + k_(j, j));
  while (true) {
    ++steps_;
    const Vector column = k_.col(j)(free_).array() + 1;
    const Vector half = factor_.half_solve(column);
    if (k_(j, j) + 1 - half.squaredNorm() > least &&
        factor_.append_half(half, Matrix::Constant(1, 1, k_(j, j) + 1), Matrix(1, 0))) {
      free_.push_back(j);
      is_free_[static_cast<size_t>(j)] = true;
      return true;
    }
    std::vector<Index> which = free_;
    which.push_back(j);
    Vector d = flat(column);
    const double slope = d.dot(e_(which));
    if (slope < 0) d = -d;
    Reach r = reach(which, d);
    if (std::isinf(r.length) && std::abs(slope) <= d.lpNorm<1>() * rounding()) r = reach(which, d = -d);
    if (std::isinf(r.length) || free_.empty()) return stuck_ = j, false;
    advance(which, d, r.length);
    if (r.stop == std::ssize(free_)) return to_end(j), true;
    leave(r.stop);
  }
}

void ActiveSet::leave(Index place) {
  const Index i = free_[static_cast<size_t>(place)];
  to_end(i);
  is_free_[static_cast<size_t>(i)] = false;
  factor_.remove(place);
  free_.erase(free_.begin() + place);
}

/// To the end of its range that it stands next to.
void ActiveSet::to_end(Index i) { w_[i] = w_[i] - low_[i] < high_[i] - w_[i] ? low_[i] : high_[i]; }

ActiveSet::Reach ActiveSet::reach(const std::vector<Index>& which, const Vector& d) const {
  Reach r{infinity, -1};
  for (Index p = 0; p < d.size(); ++p) {
    const Index i = which[static_cast<size_t>(p)];
    if (d[p] == 0) continue;
    const double room = std::max(0.0, d[p] > 0 ? high_[i] - w_[i] : w_[i] - low_[i]);
    if (room / std::abs(d[p]) < r.length) r = {room / std::abs(d[p]), p};
  }
  return r;
}

void ActiveSet::advance(const std::vector<Index>& which, const Vector& d, double length) {
  for (Index p = 0; p < d.size(); ++p) {
    const Index i = which[static_cast<size_t>(p)];
    const double to = std::min(high_[i], std::max(low_[i], w_[i] + length * d[p]));
    e_ -= (to - w_[i]) * k_.col(i);
    w_[i] = to;
  }
}

}  // namespace covary
