// Evaluation of predictions: proper scores of predictive distributions against the observations
// [gneiting2007], and the coverage of their intervals.
//
//   PIT_i = F_i(y_i),  NLPD = - mean_i log p_i(y_i),  CRPS = mean_i int (F_i(u) - 1{y_i <= u})^2 du
//
// The distributions are of any family (prediction.h).
#pragma once
#include <string>
#include <vector>

#include "covary/predictive/prediction.h"

namespace covary {

/// How many of n observations lay in the central interval of so many percent.
struct Coverage {
  double percent = 0;
  Index inside = 0, n = 0;
  double covered() const { return n ? 100.0 * double(inside) / double(n) : 0; }  // percent
  /// (covered - percent) in standard errors of a calibrated interval.
  double excess() const;
  /// How many times too wide the interval is, by the share it covers: reach(covered) / reach(percent).
  double width(const Prediction& family) const;
};

/// All in the units of y, or free of units.
struct Scores {
  Index n = 0;
  Prediction family;  // of what was predicted, at no points
  double rmse = 0, mae = 0;
  double skill = 0;                // 1 - mse / variance of y; 0 is no better than the mean
  double nlpd = 0;                 // mean negative log predictive density: smaller is better
  double crps = 0;                 // mean continuous ranked probability score: smaller is better
  std::vector<Coverage> coverage;  // of 50, 90, 95 and 99 %
  std::vector<Index> pit;          // how many PITs fall into each tenth of [0, 1]
  double pit_distance = 0;         // the largest from the uniform distribution (Kolmogorov)
  double pit_surprise = 0;         // one calibrated check in a hundred is further off than this
};

namespace internal {
/// sqrt(mean_i v_i^2), in units of the largest: neither overflow nor underflow. NaN if one is.
double root_mean_square(const Vector& v);
}  // namespace internal

/// 1 - (rmse / sd of y)^2; 0 if y does not vary.
double skill(double rmse, const Vector& y);

/// Of predictions of y (n). A certain one that is wrong costs infinite NLPD. Throws Problem::usage unless there
/// are as many predictions as observations, one or more.
Scores score(const Prediction& prediction, const Vector& y);

/// R^2 = 1 - sum (y - mean)^2 / sum (y - average of y)^2, as scikit-learn defines it: of a constant y, 1
/// where every prediction is right and 0 otherwise; NaN of fewer than two observations.
double r_squared(const Vector& mean, const Vector& y);

/// One sentence on the calibration of intervals: "intervals are too narrow: 99 % covers 94 %". A reported
/// deviation is both statistically significant and at least 5 % of the width.
std::string verdict(const Scores& scores);

namespace internal {
/// The strength of evidence against a model whose log evidence is smaller by so many nats [kass1995]:
/// under 1 not worth a mention, 1 to 3 positive, 3 to 5 strong, then very strong. Evidence at learned
/// parameters flatters models that have more of them.
std::string evidence_words(double behind);
}  // namespace internal

}  // namespace covary
