#include "plots/place_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "covary/base/error.h"
#include "covary/place/evaluate.h"
#include "covary/table/slices.h"
#include "plots/plot.h"
#include "reports/place_report.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index fine = 90;  // cells along each side where the field is known everywhere
constexpr double margin = 0.04;

/// The distinct values of a column, ascending, if they are evenly spaced (to a thousandth).
std::optional<Vector> even_steps(const Vector& values) {
  std::vector<double> all(values.begin(), values.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() < 2) return {};
  const double step = (all.back() - all.front()) / double(all.size() - 1);
  for (size_t i = 1; i < all.size(); ++i)
    if (std::abs(all[i] - all[i - 1] - step) > 1e-3 * step) return {};
  return Eigen::Map<Vector>(all.data(), Index(all.size()));
}

Index nearest_step(const Vector& steps, double value) {
  const double step = steps[1] - steps[0];
  return std::clamp<Index>(std::lround((value - steps[0]) / step), 0, steps.size() - 1);
}

/// The places that have coordinates.
struct Located {
  Matrix x;
  Vector sd;
  std::vector<Index> free;  // those without a sensor
};

Located located(const Places& places, const Vector& sd, const std::vector<Index>& sensors) {
  std::vector<Index> which, free;
  for (Index i = 0; i < places.size(); ++i) {
    if (!places.x.row(i).allFinite()) continue;
    if (std::count(sensors.begin(), sensors.end(), i) == 0) free.push_back(std::ssize(which));
    which.push_back(i);
  }
  return {places.x(which, Eigen::all), sd(which), std::move(free)};
}

/// Cells from places that are a grid, of which at least half is there.
bool take_grid(HeatMap& map, const Located& all) {
  const std::optional<Vector> across = even_steps(all.x.col(0)), up = even_steps(all.x.col(1));
  if (!across || !up || 2 * all.x.rows() < across->size() * up->size()) return false;
  if (std::max(across->size(), up->size()) > most_cells) return false;
  map.x = *across, map.y = *up, map.smooth = false;
  map.z = Matrix::Constant(map.x.size(), map.y.size(), std::nan(""));
  for (Index i = 0; i < all.x.rows(); ++i)
    map.z(nearest_step(map.x, all.x(i, 0)), nearest_step(map.y, all.x(i, 1))) = all.sd[i];
  return true;
}

std::vector<Index> all_sensors(const PlacementProblem& problem, const Placed& placed) {
  std::vector<Index> out = problem.existing;
  for (const Pick& pick : placed.picks) out.push_back(pick.place);
  return out;
}

void take_everywhere(HeatMap& map, const FieldPrior& prior, const PlacementProblem& problem, const Matrix& x,
                     const std::vector<Index>& sensors) {
  map.x = middles(padded(x.col(0), margin), fine), map.y = middles(padded(x.col(1), margin), fine);
  Vector noise(std::ssize(sensors));
  for (size_t i = 0; i < sensors.size(); ++i) noise[Index(i)] = problem.noise_at(sensors[i]);
  map.z = prior.sd(grid_points(map.x, map.y), x(sensors, Eigen::all), noise).reshaped(fine, fine);
}

/// No cells, and dots where no sensor stands: the window is what two middles of two cells say.
void take_dots(HeatMap& map, const Located& all) {
  map.x = middles(padded(all.x.col(0), margin), 2), map.y = middles(padded(all.x.col(1), margin), 2);
  map.point_x = all.x.col(0)(all.free), map.point_y = all.x.col(1)(all.free), map.point_z = all.sd(all.free);
}

Pins pins(Pins::Kind kind, const std::string& label, const std::vector<Index>& which, const Matrix& x) {
  std::vector<Index> known;
  for (const Index i : which)
    if (x.row(i).allFinite()) known.push_back(i);
  return {kind, label, x.col(0)(known), x.col(1)(known)};
}

std::string chosen_by(const PlaceArguments& a) {
  if (!a.evaluate.empty()) return "sensor, in the order given";
  return a.beside.empty() ? "new sensor, in the order of choice"
                          : fmt::format("by {}, in the order of choice", a.criterion);
}

void add_pins(HeatMap& map, const PlacementProblem& problem, const Placed& placed, const Placed& other,
              const PlaceArguments& a, const Matrix& x) {
  if (!a.targets.empty())
    map.pins.push_back(pins(Pins::Kind::target, "what is to be predicted", problem.targets, x));
  if (!a.forbid.empty())
    map.pins.push_back(pins(Pins::Kind::forbidden, "not allowed here", problem.forbidden, x));
  if (!problem.existing.empty())
    map.pins.push_back(pins(Pins::Kind::standing, "stands already", problem.existing, x));
  if (!other.picks.empty())
    map.pins.push_back(
        pins(Pins::Kind::other, fmt::format("by {}, in the order of choice", a.beside), other.places(), x));
  map.pins.push_back(pins(Pins::Kind::numbered, chosen_by(a), placed.places(), x));
}

/// Of degrees by the latitude; 1 for meters against meters, rather than meters against years.
double aspect(const Places& places, const Matrix& x) {
  const double degrees = geographic_aspect(places.axes[0], places.axes[1], x.col(0), x.col(1));
  if (degrees > 0) return degrees;
  const Vector range = (x.colwise().maxCoeff() - x.colwise().minCoeff()).transpose();
  return range[0] <= 4 * range[1] && range[1] <= 4 * range[0] ? 1 : 0;
}

}  // namespace

void check_mappable(const Places& places) {
  if (places.axes.size() != 2 || !places.has_coordinates())
    throw Error(Problem::usage,
                fmt::format("--plot draws a map over two coordinates, there are {}; --coordinates a,b says "
                            "which, and --plot-curve draws without any",
                            places.axes.size()));
}

MapFigure place_map(const PlacementProblem& problem, const Placed& placed, const Placed& other,
                    const FieldPrior& prior, const PlaceArguments& a, const Places& places) {
  const std::vector<Index> sensors = all_sensors(problem, placed);
  HeatMap map;
  map.title = "typical error that is left (sd)" + (a.unit.empty() ? "" : fmt::format(" [{}]", a.unit));
  map.ramp = &earth();
  std::string note;
  const Located all = located(
      places, internal::remaining_sd(internal::as_predicted(prior, problem), placed.places()), sensors);
  if (prior.sd) {
    take_everywhere(map, prior, problem, all.x, sensors);
    map.point_x = all.x.col(0).head(places.candidates()),
    map.point_y = all.x.col(1).head(places.candidates());
    note = "Small circles are candidates.";
  } else if (take_grid(map, all)) {
    note = "A cell is a candidate.";
  } else {
    take_dots(map, all);
    note = "A dot is a candidate, filled with what stays unknown there.";
  }
  add_pins(map, problem, placed, other, a, places.x);
  const std::string count = counted(std::ssize(placed.picks), "sensor");
  const std::string title = (a.evaluate.empty() ? "Where to put " : "What stays unknown with ") + count;
  return {title, places.axes[0], places.axes[1], {note}, {std::move(map)}, aspect(places, all.x), false};
}

}  // namespace covary::cli
