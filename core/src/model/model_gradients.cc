#include "covary/model/model_gradients.h"

#include <fmt/format.h>

namespace covary {
using namespace internal;

InputGradients input_gradients(const FittedModel& model, const Rows& at, int threads) {
  const Process<Row>& process = gaussian_process(model, "gradients", threads);
  if (!model->request.transform.is_identity())
    throw Error(Problem::usage, fmt::format("gradients: this model is of {}, and has none in the units of {}",
                                            model->request.transform.of(model->target), model->target));
  if (at.cols() != std::ssize(model->features))
    throw Error(Problem::usage, fmt::format("gradients: expected {} columns, as the model has, found {}",
                                            model->features.size(), at.cols()));
  InputGradients out = input_gradients(process, at, threads);
  out.mean *= model->scale, out.variance *= model->scale * model->scale;
  return out;
}

}  // namespace covary
