// --impossible: the parameters whose log likelihood is -infinity, from the table of log likelihoods.
#pragma once
#include <string>

#include "covary/model/fitted_model.h"
#include "inputs/tables.h"

namespace CLI {
class App;
}

namespace covary::cli {

/// --impossible.
void add_impossible_option(CLI::App& verb, std::string& path);

/// q x d: the rows of the table in which the model's target is -inf, with a note of how many; none of "". Throws
/// Problem::data, naming the line, for a target that is missing, NaN or +inf.
Matrix impossible_rows(const std::string& path, const FittedModel& model, const CsvArguments& csv,
                       Messages& messages);

}  // namespace covary::cli
