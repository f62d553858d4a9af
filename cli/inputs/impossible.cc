#include "inputs/impossible.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "inputs/model_inputs.h"
#include "words.h"

namespace covary::cli {

void add_impossible_option(CLI::App& verb, std::string& path) {
  verb.add_option("--impossible", path,
                  "CSV file of log likelihoods: the probability is zero at rows with -inf, and wherever such "
                  "a row is nearer than any row of the model; other rows are ignored")
      ->type_name("FILE");
}

Matrix impossible_rows(const std::string& path, const FittedModel& model, const CsvArguments& csv,
                       Messages& messages) {
  if (path.empty()) return Matrix(0, std::ssize(model->features));
  const Table table = read_other_table(path, csv, messages);
  check_columns(table, model);
  const Column& target = table.column(model->target);
  if (target.kind != Column::Kind::number)
    throw Error(Problem::data,
                fmt::format("{}: column '{}' holds text: expected log likelihoods", path, target.name));
  std::vector<Index> rows;
  for (Index i = 0; i < target.rows(); ++i) {
    const double y = target.values[static_cast<size_t>(i)];
    if (std::isnan(y) || y == std::numeric_limits<double>::infinity())
      throw Error(Problem::data, fmt::format("{}: expected a log likelihood or -inf (probability zero), {}",
                                             table.where(i, target.name),
                                             std::isnan(y) ? "the value is missing or NaN" : "found inf"));
    if (std::isinf(y)) rows.push_back(i);
  }
  messages.note(
      fmt::format("{} of {} in {} with probability zero", rows.size(), counted(target.rows(), "row"), path));
  return model_inputs(table, model, rows);
}

}  // namespace covary::cli
