#include "covary/learn/parameter_draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algebra/decompositions.h"
#include "base/constants.h"
#include "covary/gaussian/univariate.h"
#include "covary/learn/minimize.h"

namespace covary {
using namespace internal;
namespace {

constexpr double log_sd = 3;  // of each log parameter

using Gradient = std::function<Vector(const Vector&)>;

/// V and s with (H + I/log_sd^2)^-1 = V diag(s^2) V': H minus the second derivatives of the log density at
/// t by central differences, its negative eigenvalues taken for 0.
struct Curvature {
  Matrix vectors;  // p x p
  Vector sd;       // p
};
Curvature curvature(const Gradient& gradient, const Vector& t) {
  constexpr double step = 1e-3;
  const Index p = t.size();
  Matrix hessian(p, p);
  for (Index i = 0; i < p; ++i) {
    const Vector e = step * Vector::Unit(p, i);
    const Vector up = gradient(t + e), down = gradient(t - e);
    hessian.col(i).setZero();  // nothing is known of a direction in which there is no density
    if (up.size() == p && down.size() == p && up.allFinite() && down.allFinite())
      hessian.col(i) = (down - up) / (2 * step);
  }
  hessian = (0.5 * (hessian + hessian.transpose())).eval();
  const SymmetricEigen eigen = symmetric_eigen(hessian);
  return {eigen.vectors, (eigen.values.cwiseMax(0).array() + 1 / (log_sd * log_sd)).sqrt().inverse()};
}

}  // namespace

void internal::check_drawable(Index parameters) {
  if (parameters == 0)
    throw Error(Problem::usage,
                "parameters cannot be drawn: every parameter of this model is fixed, none was learned");
}

Matrix internal::laplace_draws(const Gradient& gradient, const Vector& best, Index draws,
                               std::uint64_t seed) {
  const Curvature c = curvature(gradient, best);
  Random rng(seed);
  Matrix out = c.vectors * c.sd.asDiagonal() * rng.normal(best.size(), draws);
  out.colwise() += best;
  return out;
}

double internal::NormalPrior::log_density(const Vector& theta) const {
  return -0.5 * ((theta - mean).cwiseQuotient(sd).squaredNorm() + double(sd.size()) * log_two_pi) -
         sd.array().log().sum();
}

ImportanceDraws internal::importance_draws(const Gradient& gradient, const Vector& best,
                                           const NormalPrior& prior, Index draws, std::uint64_t seed) {
  constexpr double freedom = 5, share = 0.75;  // of the t
  const Curvature c = curvature(gradient, best);
  Random rng(seed);
  const Index p = best.size();
  const double half = 0.5 * (freedom + double(p)),
               constant = log_gamma(half) - log_gamma(freedom / 2) -
                          0.5 * double(p) * std::log(freedom * std::numbers::pi) - c.sd.array().log().sum();
  ImportanceDraws out{Matrix(p, draws), Vector(draws)};
  for (Index i = 0; i < draws; ++i) {
    const Vector normal = rng.normal(p, 1);
    const double divisor = std::sqrt(2 * rng.gamma(freedom / 2) / freedom);
    const Vector theta = i % 4 == 3 ? Vector(prior.mean + prior.sd.cwiseProduct(normal))
                                    : Vector(best + c.vectors * c.sd.cwiseProduct(normal) / divisor);
    const Vector z = (c.vectors.transpose() * (theta - best)).cwiseQuotient(c.sd);
    const double t = std::log(share) + constant - half * std::log1p(z.squaredNorm() / freedom),
                 own = std::log1p(-share) + prior.log_density(theta), most = std::max(t, own);
    out.theta.col(i) = theta;
    out.log_proposal[i] = most + std::log(std::exp(t - most) + std::exp(own - most));
  }
  return out;
}

Vector internal::normalized_weights(const Vector& log_weights) {
  const double most = log_weights.size() ? log_weights.maxCoeff() : -std::numeric_limits<double>::infinity();
  if (!std::isfinite(most))
    throw Error(Problem::numerical,
                "the parameters have no posterior: the covariance is singular under every draw of them");
  const Vector w = (log_weights.array() - most).exp();
  return w / w.sum();
}

Vector internal::posterior_mode(const std::function<Evaluation(const Vector&)>& log_density,
                                const Vector& start) {
  const Vector g = log_density(start).gradient;
  if (g.size() != start.size() || !g.allFinite()) return start;
  const Curvature c = curvature([&](const Vector& t) { return log_density(t).gradient; }, start);
  if ((c.sd.asDiagonal() * (c.vectors.transpose() * g)).squaredNorm() < 1) return start;  // gain: half of it
  const Smooth minus = [&](const Vector& t) -> std::pair<double, Vector> {
    const Evaluation e = log_density(t);
    const Vector off = (t - start) / (log_sd * log_sd);
    if (e.gradient.size() != t.size()) return {std::numeric_limits<double>::infinity(), off};
    return {-e.value + 0.5 * off.dot(t - start), off - e.gradient};
  };
  const Vector reach = Vector::Constant(start.size(), 3 * log_sd);
  MinimizeOptions options;
  options.max_evaluations = 60, options.gradient_tolerance = 0.1, options.longest_step = 1;
  return minimize(minus, start, start - reach, start + reach, options).x;
}

}  // namespace covary
