// What was asked for when a model was learned: with the data, enough to learn it again.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "covary/kernels/function.h"
#include "covary/linear/fit_kernel_ridge.h"
#include "covary/model/predictor.h"
#include "covary/process/mean_function.h"

namespace covary {

/// As typed.
struct Asked {
  std::string data;           // what the table was called
  std::string kernel, noise;  // as typed: "se() + linear()"; "learn", "0.01", "column:sd"
  Prior prior = Prior::weak;
  ObjectiveKind objective = ObjectiveKind::evidence;
  int starts = 8;
  std::uint64_t seed = 1;
  std::string inference = "exact()";  // of a process
  std::string model = "gp";           // gp, kernel-ridge, linear, ridge, bayes
  // Of kernel-ridge and the linear family.
  std::string penalty = "leave-one-out";  // a number, leave-one-out, generalised or evidence
  std::string basis = {};                 // as typed; empty: the columns
  std::string prior_sd = "learn";         // or a number
  bool intercept = true, standardise = true;
  Side side = Side::automatic;
  Undetermined undetermined = Undetermined::minimum_norm;
  Transform transform = {};         // of the target
  Functions functions = {};         // of the program, that the kernel names: no model file can hold them
  MeanFunction mean_function = {};  // of the program too: the trend, whatever `mean` says

  bool is_linear() const { return model == "linear" || model == "ridge" || model == "bayes"; }
};

/// Throws Problem::usage for words and numbers that cannot be read; formulas and kernels are read later.
void check(const Asked& asked);

/// The linear model that was asked for, over these columns. Throws Problem::usage for what cannot be read.
LinearModel linear_model(const Asked& asked, const std::vector<std::string>& columns);
/// The columns of x (n x d) that learn() ignores: see ignored_columns of a kernel; all constant ones of a
/// linear model.
HeldColumns ignored_columns(const Asked& asked, const std::vector<std::string>& columns, const Rows& x);
/// How its penalty was to be chosen, for kernel ridge.
KernelRidgeOptions kernel_ridge_options(const Asked& asked);

/// A model that was learned, ready to be asked and to be kept.
struct Learned {
  Predictor predictor;
  Summary summary;
};

/// Learns what was asked for, whatever kind of model it is. `mean` and `noise` are those of a process; a
/// linear model takes its noise from what was asked. Both are of transform(y); evidence and leave-one-out
/// scores of the summary are of y. Throws Problem::data where the transform is not defined.
Learned learn(const Asked& asked, const std::string& mean, const Noise& noise, const Rows& x, const Vector& y,
              const FitOptions& options);

/// Fills in what a summary says of leave-one-out, in the units of y; NaN where it is not defined.
void describe_left_out(Summary& summary, const Predictor& predictor, const Rows& x, const Vector& y,
                       int threads = 0);

}  // namespace covary
