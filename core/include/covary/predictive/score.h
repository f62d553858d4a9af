// How good predictions were: proper scores of predictive normals or t's against what was observed, and how
// often their intervals held it.
//
//   z = (y - mean) / sd,  PIT = Phi(z)
//   NLPD = log sd + z^2/2 + log(2 pi)/2,  CRPS = sd (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)) [gneiting2007]
//
// With finite degrees of freedom, sd is the scale of a t, which takes the normal's place (univariate.h).
#pragma once
#include <limits>
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
  /// How many times too wide the interval is, by the share it covers: quantile(covered) / quantile(percent).
  double width(double freedom) const;
};

/// All in the units of y, or free of units.
struct Scores {
  Index n = 0;
  double freedom = std::numeric_limits<double>::infinity();  // of what was predicted; infinite: normal
  double rmse = 0, mae = 0;
  double skill = 0;                // 1 - mse / variance of y; 0 is no better than the mean
  double nlpd = 0;                 // mean negative log predictive density: smaller is better
  double crps = 0;                 // mean continuous ranked probability score: smaller is better
  std::vector<Coverage> coverage;  // of 50, 90, 95 and 99 %
  std::vector<Index> pit;          // how many PITs fall into each tenth of [0, 1]
  double pit_distance = 0;         // the largest from the uniform distribution (Kolmogorov)
  double pit_surprise = 0;         // one calibrated check in a hundred is further off than this
};

/// sqrt(mean_i v_i^2), in units of the largest: neither overflow nor underflow. NaN if one is.
double root_mean_square(const Vector& v);

/// 1 - (rmse / sd of y)^2; 0 if y does not vary.
double skill(double rmse, const Vector& y);

/// Predictions N(mean, sd^2) of y, all n, or t's of that scale. An sd of 0 is certainty: what it misses costs
/// infinite NLPD. The CRPS of a t with freedom 1 or less is infinite.
Scores score(const Vector& mean, const Vector& sd, const Vector& y,
             double freedom = std::numeric_limits<double>::infinity());

/// The same of predictions of any kind. Of a model of g(y): NLPD = that of g(y) - log g'(y), and the CRPS is
/// that of y where g(y) is normal, by quadrature; a t through exp has none.
Scores score(const Prediction& prediction, const Vector& y);

/// R^2 = 1 - sum (y - mean)^2 / sum (y - average of y)^2, as scikit-learn defines it: of a constant y, 1
/// where every prediction is right and 0 otherwise; NaN of fewer than two observations.
double r_squared(const Vector& mean, const Vector& y);

/// (y - mean) / sd; 0 where a certain prediction was right, infinite where it was not.
Vector standardized(const Vector& mean, const Vector& sd, const Vector& y);

/// The same, of g(y) for a model of g(y).
Vector standardized(const Prediction& prediction, const Vector& y);

/// Where each observation lay in its predictive distribution, 0 to 1.
Vector probability_integral_transform(const Vector& standardized,
                                      double freedom = std::numeric_limits<double>::infinity());

/// One sentence on whether intervals can be trusted: "intervals are too narrow: 99 % covers 94 %". Both
/// chance and size are weighed: what is said to be off is off by more than chance, and by 5 % of the width or
/// more.
std::string verdict(const Scores& scores);

/// What a log evidence that is smaller by so many nats says against a model, in the usual words [kass1995]:
/// under 1 not worth a mention, 1 to 3 positive, 3 to 5 strong, then very strong. Evidence at learned
/// parameters flatters models that have more of them.
std::string evidence_words(double behind);

}  // namespace covary
