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

/// rows x d. A column that the model ignores is as it was in training where the table has no number for it.
Matrix model_inputs(const Table& table, const FittedModel& model, const std::vector<Index>& rows);

/// Counts the rows in which columns that a model ignores have other values than in training.
class IgnoredColumns {
 public:
  explicit IgnoredColumns(const FittedModel& model);
  void see(const Matrix& x);
  /// Says it of every column that was seen to vary; `source` is what the table is called.
  void note(const std::string& source, Messages& messages) const;

 private:
  const FittedModel& model_;
  internal::HeldColumns held_;
  std::vector<Index> differ_;  // rows, for each of them
};

}  // namespace covary::cli
