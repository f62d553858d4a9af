// Class probabilities by the Gaussian process of a pool on one-against-rest labels of 1 and -1.
#pragma once
#include "covary/select/strategy.h"

namespace covary::select {

/// The process has f_c(x) ~ N(mean_c, s^2) for the label of class c, s^2 = var f + noise. Two classes share one f:
///
///   p_1(x) = Phi(mean / s),   p_0 = 1 - p_1
///
/// Of more, each independent of the others, the class with the largest f is right:
///
///   p_c(x) = int phi(u - mean_c / s) prod_{l != c} Phi(u - mean_l / s) du
///
/// m x kinds, rows sum to 1; all classes are as likely before there are labels. m kinds (two), or about 30 m kinds
/// evaluations of Phi (more).
Matrix class_probabilities(const StrategyInput& sight);

/// s, m: the standard deviation of a label, never 0.
Vector label_sd(const StrategyInput& sight);

/// n x kinds of one-against-rest means (n x 1 for two classes, n x kinds for more) and standard deviations (n).
Matrix class_probabilities(const Matrix& mean, const Vector& sd, Index kinds);

/// c: what a label of class `kind` reads in the columns of the process.
Vector coded_class(Index kind, Index kinds);

/// n: Phi(-lead/sd), lead the difference of the largest mean and the second, and sd that of the difference: the
/// probability that the second-best class is the better one; for two classes that the best is wrong.
double runner_up(const Eigen::Ref<const Vector>& mean, double sd);

}  // namespace covary::select
