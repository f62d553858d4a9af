// A model that was learned or loaded: ready to be asked, and with all it takes to be kept.
#pragma once
#include "covary/model/model_file.h"

namespace covary::python {

/// Immutable, so threads may share it. The same bits as the command has after reading the file.
struct Kept {
  SavedModel saved;
  Predictor predictor;
};

/// The model of a file's text, conditioned on its data again.
inline Kept kept(SavedModel saved) {
  Predictor predictor = restored(saved);
  if (const Regression* r = predictor.regression()) {
    saved.summary.basis = linear_model(saved.asked, saved.features).features.text();
    describe_weights(saved.summary, *r, saved.scale);
  }
  return {std::move(saved), std::move(predictor)};
}

}  // namespace covary::python
