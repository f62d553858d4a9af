// The prior of the field for covary place: from models, a kernel, a covariance matrix or past readings.
#pragma once
#include "covary/design/field_prior.h"
#include "verbs/place_data.h"

namespace covary::cli {

/// The models, loaded. Throws Problem::usage unless all have the same features.
std::vector<FittedModel> load_models(const PlaceArguments& a);

FieldPrior prior_of(const PlaceArguments& a, const Places& places, const std::vector<FittedModel>& models,
                    Messages& messages);

}  // namespace covary::cli
