// JSON documents as the command prints them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace covary::cli {

/// A whole document; a null has to be meant: throws Problem::numerical for a number that is not finite.
std::string json_text(const nlohmann::ordered_json& document, int indent = 2);

/// null where the value is not finite and that is an answer: not determined, not defined.
nlohmann::ordered_json or_null(double value);

}  // namespace covary::cli
