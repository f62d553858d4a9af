// Pictures of a posterior density.
#pragma once
#include <string>

#include "covary/design/posterior_density.h"
#include "pictures/chart.h"

namespace covary::cli {

/// As SVG: of one parameter a curve with its band; of two on a grid a map of the density and one of the sd of its
/// logarithm; `evaluated` (n x d) are the parameters of the model's rows. Parameters that are held are left out. Throws
/// Problem::usage for any other.
std::string density_picture(const PosteriorDensity& density, const Matrix& evaluated, const Size& size = {});

}  // namespace covary::cli
