// Importance weighted active learning: labels are requested with a known probability; they may be noisy
// (agnostic active learning) [beygelzimer2009, beygelzimer2010].
//
//   p = min(1, c (1/G^2 + 1/G) log t / (t - 1)), at least `least`,   G = err(h') - err(h)
//
// t counts the points that came. h is the separator of the labels, h' the one that must have x on the other side; err is
// the weighted sum of misclassified labels over t, weights being one over the probability of the request. Where
// both fit about equally well, G is small and p is 1. Sums with these weights are unbiased whatever p is.
#pragma once
#include "covary/kernels/registry.h"
#include "covary/select/machines.h"

namespace covary::internal {

struct IwalOptions {
  double c = 0.01;
  double least = 0.05;  // of p: weights are 1/least at most
};

/// "c" and "least" of a strategy's arguments.
IwalOptions iwal_options(const Arguments& a);

/// p for the point that comes after t.
double query_probability(double gap, Index seen, const IwalOptions& options);

/// m: p for the points that come one after another and stand after the first n of k, which have labels (classes) and were asked for with the
/// probabilities 1/weights (n). A machine is trained for each point, with one label more. For several classes the
/// machine that is nearest counts.
Vector query_probabilities(const Pool& k, const Machines& machines, const std::vector<Index>& classes,
                           const Vector& weights, Index kinds, const SvmOptions& svm, Index seen,
                           const IwalOptions& options, int threads);

}  // namespace covary::internal
