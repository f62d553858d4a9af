#include "covary/evaluate/cross_validation.h"

#include <set>

#include "covary/base/error.h"
#include "model/refit.h"

namespace covary {
using namespace internal;
namespace {

Prediction by_folds(const FittedModel& model, const CheckOptions& o) {
  Index done = 0;
  const Refit refit = [&](const std::vector<Index>& rows) {
    if (o.progress) o.progress(done++, o.folds);
    return o.refit ? relearned(model, rows, {o.threads, o.max_seconds}) : conditioned(model, rows, o.threads);
  };
  return cross_validate(model->x, model->noise.rescaled(1 / model->scale),
                        folds(model->y.size(), o.folds, o.seed), refit, o.threads);
}

void check_options(const FittedModel& model, const CheckOptions& o) {
  if (o.refit && o.folds == 0)
    throw Error(Problem::usage, "refit learns anew in each fold: it needs a number of folds");
  if (o.refit) check_can_relearn(model);
}

}  // namespace

Prediction left_out(const FittedModel& model, const CheckOptions& o) {
  check_options(model, o);
  return o.folds == 0 ? model.leave_one_out(o.threads) : by_folds(model, o);
}

Prediction held_out(const FittedModel& model, const Rows& x, const Vector& noise_sd, int threads) {
  if (!model->noise.per_row() || model->weights) return model.predict(x, Of::y, threads);
  if (noise_sd.size() != x.rows())
    throw Error(Problem::usage, "the model has one noise for each row: new rows need theirs to be scored");
  return model.predict(x, Noise::rows(noise_sd), threads);
}

Index internal::rows_in_common(const FittedModel& model, const Rows& x, const Vector& y) {
  const auto key = [](const auto& row, double target) {
    std::vector<double> all(row.begin(), row.end());
    all.push_back(target);
    return all;
  };
  std::set<std::vector<double>> own;
  for (Index i = 0; i < model->y.size(); ++i) own.insert(key(model->x.row(i), model->y[i]));
  Index count = 0;
  for (Index i = 0; i < y.size(); ++i) count += own.count(key(x.row(i), y[i])) > 0;
  return count;
}

Calibration calibration(const FittedModel& model, int threads) {
  const Prediction p = left_out(model, {.threads = threads});
  return {p, model->y};
}

}  // namespace covary
