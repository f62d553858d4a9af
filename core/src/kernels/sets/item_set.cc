#include "covary/kernels/sets/item_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "covary/base/error.h"
#include "covary/base/read_number.h"
#include "kernels/sets/json_text.h"

namespace covary {
using namespace internal;
namespace {

using ItemWeights = std::map<std::string, double>;

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string of_item(size_t number, std::string_view name) {
  return fmt::format("set: item {} ('{}')", number, name.substr(0, 60));
}

void add_item(ItemWeights& all, const std::string& name, double weight, size_t number) {
  if (!std::isfinite(weight) || weight < 0)
    throw Error(Problem::data,
                fmt::format("{}: expected a weight of 0 or more, found {}", of_item(number, name), weight));
  if (weight == 0) return;
  const double sum = all[name] += weight;
  if (!std::isfinite(sum))
    throw Error(Problem::data, of_item(number, name) + ": the sum of its weights is not finite");
}

ItemSet as_set(const ItemWeights& all) {
  ItemSet out;
  for (const auto& [name, weight] : all) out.items.push_back(name), out.weights.push_back(weight);
  return out;
}

ItemSet from_json(std::string_view text) {
  const nlohmann::json j = json_of(text, "set");
  ItemWeights all;
  size_t number = 0;
  if (j.is_array())
    for (const nlohmann::json& item : j) {
      ++number;
      add_item(all, label_of(item, fmt::format("set: item {}", number)), 1, number);
    }
  else
    for (const auto& [name, weight] : j.items()) {
      ++number;
      if (!weight.is_number())
        throw Error(Problem::data, fmt::format("{}: expected a number as its weight, found {}",
                                               of_item(number, name), weight.type_name()));
      add_item(all, name, weight.get<double>(), number);
    }
  return as_set(all);
}

/// The position of the colon in front of the number that an item ends in; npos if it does not.
size_t weight_colon(std::string_view item, double& weight) {
  const size_t colon = item.rfind(':');
  if (colon == item.npos) return colon;
  const std::string_view number = without_spaces(item.substr(colon + 1));
  const auto [end, error] = read_number(number.data(), number.data() + number.size(), weight);
  return error == std::errc() && end == number.data() + number.size() ? colon : item.npos;
}

ItemSet from_list(std::string_view text) {
  std::vector<std::string_view> items;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(';', from), text.size());
    items.push_back(without_spaces(text.substr(from, to - from)));
    from = to + 1;
  }
  ItemWeights all;
  double weight = 1;
  const bool weighted = std::any_of(items.begin(), items.end(),
                                    [&](std::string_view i) { return weight_colon(i, weight) != i.npos; });
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t colon = weighted ? weight_colon(items[i], weight) : items[i].size();
    if (colon == items[i].npos)
      throw Error(Problem::data,
                  fmt::format("{}: expected a weight, as other items have: '{}:1'; or names in JSON",
                              of_item(i + 1, items[i]), items[i].substr(0, 60)));
    const std::string name(without_spaces(items[i].substr(0, colon)));
    if (name.empty())
      throw Error(Problem::data, fmt::format("set: item {}: expected a name, found none", i + 1));
    add_item(all, name, weighted ? weight : 1, i + 1);
  }
  return as_set(all);
}

/// Whether a list can hold the name: no separators, and nothing that makes the cell look like JSON.
bool fits_list(const std::string& name) {
  return !name.empty() && name.find_first_of(";:\"'[]{}\r\n") == name.npos && without_spaces(name) == name;
}

}  // namespace

ItemSet read_item_set(std::string_view cell) {
  const std::string_view text = without_spaces(cell);
  if (text.empty()) return {};
  return text[0] == '[' || text[0] == '{' ? from_json(text) : from_list(text);
}

std::string text_of(const ItemSet& set) {
  const bool plain = std::all_of(set.weights.begin(), set.weights.end(), [](double w) { return w == 1; });
  if (std::all_of(set.items.begin(), set.items.end(), fits_list)) {
    std::vector<std::string> all;
    for (size_t i = 0; i < set.items.size(); ++i)
      all.push_back(plain ? set.items[i] : fmt::format("{}:{}", set.items[i], set.weights[i]));
    return fmt::format("{}", fmt::join(all, ";"));
  }
  nlohmann::json j = plain ? nlohmann::json(set.items) : nlohmann::json::object();
  if (!plain)
    for (size_t i = 0; i < set.items.size(); ++i) j[set.items[i]] = set.weights[i];
  return internal::text_of(j, "set");
}

}  // namespace covary
