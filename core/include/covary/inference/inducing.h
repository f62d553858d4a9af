// Inducing points: the variational approximation of a process by its values at m points [titsias2009].
//
// With K = k(Z, Z) = L L', A = L^-1 k(Z, X), S = diag(noise) and B = I + A S^-1 A' (m x m):
//
//   Q = k(X, Z) K^-1 k(Z, X) = A'A
//   bound  log N(y; m, Q + S) - 1/2 sum_i (k_ii - q_ii) / s_i  <=  log p(y)
//   mean of f at x:  a'w,  a = L^-1 k(Z, x),  w = B^-1 A S^-1 (y - m)
//   variance:        k(x, x) - a'a + a'B^-1 a
//
// The log evidence of such a posterior is the bound. Z begins at rows of the data, chosen by pivoted columns of
// the covariance: with all rows among them nothing is approximate. A fit then moves Z and the hyper-parameters
// together to where the bound is greatest. n m^2 flops, in blocks of rows: m^2 doubles and those of one block.
#pragma once
#include "covary/inference/evidence.h"
#include "covary/inference/inference.h"

namespace covary {

struct Inducing {
  Index points = 512;
  bool fixed = false;       // Z stays at rows of the data
  Vector coordinates = {};  // of Z, point after point (m d), as a fit has found them; empty: rows are chosen
  std::string text() const;

  template <class X>
  Posterior<X> condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                         int threads) const;
  template <class X>
  Objectives objective(const Process<X>& prior, Batch<X> x, const Vector& y, ObjectiveKind kind) const;
  InferenceCost cost(Index n, Index d) const;
  Inducing with_variables(const Vector& z) const { return {points, fixed, z}; }
};

namespace internal {
template <class X>
InferenceEntry<X> inducing_entry() {
  return {"inducing",
          "variational approximation by the values at so many points, whose places are optimized "
          "(fixed=1: rows of the data); smooth functions of many rows",
          "n m^2 flops, m^2 doubles",
          {"points", "fixed"},
          [](const Arguments& a) -> Inference<X> {
            return Inducing{a.integer("points", 512, 1, 20000), a.integer("fixed", 0, 0, 1) == 1};
          }};
}
}  // namespace internal

}  // namespace covary

#include "covary/inference/inducing_impl.h"
