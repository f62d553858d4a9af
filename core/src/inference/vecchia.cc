#include "covary/inference/vecchia.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "kernels/distance.h"

namespace covary {
using namespace internal;

std::string Vecchia::text() const {
  return fmt::format("vecchia(neighbors={}{}{})", neighbors, device.empty() ? "" : ", device=", device);
}

/// A factor of r rows for each observation, and r^2/2 covariances of some 30 flops and 3 for each column.
InferenceCost Vecchia::cost(Index n, Index d) const {
  const double rows = double(n), r = double(std::min(n, neighbors + 1)), columns = double(d);
  return {rows * (r * r * r / 3 + r * r * (15 + 1.5 * columns)),
          rows * (4 * r + 8 * (6 * columns + 45)) + 1e6 * r};
}

namespace internal {

std::vector<std::string> vecchia_notes(const Vecchia& how, Index distinct, Index observations,
                                       double jitter) {
  std::vector<std::string> out;
  if (observations > distinct)
    out.push_back(fmt::format("{} rows merged: {} observations at {} distinct inputs",
                              observations - distinct, observations, distinct));
  if (jitter > 0) out.push_back(fmt::format("jitter {:.3g} was added to the noise variances", jitter));
  if (how.neighbors >= distinct - 1)
    out.push_back(
        fmt::format("{} neighbors were asked for and there are {} other inputs: nothing is approximate",
                    how.neighbors, distinct - 1));
  else
    out.push_back(
        fmt::format("approximate: each observation is conditioned on {} of the nearest that come before it, "
                    "predictions on "
                    "the {} nearest; the log marginal likelihood is that of this approximation, no bound",
                    how.neighbors, std::min(predicted_from(how), distinct)));
  return out;
}

double next_jitter(double jitter) {
  if (jitter >= 1e-6)
    throw Error(Problem::numerical,
                "the covariance of some neighbors is not positive definite, even with 1e-6 of their variance "
                "added: give a noise variance");
  return jitter > 0 ? 10 * jitter : 1e-12;
}

void check_vecchia_objective(const Vecchia& how, ObjectiveKind kind) {
  if (kind != ObjectiveKind::evidence)
    throw Error(Problem::usage,
                "inference " + how.text() + " maximizes the evidence, not leave-one-out: use exact()");
}

Matrix pivot_triangle(Matrix k) {
  k.diagonal() *= 1 + 1e-8;
  return k.llt().matrixL();
}

Matrix pivot_solve(const Matrix& lower, const Matrix& b) {
  return lower.triangularView<Eigen::Lower>().solve(b);
}

Vector column_scales(const std::vector<Parameter>& parameters, const Rows& x) {
  Vector out = column_spread(x).cwiseInverse();
  std::vector<bool> named(static_cast<size_t>(x.cols()));
  for (const Parameter& p : parameters) {
    if (p.role != Role::lengthscale || !(p.value > 0)) continue;
    for (Index c = 0; c < x.cols(); ++c) {
      const bool read = p.reads.empty() || std::find(p.reads.begin(), p.reads.end(), c) != p.reads.end();
      if (p.column != c && !(p.column < 0 && read)) continue;
      const bool first = !named[static_cast<size_t>(c)];
      out[c] = first ? 1 / p.value : std::max(out[c], 1 / p.value);
      named[static_cast<size_t>(c)] = true;
    }
  }
  return out;
}

double scale_change(const Vector& a, const Vector& b, const Vector& spread) {
  constexpr double idle = 0.01;  // of the greatest extent in units of its length-scale
  const auto logs = [&](const Vector& scales) -> Vector {
    const Vector extent = scales.cwiseProduct(spread);
    const double most = extent.size() ? extent.maxCoeff() : 0;
    if (!(most > 0)) return Vector::Zero(scales.size());
    return extent.cwiseMax(idle * most).array().log();
  };
  if (a.size() != b.size() || a.size() == 0) return a.size() == b.size() ? 0 : 1e300;
  const Vector change = logs(a) - logs(b);
  return change.maxCoeff() - change.minCoeff();
}

template class VecchiaDensity<Row>;
template class VecchiaPosterior<Row>;

}  // namespace internal
}  // namespace covary
