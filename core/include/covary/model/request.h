// The request that a model was fitted by: with the data, enough to fit it again.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "covary/kernels/function.h"
#include "covary/linear/fit_kernel_ridge.h"
#include "covary/linear/linear_regression.h"
#include "covary/predictive/transform.h"
#include "covary/process/mean_function.h"

namespace covary {

/// As typed.
struct Request {
  std::string data;           // what the table was called
  std::string kernel, noise;  // "se() + linear()"; "learn", "0.01", "column:sd"
  std::string mean = "zero";  // the trend of a process: "constant", "linear"
  Prior prior = Prior::weak;
  ObjectiveKind objective = ObjectiveKind::evidence;
  int starts = 8;
  std::uint64_t seed = 1;
  std::string inference = "auto";  // of a process; a fit puts the one that it used
  std::string model = "gp";        // gp, kernel-ridge, linear, ridge, bayes
  // Of kernel-ridge and the linear family.
  std::string penalty = "leave-one-out";  // a number, leave-one-out, generalized or evidence
  std::string basis = {};                 // as typed; empty: the columns
  std::string prior_sd = "learn";         // or a number
  bool intercept = true, standardize = true;
  Side side = Side::automatic;
  Undetermined undetermined = Undetermined::minimum_norm;
  Transform transform = {};         // of the target
  Schema schema = {};               // the types of the columns; empty: they are numbers
  Functions functions = {};         // of the program, that the kernel names: no model file can hold them
  MeanFunction mean_function = {};  // of the program too: the trend, whatever `mean` says

  bool is_linear() const { return model == "linear" || model == "ridge" || model == "bayes"; }
};

namespace internal {
/// The columns of x that are called so, with their types.
Schema schema_of(const Request& request, const std::vector<std::string>& columns);

/// Throws Problem::usage for words and numbers that cannot be read; formulas and kernels are read later.
void check(const Request& request);

/// The linear model that was requested, over these columns. Throws Problem::usage for what cannot be read.
LinearModel linear_model(const Request& request, const std::vector<std::string>& columns);
/// The columns of x (n x d) that fit() ignores: see ignored_columns of a kernel; all constant ones of a
/// linear model.
HeldColumns ignored_columns(const Request& request, const std::vector<std::string>& columns, const Rows& x);
/// How its penalty was to be chosen, for kernel ridge.
KernelRidgeOptions kernel_ridge_options(const Request& request);

/// The fit of what was requested, whatever kind of model it is, to z = g(y), g the transform of the target.
/// `noise` is that of a process; a linear model takes its noise from the request.
FitResult<Row> fit_transformed(const Request& request, const Noise& noise, const Rows& x, const Vector& z,
                               const FitOptions& options);
}  // namespace internal

}  // namespace covary
