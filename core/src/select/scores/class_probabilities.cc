#include "select/scores/class_probabilities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace covary::select {
namespace {

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// The integral by the trapezoidal rule, which for integrands like these converges faster than any power of the step:
/// at a step of 0.5 it is exact to rounding. a: means in standard deviations. One Phi for each class and node.
void several(const Eigen::Ref<const Eigen::RowVectorXd>& a, Eigen::Ref<Eigen::RowVectorXd> out) {
  constexpr double step = 0.5, reach = 8;
  const double high = a.maxCoeff();
  Eigen::RowVectorXd below(a.size());
  out.setZero();
  for (double u = high - reach; u <= high + reach; u += step) {
    for (Index c = 0; c < a.size(); ++c) below[c] = normal_probability(u - a[c]);
    for (Index c = 0; c < a.size(); ++c) {
      const double z = u - a[c];
      double p = std::exp(-0.5 * z * z);
      for (Index l = 0; l < a.size(); ++l)
        if (l != c) p *= below[l];
      out[c] += p;
    }
  }
  out /= out.sum();
}

}  // namespace

Matrix class_probabilities(const Matrix& mean, const Vector& sd, Index kinds) {
  Matrix out(mean.rows(), kinds);
  for (Index i = 0; i < out.rows(); ++i) {
    if (kinds == 2) {
      out(i, 1) = normal_probability(mean(i, 0) / sd[i]);
      out(i, 0) = normal_probability(-mean(i, 0) / sd[i]);
      continue;
    }
    Eigen::RowVectorXd row(kinds);
    several(mean.row(i) / sd[i], row);
    out.row(i) = row;
  }
  return out;
}

Vector label_sd(const StrategyInput& sight) {
  const Vector variance = sight.belief.variance() + sight.pool().noise;
  return variance.cwiseMax(1e-14 * sight.pool().diagonal).cwiseMax(1e-300).cwiseSqrt();
}

Matrix class_probabilities(const StrategyInput& sight) {
  const Matrix mean = sight.belief.mean();
  const Vector sd = label_sd(sight);
  Matrix out(mean.rows(), sight.kinds);
  sight.belief.runs("scores", [&](Range r) {
    out.middleRows(r.first, r.count) =
        class_probabilities(mean.middleRows(r.first, r.count), sd.segment(r.first, r.count), sight.kinds);
  });
  return out;
}

Vector coded_class(Index kind, Index kinds) {
  if (kinds == 2) return Vector::Constant(1, kind == 1 ? 1.0 : -1.0);
  Vector out = Vector::Constant(kinds, -1);
  out[kind] = 1;
  return out;
}

double runner_up(const Eigen::Ref<const Vector>& mean, double sd) {
  if (mean.size() == 1) return normal_probability(-std::abs(mean[0]) / sd);
  double first = -std::numeric_limits<double>::infinity(), second = first;
  for (const double v : mean) {
    second = std::max(second, std::min(first, v));
    first = std::max(first, v);
  }
  return normal_probability(-(first - second) / (sd * std::numbers::sqrt2));
}

}  // namespace covary::select
