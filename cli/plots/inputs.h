// The inputs of a model as pictures see them: numbers and dates along an axis, levels side by side, and texts, sets,
// graphs and nodes, which have no axis.
#pragma once
#include <string>
#include <vector>

#include "covary/kernels/records/schema.h"
#include "covary/model/fitted_model.h"
#include "pictures/axis.h"

namespace covary::cli {

Schema inputs_of(const FittedModel& model);

/// Categories and booleans.
bool has_levels(ColumnType type);

/// Numbers or dates.
Measure measure_of(const TypedColumn& column);

/// Levels of a column of categories or booleans, as values and as names.
struct Levels {
  std::vector<double> values;
  std::vector<std::string> names;
  Index left_out = 0;  // levels that have fewer rows than these

  Index size() const { return std::ssize(values); }
};
/// Those of column k that the rows have, in the order of their codes; of more than `most` those with the most rows.
Levels levels_of(const FittedModel& model, Index k, Index most);

/// A value of column k as it is typed: a number, a date or its year, a level, a text. Throws a usage Error calling it
/// `what`.
double value_in(const Schema& schema, Index k, const std::string& text, const std::string& what);

/// How many of the inputs have an axis, levels, or neither.
struct InputCounts {
  Index along = 0, levels = 0, objects = 0;
  bool operator==(const InputCounts&) const = default;
};
InputCounts count_inputs(const FittedModel& model);

/// The kinds of picture that a model has, the one that suits it best first.
std::vector<std::string> kinds_of(const FittedModel& model);

/// "temp (number), catalyst (category)"
std::string inputs_in_words(const FittedModel& model);

}  // namespace covary::cli
