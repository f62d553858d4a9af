#include "covary/design/posterior_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "covary/design/candidate_pool.h"
#include "design/density_points.h"

namespace covary {
using namespace internal;
namespace {

constexpr double growth = 1.1;  // of the evaluations, until parameters are fitted again
constexpr double narrowest = 0.005,
                 widest = 0.2;         // sds of candidates near evaluated points, in parts of a range
constexpr double risen = 2;            // of the largest log density, until then too
constexpr Index one_in = 5;            // points after the start is quasi-random too
constexpr int tries = 20;              // for one that is possible
constexpr Index halton_leap = 100000;  // candidates come later in the sequence than the start

Matrix rows_of(const std::vector<Vector>& points, Index columns) {
  Matrix out(std::ssize(points), columns);
  for (size_t i = 0; i < points.size(); ++i) out.row(Index(i)) = points[i].transpose();
  return out;
}

std::vector<ParameterPrior> with_names(std::vector<ParameterPrior> prior) {
  for (size_t k = 0; k < prior.size(); ++k)
    if (prior[k].name.empty()) prior[k].name = fmt::format("x{}", k + 1);
  return prior;
}

std::vector<std::string> names_of_parameters(const std::vector<ParameterPrior>& prior) {
  std::vector<std::string> out;
  for (const ParameterPrior& p : prior) out.push_back(p.name);
  return out;
}

/// The compression of log densities (see the header): increasing, and smooth where it begins.
Vector compressed(const Vector& log_joint, double tail) {
  const double top = log_joint.maxCoeff();
  Vector out = log_joint;
  for (double& y : out)
    if (top - y > tail) y = top - tail * (1 + std::log((top - y) / tail));
  return out;
}

/// The trend: of d parameters a second-degree polynomial (without products) has 1 + 2 d coefficients.
std::string mean_of(const std::string& given, Index d, Index n) {
  if (given != "auto") return given;
  return d >= 3 && n > 2 * d + 2 ? "polynomial(degree=2)" : "constant";
}

/// The evaluated points, by whether the likelihood is 0.
struct Evaluated {
  std::vector<Index> possible, impossible;
  explicit Evaluated(const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i)
      (std::isinf(values[i]) ? impossible : possible).push_back(Index(i));
  }
};

}  // namespace

PosteriorSearch::PosteriorSearch(std::vector<ParameterPrior> prior, Index budget,
                                 PosteriorSearchOptions options)
    : prior_(with_names(std::move(prior))),
      budget_(budget),
      options_(std::move(options)),
      rng_(options_.seed) {
  internal::check(prior_);
  for (const ParameterPrior& p : prior_)
    if (p.held())
      throw Error(Problem::usage,
                  fmt::format("the range of {} has no volume: it is from {} to {}", p.name, p.low, p.high));
  if (budget_ < 1)
    throw Error(Problem::usage, fmt::format("budget: expected 1 call or more, found {}", budget_));
  if (options_.candidates < 10)
    throw Error(Problem::usage,
                fmt::format("candidates: expected 10 or more, found {}", options_.candidates));
  if (!(options_.tail > 0))
    throw Error(Problem::usage, fmt::format("tail: expected a positive number, found {}", options_.tail));
  if (options_.start < 0)
    throw Error(Problem::usage, fmt::format("start: expected 0 or more, found {}", options_.start));
  const NamedStrategy strategy = parse_strategy(options_.strategy);
  if (!strategy.entry->applies(false))
    throw Error(Problem::usage,
                fmt::format("strategy {} is for classes, not for log likelihoods", options_.strategy));
  if (options_.start == 0) options_.start = 5 * std::ssize(prior_);
}

Matrix PosteriorSearch::evaluated() const {
  return rows_of({asked_.begin(), asked_.begin() + std::ssize(log_likelihoods_)}, std::ssize(prior_));
}

Vector PosteriorSearch::log_likelihoods() const {
  return Eigen::Map<const Vector>(log_likelihoods_.data(), std::ssize(log_likelihoods_));
}

Vector PosteriorSearch::ask() {
  if (left() < 1) throw Error(Problem::data, fmt::format("the budget of {} calls is spent", budget_));
  if (!next_) next_ = chosen();
  return *next_;
}

void PosteriorSearch::tell(double log_likelihood) {
  if (!next_) throw Error(Problem::usage, "tell comes after ask");
  if (std::isnan(log_likelihood) || log_likelihood == std::numeric_limits<double>::infinity())
    throw Error(
        Problem::data,
        fmt::format("log likelihood {} at ({:g}): expected a number or -inf (probability zero), found {}",
                    log_likelihoods_.size() + 1, fmt::join(*next_, ", "), log_likelihood));
  asked_.push_back(*next_), log_likelihoods_.push_back(log_likelihood);
  next_.reset(), model_.reset();
}

/// Quasi-random ones, and normal ones around evaluated points: the one of rank r with probability ~ 1/r, with an sd
/// that is log-uniform.
Matrix PosteriorSearch::candidates() {
  const Index d = std::ssize(prior_), near = options_.candidates / 2, far = options_.candidates - near;
  Matrix out(options_.candidates, d);
  out.topRows(far) = design::halton(prior_, halton_leap + std::ssize(asked_) * far, far, options_.seed);
  const FittedModel& m = model();
  std::vector<Index> ranked = all_indices(m->y.size());
  std::sort(ranked.begin(), ranked.end(), [&](Index a, Index b) { return m->y[a] > m->y[b]; });
  for (Index i = far; i < out.rows(); ++i) {
    const auto rank = static_cast<size_t>(std::pow(double(ranked.size()), rng_.uniform()));  // 1, ..., n
    const double sd = narrowest * std::pow(widest / narrowest, rng_.uniform());
    for (Index k = 0; k < d; ++k) {
      const ParameterPrior& p = prior_[static_cast<size_t>(k)];
      const double at =
          m->x(ranked[std::min(rank, ranked.size()) - 1], k) + sd * (p.high - p.low) * rng_.normal();
      out(i, k) = std::clamp(at, p.low, p.high);
    }
  }
  return out;
}

std::vector<Index> PosteriorSearch::possible(const Matrix& points) {
  Vector ranges(points.cols());
  for (Index k = 0; k < ranges.size(); ++k)
    ranges[k] = prior_[static_cast<size_t>(k)].high - prior_[static_cast<size_t>(k)].low;
  const Matrix impossible = evaluated()(Evaluated(log_likelihoods_).impossible, Eigen::all);
  const std::vector<bool> beyond = beyond_barrier(points, model()->x, impossible, ranges);
  std::vector<Index> out;
  for (Index i = 0; i < points.rows(); ++i)
    if (!beyond[static_cast<size_t>(i)]) out.push_back(i);
  return out;
}

Vector PosteriorSearch::chosen() {
  const Index later = std::ssize(log_likelihoods_) - options_.start;
  if (later < 0 || Evaluated(log_likelihoods_).possible.size() < 2)
    return design::halton(prior_, spread_++, 1, options_.seed).row(0).transpose();
  for (int i = 0; (later + 1) % one_in == 0 && i < tries; ++i) {
    const Matrix next = design::halton(prior_, spread_++, 1, options_.seed);
    if (!possible(next).empty()) return next.row(0).transpose();
  }
  const Matrix all = candidates();
  const std::vector<Index> open = possible(all);
  if (open.empty()) return all.row(0).transpose();
  const Matrix some = all(open, Eigen::all);
  CandidatePool pool(model(), some, options_.strategy, {.seed = rng_.fork(), .threads = options_.threads});
  return some.row(pool.suggest(1)[0].candidate).transpose();
}

const FittedModel& PosteriorSearch::model() {
  if (model_ && model_->record().y.size() == std::ssize(Evaluated(log_likelihoods_).possible)) return *model_;
  const Evaluated seen(log_likelihoods_);
  const Index n = std::ssize(seen.possible);
  if (n < 2)
    throw Error(Problem::data,
                fmt::format("{} of {} log likelihoods {} finite: the density needs two or more", n,
                            log_likelihoods_.size(), n == 1 ? "is" : "are"));
  const Matrix x = evaluated()(seen.possible, Eigen::all);
  const Vector log_joint = log_likelihoods()(seen.possible) + log_prior_density(prior_, x);
  const Vector y = compressed(log_joint, options_.tail);
  const bool again = !latest_ || double(n) >= growth * double(fitted_) || y.maxCoeff() > top_ + risen;
  if (!again) return model_.emplace(with_rows(*latest_, x, y, options_.threads));
  Request request;
  request.kernel = options_.kernel, request.mean = mean_of(options_.mean, x.cols(), n);
  const bool learned = std::isnan(options_.noise);
  request.noise = learned ? "learn" : fmt::format("{}", options_.noise);
  TrainingData data{x, y, names_of_parameters(prior_), "log_joint"};
  if (!learned) data.noise = Noise::of(options_.noise);
  FitOptions fitting{.starts = 4, .seed = options_.seed, .threads = options_.threads};
  latest_ = fit(request, std::move(data), fitting);
  fitted_ = n, top_ = y.maxCoeff();
  return model_.emplace(*latest_);
}

PosteriorDensity PosteriorSearch::density(DensityOptions options) {
  const Evaluated seen(log_likelihoods_);
  options.joint = true;
  options.impossible = evaluated()(seen.impossible, Eigen::all);
  const Index d = std::ssize(prior_);
  if (d == 1) return grid_density(model(), prior_, {401}, options);
  if (d == 2) return grid_density(model(), prior_, {101, 101}, options);
  return sampled_density(model(), prior_, 10000, options);
}

PosteriorDensity estimate_posterior(const std::function<double(const Vector&)>& log_likelihood,
                                    const std::vector<ParameterPrior>& prior, Index budget,
                                    const PosteriorSearchOptions& options, const DensityOptions& density) {
  PosteriorSearch search(prior, budget, options);
  while (search.left() > 0) search.tell(log_likelihood(search.ask()));
  return search.density(density);
}

}  // namespace covary
