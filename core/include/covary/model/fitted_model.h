// A fitted model of any kind: what was requested, the columns, the rows, the posterior and the summary. It is
// what files hold and what every verb of the command and of Python takes.
//
//   FittedModel model = fit(request, {x, y, {"a", "b"}, "y", Noise::learn()}, options);
//   Prediction p = model.predict(at, Of::y);         // in the units of y
//   FittedModel more = told(model, more_x, more_y);
//   save_model(more, "model.json");
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "covary/kernels/held.h"
#include "covary/linear/weight_space.h"
#include "covary/model/request.h"
#include "covary/predictive/prediction.h"

namespace covary {

/// A model without its posterior, which the record determines.
struct ModelRecord {
  Request request = {};                    // with g, the transform of the target
  std::vector<std::string> features = {};  // the columns of x, by name
  std::string target = "y";                // the column of y
  Matrix x = {};                           // n x d
  Vector y = {};                           // n, as it was given
  std::vector<std::string> rows = {};  // n: what each row is called, "line 17 (Oslo)"; empty: by its number
  std::vector<std::string> ignored = {};  // features that did not vary: no prediction depends on them
  std::string kernel = {};                // every parameter given; of g(y) / scale, like the noise
  std::string mean = "zero";              // of g(y)
  Noise noise = {};                       // given, or one standard deviation per row
  Vector variables = {};  // of the inference: the coordinates of inducing points that were optimized
  std::optional<WeightModel> weights = {};  // a linear model: of g(y) / scale, in place of kernel and mean
  double scale = 1;                         // 1 unless squares of y would overflow or vanish: a power of two
  Summary summary = {};                     // what was found
  std::string written_by = {};              // "covary 0.1.0", of a file that was read

  std::vector<std::string> used_features() const;  // those that predictions depend on
  internal::HeldColumns held_columns() const;      // the ignored ones, at the value they had in the first row
  std::string row_name(Index i) const;             // "line 17 (Oslo)", or "row 3" counted from 1
  Vector latent_target() const;                    // n: g(y) / scale, what the posterior is conditioned on
};

/// Immutable; copies share, and any number of threads may use one at once.
class FittedModel {
 public:
  /// Conditioned on its rows at the first query: O(n^3) for an exact process.
  explicit FittedModel(ModelRecord record);
  /// The same without factorizing anything: `state` is that of the posterior it had.
  FittedModel(ModelRecord record, PosteriorState state);
  /// `posterior` is of g(y) / scale; without rows, a prior.
  FittedModel(ModelRecord record, Process<Row> posterior);

  const ModelRecord& record() const;
  const ModelRecord* operator->() const { return &record(); }
  /// The summary of the fit. For a linear model that was read from a file it includes the weights.
  const Summary& summary() const;

  // Questions, in the units of y.
  Prediction predict(const Rows& at, Of of = Of::f, int threads = 0) const;
  /// Of observations of g(y) with this noise in place of the model's.
  Prediction predict(const Rows& at, const Noise& noise, int threads = 0) const;
  /// The mean alone: n flops for each row and column in the place of n^2, unless the target was transformed.
  Vector mean(const Rows& at, int threads = 0) const;
  /// Of a prior whose kernel is a function: throws Problem::numerical if that is no kernel on these points.
  /// Problem::usage of a transformed target: y is not jointly normal.
  Gaussian joint(const Rows& at, Of of = Of::f, int threads = 0) const;
  Matrix sample(const Rows& at, Index draws, std::uint64_t seed, Of of = Of::f) const;
  /// Each observation from all others, its noise included.
  Prediction leave_one_out(int threads = 0) const;
  std::vector<std::string> notes(int threads = 0) const { return process(threads).notes(); }

  /// The posterior, of g(y) / scale.
  const Process<Row>& process(int threads = 0) const;
  /// Its weights; null of any model but a linear one.
  const Regression* regression() const { return internal::regression_of(process()); }

 private:
  struct State;
  std::shared_ptr<const State> shared_;
};

/// Rows to fit a model to.
struct TrainingData {
  Matrix x;                           // n x d
  Vector y;                           // n
  std::vector<std::string> features;  // the columns of x, by name
  std::string target = "y";
  Noise noise = Noise::learn();        // of a process, of g(y)
  std::vector<std::string> rows = {};  // as in ModelRecord
};

/// Fits what was requested. Evidence and leave-one-out scores of the summary are of y. Throws Problem::data
/// where the transform is not defined.
FittedModel fit(const Request& request, TrainingData data, const FitOptions& options = {});
namespace internal {
/// The model of a fit to y at x, made without a request.
FittedModel fitted_model(const FitResult<Row>& fit, const Rows& x, const Vector& y,
                         std::vector<std::string> features, std::string target = "y", Request request = {});

/// Throws Problem::usage unless more rows can be told: for a linear model, and for one with a noise for each row.
void check_takes_rows(const FittedModel& model);
}  // namespace internal
/// The model given more rows, its parameters kept and its summary brought up to date; `names`: what the rows
/// are called.
FittedModel told(const FittedModel& model, const Rows& x, const Vector& y,
                 const std::vector<std::string>& names = {}, int threads = 0);
/// The model given these rows in place of its own.
FittedModel with_rows(const FittedModel& model, Matrix x, Vector y, int threads = 0);

namespace internal {
/// For each row of the model, then of (x, y), the first that equals it, inputs and target.
std::vector<Index> first_equal_with(const FittedModel& model, const Rows& x, const Vector& y);

/// The rows of (x, y) that the model has already, inputs and target equal: places in y. A row that stands there
/// several times is known as often as the model has it. O((n + m) d)
std::vector<Index> known_rows(const FittedModel& model, const Rows& x, const Vector& y);

/// The model whose posterior is computed on "cuda" or "cpu". Throws Problem::usage for a model that no device
/// computes.
FittedModel on_device(const FittedModel& model, const std::string& device);

/// The posterior of a Gaussian process, for verbs that need one. Throws Problem::usage, naming `verb`, for a
/// linear model.
const Process<Row>& gaussian_process(const FittedModel& model, const std::string& verb, int threads = 0);

/// Throws Problem::numerical if a model cannot answer: a prediction at its own rows (some of them, if they
/// are many) that is not finite, or an infinite score.
void check_answers(const FittedModel& model, int threads = 0);

/// The trend of a process: the terms of its mean that were learned, in the units of y (of transform(y)). None
/// of a linear model.
std::vector<Coefficient> trend_coefficients(const FittedModel& model);
/// Fills in the leave-one-out scores of a summary, in the units of y; NaN where it is not defined.
void describe_left_out(Summary& summary, const FittedModel& model, int threads = 0);
}  // namespace internal

}  // namespace covary
