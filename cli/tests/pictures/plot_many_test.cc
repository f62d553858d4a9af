// covary plot of many rows, odd ranges and long names: what is seen must be true, and the file small.
#include <chrono>
#include <numbers>
#include <set>

#include "pictures/pictures.h"

namespace covary::cli::plot_many_test {
namespace {

class PlotMany : public Plot {
 protected:
  /// A linear model of n rows.
  void many(const Strings& inputs, int n, const Strings& more = {}) { weights("linear", inputs, more, n); }
  /// A process without a search, which takes no time.
  void process(const Strings& inputs, int n) {
    fitted({file("d.csv", table(inputs, "y", n)), "--target", "y", "--kernel", "fixed(1 * se(lengthscale=1))",
            "--noise", "0.01", "-o", "m.json"});
  }
};

std::string attribute(const Element& e, const std::string& name) {
  const auto it = e.attributes.find(name);
  return it == e.attributes.end() ? "" : it->second;
}

/// Where a tick stands along its axis, and its label.
struct Tick {
  double at;
  std::string label;
};

/// Ticks whose mark ends like this, each followed by its label.
std::vector<Tick> ticks(const std::vector<Element>& all, const std::string& end) {
  std::vector<Tick> out;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const std::string d = attribute(all[i], "d");
    if (all[i].name != "path" || !d.ends_with(end) || all[i + 1].name != "text") continue;
    double x = 0, y = 0;
    EXPECT_EQ(std::sscanf(d.c_str(), "M%lf %lf", &x, &y), 2);
    out.push_back({end == "v5" ? x : y, all[i + 1].text});
  }
  return out;
}

/// Pixels for each unit of an axis, from its first two ticks.
double scale(const std::vector<Tick>& t) {
  return std::abs((t.at(1).at - t.at(0).at) / (std::stod(t.at(1).label) - std::stod(t.at(0).label)));
}

/// F: maps and slices had axes with one tick.
TEST_F(PlotMany, EveryAxisOfEveryKindHasTwoTicks) {
  for (const char* rows : {"980.3,0.4,7\n991,0.61,8\n1039.7,0.47,7.7\n1002,0.52,7.2\n",
                           "1340000000,3e-7,1e9\n1345000000,4e-7,1.001e9\n1341000000,9e-7,1.002e9\n"}) {
    SCOPED_TRACE(rows);
    fitted(
        {file("d.csv", std::string("p,q,y\n") + rows), "--target", "y", "--model", "bayes", "-o", "m.json"});
    for (const char* kind : {"map", "slices", "observed"})
      for (const char* width : {"300", "400", "760", "1200"}) {
        SCOPED_TRACE(std::string(kind) + " " + width);
        const std::string svg = plot({"--kind", kind, "--width", width});
        const std::vector<Element> all = elements(svg);
        const size_t panels = std::string(kind) == "observed" ? 1 : 2;
        EXPECT_GE(ticks(all, "v5").size(), 2 * panels);
        EXPECT_FALSE(says(all, "e9"));
        EXPECT_FALSE(says(all, "e\u2212"));
        expect_readable(svg);
      }
  }
  EXPECT_TRUE(says(elements(plot({"--kind", "slices"})), "p (\u00d7 10\u2079)"));
}

TEST_F(PlotMany, TwoHundredThousandRowsMakeASmallPictureThatSaysWhatItLeavesOut) {
  many({"x"}, 200'000);
  const std::string curve = plot();
  EXPECT_LT(curve.size(), 800'000U);
  EXPECT_TRUE(says(elements(curve), "The 200000 observations are counted in cells"));
  const std::string observed = plot({"--kind", "observed"});
  EXPECT_LT(observed.size(), 800'000U);
  EXPECT_TRUE(says(elements(observed), "Of the 200000 rows a random 1500 are drawn."));
  EXPECT_TRUE(says(elements(observed), "of 200000 ("));  // the count is of all
  EXPECT_LT(plot({"--kind", "slices"}).size(), 800'000U);
  EXPECT_LT(plot({"--kind", "weights"}).size(), 1'600'000U);
  expect_readable(curve);
  many({"a", "b"}, 200'000);
  const std::string map = plot({"--contours"});
  EXPECT_LT(map.size(), 800'000U);
  EXPECT_TRUE(says(elements(map), "5000 of 200000 observations drawn, chosen at random."));
  expect_readable(map);
}

/// What is drawn whole is not said to be left out.
TEST_F(PlotMany, NothingIsSaidOfPointsThatAreAllDrawn) {
  many({"x"}, 1000);
  EXPECT_FALSE(says(elements(plot()), "cells"));
  EXPECT_EQ(number_of(elements(plot()), "circle"), 1000U);
  EXPECT_FALSE(says(elements(plot({"--kind", "observed"})), "random"));
}

TEST_F(PlotMany, LongNamesAndTitlesTakeNoTime) {
  const std::string name(20'000, 'x');
  many({name}, 30);
  const auto start = std::chrono::steady_clock::now();
  expect_readable(plot());
  expect_readable(plot({"--kind", "slices"}));
  expect_readable(plot({"--title", std::string(60'000, 'w') + " <&>"}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
}

/// F: above some 300 points black outlines hid the map.
TEST_F(PlotMany, PointsCoverLittleOfAMap) {
  for (const int n : {300, 1000, 3000}) {
    SCOPED_TRACE(n);
    many({"a", "b"}, n);
    double covered = 0, width = 0;
    for (const Element& e : elements(plot({"--width", "760"}))) {
      if (e.name == "g" && !attribute(e, "stroke-opacity").empty())
        width = std::stod(attribute(e, "stroke-width"));
      if (e.name == "circle")
        covered += std::numbers::pi * std::pow(std::stod(attribute(e, "r")) + width / 2, 2);
    }
    EXPECT_LT(covered, 0.2 * 2 * 250 * 210);  // of two maps of about this size
    EXPECT_LE(width, 0.9);
  }
}

/// F: longitude and latitude were drawn as equal units.
TEST_F(PlotMany, DegreesAreDrawnByTheLatitude) {
  const auto ratio = [&](const std::string& header, double offset) {
    std::string rows = header + "\n";
    for (int i = 0; i < 40; ++i)
      rows += std::to_string(5 + 6 * std::fmod(0.7548776662 * i, 1)) + "," +
              std::to_string(offset + 5 * std::fmod(0.569840291 * i, 1)) + "," + std::to_string(i % 7) + "\n";
    fitted({file("d.csv", rows), "--target", "y", "--model", "linear", "-o", "m.json"});
    const std::vector<Element> all = elements(plot());
    return scale(ticks(all, "h-5")) / scale(ticks(all, "v5"));
  };
  const double truth = 1 / std::cos(62.4 * std::numbers::pi / 180);
  EXPECT_NEAR(ratio("lon,lat,y", 60), truth, 0.04 * truth);
  EXPECT_NEAR(ratio("Longitude [deg],Latitude [deg],y", 60), truth, 0.04 * truth);
  EXPECT_NEAR(ratio("station_lat,station_lon,y", 60), std::cos(8 * std::numbers::pi / 180), 0.04);
  EXPECT_NEAR(ratio("east [m],north [m],y", 60), 1, 0.02);
  EXPECT_GT(std::abs(ratio("lon [km],lat [km],y", 600) - 1 / std::cos(1)), 0.1);  // no degrees
}

/// F: contours had no labels.
TEST_F(PlotMany, ContoursAreLabelledWithTheirValues) {
  process({"a", "b"}, 60);
  const std::string svg = plot({"--contours"});
  size_t labels = 0;
  for (const Element& e : elements(svg))
    labels += e.name == "text" && attribute(e, "paint-order") == "stroke";
  EXPECT_GE(labels, 5U);
  expect_readable(svg);
  expect_readable_at_any_width({"--contours"});
}

/// F: a twentieth of crosses looked like a third: each must have the ink of a dot.
TEST_F(PlotMany, OutsideWeighsAsMuchAsInside) {
  for (const int n : {60, 700, 1500}) {
    SCOPED_TRACE(n);
    many({"a", "b", "c"}, n);
    double dot = 0, cross = 0;
    for (const Element& e : elements(plot({"--kind", "observed", "--interval", "50"}))) {
      if (e.name == "circle") dot = std::numbers::pi * std::pow(std::stod(attribute(e, "r")), 2);
      double x = 0, y = 0, side = 0;
      if (e.name == "path" && attribute(e, "stroke") == "#b2581a" &&
          std::sscanf(attribute(e, "d").c_str(), "M%lf %lfl%lf", &x, &y, &side) == 3)
        cross = 2 * std::sqrt(2) * side * std::stod(attribute(e, "stroke-width"));
    }
    ASSERT_GT(dot, 0);
    EXPECT_NEAR(cross, dot, 0.05 * dot);
  }
}

/// F: at 1461 points the mean and the points hid the band: its edges stand before the points, and the mean is
/// thinner than what lies between them.
TEST_F(PlotMany, TheBandIsSeenAmongManyPoints) {
  process({"x"}, 1461);
  size_t points = 0, edges = 0, mean = 0;
  double width = 0;
  const std::vector<Element> all = elements(plot());
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == "circle") points = i;
    if (attribute(all[i], "stroke-opacity") == "0.7") edges = i;
    if (attribute(all[i], "stroke-linejoin") == "round")
      mean = i, width = std::stod(attribute(all[i], "stroke-width"));
  }
  EXPECT_LT(points, edges);
  EXPECT_LT(edges, mean);
  EXPECT_LE(width, 1.6);
  process({"x"}, 40);  // few points stand before all
  for (const Element& e : elements(plot())) EXPECT_NE(attribute(e, "stroke-opacity"), "0.7");
}

/// F: a rug of 5000 rows was a bar. One of a few rows has a tick for each; neither stands on the band.
TEST_F(PlotMany, ARugOfManyRowsIsAHistogramBelowTheBands) {
  many({"a", "b"}, 5000);
  const auto path_of = [&](const std::string& attribute_name, const std::string& value) {
    for (const Element& e : elements(plot({"--kind", "slices"})))
      if (e.name == "path" && attribute(e, attribute_name) == value) return attribute(e, "d");
    return std::string();
  };
  const std::string bins = path_of("fill-opacity", "0.4");
  EXPECT_GT(std::count(bins.begin(), bins.end(), 'z'), 20);
  EXPECT_EQ(path_of("stroke-width", "0.8"), "");
  many({"a", "b"}, 30);
  const std::string few = path_of("stroke-width", "0.8");
  EXPECT_GT(std::count(few.begin(), few.end(), 'v'), 25);
}

/// F: slice bands were cut off at the bottom: nothing of a band lies where the rug may be.
TEST_F(PlotMany, BandsEndAboveTheRug) {
  process({"a", "b"}, 400);
  double bottom = 0, lowest = 0;
  for (const Element& e : elements(plot({"--kind", "slices", "--at", "a=0.5"}))) {
    const std::string d = attribute(e, "d");
    double x = 0, y = 0;
    if (e.name == "path" && d.ends_with("v5") && std::sscanf(d.c_str(), "M%lf %lf", &x, &y) == 2) bottom = y;
    if (e.name != "path" || attribute(e, "fill") == "none" || !d.ends_with("Z")) continue;
    std::string numbers = d;
    std::replace_if(
        numbers.begin(), numbers.end(), [](char c) { return std::isalpha(c) != 0; }, ' ');
    std::istringstream in(numbers);
    while (in >> x >> y) lowest = std::max(lowest, y);
  }
  EXPECT_GT(lowest, 0);
  EXPECT_LE(lowest, bottom - 18);
}

/// F: cells of a placement map showed: those of a field that is known everywhere are a few pixels, and
/// each reaches under its neighbors, so that no seam is seen.
TEST_F(PlotMany, CellsOfAPlacementMapAreNotSeen) {
  const Outcome o =
      covary({"place", file("d.csv", table({"east", "north"}, "z", 50)), "-k", "4", "--coordinates",
              "east,north", "--kernel", "matern52(lengthscale=2)", "--nugget", "0.05", "--plot", "p.svg"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string svg = contents(path("p.svg"));
  double high = 0;
  std::set<double> rows;
  for (const Element& e : elements(svg)) {
    double x = 0, y = 0, width = 0;
    if (e.name == "g" && attribute(e, "shape-rendering") == "crispEdges" && high == 0)
      high = std::stod(attribute(e, "stroke-width"));
    const std::string d = attribute(e, "d");
    if (e.name != "path" || !attribute(e, "stroke-width").empty()) continue;
    for (size_t at = d.find('M'); at != d.npos; at = d.find('M', at + 1))
      if (std::sscanf(d.c_str() + at, "M%lf %lfh%lf", &x, &y, &width) == 3 && width > 1) rows.insert(y);
  }
  ASSERT_GT(rows.size(), 100U);
  EXPECT_LE(high, 4.5);
  for (auto y = std::next(rows.begin()); y != rows.end(); ++y) EXPECT_LT(*y - *std::prev(y), high);
  EXPECT_LT(svg.size(), 400'000U);
  expect_readable(svg);
}

}  // namespace
}  // namespace covary::cli::plot_many_test
