// What a model that was read promises, whatever file it came from.
#pragma once
#include "covary/base/error.h"
#include "covary/model/fitted_model.h"
#include "require.h"

namespace fuzz {

/// It predicts without a negative standard deviation, or says why not: an expression that is none, numbers that are too large.
inline void require_prediction(const covary::FittedModel& model) {
  try {
    const covary::Matrix at = covary::Matrix::Zero(1, std::ssize(model->features));
    const covary::Prediction p = model.predict(at, covary::Of::y, 1);
    require(!(p.sd[0] < 0), "a standard deviation that is not negative");
  } catch (const covary::Error&) {
  }
}

}  // namespace fuzz
