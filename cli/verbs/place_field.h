// What covary place knows of the field before any new sensor, from whichever source was given.
#pragma once
#include "covary/design/field_prior.h"
#include "verbs/place_data.h"

namespace covary::cli {

/// The models, loaded. Throws Problem::usage unless all have the same features.
std::vector<FittedModel> load_models(const PlaceArguments& a);

FieldPrior prior_of(const PlaceArguments& a, const Places& places, const std::vector<FittedModel>& models,
                    Messages& messages);

}  // namespace covary::cli
