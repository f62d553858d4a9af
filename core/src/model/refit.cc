#include "model/refit.h"

#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/learn/ignored_columns.h"

namespace covary {
namespace {

/// The noise of some rows.
Noise noise_of(const Noise& noise, const std::vector<Index>& rows) {
  return noise.kind == Noise::Kind::rows ? Noise::rows(noise.sd(rows)) : noise;
}

FitOptions options_of(const SavedModel& model, const RefitOptions& o) {
  FitOptions options;
  options.prior = model.asked.prior, options.objective = model.asked.objective;
  options.starts = model.asked.starts, options.seed = model.asked.seed;
  options.inference = model.asked.inference;
  options.threads = o.threads, options.max_seconds = o.max_seconds;
  options.columns = model.features;
  return options;
}

/// What was asked for, of y / scale.
LinearModel linear_model(const SavedModel& model) {
  LinearModel m = linear_model(model.asked, model.features);
  if (m.noise) *m.noise = *m.noise / model.scale / model.scale;
  if (m.prior_sd) *m.prior_sd /= model.scale;
  return m;
}

}  // namespace

Predictor conditioned(const SavedModel& model, const std::vector<Index>& rows, int threads) {
  SavedModel some = model;
  some.x = pick(model.x, rows), some.y = model.y(rows);
  some.noise = noise_of(model.noise, rows);
  some.rows.clear();
  const Predictor p = restored(some, threads);  // of g(y) / scale: without the way back
  return p.process() ? Predictor(*p.process()) : Predictor(*p.regression());
}

Predictor relearned(const SavedModel& model, const std::vector<Index>& rows, const RefitOptions& o) {
  const Asked& asked = model.asked;
  const Matrix x = pick(model.x, rows);
  const Vector y = Vector(latent_target(model)(rows));
  const FitOptions options = options_of(model, o);
  const HeldColumns held = ignored_columns(asked, model.features, x);
  if (asked.is_linear()) {
    FittedRegression f = fit(ignoring(held, linear_model(model)), x, y, options);
    return {std::move(f.regression), f.scale};
  }
  const Noise noise = asked.noise == "learn" ? Noise::learn() : noise_of(model.noise, rows);
  const Model<Row> wanted = ignoring(
      held,
      Model<Row>{parse(asked.kernel, model.features, asked.functions),
                 rescaled(mean_of(asked.mean_function, model.mean, model.features), model.scale), noise});
  Fitted<Row> f = asked.model == "gp" ? fit(wanted, x, y, options)
                                      : fit_kernel_ridge(wanted, x, y, kernel_ridge_options(asked), options);
  return {std::move(f.process), f.scale};
}

void check_can_relearn(const SavedModel& model) {
  if (model.asked.kernel.empty() && !model.asked.is_linear())
    throw Error(Problem::usage,
                "refit: the model does not say what was asked for (version 1); check the data instead");
}

}  // namespace covary
