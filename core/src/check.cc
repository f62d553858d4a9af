#include "covary/check.h"

#include "covary/error.h"
#include "covary/expression.h"

namespace covary {
namespace {

/// The noise of some rows.
Noise noise_of(const Noise& noise, const std::vector<Index>& rows) {
  return noise.kind == Noise::Kind::rows ? Noise::rows(noise.sd(rows)) : noise;
}

/// The process from some rows, with the parameters it has.
Process<Row> conditioned(const SavedModel& model, const std::vector<Index>& rows, int threads) {
  SavedModel some = model;
  some.x = pick(model.x, rows), some.y = model.y(rows);
  some.noise = noise_of(model.noise, rows);
  return restored(some, threads);
}

/// The process from some rows, its parameters learned from them alone.
Process<Row> relearned(const SavedModel& model, const std::vector<Index>& rows, const CheckOptions& o) {
  const Asked& asked = model.asked;
  FitOptions options;
  options.prior = asked.prior, options.objective = asked.objective;
  options.starts = asked.starts, options.seed = asked.seed;
  options.threads = o.threads, options.max_seconds = o.max_seconds;
  options.columns = model.features;
  const Noise noise = asked.noise == "learn" ? Noise::learn() : noise_of(model.noise, rows);
  const Model<Row> wanted{parse<Row>(asked.kernel, model.features),
                          rescaled(parse_mean(model.mean, model.features), model.scale), noise};
  return fit(wanted, pick(model.x, rows), Vector(model.y(rows) / model.scale), options).process;
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
  if (o.refit && model.asked.kernel.empty())
    throw Error(Problem::usage,
                "refit: the model does not say what was asked for (version 1); check the data instead");
}

}  // namespace

Prediction left_out(const SavedModel& model, const Process<Row>& process, const CheckOptions& o) {
  check_options(model, o);
  const LeaveOneOut p = o.folds == 0 ? process.leave_one_out(o.threads) : by_folds(model, o);
  return {p.mean * model.scale, p.variance.cwiseSqrt() * model.scale, 0};
}

}  // namespace covary
