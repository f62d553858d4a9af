// splines: one item for each column.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "basis/item.h"
#include "basis/natural_spline.h"
#include "covary/base/error.h"

namespace covary {
namespace {

constexpr Index most_knots = 500;

FeatureItem placed_splines(Index column, const std::string& name, const std::vector<double>& knots) {
  FeatureItem item;
  item.text = fmt::format("splines({}, knots={})", name, list_text(knots));
  item.size = std::ssize(knots);
  item.columns = {column};
  for (Index j = 1; j <= item.size; ++j) item.names.push_back(fmt::format("spline({}, {})", name, j));
  const auto splines = std::make_shared<const NaturalSplines>(knots);
  item.fill = [splines, column](const Rows& x, Eigen::Ref<Matrix> phi) { splines->fill(x.col(column), phi); };
  return item;
}

/// Evenly among the different values, the smallest and the largest included.
std::vector<double> knots_among(const Rows& x, Index column, const std::string& name, Index knots) {
  std::vector<double> values(x.col(column).begin(), x.col(column).end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (std::ssize(values) < knots)
    throw Error(
        Problem::data,
        fmt::format("features: {} knots cannot be placed in column {}, which has {} different value{}", knots,
                    name, values.size(), values.size() == 1 ? "" : "s"));
  std::vector<double> out;
  for (Index j = 0; j < knots; ++j) {
    const double at = double(j) * double(values.size() - 1) / double(knots - 1);
    out.push_back(values[static_cast<size_t>(std::lround(at))]);
  }
  if (!can_be_knots(out))
    throw Error(
        Problem::data,
        fmt::format("features: knots cannot be placed in column {}, whose values from {} to {} are too "
                    "far apart or too near to one another",
                    name, values.front(), values.back()));
  return out;
}

}  // namespace

std::vector<FeatureItem> make_splines(const MapCall& call) {
  const MapArgument* given = call.find("knots");
  const std::vector<double> places = given && given->list ? given->values : std::vector<double>{};
  if (!places.empty() && (places.size() < 2 || std::ssize(places) > most_knots))
    call.fail("knots", fmt::format("splines have from 2 to {} knots, found {}", most_knots, places.size()));
  if (!places.empty() && !can_be_knots(places))
    call.fail("knots", "knots must ascend and not coincide, found " + list_text(places));
  const Index knots = places.empty() ? call.whole("knots", 8, 2, most_knots) : 0;
  const Index each = places.empty() ? knots : std::ssize(places);
  check_number_of_features(double(each) * double(call.columns.size()), call.name);
  std::vector<FeatureItem> items;
  const std::vector<std::string> names = call.column_names();
  for (size_t i = 0; i < names.size(); ++i) {
    const Index column = call.columns[i];
    if (!places.empty()) {
      items.push_back(placed_splines(column, names[i], places));
      continue;
    }
    FeatureItem item;
    item.text = fmt::format("splines({}, knots={})", names[i], knots);
    item.size = knots;
    item.columns = {column};
    item.place = [column, name = names[i], knots](const Rows& x) {
      return placed_splines(column, name, knots_among(x, column, name, knots));
    };
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace covary
