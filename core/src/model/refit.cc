#include "model/refit.h"

#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/learn/ignored_columns.h"

namespace covary {
using namespace internal;
namespace {

FitOptions options_of(const ModelRecord& model, const RefitOptions& o) {
  const Request& r = model.request;
  FitOptions options;
  options.prior = r.prior, options.objective = r.objective;
  options.starts = r.starts, options.seed = r.seed;
  options.inference = r.inference;
  options.threads = o.threads, options.max_seconds = o.max_seconds;
  options.columns = model.features;
  return options;
}

/// What was requested, of y / scale.
LinearModel linear_model(const ModelRecord& model) {
  LinearModel m = internal::linear_model(model.request, model.features);
  if (m.noise) *m.noise = *m.noise / model.scale / model.scale;
  if (m.prior_sd) *m.prior_sd /= model.scale;
  return m;
}

/// A posterior of g(y) / scale / more as a model, so that it answers in the units of y.
FittedModel with_units(const ModelRecord& m, double more, Process<Row> posterior) {
  ModelRecord record;
  record.request.transform = m.request.transform, record.scale = m.scale * more;
  return {std::move(record), std::move(posterior)};
}

}  // namespace

FittedModel conditioned(const FittedModel& model, const std::vector<Index>& rows, int threads) {
  ModelRecord some = model.record();
  some.x = pick(model->x, rows), some.y = model->y(rows);
  some.noise = model->noise.of_rows(rows);
  some.rows.clear();
  return with_units(model.record(), 1, FittedModel(std::move(some)).process(threads));
}

FittedModel relearned(const FittedModel& model, const std::vector<Index>& rows, const RefitOptions& o) {
  const ModelRecord& m = model.record();
  const Request& r = m.request;
  const Matrix x = pick(m.x, rows);
  const Vector y = Vector(m.latent_target()(rows));
  const FitOptions options = options_of(m, o);
  const HeldColumns held = ignored_columns(r, m.features, x);
  const auto latent = [&](FitResult<Row> f) { return with_units(m, f.scale, std::move(f.process)); };
  if (r.is_linear()) return latent(fit(ignoring(held, linear_model(m)), x, y, options));
  const Noise noise = r.noise == "learn" ? Noise::learn() : m.noise.of_rows(rows);
  const Schema columns = schema_of(r, m.features);
  const Model<Row> wanted =
      ignoring(held, Model<Row>{parse(r.kernel, columns, r.functions),
                                rescaled(mean_of(r.mean_function, m.mean, columns), m.scale), noise});
  return latent(r.model == "gp" ? fit(wanted, x, y, options)
                                : fit_kernel_ridge(wanted, x, y, kernel_ridge_options(r), options));
}

void check_can_relearn(const FittedModel& model) {
  if (model->request.kernel.empty() && !model->request.is_linear())
    throw Error(Problem::usage,
                "refit: the model does not say what was requested (version 1); check the data instead");
}

}  // namespace covary
