#include "covary/design/posterior_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "covary/base/error.h"
#include "design/density_points.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_drawn = 500;  // points that draws are joint at
constexpr double no_density = -std::numeric_limits<double>::infinity();
constexpr double border_share = 0.05, border_width = 0.01;  // of the mass, of a range
constexpr double least_effective = 10, wide_evidence = 2;   // points, nats

void check_model(const FittedModel& model, const std::vector<ParameterPrior>& prior, int threads) {
  (void)gaussian_process(model, "posterior", threads);
  const ModelRecord& m = model.record();
  if (!m.request.transform.is_identity())
    throw Error(Problem::usage,
                fmt::format("posterior: the model is of {}: expected one of the log likelihood itself",
                            m.request.transform.of(m.target)));
  if (m.features.size() != prior.size())
    throw Error(Problem::usage, fmt::format("posterior: the model has {} parameters, the prior {}",
                                            m.features.size(), prior.size()));
}

void check_options(const DensityOptions& o, Index columns) {
  if (!(o.percent > 0 && o.percent < 100))
    throw Error(Problem::usage,
                fmt::format("interval: expected a percentage between 0 and 100, found {}", o.percent));
  if (o.draws < 10) throw Error(Problem::usage, fmt::format("draws: expected 10 or more, found {}", o.draws));
  if (o.impossible.rows() > 0 && o.impossible.cols() != columns)
    throw Error(Problem::usage,
                fmt::format("impossible: expected {} columns, found {}", columns, o.impossible.cols()));
  check_finite(Rows(o.impossible), "impossible");
}

/// d: of the prior.
Vector ranges_of_prior(const std::vector<ParameterPrior>& prior) {
  Vector out(std::ssize(prior));
  for (Index k = 0; k < out.size(); ++k)
    out[k] = prior[static_cast<size_t>(k)].high - prior[static_cast<size_t>(k)].low;
  return out;
}

}  // namespace

Vector internal::ranges_of(const Rows& x) {
  if (x.rows() == 0) return Vector::Zero(x.cols());
  return (x.colwise().maxCoeff() - x.colwise().minCoeff()).transpose();
}

std::vector<bool> internal::beyond_barrier(const Rows& points, const Rows& possible, const Rows& impossible,
                                           const Vector& ranges) {
  std::vector<bool> out(static_cast<size_t>(points.rows()), false);
  if (impossible.rows() == 0) return out;
  const Vector unit = (ranges.array() > 0).select(ranges.cwiseInverse(), 0);
  const Matrix at = points * unit.asDiagonal(), good = possible * unit.asDiagonal(),
               bad = impossible * unit.asDiagonal();
  for (Index i = 0; i < at.rows(); ++i) {
    const double to_bad = (bad.rowwise() - at.row(i)).rowwise().squaredNorm().minCoeff();
    out[static_cast<size_t>(i)] =
        good.rows() == 0 || to_bad <= (good.rowwise() - at.row(i)).rowwise().squaredNorm().minCoeff();
  }
  return out;
}

PosteriorDensity::PosteriorDensity(const FittedModel& model, std::vector<ParameterPrior> prior, Matrix points,
                                   Vector log_volume, Vector step, const DensityOptions& options)
    : prior_(std::move(prior)),
      options_(options),
      points_(std::move(points)),
      step_(std::move(step)),
      log_volume_(std::move(log_volume)) {
  internal::check(prior_);
  check_model(model, prior_, options_.threads);
  check_options(options_, std::ssize(prior_));
  check_finite(Rows(points_), "points");
  if (points_.rows() == 0 || log_volume_.size() != points_.rows())
    throw Error(Problem::usage,
                fmt::format("posterior: {} volumes for {} points", log_volume_.size(), points_.rows()));
  const Prediction f = model.predict(points_, Of::f, options_.threads);
  sd_ = f.sd;
  log_joint_ = f.mean + log_prior_density(prior_, points_);
  if (options_.joint)  // what was added is taken off, but for the ranges
    log_joint_ = log_joint_.array().isFinite().select(f.mean, no_density);
  const std::vector<bool> beyond =
      beyond_barrier(points_, model->x, options_.impossible, ranges_of_prior(prior_));
  for (Index i = 0; i < log_joint_.size(); ++i)
    if (beyond[static_cast<size_t>(i)]) log_joint_[i] = no_density;
  const Vector logs = log_joint_ + log_volume_;
  log_evidence_ = design::log_sum_exp(logs);
  if (!std::isfinite(log_evidence_))
    throw Error(Problem::numerical,
                "the posterior density is 0 at every point: all of them are outside of the ranges "
                "or nearer to impossible parameters than to any that was evaluated");
  mass_ = (logs.array() - log_evidence_).exp();
  mass_ /= mass_.sum();
  draw(model);
}

/// Draws at all points, or at some resampled half by mass and half by the mass at two sds above the mean, with
/// weights that make up for it.
void PosteriorDensity::draw(const FittedModel& model) {
  std::vector<Index> possible;
  for (Index i = 0; i < mass_.size(); ++i)
    if (mass_[i] > 0) possible.push_back(i);
  drawn_ = possible, share_ = mass_(possible);
  Random rng(options_.seed);
  if (std::ssize(possible) > most_drawn) {
    const Vector upper = log_joint_ + log_volume_ + 2 * sd_;
    Vector q = (upper.array() - design::log_sum_exp(upper)).exp();
    q = (q + mass_) / 2;
    drawn_.clear();
    std::vector<double> share;
    for (const Index i : design::systematic(q, most_drawn, rng)) {
      if (drawn_.empty() || drawn_.back() != i) drawn_.push_back(i), share.push_back(0);
      share.back() += mass_[i] / q[i];
    }
    share_ = Eigen::Map<const Vector>(share.data(), std::ssize(share));
    share_ /= share_.sum();
  }
  const Matrix at = points_(drawn_, Eigen::all);
  const Vector center = model.mean(at, options_.threads);
  tilt_ = model.sample(at, options_.draws, rng.fork()).colwise() - center;
  log_ratio_.resize(options_.draws);
  for (Index d = 0; d < options_.draws; ++d) {
    const Vector logs = tilt_.col(d).array() + share_.array().log();
    log_ratio_[d] = design::log_sum_exp(logs);
    tilt_.col(d) = (logs.array() - log_ratio_[d]).exp();
  }
}

Vector PosteriorDensity::density_at(double sds) const {
  return (log_joint_.array() - log_evidence_ + (log_joint_.array().isFinite()).select(sds * sd_.array(), 0))
      .exp();
}

Vector PosteriorDensity::density() const { return density_at(0); }

/// E g by each draw: that of the estimate, and what the draw adds to it at its points.
Vector PosteriorDensity::draws_of(const Vector& values) const {
  const Vector at = values(drawn_);
  return (tilt_.transpose() * at).array() + (mass_.dot(values) - share_.dot(at));
}

IntervalEstimate PosteriorDensity::estimate(double value, const Vector& draws) const {
  std::vector<double> sorted(draws.begin(), draws.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double p) {
    const double at = p * double(sorted.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
  };
  const double tail = (1 - options_.percent / 100) / 2;
  return {value, quantile(tail), quantile(1 - tail)};
}

IntervalEstimate PosteriorDensity::log_evidence() const {
  return estimate(log_evidence_, log_ratio_.array() + log_evidence_);
}

IntervalEstimate PosteriorDensity::expectation(const Vector& values) const {
  if (values.size() != points_.rows())
    throw Error(Problem::usage, fmt::format("expectation: expected a value for each of {} points, found {}",
                                            points_.rows(), values.size()));
  check_finite(values, "expectation");
  return estimate(mass_.dot(values), draws_of(values));
}

Vector PosteriorDensity::mean() const { return points_.transpose() * mass_; }

Matrix PosteriorDensity::covariance() const {
  const Matrix centered = points_.rowwise() - mean().transpose();
  return centered.transpose() * mass_.asDiagonal() * centered;
}

std::vector<IntervalEstimate> PosteriorDensity::means() const {
  std::vector<IntervalEstimate> out;
  for (Index k = 0; k < points_.cols(); ++k) out.push_back(expectation(points_.col(k)));
  return out;
}

std::vector<IntervalEstimate> PosteriorDensity::sds() const {
  std::vector<IntervalEstimate> out;
  const Vector center = mean();
  for (Index k = 0; k < points_.cols(); ++k) {
    const Vector off = points_.col(k).array() - center[k], square = off.cwiseAbs2();
    const Vector variances = draws_of(square) - draws_of(off).cwiseAbs2();
    out.push_back(estimate(std::sqrt(mass_.dot(square)), variances.cwiseMax(0).cwiseSqrt()));
  }
  return out;
}

Matrix PosteriorDensity::sample(Index count, std::uint64_t seed) const {
  if (count < 1) throw Error(Problem::usage, fmt::format("samples: expected 1 or more, found {}", count));
  Random rng(seed);
  std::vector<double> sums(static_cast<size_t>(mass_.size()));
  std::partial_sum(mass_.begin(), mass_.end(), sums.begin());
  Matrix out(count, points_.cols());
  for (Index i = 0; i < count; ++i) {
    const auto at = std::upper_bound(sums.begin(), sums.end(), rng.uniform() * sums.back());
    const Index row = std::min<Index>(at - sums.begin(), mass_.size() - 1);
    out.row(i) = points_.row(row);
    for (Index k = 0; k < step_.size(); ++k) {
      const ParameterPrior& p = prior_[static_cast<size_t>(k)];
      const double low = std::max(p.low, out(i, k) - step_[k] / 2),
                   high = std::min(p.high, out(i, k) + step_[k] / 2);
      if (!p.held()) out(i, k) = low + rng.uniform() * (high - low);
    }
  }
  return out;
}

double PosteriorDensity::effective_points() const { return 1 / mass_.squaredNorm(); }

std::vector<std::string> PosteriorDensity::notes() const {
  std::vector<std::string> out;
  for (Index k = 0; k < points_.cols(); ++k) {
    const ParameterPrior& p = prior_[static_cast<size_t>(k)];
    if (p.held()) continue;
    const double width = border_width * (p.high - p.low);
    const auto near = (points_.col(k).array() < p.low + width) || (points_.col(k).array() > p.high - width);
    if (const double share = near.select(mass_.array(), 0).sum(); share > border_share)
      out.push_back(
          fmt::format("{:.2g} % of the mass lies on the border of {} ({} to {}): a wider range may hold more",
                      100 * share, p.name, p.low, p.high));
  }
  if (const double points = effective_points(); points < least_effective)
    out.push_back(
        fmt::format("few points have mass (as many as {:.2g} of equal mass): take more points or narrower "
                    "ranges",
                    points));
  const IntervalEstimate z = log_evidence();
  if (z.upper - z.lower > wide_evidence)
    out.push_back(
        fmt::format("the log evidence is uncertain, {:.4g} to {:.4g}: evaluate more log likelihoods where "
                    "strategy expected-divergence suggests",
                    z.lower, z.upper));
  return out;
}

PosteriorDensity grid_density(const FittedModel& model, const std::vector<ParameterPrior>& prior,
                              const std::vector<Index>& count, const DensityOptions& options) {
  internal::check(prior);
  design::WeightedPoints g = design::grid(prior, count);
  return {model, prior, std::move(g.points), std::move(g.log_volume), std::move(g.step), options};
}

PosteriorDensity sampled_density(const FittedModel& model, const std::vector<ParameterPrior>& prior,
                                 Index count, const DensityOptions& options) {
  internal::check(prior);
  check_model(model, prior, options.threads);
  if (count < 100) throw Error(Problem::usage, fmt::format("points: expected 100 or more, found {}", count));
  const auto log_density = [&](const Rows& x) -> Vector {
    const Vector of_prior = log_prior_density(prior, x);
    const Vector f = model.mean(x, options.threads);
    Vector out =
        options.joint ? Vector(of_prior.array().isFinite().select(f, no_density)) : Vector(f + of_prior);
    const std::vector<bool> beyond = beyond_barrier(x, model->x, options.impossible, ranges_of_prior(prior));
    for (Index i = 0; i < out.size(); ++i)
      if (beyond[static_cast<size_t>(i)]) out[i] = no_density;
    return out;
  };
  design::WeightedPoints p = design::importance(prior, count, options.seed, log_density);
  return {model, prior, std::move(p.points), std::move(p.log_volume), Vector(0), options};
}

}  // namespace covary
