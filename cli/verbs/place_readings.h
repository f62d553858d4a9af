// Readings and covariances of places, from columns of the candidates' table or from a file of their own.
#pragma once
#include <string>
#include <vector>

#include "verbs/place_data.h"

namespace covary::cli {

/// Whether a column called `name` is one of "columns:PATTERN", in which * matches any text and ? one
/// character.
bool is_among(const std::string& name, const std::string& source);

/// times x places, NaN where missing.
struct Readings {
  std::string source;
  Matrix values;
  std::vector<std::string> times;    // what each is called
  std::vector<std::string> columns;  // of the file, all of them
};

/// `source`: a file with a column for every place, named as the places are, or "columns:PATTERN": columns of
/// the candidates' table, one for each time. Only the first `needed` places have to have readings. Errors
/// call it `option`.
Readings read_readings(const PlaceArguments& a, const Places& places, const std::string& source,
                       const std::string& option, Index needed, Messages& messages);

/// Laid out the same way, places x places. Rows of a file stand in the order of its columns.
Matrix read_covariance(const PlaceArguments& a, const Places& places, Messages& messages);

}  // namespace covary::cli
