// The columns of a table that a model needs, by name, as its inputs.
#pragma once
#include <string>
#include <vector>

#include "covary/model/model_file.h"
#include "covary/table/table.h"
#include "output.h"

namespace covary::cli {

/// Throws Problem::data unless the table has every column that the model's predictions depend on.
void check_columns(const Table& table, const FittedModel& model);

/// Conditions the model on its rows, before anything else asks for its posterior, and notes if that is approximate.
void condition_on_rows(const FittedModel& model, int threads, Messages& messages);

/// The columns that a row must have a value of: those that predictions depend on, but for categories of which a
/// missing cell is a level.
std::vector<std::string> needed_columns(const FittedModel& model);

/// Column k of the inputs x as a table has it: numbers, dates or texts.
Column input_column(const FittedModel& model, Index k, const Matrix& x);

/// rows x d. A column that the model ignores is as it was in training where the table has no number for it.
Matrix model_inputs(const Table& table, const FittedModel& model, const std::vector<Index>& rows);

/// Counts the rows in which columns that a model ignores have other values than in training, and collects
/// categories that it has not seen.
class IgnoredColumns {
 public:
  explicit IgnoredColumns(const FittedModel& model);
  void see(const Matrix& x);
  /// A note for each column with such values; `source`: the name of the table in messages.
  void note(const std::string& source, Messages& messages) const;

 private:
  const FittedModel& model_;
  internal::HeldColumns held_;
  std::vector<Index> differ_;                     // rows, for each of them
  std::vector<std::vector<std::string>> unseen_;  // categories, for each column
};

}  // namespace covary::cli
