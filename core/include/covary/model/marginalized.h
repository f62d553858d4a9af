// A fitted Gaussian process with its hyper-parameters averaged out: predictions are mixtures over their posterior.
//
//   p(y* | y) = int p(y* | y, theta) p(theta | y) dtheta ~ sum_s w_s p(y* | y, theta_s)
//
//   MarginalizedModel m(model, {.draws = 32, .seed = 1});
//   Prediction p = m.predict(at, Of::y);                   // a mixture (predictive/mixture.h), in the units of y
//
// p(theta | y) is what the fit maximized over theta: the evidence times the weak prior; a parameter without a prior is
// taken to be known to within a factor of e^3. theta_s by importance resampling: 16 times as many (4 times for more than
// 200 rows) from a t of 5 degrees of freedom at the mode, every fourth from the prior; then by their weights, repeats
// merged.
//
// Cost: so many evidences and draws posteriors, n^3/3 flops each; a prediction costs `draws` times that of one model.
#pragma once
#include "covary/model/fitted_model.h"

namespace covary {

struct MarginalizeOptions {
  Index draws = 32;
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(double seconds)> expected = {};  // called once, before what takes long
  std::function<void(double share)> progress = {};
};

/// Immutable; copies share.
class MarginalizedModel {
 public:
  /// Throws Problem::usage for fewer than 2 draws, a linear model, an inference that is not exact, a prior without
  /// rows, and a model whose every parameter is fixed.
  explicit MarginalizedModel(const FittedModel& model, const MarginalizeOptions& options = {});

  /// In the units of y, as FittedModel has them.
  Prediction predict(const Rows& at, Of of = Of::f, int threads = 0) const;
  Prediction predict(const Rows& at, const Noise& noise, int threads = 0) const;

  /// The distinct parameter vectors that were drawn, the same model under each.
  const std::vector<FittedModel>& models() const { return models_; }
  const Vector& weights() const { return weights_; }  // of each; they sum to 1
  /// Effective share of the proposals, 1 / (N sum_i w_i^2) of N with weights w_i: 1 where the posterior is their t.
  double efficiency() const { return efficiency_; }

 private:
  std::vector<FittedModel> models_;
  Vector weights_;
  double efficiency_ = 1;
};

namespace internal {
/// As held_out (evaluate/cross_validation.h) has it, for the mixture: `noise_sd` (m) where each row has a noise of its
/// own.
Prediction held_out(const MarginalizedModel& model, const Rows& x, const Vector& noise_sd, int threads = 0);
}  // namespace internal

}  // namespace covary
