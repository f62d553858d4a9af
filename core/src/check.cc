#include "covary/check.h"

#include "covary/error.h"
#include "covary/expression.h"

namespace covary {
namespace {

/// The noise of some rows.
Noise noise_of(const Noise& noise, const std::vector<Index>& rows) {
  return noise.kind == Noise::Kind::rows ? Noise::rows(noise.sd(rows)) : noise;
}

/// The model from some rows, with the parameters it has: of y / scale.
Predictor conditioned(const SavedModel& model, const std::vector<Index>& rows, int threads) {
  SavedModel some = model;
  some.x = pick(model.x, rows), some.y = model.y(rows);
  some.noise = noise_of(model.noise, rows);
  const Predictor p = restored(some, threads);
  return p.process() ? Predictor(*p.process()) : Predictor(*p.regression());
}

FitOptions options_of(const SavedModel& model, const CheckOptions& o) {
  FitOptions options;
  options.prior = model.asked.prior, options.objective = model.asked.objective;
  options.starts = model.asked.starts, options.seed = model.asked.seed;
  options.threads = o.threads, options.max_seconds = o.max_seconds;
  options.columns = model.features;
  return options;
}

/// What was asked for, of y / scale.
LinearModel linear_model(const SavedModel& model) {
  LinearModel m = linear_model(model.asked, model.features);
  if (m.noise) *m.noise /= model.scale * model.scale;
  if (m.prior_sd) *m.prior_sd /= model.scale;
  return m;
}

/// The model from some rows, its parameters learned from them alone: of y / scale.
Predictor relearned(const SavedModel& model, const std::vector<Index>& rows, const CheckOptions& o) {
  const Asked& asked = model.asked;
  const Matrix x = pick(model.x, rows);
  const Vector y = model.y(rows) / model.scale;
  const FitOptions options = options_of(model, o);
  if (asked.is_linear()) {
    FittedRegression f = fit(linear_model(model), x, y, options);
    return {std::move(f.regression), f.scale};
  }
  const Noise noise = asked.noise == "learn" ? Noise::learn() : noise_of(model.noise, rows);
  const Model<Row> wanted{parse(asked.kernel, model.features, asked.functions),
                          rescaled(mean_of(asked.mean_function, model.mean, model.features), model.scale),
                          noise};
  Fitted<Row> f = asked.model == "gp" ? fit(wanted, x, y, options)
                                      : fit_kernel_ridge(wanted, x, y, kernel_ridge_options(asked), options);
  return {std::move(f.process), f.scale};
}

/// Predictions of y / scale.
LeaveOneOut by_folds(const SavedModel& model, const CheckOptions& o) {
  const Vector y = model.y / model.scale;
  const bool per_row = model.noise.kind == Noise::Kind::rows;
  const Vector noise = per_row ? Vector(model.noise.sd.array().square()) : Vector();
  Index done = 0;
  const Refit refit = [&](const std::vector<Index>& rows) {
    if (o.progress) o.progress(done++, o.folds);
    return o.refit ? relearned(model, rows, o) : conditioned(model, rows, o.threads);
  };
  return cross_validate(model.x, y, noise, folds(y.size(), o.folds, o.seed), refit, o.threads);
}

void check_options(const SavedModel& model, const CheckOptions& o) {
  if (o.refit && o.folds == 0)
    throw Error(Problem::usage, "refit learns anew in each fold: it needs a number of folds");
  if (o.refit && model.asked.kernel.empty() && !model.asked.is_linear())
    throw Error(Problem::usage,
                "refit: the model does not say what was asked for (version 1); check the data instead");
}

}  // namespace

Prediction left_out(const SavedModel& model, const Predictor& predictor, const CheckOptions& o) {
  check_options(model, o);
  if (o.folds == 0) return predictor.leave_one_out(model.x, model.y, o.threads);
  const LeaveOneOut p = by_folds(model, o);
  return {p.mean * model.scale, p.variance.cwiseSqrt() * model.scale, 0, p.freedom};
}

Calibration calibration(const SavedModel& model, const Predictor& predictor, int threads) {
  const Prediction p = left_out(model, predictor, {.threads = threads});
  return {p.mean, p.sd, model.y};
}

}  // namespace covary
