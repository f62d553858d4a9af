// Sensors by entropy and by mutual information on one map, as every lecture draws them.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/place/evaluate.h"
#include "covary/place/placement.h"
#include "demo/demo.h"
#include "output.h"
#include "pictures/maps/heat_map.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index grid_side = 15, sensors_placed = 10;
constexpr double place_nugget = 0.05;

Matrix square() {
  Matrix x(grid_side * grid_side, 2);
  for (Index i = 0; i < grid_side; ++i)
    for (Index j = 0; j < grid_side; ++j) x.row(i * grid_side + j) << double(i), double(j);
  return x;
}

std::vector<std::string> answer(const std::string& name, const Matrix& x, const Placed& placed) {
  Index edge = 0;
  for (const Index i : placed.places())
    edge += x.row(i).minCoeff() == 0 || x.row(i).maxCoeff() == double(grid_side - 1);
  return {name, fmt::format("{} of {}", edge, sensors_placed),
          fmt::format("{:.3f}", placed.picks.back().mean_sd)};
}

Pins pins_of(Pins::Kind kind, const std::string& label, const Matrix& x, const Placed& placed) {
  const std::vector<Index> which = placed.places();
  return {kind, label, x(which, 0), x(which, 1)};
}

}  // namespace

void show_sensors(const std::string& folder) {
  const Matrix x = square();
  const Kernel<Row> kernel = parse<Row>("matern52(lengthscale=4)");
  PlacementProblem problem;
  problem.fields = {internal::with_nugget(field_of(kernel, Points<Row>(x)), place_nugget)};
  std::vector<std::vector<std::string>> rows{{"criterion", "in the outer ring", "mean sd left"}};
  std::vector<Placed> sets;
  for (const char* name : {"entropy", "mutual-information", "local-mutual-information"}) {
    sets.push_back(place(problem, criterion_called(name), sensors_placed));
    rows.push_back(answer(name, x, sets.back()));
  }
  print(fmt::format(
      "Ten sensors among {} places on a square, kernel {}, nugget {}: entropy goes to the edges.\n\n{}",
      x.rows(), kernel.text(), place_nugget, text_table(rows)));
  for (const std::string& note : sets.back().notes)
    print(fmt::format("\nlocal-mutual-information: {}\n", note));
  HeatMap map;
  map.title = "sd that is left by the sensors of mutual information", map.ramp = &earth(), map.smooth = false;
  map.x = map.y = Vector::LinSpaced(grid_side, 0, grid_side - 1);
  map.z = internal::remaining_sd(problem, sets[1].places()).reshaped(grid_side, grid_side).transpose();
  map.pins = {pins_of(Pins::Kind::other, "by entropy, in the order of choice", x, sets[0]),
              pins_of(Pins::Kind::numbered, "by mutual information", x, sets[1])};
  write_output(
      folder + "/sensors.svg",
      as_svg(MapFigure{"Where to put ten sensors", "east", "north", {"A cell is a candidate."}, {map}, 1}));
  print(fmt::format("\nBoth sets on one map: {}/sensors.svg\n", folder));
}

}  // namespace covary::cli
