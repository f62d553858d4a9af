// Mutual information of a label with uncertain hyper-parameters, and with the rest of the pool under these.
#pragma once
#include "select/scores/information_gains.h"
#include "select/scores/parameter_mixture.h"

namespace covary::select {

/// m: I(y at x; theta | labels) = H[sum_s w_s N_s] - sum_s w_s H[N_s], nats; from 0 to the entropy of theta.
/// 33 S^2 exponentials a candidate (gaussian/normal_mixture.h).
Vector parameter_information(const ParameterMixture& mixture, const PoolPosterior& belief);

/// m: exp(2 H) / (2 pi e), H the entropy of y at x: the variance of the normal of that entropy.
Vector entropy_power(const ParameterMixture& mixture, const PoolPosterior& belief);

/// The mutual information of a label with the rest of the pool, averaged over the parameters.
class MixtureInformation {
 public:
  MixtureInformation(Index draws, double spread, Index most)
      : mixture_(draws, spread, ParameterMixture::Drawn::anew), most_(most) {}
  /// m: sum_s w_s 1/2 log(var_s(y | labels) / var_s(y | rest)); S r^3 flops the first time.
  Vector of(const PoolPosterior& belief);
  const ParameterMixture& mixture() const { return mixture_; }

 private:
  ParameterMixture mixture_;
  Index most_;
  Index generation_ = 0;
  std::vector<InformationGains> gains_;  // S
};

}  // namespace covary::select
