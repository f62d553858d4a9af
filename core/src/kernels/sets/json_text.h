// JSON in a cell of a table, read with bounds on its size and nesting.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace covary::internal {

/// Throws a data Error that begins with `what` where the text is no JSON, is nested deeper than lists in a list in an
/// object, or has a name twice in an object; a limit Error above 64 MB.
nlohmann::json json_of(std::string_view text, const std::string& what);

/// A string as it is, a number as it prints: 1.5. Throws a data Error that begins with `what` for anything else.
std::string label_of(const nlohmann::json& value, const std::string& what);

/// Throws a data Error that begins with `what` for a text that is not UTF-8.
std::string text_of(const nlohmann::json& value, const std::string& what);

}  // namespace covary::internal
