// The types of columns in a model file.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "covary/base/types.h"
#include "covary/kernels/records/schema.h"

namespace covary::internal {

/// With the values that the rows x have; all levels of a category.
nlohmann::ordered_json json_of(const Schema& schema, const Rows& x);

/// Throws Problem::data unless it describes these columns.
Schema schema_from(const nlohmann::ordered_json& j, const std::vector<std::string>& names);

/// Throws Problem::data for a number in a column of codes that is none of them.
void check_codes(const Schema& schema, const Rows& x);

}  // namespace covary::internal
