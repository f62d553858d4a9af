// The prior of a field at n places before new sensors are placed: from fitted models, a kernel, a covariance
// matrix or past readings.
//
//   FieldPrior prior = field_prior({model}, places, {.draws = 20});
//   PlacementProblem problem = problem_of(prior, {.existing = {3}});
//   Placed set = place(problem, criterion_called("mutual-information"), 10);
#pragma once
#include <optional>

#include "covary/model/fitted_model.h"
#include "covary/place/history.h"
#include "covary/place/problem.h"

namespace covary {

struct FieldPrior {
  std::vector<Field> fields = {};       // the nugget included; the criterion is averaged over them
  Field plain = {};                     // what predicts: the first one, at its best parameters
  Vector mean = {};                     // n: prior mean of the readings; empty: unknown
  double noise = 0;                     // the variance of a sensor's error, as the model has it
  std::string words = {};               // "the covariances of 144 times"
  std::vector<std::string> notes = {};  // what was assumed or fitted
  /// The sd of the field at any points, given sensors at others with these variances of their readings around
  /// the field. Empty: the field is known at the places only.
  std::function<Vector(const Matrix& at, const Matrix& sensors, const Vector& noise)> sd = {};
};

struct FieldOptions {
  double nugget = 0;         // variance of its own at each place
  Index draws = 0;           // of the parameters of one model, to average over; 0: their estimates are used
  bool noise_given = false;  // that of sensors is known from elsewhere
  std::uint64_t seed = 1;
  int threads = 0;
};

/// The posteriors of the models at x (n x d). The first one gives mean and noise. n^2 doubles each. Throws
/// Problem::usage for a linear model, and where a model has a noise for each row and none is given for sensors.
FieldPrior field_prior(const std::vector<FittedModel>& models, const Matrix& x,
                       const FieldOptions& options = {});
/// Under a kernel over `columns`. Throws Problem::usage and names the parameters that are not given.
FieldPrior field_prior(const Kernel<Row>& kernel, const Matrix& x, const std::vector<std::string>& columns,
                       const FieldOptions& options = {});
/// Of a covariance matrix (n x n).
FieldPrior field_prior(Matrix covariance, const FieldOptions& options = {});

/// A kernel over the places that is fitted to a history, for its covariances to be shrunk to.
struct HistoryTarget {
  Kernel<Row> kernel;
  Matrix x;  // n x d
  FitOptions fit = {};
};
/// Of readings (times x n, NaN: missing).
FieldPrior history_prior(const Matrix& readings, HistoryOptions options,
                         const std::optional<HistoryTarget>& target = {});

/// `where` for this field, checked; noise defaults to that of the prior.
PlacementProblem problem_of(const FieldPrior& prior, PlacementProblem where);
namespace internal {
/// The same problem, predicted with the parameter estimates alone.
PlacementProblem as_predicted(const FieldPrior& prior, PlacementProblem problem);
}  // namespace internal

}  // namespace covary
