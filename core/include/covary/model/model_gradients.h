// Gradients of a fitted model's mean and variance with respect to its inputs, in the units of y.
#pragma once
#include "covary/inference/input_gradients.h"
#include "covary/model/fitted_model.h"

namespace covary {

/// m x d each, of f at m rows: 0 in columns that the model ignores or that hold categories. n^2 + n d flops a row.
/// Throws Problem::usage for a linear model and for one of a transformed target.
InputGradients input_gradients(const FittedModel& model, const Rows& at, int threads = 0);

}  // namespace covary
