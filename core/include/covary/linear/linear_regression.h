// Linear, ridge and Bayesian linear regression on rows, through explicit features: fitted weights over features
// of x, with the interface of a process.
//
//   LinearModel model{.method = Method::bayes, .features = parse_features("x, x^2", columns)};
//   auto [process, summary, scale] = fit(model, x, y);         // of y / scale
//   process.predict(at, Of::y);   regression_of(process)->weights().mean();
//
// linear: the weights have no prior. ridge: a penalty on them, chosen or given. bayes: a prior, its
// width chosen by evidence or given. All three are Weights with a prior; penalty = noise / prior variance.
#pragma once
#include <optional>

#include "covary/basis/basis.h"
#include "covary/learn/fit.h"
#include "covary/linear/ridge.h"
#include "covary/linear/weights.h"
#include "covary/predictive/prediction.h"

namespace covary {

enum class Method { linear, ridge, bayes };

/// What is asked for.
struct LinearModel {
  Method method = Method::linear;
  Features features;
  bool intercept = true;               // a feature 1 of its own, never penalized
  bool standardize = true;             // ridge, bayes: a weight counts per standard deviation of its feature
  std::optional<double> penalty = {};  // ridge: given
  RidgeOptions::By choose = RidgeOptions::By::leave_one_out;  // ridge: otherwise
  std::optional<double> prior_sd = {};                        // bayes: of every weight; otherwise by evidence
  std::optional<double> noise = {};                           // the variance, if it is known
  Side side = Side::automatic;
  Undetermined undetermined = Undetermined::minimum_norm;
};

/// A model with all but the weights decided; the data determine these.
struct WeightModel {
  Features features;  // placed
  bool intercept = true;
  Vector variances;  // of each weight before the data, the intercept first; infinity: flat. In units of the
                     // noise if that is unknown
  double noise = 0;  // variance; 0: unknown
  Side side = Side::weights;
  Undetermined undetermined = Undetermined::minimum_norm;
};

/// The weights of a model given rows. Immutable.
class Regression {
 public:
  /// Throws Problem::data where a feature is not finite, or as Undetermined says.
  Regression(WeightModel model, const Rows& x, const Vector& y, int threads = 0);

  const WeightModel& model() const { return model_; }
  const Weights& weights() const { return weights_; }
  std::vector<std::string> names() const;  // of the weights: "intercept", then the features

  /// Of Student's t; infinite too where the rows are too few to estimate the noise, and every sd is infinite.
  double freedom() const { return weights_.freedom() > 0 ? weights_.freedom() : INFINITY; }
  Matrix phi(const Rows& x, Index before = 0) const;  // n x N, the intercept first
  Prediction predict(const Rows& x, Of of = Of::f, int threads = 0) const;
  Gaussian joint(const Rows& x, Of of = Of::f) const;  // given the noise at its estimate
  Matrix sample(const Rows& x, Index draws, std::uint64_t seed, Of of = Of::f) const;
  LeaveOneOut leave_one_out(const Rows& x, const Vector& y,
                            int threads = 0) const;  // of the rows it was given
  /// The weights after the first `rows` rows alone: 0 is the prior.
  Weights after(const Rows& x, const Vector& y, Index rows) const;
  /// The same as a regression, with the noise known to be what all rows say: every stage is normal, and the
  /// last has the mean and covariance of weights(). Throws Problem::data unless the noise is known and above
  /// 0. O(rows N^2)
  Regression stage(const Rows& x, const Vector& y, Index rows) const;

 private:
  WeightModel model_;
  Weights weights_;
};

namespace internal {
/// How many of the first rows determine these weights; none if all of them do not. By bisection: a few times
/// the cost of stage().
std::optional<Index> rows_that_determine(const Regression& regression, const Rows& x, const Vector& y,
                                         const std::vector<Index>& which);

/// Fills in the part of a summary of n rows that describes the weights: coefficients, residual_sd,
/// noise_variance, freedom, how. `scale`: what y was divided by.
void describe_weights(Summary& summary, const Regression& regression, double scale);
}  // namespace internal

/// The posterior is in weight space (weight_space.h). Throws Problem::usage for options that do not go together.
FitResult<Row> fit(const LinearModel& model, const Rows& x, const Vector& y, const FitOptions& options = {});

namespace internal {
/// The model with those columns held.
LinearModel ignoring(const HeldColumns& held, const LinearModel& model);
}  // namespace internal

}  // namespace covary
