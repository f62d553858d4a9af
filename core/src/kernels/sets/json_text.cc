#include "kernels/sets/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "covary/base/error.h"

namespace covary {
using nlohmann::json;
namespace {
constexpr size_t largest_text = size_t{64} << 20;
constexpr int most_levels = 3;
}  // namespace

json internal::json_of(std::string_view text, const std::string& what) {
  if (text.size() > largest_text)
    throw Error(Problem::limit, fmt::format("{}: expected at most {} MB of text, found {} MB", what,
                                            largest_text >> 20, text.size() >> 20));
  std::set<std::string> names;  // of the outermost object
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth >= most_levels)
      throw Error(Problem::data,
                  fmt::format("{}: expected at most {} levels of brackets", what, most_levels));
    if (event == json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second)
      throw Error(Problem::data,
                  fmt::format("{}: the name '{}' is there twice", what, value.get<std::string>()));
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error& e) {
    throw Error(Problem::data,
                fmt::format("{}: expected JSON; it breaks off or is wrong at byte {}", what, e.byte));
  }
}

std::string internal::label_of(const json& value, const std::string& what) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  throw Error(Problem::data,
              fmt::format("{}: expected a text or a number, found {}", what, value.type_name()));
}

std::string internal::text_of(const json& value, const std::string& what) {
  try {
    return value.dump();
  } catch (const json::type_error&) {
    throw Error(Problem::data, what + ": a label is not valid UTF-8");
  }
}

}  // namespace covary
