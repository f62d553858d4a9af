#include "plots/density.h"

#include <fmt/format.h>

#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"
#include "pictures/maps/heat_map.h"
#include "words.h"

namespace covary::cli {
namespace {

std::vector<Index> free_parameters(const PosteriorDensity& p) {
  std::vector<Index> out;
  for (size_t k = 0; k < p.prior().size(); ++k)
    if (!p.prior()[k].held()) out.push_back(Index(k));
  return out;
}

std::string name_of_parameter(const PosteriorDensity& p, Index k) {
  return p.prior()[static_cast<size_t>(k)].name;
}

std::string density_curve(const PosteriorDensity& p, const Matrix& evaluated, Index k, const Size& size) {
  const double z = internal::interval_quantile(p.percent());
  const Vector x = p.points().col(k);
  Chart chart;
  chart.x_label = name_of_parameter(p, k), chart.y_label = "posterior density";
  chart.bands = {
      {x, p.density_at(-z), p.density_at(z), fmt::format("{:g} % band, evidence held", p.percent())}};
  chart.lines = {{x, p.density(), "density"}};
  chart.rug = evaluated.col(k);
  const std::string title =
      fmt::format("Posterior density of {}, {}", chart.x_label, counted(evaluated.rows(), "log likelihood"));
  return as_svg(Figure{title, {}, {chart}}, size);
}

std::string density_map(const PosteriorDensity& p, const Matrix& evaluated, Index a, Index b,
                        const Size& size) {
  Index across = 1;  // points along b, which moves fastest
  while (across < p.points().rows() && p.points()(across, a) == p.points()(0, a)) ++across;
  const Index along = p.points().rows() / across;
  Vector x(along);
  for (Index i = 0; i < along; ++i) x[i] = p.points()(i * across, a);
  const Vector y = p.points().col(b).head(across);
  const auto as_map = [&](const std::string& title, const Vector& z, const Ramp* ramp) {
    return HeatMap{
        title, x, y, z.reshaped(across, along).transpose(), ramp, evaluated.col(a), evaluated.col(b), {}};
  };
  MapFigure figure{
      fmt::format("Posterior density of {} and {}, {}", name_of_parameter(p, a), name_of_parameter(p, b),
                  counted(evaluated.rows(), "log likelihood")),
      name_of_parameter(p, a),
      name_of_parameter(p, b),
      {"Circles are evaluated parameters."},
      {as_map("posterior density", p.density(), &sea()), as_map("sd of the log density", p.sd(), &earth())}};
  return as_svg(figure, size);
}

}  // namespace

std::string density_picture(const PosteriorDensity& p, const Matrix& evaluated, const Size& size) {
  const std::vector<Index> free = free_parameters(p);
  if (!p.on_grid() || free.size() > 2)
    throw Error(Problem::usage,
                fmt::format("--plot: a picture shows one or two parameters on a grid, there are {}{}: "
                            "hold others, --grid '{}=VALUE'",
                            free.size(), p.on_grid() ? "" : " on drawn points", p.prior().back().name));
  return free.size() == 1 ? density_curve(p, evaluated, free[0], size)
                          : density_map(p, evaluated, free[0], free[1], size);
}

}  // namespace covary::cli
