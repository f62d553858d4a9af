#include "covary/linear/weight_space.h"

#include <cmath>

#include "covary/base/runtime.h"

namespace covary {
namespace {

/// k(x, z) = sum_j s_j^2 phi_j(x) phi_j(z), s_j the prior sd of weight j, 0 for a flat one. (n + m) N
/// features and n m N flops a block.
struct WeightSpaceKernel {
  Regression regression;
  Vector sd;  // N

  Matrix scaled(const Rows& x) const { return regression.phi(x) * sd.asDiagonal(); }
  Matrix cross(Rows a, Rows b) const { return scaled(a) * scaled(b).transpose(); }
  Vector diag(Rows a) const { return scaled(a).rowwise().squaredNorm(); }
  Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  WeightSpaceKernel with(const Vector&) const { return *this; }
  std::string text() const { return "features(\"" + regression.model().features.text() + "\")"; }
  std::vector<Parameter> parameters() const { return {}; }
};

/// Their columns of Phi are the basis of the trend.
Mean<Row> flat_trend(const Regression& r, const std::vector<Index>& flat) {
  if (flat.empty()) return {};
  Mean<Row> m;
  m.text = "features";
  m.basis = [r, flat](const Rows& x) -> Matrix { return r.phi(x)(Eigen::all, flat); };
  for (const Index j : flat) m.terms.push_back(r.names()[static_cast<size_t>(j)]);
  return m;
}

}  // namespace

Marginals WeightSpacePosterior::marginals(const Rows& at, int threads) const {
  const Prediction p = regression_.predict(at, Of::f, threads);
  return {p.mean, p.sd.cwiseAbs2(), 0, p.freedom()};
}

InferenceReport WeightSpacePosterior::report() const {
  InferenceReport out;
  out.distinct = data_->y.size();
  return out;
}

Process<Row> internal::process_of(Regression regression, const Rows& x, const Vector& y) {
  const WeightModel& m = regression.model();
  const double estimate = regression.weights().noise_variance();
  const double noise = estimate > 0 && std::isfinite(estimate) ? estimate : 0;
  const double unit = m.noise > 0 || noise == 0 ? 1 : noise;  // prior variances are in units of the noise
  Vector sd = (unit * m.variances).cwiseSqrt();
  const std::vector<Index> flat = regression.weights().prior().flat_weights();
  sd(flat).setZero();
  const Noise of_new = Noise::of(noise);
  const Process<Row> prior(WeightSpaceKernel{regression, sd}, flat_trend(regression, flat), of_new);
  const auto data =
      std::make_shared<const Observations<Row>>(Observations<Row>{x, y, Vector::Constant(y.size(), noise)});
  Process<Row> posterior(prior, data, WeightSpacePosterior(std::move(regression), data), of_new);
  return posterior;
}

const Regression* internal::regression_of(const Process<Row>& process) {
  if (!process.posterior()) return nullptr;
  const auto* p = process.posterior()->as<WeightSpacePosterior>();
  return p ? &p->regression() : nullptr;
}

}  // namespace covary
