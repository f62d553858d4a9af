#include "covary/table/grid.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "covary/base/error.h"

namespace covary {
using namespace internal;
namespace {

/// NAME=LOW..HIGH:COUNT, or a count alone.
struct Item {
  std::string name;  // "": of all others
  std::optional<double> low, high;
  std::optional<Index> count;
};

[[noreturn]] void refuse_item(const std::string& item, const std::string& expected) {
  throw Error(Problem::usage, fmt::format("grid: expected {}, found '{}'", expected, item));
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

double number(const std::string& text, const std::string& item) {
  const std::string t = trimmed(text);
  double value = 0;
  const auto [end, error] = fast_float::from_chars(t.data(), t.data() + t.size(), value);
  if (t.empty() || error != std::errc{} || end != t.data() + t.size() || !std::isfinite(value))
    refuse_item(item, "a number N, NAME=LOW..HIGH:COUNT, NAME=:COUNT or NAME=VALUE");
  return value;
}

Index count_in(const std::string& text, const std::string& item) {
  const double n = number(text, item);
  if (n != std::floor(n) || n < 1) refuse_item(item, "a whole number of points, 1 or more");
  return static_cast<Index>(std::min(n, 1e15));
}

/// At commas outside quotes.
std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& item : out) item = trimmed(item);
  return out;
}

Item item_of(const std::string& text, const GridTypes& types) {
  size_t sign = text.find('=');
  std::string name = trimmed(text.substr(0, sign));
  if (text.starts_with('"')) {
    const size_t end = text.find('"', 1);
    if (end == text.npos) refuse_item(text, "a closing quote");
    name = text.substr(1, end - 1), sign = text.find('=', end);
  }
  if (sign == text.npos) return {"", {}, {}, count_in(text, text)};
  if (name.empty()) refuse_item(text, "a column before '='");
  std::string rest = text.substr(sign + 1);
  Item item{name, {}, {}, {}};
  const auto value = [&](const std::string& typed) {
    const std::optional<double> own =
        types.value ? types.value(name, trimmed(typed)) : std::optional<double>();
    return own ? *own : number(typed, text);
  };
  if (const size_t colon = rest.rfind(':'); colon != rest.npos)
    item.count = count_in(rest.substr(colon + 1), text), rest = rest.substr(0, colon);
  if (const size_t dots = rest.find(".."); dots != rest.npos) {
    item.low = value(rest.substr(0, dots)), item.high = value(rest.substr(dots + 2));
    if (!(*item.low < *item.high)) refuse_item(text, "LOW below HIGH");
  } else if (!trimmed(rest).empty()) {
    if (item.count) refuse_item(text, "LOW..HIGH before ':'");
    item.low = item.high = value(rest);
  } else if (!item.count) {
    refuse_item(text, "LOW..HIGH:COUNT, :COUNT or a value after '='");
  }
  return item;
}

GridAxis axis_of(const std::string& name, const Item* item, Index otherwise, const Rows& x, Index k) {
  GridAxis axis{name};
  axis.count = item && item->count ? *item->count : otherwise;
  if (item && item->low) {
    axis.low = *item->low, axis.high = *item->high;
  } else if (x.rows() > 0 && k < x.cols()) {
    axis.low = x.col(k).minCoeff(), axis.high = x.col(k).maxCoeff();
  } else {
    throw Error(Problem::usage, fmt::format("grid: there are no data to take the range of '{0}' from: "
                                            "{0}=LOW..HIGH:COUNT gives it",
                                            name));
  }
  if (axis.low == axis.high) axis.count = 1;
  return axis;
}

void check_size(const std::vector<GridAxis>& axes) {
  double points = 1;
  for (const GridAxis& a : axes) points *= double(a.count);
  if (points > double(grid_largest))
    throw Error(
        Problem::limit,
        fmt::format("grid: {:.4g} points over {} column{}, at most {} are made: give fewer points, or "
                    "hold columns: {}=VALUE",
                    points, axes.size(), axes.size() == 1 ? "" : "s", grid_largest, axes.back().name));
}

}  // namespace

std::vector<GridAxis> parse_grid(const std::string& text, const std::vector<std::string>& columns,
                                 const Rows& x, const GridTypes& types) {
  std::vector<Item> items;
  Index otherwise = grid_default;
  std::vector<std::string> names = columns;
  for (const std::string& each : items_of(text)) {
    const Item item = item_of(each, types);
    if (item.name.empty()) {
      otherwise = *item.count;
      continue;
    }
    for (const Item& before : items)
      if (before.name == item.name)
        throw Error(Problem::usage, fmt::format("grid: '{}' is given twice", item.name));
    if (columns.empty()) names.push_back(item.name);
    if (std::find(names.begin(), names.end(), item.name) == names.end())
      throw Error(Problem::usage, fmt::format("grid: there is no column '{}'{} (there are {})", item.name,
                                              did_you_mean(item.name, names), fmt::join(names, ", ")));
    items.push_back(item);
  }
  if (names.empty()) throw Error(Problem::usage, "grid: no column is named: NAME=LOW..HIGH:COUNT");
  std::vector<GridAxis> axes;
  for (size_t k = 0; k < names.size(); ++k) {
    const auto it =
        std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.name == names[k]; });
    const Item* const item = it == items.end() ? nullptr : &*it;
    const Vector levels = types.levels ? types.levels(names[k]) : Vector();
    if (levels.size() > 0 && !item)
      axes.push_back({names[k], levels[0], levels[0], levels.size(), levels});
    else
      axes.push_back(axis_of(names[k], item, otherwise, x, static_cast<Index>(k)));
  }
  check_size(axes);
  return axes;
}

Matrix grid_points(const std::vector<GridAxis>& axes) {
  Index rows = 1;
  for (const GridAxis& a : axes) rows *= a.count;
  Matrix out(rows, std::ssize(axes));
  Index run = rows;  // rows for which the values of the columns before stay
  for (Index k = 0; k < out.cols(); ++k) {
    const GridAxis& a = axes[static_cast<size_t>(k)];
    const Vector values = a.values.size() > 0 ? a.values
                          : a.count == 1      ? Vector(Vector::Constant(1, a.low))
                                              : Vector(Vector::LinSpaced(a.count, a.low, a.high));
    run /= a.count;
    for (Index i = 0; i < rows; ++i) out(i, k) = values[i / run % a.count];
  }
  return out;
}

}  // namespace covary
