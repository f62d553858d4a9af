// What covary place believes of the field, from whichever source was given.
#pragma once
#include <functional>

#include "covary/model/model_file.h"
#include "covary/place/field.h"
#include "verbs/place_data.h"

namespace covary::cli {

struct FieldBelief {
  std::vector<Field> fields;  // of all places, the nugget included
  Field plain;                // what predicts: the first one, at its best parameters
  Vector mean;                // n: what readings are expected to be; empty: nothing says it
  double noise = 0;           // a sensor's, where nothing else was said
  std::string words;          // "the covariances of 144 times"
  /// The sd of the field at any points, given sensors at others with these variances of their readings
  /// around the field. Empty: the field is known at the places only.
  std::function<Vector(const Matrix& at, const Matrix& sensors, const Vector& noise)> sd = {};
};

/// The models, loaded. Throws Problem::usage unless all have the same features.
std::vector<FittedModel> load_models(const PlaceArguments& a);

FieldBelief belief_of(const PlaceArguments& a, const Places& places, const std::vector<FittedModel>& models,
                      Messages& messages);

}  // namespace covary::cli
