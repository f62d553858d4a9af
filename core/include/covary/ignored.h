// Columns that a model ignores: they do not vary where it was fitted, and no prediction depends on them.
#pragma once
#include <string>
#include <vector>

#include "covary/asked.h"
#include "covary/kernels/held.h"

namespace covary {

/// The columns of x (n x d) that learn() ignores: see ignored_columns of a kernel; all constant ones of a
/// linear model.
HeldColumns ignored_columns(const Asked& asked, const std::vector<std::string>& columns, const Rows& x);

/// What was asked for with those columns held.
Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model);
LinearModel ignoring(const HeldColumns& held, const LinearModel& model);

/// parse_features of rows with those columns held; its text is the same.
Features parse_features(const std::string& text, const std::vector<std::string>& columns,
                        const HeldColumns& held);

/// The columns that any of the features looks at, ascending.
std::vector<Index> columns_used(const std::string& features, const std::vector<std::string>& columns);

/// The note for a constant column, called `name`.
std::string constant_note(const std::string& name, bool ignored);

}  // namespace covary
