// Columns that a model ignores: they do not vary where it was fitted, and no prediction depends on them.
#pragma once
#include "covary/base/row_names.h"
#include "covary/kernels/held.h"
#include "covary/learn/fit.h"

namespace covary::internal {

/// The model with those columns held.
inline Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model) {
  return {holding(held, model.kernel), holding(held, model.mean), model.noise};
}

}  // namespace covary::internal
