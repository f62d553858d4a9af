// A univariate normal mixture, p(y) = sum_s w_s N(y; m_s, v_s), and the information of y about s.
//
//   entropy      H = -int p log p = I + sum_s w_s 1/2 log(2 pi e v_s)
//   information  I(y; s) = sum_s w_s KL(N_s || p), each term from 0 to -log w_s
//   CRPS(y)      sum_s w_s A(y - m_s, v_s) - 1/2 sum_st w_s w_t A(m_s - m_t, v_s + v_t)      [grimit2006]
//                A(d, v) = 2 sqrt(v) phi(d / sqrt(v)) + d (2 Phi(d / sqrt(v)) - 1)
#pragma once
#include "covary/base/types.h"

namespace covary::internal {

/// Borrows its numbers, S each. Weights sum to 1; an sd of 0 is a point.
struct NormalMixture {
  const Vector& weights;
  const Vector& means;
  const Vector& sds;

  double mean() const { return weights.dot(means); }
  double sd() const;
  double crps(double y) const;  // S^2
  /// By the trapezoid rule at 33 points of each part, m_s - 6 sd_s to m_s + 6 sd_s in steps of 3/8 sd_s: to about 1e-3
  /// of a nat while no part is 5 times as narrow as another it lies in. 33 S^2 exponentials. Parts with a weight below
  /// 1e-6 are left out.
  double information() const;
  /// Throws nothing; -infinity where every part is a point.
  double entropy() const;
};

}  // namespace covary::internal
