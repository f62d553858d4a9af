// A pool under S parameter vectors with posterior weights: the Gaussian process of labels whose hyper-parameters are not
// known [krause2007].
//
//   w_s ~ exp(log_weight_s) prod_i N(y_i; m_s(x_i | y_<i), v_s(x_i | y_<i)),   p(y at x | labels) = sum_s w_s N(y; m_s, v_s)
//
// The vectors are drawn around those of the pool (Pool::weighted); every label updates the weights, exactly. They are the
// same whenever they are asked for: drawn from the prior, or anew from the first 4, 8, 16, ... labels.
#pragma once

#include "covary/kernels/registry.h"
#include "covary/select/belief.h"
#include "covary/select/strategy.h"

namespace covary::select {

class ParameterMixture {
 public:
  enum class Drawn { once, anew };
  ParameterMixture(Index draws, double spread, Drawn when) : draws_(draws), spread_(spread), when_(when) {}

  /// Takes over what the belief has been told, and what is pending there. S times the flops of a PoolPosterior.
  void follow(const PoolPosterior& belief);

  const std::vector<PoolPosterior>& members() const { return members_; }  // S
  const Vector& weights() const { return weights_; }                      // S: they sum to 1
  double entropy() const;                                                 // -sum w log w, nats
  double effective() const { return 1 / weights_.squaredNorm(); }         // parameter vectors
  Matrix mean() const;                                                    // m x S: of y
  Matrix sd() const;                                                      // m x S: of y
  /// Changes when the vectors are others.
  Index generation() const { return generation_; }

 private:
  bool is_same(const PoolPosterior& belief, Index from) const;
  void begin(const PoolPosterior& belief, Index from);
  void tell(Index candidate, double label);

  Index draws_;
  double spread_;
  Drawn when_;
  std::vector<PoolPosterior> members_;
  Vector log_weights_, weights_;
  Index from_ = -1;  // labels that the vectors were drawn from
  Index generation_ = 0;
  std::vector<Index> told_;
  std::vector<double> labels_;
  Matrix print_;  // some covariances of the pool: it is another one where these differ
};

/// Arguments that strategies over a mixture share.
int draws_of(const Arguments& a);
double spread_of(const Arguments& a);
/// Of m candidates, with up to 100 labels.
double bytes_of_mixture(const Arguments& a, Index m);
/// The entry of a strategy for numbers that scores one candidate at a time by a mixture.
StrategyEntry over_parameters(StrategyEntry e);

}  // namespace covary::select
