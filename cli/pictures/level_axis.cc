#include "pictures/level_axis.h"

#include <algorithm>
#include <cmath>

namespace covary::cli {
namespace {

constexpr double name_spacing = 1.15;  // from a name to the one below it, in sizes
constexpr double least_letters = 0.6;

Axis all_levels(double low, double high, const std::vector<std::string>& names) {
  Axis axis{low, high, {}};
  for (size_t k = 0; k < names.size(); ++k)
    if (double(k) >= low && double(k) <= high)
      axis.ticks.push_back(double(k)), axis.labels.push_back(names[k]);
  return axis;
}

/// Names one above the other that are `step` pixels apart: smaller, then fewer.
void stack_names(Axis& axis, double step, const Lettering& body) {
  axis.letters = std::clamp(step / (name_spacing * body.size), least_letters, 1.0);
  axis.labels = shortened_apart(axis.labels, longest_name * body.size, {axis.letters * body.size});
  const auto every =
      static_cast<size_t>(std::ceil(name_spacing * axis.letters * body.size / step * (1 - 1e-9)));
  Axis kept = axis;
  kept.ticks.clear(), kept.labels.clear();
  for (size_t k = 0; k < axis.ticks.size(); k += std::max<size_t>(1, every))
    kept.ticks.push_back(axis.ticks[k]), kept.labels.push_back(axis.labels[k]);
  axis = std::move(kept);
}

}  // namespace

Axis levels_across(double low, double high, double room, const Lettering& letters,
                   const std::vector<std::string>& names) {
  Axis axis = all_levels(low, high, names);
  const double step = room / (high - low);
  const std::vector<std::string> all = axis.labels;
  axis.labels = shortened_apart(all, 2 * longest_name * letters.size, letters);
  if (axis.label_width(letters) + 0.5 * letters.size <= step) return axis;
  axis.labels = all, axis.turned = true;
  stack_names(axis, step, letters);
  return axis;
}

Axis levels_up(double low, double high, double room, const Lettering& letters,
               const std::vector<std::string>& names) {
  Axis axis = all_levels(low, high, names);
  stack_names(axis, room / (high - low), letters);
  return axis;
}

}  // namespace covary::cli
