#include "covary/evaluate/cross_validation.h"

#include <algorithm>

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
  const Index n = model->y.size();
  const std::vector<Index> first = first_equal_with(model, x, y);
  return std::count_if(first.begin() + n, first.end(), [n](Index i) { return i < n; });
}

Calibration calibration(const FittedModel& model, int threads) {
  const Prediction p = left_out(model, {.threads = threads});
  return {p, model->y};
}

}  // namespace covary
