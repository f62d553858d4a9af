// Intervals calibrated by leave-one-out errors (conformal [vovk2005, barber2021]): from at(-factor) to
// at(factor) of a prediction, where the factor is a quantile of the scores |standardized(y_i)|, for a normal
// |y_i - mean_-i| / sd_-i, in place of the normal quantile.
//
// Guarantee: of n + 1 exchangeable observations the last falls inside with probability `percent` or more, provided
// that leaving out any single one would not change the fitted parameters. None for points unlike the data, nor
// for f.
#pragma once
#include "covary/predictive/prediction.h"

namespace covary {

class Calibration {
 public:
  /// From predictions of each observation from the others: n. What could not be predicted (NaN) counts as
  /// infinitely far off.
  Calibration(const Prediction& prediction, const Vector& y);

  Index size() const { return scores_.size(); }
  /// Whether n observations are enough for such an interval, and enough of them could be predicted.
  bool allows(double percent) const;
  /// The ceil((n + 1) percent / 100)-th smallest score. Throws Problem::limit, naming the largest that n
  /// observations allow, if there are too few of them; Problem::numerical if too few could be predicted.
  double factor(double percent) const;

 private:
  Index rank(double percent) const;
  Vector scores_;  // ascending
};

}  // namespace covary
