// The univariate normal distribution and Student's t, which is normal at infinite degrees of freedom.
//
//   t = (y - location) / scale,  density  Gamma((v + 1)/2) / (Gamma(v/2) sqrt(v pi)) (1 + t^2/v)^(-(v + 1)/2)
//
// `freedom` (v) are the degrees of freedom. All but interval_quantile(percent) throw Problem::usage unless it
// is positive.
#pragma once

namespace covary::internal {

/// z such that `percent` of N(0, 1) lies between -z and z: 95 -> 1.959963984540054. Full double precision.
/// Throws Problem::usage unless 0 < percent < 100.
double interval_quantile(double percent);

/// The same for a t.
double interval_quantile(double percent, double freedom);

/// t such that a share p of a t lies below it: the inverse of student_cdf, infinite for p of 0 and 1. Throws
/// Problem::usage for any other p that is not between them.
double student_quantile(double p, double freedom);

/// The cumulative distribution function of a t.
double student_cdf(double t, double freedom);

double student_log_density(double t, double freedom);

/// log Gamma(x), x > 0. Unlike std::lgamma it writes no global variable: threads may call it.
double log_gamma(double x);

/// The continuous ranked probability score of a t of scale 1 for the observation t [jordan2019]:
///   t (2 F(t) - 1) + 2 f(t) (v + t^2)/(v - 1) - 2 sqrt(v)/(v - 1) B(1/2, v - 1/2)/B(1/2, v/2)^2
/// Infinite unless v > 1: with less freedom the distance from a t has no mean.
double student_crps(double t, double freedom);

}  // namespace covary::internal
