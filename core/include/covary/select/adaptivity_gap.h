// The adaptivity gap: an upper bound on the information that a sequential design of k labels gains over the best
// fixed one where the hyper-parameters theta are uncertain [krause2007].
//
//   F(A | theta) = I(y_A; f | theta)    information of labels at A about f, nats; monotone and submodular in A
//   any sequential design pi of k labels, and any fixed one A:
//     I(y_pi; f, theta) = I(y_pi; theta) + I(y_pi; f | theta) <= H(theta) + sum_s w_s max_B F(B | theta_s)
//     I(y_A; f, theta) >= sum_s w_s F(A | theta_s)
//   gap = max_pi - max_A <= H(theta) + D
//     D = min of sum_s w_s (U_s - F(A | theta_s)), A the greedy design of the mixture, and of
//         sum over s but one of w_s U_s: the design that is best for that one
//
// With the parameters known, H = D = 0: what was measured does not change where to measure next, and all k can be chosen
// at once. U_s >= max_B F(B | theta_s) is the submodular bound: F(G_j) + the k largest gains after the first j greedy picks
// G_j, the least over j.
#pragma once
#include "covary/select/belief.h"

namespace covary {

struct AdaptivityGap {
  double parameters = 0;           // H(theta), nats
  double designs = 0;              // D
  double information = 0;          // sum_s w_s F(A | theta_s) of the greedy fixed design
  std::vector<Index> design = {};  // A, in the order of choice
  double bound() const { return parameters + designs; }
};

/// Of the next k labels, or as many as are left. `members`: the pool under each theta_s, given the labels so far; weights
/// (S) sum to 1. A noise-free label is given a noise of 1e-6 of the candidate's variance. 2 S k updates of m n
/// flops.
AdaptivityGap adaptivity_gap(const std::vector<PoolPosterior>& members, const Vector& weights, Index k);

}  // namespace covary
