// What is believed of a field, as placement takes it: from a kernel, a matrix, models or past readings.
#pragma once
#include "covary/place/field.h"

namespace covary::python {

/// Fields of the same places, the nugget included.
struct FieldBelief {
  std::vector<Field> fields;  // the criterion is averaged over them
  Field plain;                // what predicts: the one at the best parameters
  Vector mean;                // n: what readings are expected to be; empty: nothing says it
  double noise = 0;           // a sensor's, where nothing else is said
  Index times = 0;            // of the history
  double shrinkage = 0;       // that was used
  std::vector<std::string> notes;
};

}  // namespace covary::python
