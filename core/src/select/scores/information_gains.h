// Mutual information of a label and the rest of a pool, from the precision of the unlabelled ones [krause2008].
//
//   gain(x) = 1/2 log (var(y | labels) / var(y | rest)),   var(f | rest) = 1/P_xx, P the precision of the rest
//
// Taking one out of the rest is conditioning P on it: r^2 flops of r. Up to `most` of the candidates are the rest.
#pragma once
#include "select/shared.h"

namespace covary::select {

class InformationGains {
 public:
  explicit InformationGains(Index most) : most_(most) {}
  /// m: nats; 0 for candidates outside of the rest. Kept from call to call: r^3 flops the first time.
  Vector of(const PoolPosterior& belief);

 private:
  void begin(const PoolPosterior& belief);
  Index most_;
  Index generation_ = -1, seen_ = 0, left_ = 0;
  std::vector<Index> some_ = {};   // of the candidates without a label
  std::vector<Index> place_ = {};  // of a candidate among them, or -1
  ConditionalCovariance rest_ =
      ConditionalCovariance();  // their precision (r x r) without those labelled since
};

}  // namespace covary::select
