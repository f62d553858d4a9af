// Priors of the weights and of the noise.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "covary/base/error.h"
#include "covary/linear/weights.h"

namespace covary {

std::vector<Index> WeightPrior::flat_weights() const {
  std::vector<Index> out;
  for (Index j = 0; j < size(); ++j)
    if (is_flat(j)) out.push_back(j);
  return out;
}

std::vector<Index> WeightPrior::proper_weights() const {
  std::vector<Index> out;
  for (Index j = 0; j < size(); ++j)
    if (!is_flat(j)) out.push_back(j);
  return out;
}

WeightPrior WeightPrior::flat(Index n) {
  return {Vector::Zero(n), Vector::Constant(n, std::numeric_limits<double>::infinity()), {}};
}

WeightPrior WeightPrior::isotropic(Index n, double variance) { return each(Vector::Constant(n, variance)); }

WeightPrior WeightPrior::each(const Vector& variances) {
  for (Index j = 0; j < variances.size(); ++j)
    if (!(variances[j] > 0))
      throw Error(Problem::usage,
                  fmt::format("the prior variance of weight {}: expected a positive number, found {}", j + 1,
                              variances[j]));
  return {Vector::Zero(variances.size()), variances.cwiseSqrt(), {}};
}

WeightPrior WeightPrior::full(Vector mean, const Matrix& covariance) {
  const Gaussian checked(mean, covariance);  // sizes, symmetry, no negative eigenvalue
  if (checked.rank() < checked.size()) {
    const Vector values = symmetric_eigen(covariance).values;
    throw Error(
        Problem::numerical,
        fmt::format("the prior covariance is not positive definite: its smallest eigenvalue is {:.3g}",
                    values[0]));
  }
  Matrix l = covariance;
  blas::cholesky(l, 1);
  return {std::move(mean), {}, l.triangularView<Eigen::Lower>()};
}

NoisePrior NoisePrior::known(double variance) {
  if (!(variance > 0) || !std::isfinite(variance))
    throw Error(Problem::usage,
                fmt::format("the noise variance of weights must be positive, found {}", variance));
  return {variance, 0, 0};
}

NoisePrior NoisePrior::gamma(double shape, double rate) {
  if (!(shape > 0) || !(rate > 0) || !std::isfinite(shape) || !std::isfinite(rate))
    throw Error(Problem::usage,
                fmt::format("the gamma prior of 1/noise: expected a positive shape and rate, found {} and {}",
                            shape, rate));
  return {0, shape, rate};
}

}  // namespace covary
