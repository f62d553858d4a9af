// Support vector machines: the separator of two classes with the widest margin, for any kernel.
//
//   f(x) = sum_s weights_s k(x_s, x) + offset;  minimize |f|^2/2 + penalty sum_i max(0, 1 - y_i f(x_i))
//
// Kernel values are asked for in blocks, as they are needed: a working set begins with a few points (or with
// what an earlier separator rests on), is solved, and gains the points that violate its answer, worst first,
// until none of all n does. LIBSVM starts large steps; the answer is found in double, exact to rounding (one
// weight y_i alpha_i for each support point, every optimality condition checked at every point).
//
//   Separator s = separate(k, labels);                  // k: n x n
//   Separator t = separate(k2, labels2, {}, &s);        // points added at the end: a warm start
#pragma once
#include <functional>
#include <limits>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct SvmOptions {
  double penalty = 10;      // C, what a point on the wrong side costs; infinity: none may be (hard margin)
  double tolerance = 1e-6;  // of the optimality conditions, in units of f (f is 1 or -1 at the margin)
  Index working = 1000;     // points to begin with; a round adds so many or as many as there are
  int threads = 0;          // 0: all that the machine offers
};

namespace internal {
struct Separator {
  std::vector<Index> support;  // s: the points it rests on, ascending
  Vector weights;              // s: y_i alpha_i, at most the point's penalty in size; they sum to 0
  double offset = 0;           // the middle, where the optimum leaves it open
  double margin = 0;           // 1/|f|, in the metric of the kernel; |f|^2 to eps (sum |weights|)^2 |k|
  double gap = 0;              // the largest violation left of an optimality condition, over all points
  double penalty = 0;
  Index size = 0;     // n: the points it was checked at
  Index trained = 0;  // points in all working sets together
  Index steps = 0;    // of the active set
  int rounds = 0;     // working sets solved; 0 if what came `before` is optimal still
};

/// K_ij = k(x_rows[i], x_columns[j]); called from several threads.
using KernelBlock = std::function<Matrix(const std::vector<Index>&, const std::vector<Index>&)>;

/// The widest margin between labels 1 and -1 (n). `before`: the separator of the first so many points, with
/// the same kernel and labels; only the points after those are checked first, and it comes back bit for bit
/// if none violates (and a weight is below the penalty). before->size = 0: its weights are but a start.
///
/// n s kernel values a round. Throws Problem::usage for options or labels that mean nothing, Problem::data if
/// there is only one class or if a hard margin does not exist (to rounding), and Problem::numerical naming
/// two points whose kernel value is not finite.
///
/// weights (n, positive; empty: all 1): what a point on the wrong side costs is penalty weights_i. `before` is but a
/// start then.
Separator separate(const KernelBlock& block, const Vector& labels, const SvmOptions& options = {},
                   const Separator* before = nullptr, const Vector& weights = {});

/// The same from all values at once: n x n.
Separator separate(const Matrix& k, const Vector& labels, const SvmOptions& options = {},
                   const Separator* before = nullptr);

/// f at m points from k (m x s), their kernel with the support: each sum is taken in the same order whatever
/// the block.
Vector decision(const Separator& s, const Matrix& k);

/// Of the other class: -f.
Separator negated(Separator s);

/// Throws a usage Error unless the options can be used.
void check(const SvmOptions& options);
}  // namespace internal

}  // namespace covary
