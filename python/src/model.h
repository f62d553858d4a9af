// Fitted models as Python holds them.
#pragma once
#include "covary/model/model_file.h"

namespace covary::python {

/// Conditioned on its rows now, where no other thread can wait for it with the GIL held.
inline FittedModel conditioned(FittedModel model) {
  (void)model.process();
  return model;
}

}  // namespace covary::python
