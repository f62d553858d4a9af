#include "svm/dense_margin.h"

#include <cmath>

#include "svm/active_set.h"
#include "svm/libsvm.h"

namespace covary {
namespace {

/// What the solvers want to see. With an offset a separator is indifferent to a common shift of all points;
/// k/scale has weights and penalty that are `scale` times as large.
struct Seen {
  Matrix k;  // m x m: centered, symmetric, mean diagonal 1
  double scale = 1;
};

Seen seen(Matrix k) {
  k = (0.5 * (k + k.transpose())).eval();
  const Vector level = k.rowwise().mean();
  const double mean = level.mean();
  k.colwise() -= level;
  k.rowwise() -= (level.array() - mean).matrix().transpose();
  const double scale = k.diagonal().mean();
  if (!(scale > 0)) return {std::move(k), 1};
  k /= scale;
  return {std::move(k), scale};
}

double objective(const Matrix& k, const Vector& y, const Vector& w) { return y.dot(w) - 0.5 * w.dot(k * w); }

}  // namespace

DenseMargin widest_margin(Matrix k, const Vector& y, const Vector& penalty, double tolerance,
                          const Vector& start, bool quick) {
  const Seen s = seen(std::move(k));
  const Vector bound = penalty * s.scale;
  Vector w = start * s.scale;
  if (quick && has_libsvm() && (bound.array() == bound[0]).all()) {
    const Vector other = libsvm_start(s.k, y, bound[0]);
    if (objective(s.k, y, other) > objective(s.k, y, w)) w = other;
  }
  ActiveSet active(s.k, y, bound, w.cwiseMin(bound).cwiseMax(-bound));
  DenseMargin out;
  if (!active.solve(tolerance)) out.stuck = active.stuck();
  w = active.weights();
  out.weights = (w.array().abs() < bound.array()).select(w.array() / s.scale, penalty.array() * y.array());
  out.margin = std::sqrt(s.scale / std::max(0.0, w.dot(s.k * w)));
  out.steps = active.steps();
  return out;
}

}  // namespace covary
