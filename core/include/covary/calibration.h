// Intervals corrected by what leave-one-out saw (conformal [vovk2005, barber2021]): mean -+ factor * sd of y,
// where the factor is a quantile of the scores |y_i - mean_-i| / sd_-i in place of the normal one.
//
// What it promises: of n + 1 observations that are alike (exchangeable), the last falls inside at least
// `percent` of the time, as far as the parameters would have been learned the same without any single one of
// them. It makes no promise for points unlike the data, and none for f.
#pragma once
#include "covary/solution.h"

namespace covary {

class Calibration {
 public:
  /// From leave-one-out predictions of y, both n.
  Calibration(const LeaveOneOut& loo, const Vector& y);

  Index size() const { return scores_.size(); }
  /// The ceil((n + 1) percent / 100)-th smallest score. Throws Problem::limit, naming the largest that n
  /// observations allow, if there are too few of them.
  double factor(double percent) const;

 private:
  Vector scores_;  // ascending
};

}  // namespace covary
