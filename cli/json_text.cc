#include "json_text.h"

#include <cmath>

#include "covary/base/finite.h"

namespace covary::cli {
namespace {

/// Of a document and all its parts; `name`: of the nearest member.
void check_numbers(const nlohmann::ordered_json& j, const std::string& name) {
  if (j.is_number_float()) internal::finite(j.get<double>(), name);
  if (j.is_object())
    for (const auto& [key, value] : j.items()) check_numbers(value, key);
  if (j.is_array())
    for (const nlohmann::ordered_json& value : j) check_numbers(value, name);
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  check_numbers(document, "the document");
  return document.dump(indent) + "\n";
}

nlohmann::ordered_json or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace covary::cli
