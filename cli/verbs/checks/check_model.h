// The parts of a model, as covary check lists them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "covary/model/fitted_model.h"

namespace covary::cli {

/// What the model is made of: names and texts.
std::vector<std::pair<std::string, std::string>> described(const FittedModel& m);

/// Such a name for people: "fitted_as" is "fitted as".
std::string label_of(std::string name);

}  // namespace covary::cli
