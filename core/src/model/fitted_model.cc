#include "covary/model/fitted_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "covary/base/error.h"
#include "covary/base/finite.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/kernels/mercer.h"
#include "covary/learn/ignored_columns.h"
#include "covary/learn/summary_words.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/predictive/untransformed.h"

namespace covary {
using namespace internal;
namespace {

/// The posterior given the rows of the record.
Process<Row> conditioned(const ModelRecord& m, const PosteriorState* state, int threads) {
  const Vector z = m.latent_target();
  const HeldColumns held = m.held_columns();
  if (m.weights) {
    WeightModel weights = *m.weights;
    if (!held.empty()) weights.features = parse_features(weights.features.text(), m.features, held);
    return process_of(Regression(std::move(weights), m.x, z, threads), m.x, z);
  }
  const Mean<Row> mean =
      rescaled(mean_of(m.request.mean_function, m.mean, schema_of(m.request, m.features)), m.scale);
  const Kernel<Row> kernel = parse(m.kernel, schema_of(m.request, m.features), m.request.functions);
  const Process<Row> prior(holding(held, kernel), holding(held, mean), m.noise);
  const std::string& how = m.request.inference;
  Inference<Row> inference = parse_inference<Row>(how == automatic_inference ? Exact().text() : how);
  if (m.variables.size()) inference = inference.with_variables(m.variables);
  return condition(inference, prior, Rows(with_held(m.x, held)), z, threads, state);
}

/// A file does not keep the weights, which the rows determine.
void describe_loaded_weights(Summary& s, const ModelRecord& m, const Process<Row>& process) {
  const Regression* r = regression_of(process);
  if (!r || !s.coefficients.empty()) return;
  s.basis = linear_model(m.request, m.features).features.text();
  describe_weights(s, *r, m.scale);
}

/// No data has shown yet whether a function's covariances are any.
void check_prior(const Process<Row>& p, const Rows& at, int threads) {
  if (p.size() > 0 || at.rows() == 0 || functions_in(p.kernel()).empty()) return;
  require_mercer(kernel_matrix(gram<Row>(p.kernel(), at), threads), p.kernel().text(), threads);
}

/// f where it was observed is known no better than the noise lets it, even where the covariances are so large
/// that rounding swallows the noise.
void keep_noise(Marginals& m, const Process<Row>& p) {
  if (m.clamped == 0 || p.size() == 0) return;
  const Vector noise = p.noise_variances();
  if (noise.minCoeff() > 0) m.variance = (m.variance.array() == 0).select(noise.maxCoeff(), m.variance);
}

/// Of y, from a prediction of g(y) / scale.
Prediction of_target(const ModelRecord& m, const Prediction& latent) {
  return untransformed(latent.scaled(m.scale), m.request.transform);
}

/// The summary of a process given the rows the model has now.
Summary refreshed(const FittedModel& model, int threads) {
  const ModelRecord& m = model.record();
  const Process<Row>& process = model.process(threads);
  const LeaveOneOut loo = process.leave_one_out(threads);
  const Vector z = m.latent_target();
  Summary s = m.summary;
  s.n = m.y.size(), s.distinct = process.distinct(), s.noise = noise_words(m.noise, m.scale);
  s.log_marginal_likelihood = process.log_evidence() - double(m.y.size()) * std::log(m.scale);
  s.loo_rmse = m.scale * loo.rmse, s.loo_nlpd = loo.nlpd + std::log(m.scale);
  s.loo_skill = skill(loo.rmse, z);
  if (!m.request.transform.is_identity()) {
    describe_left_out(s, model, threads);
    s.log_marginal_likelihood += m.request.transform.log_jacobian(m.y);
  }
  s.jitter = process.conditioning().jitter;
  s.reciprocal_condition = process.conditioning().reciprocal_condition;
  check_finite(s);
  return s;
}

}  // namespace

// ----------------------------------------------------------------------------------------------- the record

std::vector<std::string> ModelRecord::used_features() const {
  std::vector<std::string> out = features;
  std::erase_if(out, [&](const std::string& name) {
    return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
  });
  return out;
}

HeldColumns ModelRecord::held_columns() const {
  HeldColumns out;
  for (size_t k = 0; k < features.size() && x.rows() > 0; ++k)
    if (std::find(ignored.begin(), ignored.end(), features[k]) != ignored.end())
      out.push_back({Index(k), x(0, Index(k))});
  return out;
}

std::string ModelRecord::row_name(Index i) const {
  return std::cmp_less(i, rows.size()) ? rows[static_cast<size_t>(i)] : fmt::format("row {}", i + 1);
}

Vector ModelRecord::latent_target() const { return request.transform(y) / scale; }

// ------------------------------------------------------------------------------------------------ the model

struct FittedModel::State {
  explicit State(ModelRecord r) : record(std::move(r)) {}
  ModelRecord record;
  std::optional<PosteriorState> state;  // as a file had it
  mutable std::once_flag once;          // of the two below
  mutable std::optional<Process<Row>> posterior;
  mutable Summary described;  // of a linear model that was read
};

FittedModel::FittedModel(ModelRecord record) : shared_(std::make_shared<const State>(std::move(record))) {}

FittedModel::FittedModel(ModelRecord record, PosteriorState state) {
  const auto shared = std::make_shared<State>(std::move(record));
  shared->state = std::move(state);
  shared_ = shared;
}

FittedModel::FittedModel(ModelRecord record, Process<Row> posterior) : FittedModel(std::move(record)) {
  std::call_once(shared_->once, [&] { shared_->posterior = std::move(posterior); });
}

const ModelRecord& FittedModel::record() const { return shared_->record; }

const Process<Row>& FittedModel::process(int threads) const {
  const State& s = *shared_;
  std::call_once(s.once, [&] {
    s.posterior = conditioned(s.record, s.state ? &*s.state : nullptr, threads);
    s.described = s.record.summary;
    describe_loaded_weights(s.described, s.record, *s.posterior);
  });
  return *s.posterior;
}

const Summary& FittedModel::summary() const {
  const Summary& s = shared_->record.summary;
  if (!shared_->record.weights || !s.coefficients.empty()) return s;
  (void)process();
  return shared_->described;
}

Prediction FittedModel::predict(const Rows& at, Of of, int threads) const {
  const Process<Row>& p = process(threads);
  Marginals f = p.predict(at, Of::f, threads);
  if (of == Of::f) keep_noise(f, p);
  return of_target(record(), (of == Of::f ? Noise::none() : p.noise_of_new()).predictive(f));
}

Prediction FittedModel::predict(const Rows& at, const Noise& noise, int threads) const {
  return of_target(record(),
                   noise.rescaled(record().scale).predictive(process(threads).predict(at, Of::f, threads)));
}

Vector FittedModel::mean(const Rows& at, int threads) const {
  if (!record().request.transform.is_identity()) return predict(at, Of::f, threads).mean;
  return process(threads).mean(at, threads) * record().scale;
}

Gaussian FittedModel::joint(const Rows& at, Of of, int threads) const {
  const Transform& transform = record().request.transform;
  if (!transform.is_identity())
    throw Error(Problem::usage, "the model is of " + transform.of("y") +
                                    ": y is not jointly normal; use samples instead of a covariance");
  const Process<Row>& p = process(threads);
  check_prior(p, at, threads);
  Gaussian g = p.joint(at, of, threads);
  const double scale = record().scale;
  if (scale == 1) return g;
  Matrix covariance = g.covariance() * scale;  // one after the other: the square may be too large
  covariance *= scale;
  if (!covariance.allFinite())
    throw Error(Problem::numerical,
                "the covariance of the predictions is too large for a number: rescale the target");
  return {g.mean() * scale, covariance};
}

Matrix FittedModel::sample(const Rows& at, Index draws, std::uint64_t seed, Of of) const {
  check_prior(process(), at, 0);
  return record().request.transform.inverse(Matrix(record().scale * process().sample(at, draws, seed, of)));
}

Prediction FittedModel::leave_one_out(int threads) const {
  const LeaveOneOut l = process(threads).leave_one_out(threads);
  return of_target(record(), StudentT{l.mean, l.variance.cwiseSqrt(), l.freedom});
}

// ------------------------------------------------------------------------------------------------ from data

FittedModel internal::fitted_model(const FitResult<Row>& fit, const Rows& x, const Vector& y,
                                   std::vector<std::string> features, std::string target, Request request) {
  ModelRecord m{.request = std::move(request), .target = std::move(target)};
  if (m.request.inference == automatic_inference) m.request.inference = fit.summary.inference;
  if (const Regression* r = regression_of(fit.process)) {
    m.weights = r->model();
    m.ignored = names_of(constant_columns(x), features);
  } else {
    m.kernel = fit.process.kernel().text();
    m.mean = m.request.mean = fit.process.trend().text;
    m.noise = fit.process.noise();
    if (fit.process.posterior()) m.variables = fit.process.posterior()->variables();
    m.ignored = names_of(held_columns(fit.process.kernel()), features);
  }
  m.features = std::move(features);
  m.x = x, m.y = y, m.scale = fit.scale, m.summary = fit.summary;
  return {std::move(m), fit.process};
}

FittedModel fit(const Request& request, TrainingData data, const FitOptions& options) {
  FitOptions o = options;
  o.columns = data.features;
  const Transform& g = request.transform;
  const FitResult<Row> f = fit_transformed(request, data.noise, data.x, g(data.y), o);
  FittedModel model =
      fitted_model(f, data.x, data.y, std::move(data.features), std::move(data.target), request);
  if (g.is_identity() && data.rows.empty()) return model;
  ModelRecord m = model.record();
  m.rows = std::move(data.rows);
  if (!g.is_identity()) {
    describe_left_out(m.summary, model, options.threads);
    m.summary.log_marginal_likelihood += g.log_jacobian(m.y);
  }
  return {std::move(m), f.process};
}

FittedModel with_rows(const FittedModel& model, Matrix x, Vector y, int threads) {
  ModelRecord m = model.record();
  m.rows.clear();
  m.x = std::move(x), m.y = std::move(y);
  const FittedModel now(std::move(m));
  m = now.record();
  m.summary = refreshed(now, threads);
  return {std::move(m), now.process()};
}

void internal::check_takes_rows(const FittedModel& model) {
  if (model->weights)
    throw Error(Problem::usage,
                fmt::format("tell needs a Gaussian process, this is a {} model: fit it again with all rows",
                            model->request.model));
  if (model->noise.is_learned()) throw Error(Problem::usage, "tell: the noise was not given: fit learns it");
  if (model->noise.per_row())
    throw Error(Problem::usage, "the model has a noise for each of its rows: fit it again with all rows");
}

FittedModel told(const FittedModel& model, const Rows& x, const Vector& y,
                 const std::vector<std::string>& names, int threads) {
  check_takes_rows(model);
  if (x.rows() != y.size())
    throw Error(Problem::usage, fmt::format("{} rows of X and {} observations", x.rows(), y.size()));
  std::vector<std::string> rows = model->rows;
  if (!rows.empty() || !names.empty())
    for (Index i = std::ssize(rows); i < model->y.size() + y.size(); ++i) {
      const Index own = i - model->y.size();
      rows.push_back(own >= 0 && own < std::ssize(names) ? names[static_cast<size_t>(own)]
                                                         : model->row_name(i));
    }
  FittedModel now = with_rows(model, join(model->x, x), concat(model->y, y), threads);
  if (rows.empty()) return now;
  ModelRecord m = now.record();
  m.rows = std::move(rows);
  return {std::move(m), now.process()};
}

std::vector<Index> internal::first_equal_with(const FittedModel& model, const Rows& x, const Vector& y) {
  Matrix all(model->y.size() + y.size(), x.cols() + 1);
  all.leftCols(x.cols()) = join(Rows(model->x), x);
  all.rightCols(1) = concat(model->y, y);
  return first_equal_rows(all);
}

std::vector<Index> internal::known_rows(const FittedModel& model, const Rows& x, const Vector& y) {
  const Index n = model->y.size();
  const std::vector<Index> first = first_equal_with(model, x, y);
  std::vector<Index> known(static_cast<size_t>(n)), out;
  for (Index i = 0; i < n; ++i) ++known[static_cast<size_t>(first[static_cast<size_t>(i)])];
  for (Index i = 0; i < y.size(); ++i)
    if (const Index f = first[static_cast<size_t>(n + i)]; f < n && known[static_cast<size_t>(f)]-- > 0)
      out.push_back(i);
  return out;
}

// ---------------------------------------------------------------------------------------------- looked into

FittedModel internal::on_device(const FittedModel& model, const std::string& device) {
  if (device.empty() || device == "cpu") return model;
  if (model->weights)
    throw Error(Problem::usage, fmt::format("device {} computes Gaussian processes, this is a {} model",
                                            device, model->request.model));
  ModelRecord m = model.record();
  m.request.inference = on_device(m.request.inference, device);
  return FittedModel(std::move(m));
}

const Process<Row>& internal::gaussian_process(const FittedModel& model, const std::string& verb,
                                               int threads) {
  if (!model->weights) return model.process(threads);
  throw Error(Problem::usage,
              fmt::format("{} needs a Gaussian process, this is a {} model", verb, model->request.model));
}

void internal::check_answers(const FittedModel& model, int threads) {
  constexpr Index most = 64;
  const ModelRecord& m = model.record();
  const Index n = m.x.rows(), step = std::max<Index>(1, n / most);
  std::vector<Index> rows;
  for (Index i = n - 1; i >= 0; i -= step) rows.push_back(i);
  const Prediction p = model.predict(m.x(rows, Eigen::all), Of::f, threads);
  const Summary& s = m.summary;
  const bool process = !m.weights;  // few rows may leave the scores of weights undefined
  const bool scored = !std::isinf(s.log_marginal_likelihood) &&
                      (!process || (std::isfinite(s.log_marginal_likelihood) && !std::isinf(s.loo_rmse)));
  // An sd may be infinite or unknown where weights are not determined, or where no row is left for the noise.
  if (scored && p.mean.allFinite() && (!process || p.sd.allFinite())) return;
  throw Error(Problem::numerical,
              fmt::format("the {} of '{}' are not finite numbers with these rows: look for a wrong value, or "
                          "rescale the target",
                          scored ? "predictions" : "scores", m.target));
}

std::vector<Coefficient> internal::trend_coefficients(const FittedModel& model) {
  std::vector<Coefficient> out;
  const Process<Row>& p = model.process();
  const double scale = model->scale;
  const Vector value = p.coefficients();
  const Matrix covariance = p.coefficient_covariance();
  for (Index i = 0; i < value.size(); ++i)
    out.push_back(
        {p.trend().terms[static_cast<size_t>(i)], scale * value[i], scale * std::sqrt(covariance(i, i))});
  return out;
}

void internal::describe_left_out(Summary& s, const FittedModel& model, int threads) {
  const Prediction p = model.leave_one_out(threads);
  const bool defined = p.mean.allFinite() && p.sd.allFinite();
  const Scores scores = defined ? score(p, model->y) : Scores{};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  s.loo_rmse = defined ? scores.rmse : none;
  s.loo_nlpd = defined ? scores.nlpd : none;
  s.loo_skill = defined ? scores.skill : none;
}

}  // namespace covary
