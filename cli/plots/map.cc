// A function of two inputs: mean and standard deviation as heat maps.
#include <fmt/format.h>

#include "covary/base/random.h"
#include "covary/table/slices.h"
#include "plots/plot.h"
#include "words.h"

namespace covary::cli {
namespace {

/// "[m]" of "easting [m]", or "".
std::string unit(const std::string& name) {
  const size_t at = name.rfind('[');
  return at != name.npos && name.ends_with("]") ? name.substr(at) : "";
}

bool same_units(const FittedModel& m) {
  return !unit(m->features[0]).empty() && unit(m->features[0]) == unit(m->features[1]);
}

constexpr Index most_circles = 5000;

double aspect(const FittedModel& m, const PlotOptions& o) {
  if (o.equal) return 1;
  const double degrees = geographic_aspect(m->features[0], m->features[1], m->x.col(0), m->x.col(1));
  return degrees > 0 ? degrees : same_units(m) ? 1 : 0;
}

}  // namespace

MapFigure map_figure(const FittedModel& m, const PlotOptions& o) {
  const Index n = o.grid > 0 ? o.grid : 100;
  if (n > most_cells)
    throw Error(Problem::limit,
                fmt::format("--grid {}: a map has at most {} cells along each side", n, most_cells));
  const Vector x = middles(padded(m->x.col(0), 0.03), n), y = middles(padded(m->x.col(1), 0.03), n);
  const Prediction p = m.predict(grid_points(x, y), o.of, o.threads);
  const char* of = o.of == Of::f ? "f" : "y";
  const std::vector<Index> drawn = Random(1).subset(m->y.size(), std::min(m->y.size(), most_circles));
  std::vector<std::string> notes{
      "Circles are observations; on the mean they are filled with what was observed."};
  if (std::ssize(drawn) < m->y.size())
    notes.push_back(fmt::format("{} of {} observations drawn, chosen at random.", drawn.size(), m->y.size()));
  HeatMap mean{fmt::format("mean of {}: {}", of, m->target),
               x,
               y,
               p.mean.reshaped(n, n),
               &sea(),
               m->x.col(0)(drawn),
               m->x.col(1)(drawn),
               m->y(drawn)};
  HeatMap sd{fmt::format("sd of {}: {}", of, m->target),
             x,
             y,
             p.sd.reshaped(n, n),
             &earth(),
             m->x.col(0)(drawn),
             m->x.col(1)(drawn),
             {}};
  const std::string title = fmt::format("{} from {} and {}, {}", m->target, m->features[0], m->features[1],
                                        counted(m->y.size(), "observation"));
  const Schema inputs = inputs_of(m);
  return {o.title.empty() ? title : o.title,
          m->features[0],
          m->features[1],
          std::move(notes),
          {std::move(mean), std::move(sd)},
          aspect(m, o),
          o.contours,
          measure_of(inputs[0]),
          measure_of(inputs[1])};
}

}  // namespace covary::cli
