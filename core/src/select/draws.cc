#include "covary/select/draws.h"

#include <cmath>

#include "decompositions.h"

namespace covary {

Matrix laplace_draws(const std::function<Vector(const Vector&)>& gradient, const Vector& best, Index draws,
                     std::uint64_t seed) {
  constexpr double step = 1e-3, prior_sd = 3;
  const Index p = best.size();
  Matrix hessian(p, p);
  for (Index i = 0; i < p; ++i) {
    const Vector e = step * Vector::Unit(p, i);
    const Vector up = gradient(best + e), down = gradient(best - e);
    hessian.col(i).setZero();  // nothing is known of a direction in which there is no density
    if (up.size() == p && down.size() == p && up.allFinite() && down.allFinite())
      hessian.col(i) = (down - up) / (2 * step);
  }
  hessian = (0.5 * (hessian + hessian.transpose())).eval();
  const SymmetricEigen eigen = symmetric_eigen(hessian);
  const Vector sd = (eigen.values.cwiseMax(0).array() + 1 / (prior_sd * prior_sd)).sqrt().inverse();
  Random rng(seed);
  Matrix out = eigen.vectors * sd.asDiagonal() * rng.normal(p, draws);
  out.colwise() += best;
  return out;
}

}  // namespace covary
