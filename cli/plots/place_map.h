// The map of a placement: the remaining uncertainty, and the sensors.
#pragma once
#include "covary/place/placement.h"
#include "pictures/maps/heat_map.h"
#include "verbs/place_field.h"

namespace covary::cli {

/// Throws Problem::usage unless there are two coordinates. To be called before anything is computed.
void check_mappable(const Places& places);

/// The field where it is known everywhere; otherwise cells where the candidates are a grid, or a dot for
/// each. `other`: the set of another criterion, maybe empty.
MapFigure place_map(const PlacementProblem& problem, const Placed& placed, const Placed& other,
                    const FieldPrior& prior, const PlaceArguments& a, const Places& places);

}  // namespace covary::cli
