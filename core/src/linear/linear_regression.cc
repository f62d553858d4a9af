#include "covary/linear/linear_regression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/base/finite.h"
#include "covary/base/parallel.h"
#include "covary/base/row_names.h"
#include "covary/base/runtime.h"
#include "covary/learn/summary_words.h"
#include "covary/linear/weight_space.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "linear/ridge_evidence.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_held_entries =
    4'000'000;  // entries of Phi up to which it is made once; beyond, as it is wanted

Matrix with_intercept(const Features& features, bool intercept, const Rows& x, Index before) {
  if (!intercept) return features(x, before);
  const Matrix phi = features(x, before);
  Matrix out(phi.rows(), phi.cols() + 1);
  out << Vector::Ones(phi.rows()), phi;
  return out;
}

RowBlocks blocks_of(const Features& features, bool intercept, const Rows& x) {
  const Index columns = features.size() + (intercept ? 1 : 0);
  return {x.rows(), columns, [&features, intercept, x](Range r) {
            return with_intercept(features, intercept, slice(x, r), r.first);
          }};
}

WeightPrior prior_of(const WeightModel& m) { return WeightPrior::each(m.variances); }
NoisePrior noise_of(const WeightModel& m) {
  return m.noise > 0 ? NoisePrior::known(m.noise) : NoisePrior::unknown();
}

Weights conditioned(const WeightModel& m, const Rows& x, const Vector& y, int threads) {
  check_sizes(x.rows(), y.size());
  check_finite(x, "x");
  const Weights prior(prior_of(m), noise_of(m));
  const RowBlocks phi = blocks_of(m.features, m.intercept, x);
  const ConditionOptions options{.side = m.side, .threads = threads};
  if (phi.rows * phi.columns > most_held_entries) return prior.condition(phi, y, options);
  return prior.condition(phi.at({0, phi.rows}), y, options);
}

/// "'a', 'b' and 3 more"
std::string listed_some(const std::vector<std::string>& names, const std::vector<Index>& some) {
  constexpr size_t most = 5;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(most, some.size()); ++i)
    shown.push_back("'" + names[static_cast<size_t>(some[i])] + "'");
  const std::string more = some.size() > most ? fmt::format(" and {} more", some.size() - most) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

}  // namespace

Regression::Regression(WeightModel model, const Rows& x, const Vector& y, int threads)
    : model_(std::move(model)), weights_(conditioned(model_, x, y, threads)) {
  model_.side = weights_.on_side_of_functions() ? Side::functions : Side::weights;
  if (model_.undetermined == Undetermined::error && weights_.rank() < weights_.size())
    throw Error(Problem::data,
                fmt::format("the rows do not determine the weights of {}: features that repeat or depend on "
                            "each other, or fewer rows than features",
                            listed_some(names(), weights_.undetermined())));
}

std::vector<std::string> Regression::names() const {
  std::vector<std::string> out = model_.features.names();
  if (model_.intercept) out.insert(out.begin(), "intercept");
  return out;
}

Matrix Regression::phi(const Rows& x, Index before) const {
  return with_intercept(model_.features, model_.intercept, x, before);
}

Prediction Regression::predict(const Rows& x, Of of, int threads) const {
  check_finite(x, "x");
  StudentT out{Vector(x.rows()), Vector(x.rows()), freedom()};
  for_blocks(x.rows(), threads_or_all(threads), [&](Range r) {
    const Marginals m = weights_.predict(phi(slice(x, r), r.first), of);
    out.location.segment(r.first, r.count) = m.mean;
    out.scale.segment(r.first, r.count) = m.sd().array().isNaN().select(infinity, m.sd());
  });
  return out;
}

Gaussian Regression::joint(const Rows& x, Of of) const { return weights_.joint(phi(x), of); }

Matrix Regression::sample(const Rows& x, Index draws, std::uint64_t seed, Of of) const {
  return weights_.sample(phi(x), draws, seed, of);
}

LeaveOneOut Regression::leave_one_out(const Rows& x, const Vector& y, int threads) const {
  return weights_.leave_one_out(blocks_of(model_.features, model_.intercept, x), y, threads);
}

Weights Regression::after(const Rows& x, const Vector& y, Index rows) const {
  const Weights prior(prior_of(model_), noise_of(model_));
  return rows == 0 ? prior : prior.condition(phi(x.topRows(rows)), y.head(rows), {.side = Side::weights});
}

Regression Regression::stage(const Rows& x, const Vector& y, Index rows) const {
  const double noise = weights_.noise_variance();
  if (!(noise > 0))
    throw Error(
        Problem::data,
        std::isnan(noise)
            ? fmt::format("{} rows for {} weights: no residual degrees of freedom to estimate the noise",
                          y.size(), weights_.size())
            : "the rows are fitted exactly: there is no noise to compare stages with");
  WeightModel m = model_;
  if (!(m.noise > 0)) m.variances *= noise;
  m.noise = noise, m.side = Side::weights, m.undetermined = Undetermined::minimum_norm;
  Regression out = *this;
  out.model_ = std::move(m);
  out.weights_ = out.after(x, y, rows);
  return out;
}

std::optional<Index> internal::rows_that_determine(const Regression& r, const Rows& x, const Vector& y,
                                                   const std::vector<Index>& which) {
  const auto free = [&](Index rows) { return !r.stage(x, y, rows).weights().determines(which); };
  if (free(y.size())) return {};
  Index low = 0, high = y.size();  // rows only add: by halves
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (free(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ------------------------------------------------------------------------------------------------- learning

namespace {

void check_model(const LinearModel& m) {
  const auto belongs = [](bool given, bool right, const char* what, const char* to) {
    if (given && !right) throw Error(Problem::usage, fmt::format("{} belongs to {} regression", what, to));
  };
  belongs(m.penalty.has_value(), m.method == Method::ridge, "a penalty", "ridge");
  belongs(m.prior_sd.has_value(), m.method == Method::bayes, "the sd of a prior", "bayes");
  belongs(m.side == Side::functions, m.method != Method::linear, "function space", "ridge or bayes");
  for (const auto& [value, what] :
       {std::pair{m.penalty, "the penalty"}, {m.prior_sd, "the sd of the prior"}, {m.noise, "the noise"}})
    if (value && !(*value > 0 && std::isfinite(*value)))
      throw Error(Problem::usage, fmt::format("{}: expected a positive number, found {}", what, *value));
}

/// Mean and standard deviation of every column of Phi, in two passes over it.
struct Spread {
  Vector mean, sd;
};
Spread spread(const RowBlocks& phi, int threads) {
  const auto sums = [&](const std::function<Vector(const Matrix&)>& of) {
    std::vector<std::pair<Index, Vector>> parts;
    std::mutex adding;
    for_row_blocks(phi, threads, [&](Range r, const Matrix& rows) {
      Vector part = of(rows);
      const std::lock_guard lock(adding);
      parts.emplace_back(r.first, std::move(part));
    });
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Vector all = Vector::Zero(phi.columns);
    for (const auto& part : parts) all += part.second;
    return Vector(all / double(phi.rows));
  };
  Spread s;
  s.mean = sums([](const Matrix& rows) -> Vector { return rows.colwise().sum(); });
  s.sd = sums([&](const Matrix& rows) -> Vector {
           return (rows.rowwise() - s.mean.transpose()).colwise().squaredNorm();
         }).cwiseSqrt();
  return s;
}

/// The unit of a weight's penalty: the spread of its feature, 0 for the intercept. Features that do not vary
/// count by their size.
Vector scales_of_weights(const LinearModel& m, const RowBlocks& phi, const std::vector<std::string>& names,
                         int threads, std::vector<std::string>& notes) {
  const Spread s = spread(phi, threads);
  Vector scale = Vector::Ones(phi.columns);
  std::vector<Index> constant;
  for (Index j = m.intercept ? 1 : 0; j < phi.columns; ++j) {
    const double size = std::abs(s.mean[j]);
    const bool varies = s.sd[j] > 1e-13 * size;
    if (!varies && m.intercept) constant.push_back(j);
    if (!m.standardize) continue;
    scale[j] = varies ? (m.intercept ? s.sd[j] : std::hypot(s.sd[j], size)) : size > 0 ? size : 1;
  }
  if (!constant.empty())
    notes.push_back(listed_some(names, constant) +
                    (constant.size() == 1 ? " does not vary" : " do not vary") +
                    ": redundant with the intercept");
  if (m.intercept) scale[0] = 0;
  return scale;
}

struct Choice {
  double penalty = 0;
  double noise = 0;  // variance; 0: unknown
  bool at_end = false;
};

/// The noise or the prior is known, the other is chosen by evidence. `noise_sd`, `prior_sd`: of y / unit, 0
/// for the unknown one.
Choice by_partial_evidence(const RowBlocks& phi, const Vector& y, const Vector& scale, double noise_sd,
                           double prior_sd, int threads) {
  const RidgeDirections d = ridge_directions(phi, y, scale, threads_or_all(threads));
  check_left(d, true);
  const MostLikely found = noise_sd > 0 ? most_likely_prior(d, noise_sd) : most_likely_noise(d, prior_sd);
  (noise_sd > 0 ? prior_sd : noise_sd) = found.sd;
  const double ratio = noise_sd / prior_sd;
  return {ratio * ratio, noise_sd * noise_sd, found.at_end};
}

/// The noise of a ridge regression, whose penalty need not be that of any prior: the residual sum of squares per
/// residual degree of freedom.
Choice with_noise(Choice c, const RidgePath& path, Index n) {
  const double left = double(n) - path.freedom[path.best], rss = path.rss[path.best];
  if (left > 0 && rss > 0) c.noise = rss / left;
  return c;
}

Choice choose(const LinearModel& m, const RowBlocks& phi, const Vector& y, const Vector& scale, double unit,
              int threads, Summary& summary) {
  const double noise = m.noise ? finite(*m.noise / unit / unit, "the noise variance in units of y") : 0;
  if (m.noise && noise == 0)
    throw Error(Problem::usage,
                fmt::format("noise: {} is too small relative to y, whose size is {}", *m.noise, unit));
  if (m.method == Method::linear) return {0, noise, false};
  if (m.penalty && m.noise) return {*m.penalty, noise, false};
  if (m.prior_sd && m.noise) return {*m.noise / *m.prior_sd / *m.prior_sd, noise, false};
  if (m.method == Method::bayes && (m.prior_sd || m.noise))
    return by_partial_evidence(phi, y, scale, std::sqrt(noise), m.prior_sd ? *m.prior_sd / unit : 0, threads);
  RidgeOptions o;
  o.scale = scale, o.threads = threads;
  o.by = m.method == Method::bayes ? RidgeOptions::By::evidence : m.choose;
  o.leave_one_out = o.by == RidgeOptions::By::leave_one_out;
  if (m.penalty)
    o.leave_one_out = false, o.by = RidgeOptions::By::given, o.penalties = Vector::Constant(1, *m.penalty),
    o.refine = false;
  const RidgePath path = ridge_path(phi, y, o);
  for (const std::string& note : path.notes) summary.notes.push_back(note);
  summary.stopped = "the penalty by " + path.chosen_by;
  const Choice c{path.penalties[path.best], noise, path.at_end};
  return m.method == Method::ridge && !m.noise ? with_noise(c, path, y.size()) : c;
}

Vector variances_of(const LinearModel& m, const Vector& scale, const Choice& c) {
  if (m.method == Method::linear) return Vector::Constant(scale.size(), infinity);
  const double unit = c.noise > 0 ? c.noise : 1;
  Vector variances = unit / c.penalty / scale.array().square();
  for (Index j = 0; j < scale.size(); ++j)
    if (!(variances[j] > 0) || (scale[j] > 0 && std::isinf(variances[j])))
      throw Error(Problem::usage, fmt::format("the prior of the weights: a variance of {} noise variances is "
                                              "too {} for the arithmetic",
                                              variances[j], variances[j] > 0 ? "large" : "small"));
  return variances;
}

void describe_penalty(const LinearModel& m, const Choice& c, const Regression& r, double unit, Summary& s) {
  if (m.method == Method::linear) return;
  const bool given = m.penalty || (m.prior_sd && m.noise);
  FittedParameter p{"penalty", c.penalty, 0, infinity, given, false, false, false};
  p.at_lower = c.at_end;
  s.parameters.push_back(p);
  if (m.method != Method::bayes) return;
  const double sd = unit * std::sqrt(r.weights().noise_variance() / c.penalty);
  s.parameters.push_back({"prior_sd", sd, 0, infinity, m.prior_sd.has_value(), false, false, false});
}

std::string name_of(Method m) {
  return m == Method::linear ? "linear" : m == Method::ridge ? "ridge" : "bayes";
}

void note_weights(const Regression& r, Summary& s) {
  const Weights& w = r.weights();
  if (const std::vector<Index> free = w.undetermined(); !free.empty())
    s.notes.push_back(
        fmt::format("the rows do not determine the weights of {} (rank {} of {}): the smallest "
                    "weights that fit are taken",
                    listed_some(r.names(), free), w.rank(), w.size()));
  if (!(w.freedom() > 0))
    s.notes.push_back(fmt::format(
        "{} rows for {} weights: no residual degrees of freedom to estimate the noise", s.n, w.size()));
}

/// Throws if a leave-one-out density that is defined is not a finite number because the squares of some y are
/// 0 beside the largest (less than 1.5e-154 of it). An exact fit has none either, and is an answer.
void check_range(const LeaveOneOut& loo, const Vector& y, double unit) {
  const double least = std::sqrt(std::numeric_limits<double>::min());
  const Vector size = y.cwiseAbs();
  Index largest = 0;
  const double most = size.maxCoeff(&largest);
  const auto lost = [&](double v) { return v > 0 && v / most < least; };
  if (std::isfinite(loo.nlpd) || !loo.mean.allFinite() || std::none_of(size.begin(), size.end(), lost))
    return;
  throw Error(
      Problem::numerical,
      fmt::format("the leave-one-out log density is not a finite number: y is {} in {}, so much larger "
                  "than in other rows that their squares are 0 beside it; look for a wrong value",
                  unit * y[largest], row_words(largest)));
}

void describe_rows_left_out(const LeaveOneOut& loo, const Vector& y, double unit, Summary& s) {
  check_range(loo, y, unit);
  s.loo_rmse = unit * loo.rmse, s.loo_nlpd = loo.nlpd + std::log(unit);
  s.loo_skill = skill(loo.rmse, y);
  if (const Index needed = loo.mean.array().isNaN().count(); needed > 0)
    s.notes.push_back(
        fmt::format("leave-one-out is undefined for {} of {} rows: without any one of them the weights are "
                    "not determined",
                    needed, s.n));
}

}  // namespace

void internal::describe_weights(Summary& s, const Regression& r, double scale) {
  const Weights& w = r.weights();
  const Vector value = w.mean(), sd = w.sd();
  const std::vector<std::string> names = r.names();
  s.coefficients.clear();
  for (Index j = 0; j < value.size(); ++j)
    s.coefficients.push_back({names[static_cast<size_t>(j)], scale * value[j], scale * sd[j]});
  s.residual_sd = scale * std::sqrt(w.noise_variance());
  s.noise_variance = w.noise_variance();
  s.freedom = w.freedom();
  s.how = fmt::format("{} side, {} weights, {} rows: {}", w.on_side_of_functions() ? "function" : "weight",
                      w.size(), s.n, w.how());
}

FitResult<Row> fit(const LinearModel& model, const Rows& x, const Vector& y_user, const FitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_model(model);
  check_sizes(x.rows(), y_user.size());
  check_finite(x, "x");
  check_finite(y_user, "y");
  const Features features = model.features.placed(x);
  const Scales scales = scales_of(y_user, Matrix::Ones(y_user.size(), model.intercept ? 1 : 0));
  const double unit = scales.target;
  const Vector y = y_user / unit;
  const RowBlocks phi = blocks_of(features, model.intercept, x);
  Summary s;
  s.model = name_of(model.method), s.basis = model.features.text(), s.n = s.distinct = y.size();
  s.machine = machine().text();
  std::vector<std::string> names = features.names();
  if (model.intercept) names.insert(names.begin(), "intercept");
  const Vector scale = scales_of_weights(model, phi, names, options.threads, s.notes);
  LinearModel asked = model;
  if (scales.constant && model.method != Method::linear &&
      !(model.penalty || (model.prior_sd && model.noise))) {
    asked.penalty = 1, asked.method = Method::ridge;
    s.notes.push_back("the target does not vary: no penalty can be chosen, 1 is taken");
  }
  const Choice c = choose(asked, phi, y, scale, unit, options.threads, s);
  Regression r(
      {features, model.intercept, variances_of(asked, scale, c), c.noise, model.side, model.undetermined}, x,
      y, options.threads);
  describe_penalty(asked, c, r, unit, s);
  describe_weights(s, r, unit);
  note_weights(r, s);
  s.log_marginal_likelihood = model.method == Method::linear
                                  ? std::numeric_limits<double>::quiet_NaN()
                                  : r.weights().log_evidence() - double(y.size()) * std::log(unit);
  describe_rows_left_out(r.leave_one_out(x, y, options.threads), y, unit, s);
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {process_of(std::move(r), x, y), std::move(s), unit};
}

LinearModel internal::ignoring(const HeldColumns& held, const LinearModel& model) {
  LinearModel out = model;
  if (!held.empty()) out.features = parse_features(model.features.text(), model.features.columns(), held);
  return out;
}

}  // namespace covary
