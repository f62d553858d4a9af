// What covary check checks: a model and the rows it was fitted to.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "covary/model/model_file.h"

namespace covary::cli {

struct CheckSubject {
  SavedModel model;
  Predictor predictor;
  std::vector<std::string> rows;  // what each is called
};

/// What the model is made of: names and texts.
std::vector<std::pair<std::string, std::string>> described(const SavedModel& m);

/// Such a name for people: "fitted_as" is "fitted as".
std::string label_of(std::string name);

}  // namespace covary::cli
