// Columns that a model ignores: they do not vary where it was fitted, and no prediction depends on them.
#pragma once
#include "covary/learn/fit.h"

namespace covary {

/// The model with those columns held.
Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model);

/// The note for a constant column, called `name`.
std::string constant_note(const std::string& name, bool ignored);

}  // namespace covary
