// Columns that a model ignores: they do not vary where it was fitted, and no prediction depends on them.
#pragma once
#include "covary/base/row_names.h"
#include "covary/learn/fit.h"

namespace covary::internal {

/// The model with those columns held.
Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model);

}  // namespace covary::internal
