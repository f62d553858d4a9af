#include "basis/item.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/lexer.h"
#include "covary/base/names.h"
#include "covary/kernels/expression.h"

namespace covary {
using namespace internal;

const MapArgument* MapCall::find(const std::string& argument) const {
  for (const MapArgument& a : arguments)
    if (a.name == argument) return &a;
  return nullptr;
}

void MapCall::fail(const std::string& argument, const std::string& what) const {
  const MapArgument* a = find(argument);
  throw text_error("features", text, a ? a->position : 1, what);
}

Index MapCall::whole(const std::string& argument, Index otherwise, Index lower, Index upper) const {
  const MapArgument* a = find(argument);
  if (!a) return otherwise;
  const double value = a->values[0];
  if (a->list || value != std::floor(value) || value < double(lower) || value > double(upper))
    fail(argument, fmt::format("{} of {} must be a whole number from {} to {}, found {}", argument, name,
                               lower, upper, a->list ? list_text(a->values) : number_text(value)));
  return static_cast<Index>(value);
}

Index MapCall::how_many(const std::string& argument, Index otherwise) const {
  const Index n = whole(argument, otherwise, 1, largest_whole);
  check_number_of_features(double(n), name);
  return n;
}

std::vector<double> MapCall::numbers(const std::string& argument) const {
  const MapArgument* a = find(argument);
  return a ? a->values : std::vector<double>{};
}

std::vector<std::string> MapCall::column_names() const {
  std::vector<std::string> all;
  for (const Index k : columns) all.push_back(quoted_if_needed(names[static_cast<size_t>(k)]));
  return all;
}

std::string MapCall::opening() const {
  const bool every = columns.size() == names.size() && std::is_sorted(columns.begin(), columns.end());
  const std::vector<std::string> seen = every ? std::vector<std::string>{} : column_names();
  if (seen.empty()) return name + "(";
  if (seen.size() == 1) return fmt::format("{}({}, ", name, seen[0]);
  return fmt::format("{}([{}], ", name, fmt::join(seen, ", "));
}

const std::vector<FeatureMaker>& feature_makers() {
  static const std::vector<FeatureMaker> all{{"polynomial", {"degree"}, make_polynomial},
                                             {"interactions", {"degree"}, make_interactions},
                                             {"splines", {"knots"}, make_splines},
                                             {"bumps", {"centers", "width"}, make_bumps},
                                             {"fourier", {"features", "kernel", "seed"}, make_fourier}};
  return all;
}

std::string list_text(const std::vector<double>& values) {
  std::vector<std::string> all;
  for (const double v : values) all.push_back(number_text(v));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

void check_number_of_features(double number, const std::string& of) {
  if (number > double(most_features))
    throw Error(Problem::limit, fmt::format("features: {} are {:.0f} features, at most {} are allowed", of,
                                            number, most_features));
}

}  // namespace covary
