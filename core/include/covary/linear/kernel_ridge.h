// Kernel ridge regression: the smoothest function near the data, over any kernel and any index type.
//
//   minimize  sum_i (y_i - m(x_i) - f(x_i))^2 + penalty |f|^2   over f in the kernel's space and the trend m
//   f(x) = sum_i alpha_i k(x_i, x)                               (the representer theorem)
//   (K + penalty I) alpha + F beta = y,  F'alpha = 0             (F: the trend's basis, if it has one)
//
//   KernelRidge<Row> r = kernel_ridge<Row>(se(0.3), x, y);   // the penalty by leave-one-out
//   Vector there = r(at);
//   Process<Row> p = process_of(r);                          // the same mean, with standard deviations
#pragma once
#include <optional>

#include "covary/kernels/mercer.h"
#include "covary/process/process.h"

namespace covary {

struct KernelRidgeOptions {
  enum class By { leave_one_out, generalized };
  std::optional<double> penalty;      // given; otherwise chosen
  By by = By::leave_one_out;          // least mean squared error of each row from all others, or its
                                      // estimate by generalized cross-validation
  double lower = 1e-10, upper = 1e3;  // where it is looked for, in units of the largest eigenvalue
  int threads = 0;
};

/// Criteria for each penalty; H is the hat matrix: fitted values are H y.
struct PenaltyCurve {
  Vector penalty;        // L, ascending
  Vector leave_one_out;  // root mean squared error of each row from all others
  Vector generalized;    // n |y - H y|^2 / (n - tr H)^2
  Vector freedom;        // tr H: effective degrees of freedom, the trend's included
};

/// The part that does not depend on the type of the points.
struct KernelRidgeFit {
  double penalty = 0;
  Vector coefficients;                                     // n: alpha
  Vector basis_coefficients;                               // p: beta, of the trend's basis
  double leave_one_out = 0, generalized = 0, freedom = 0;  // as in the curve, at the penalty
  double variance = 0;                                     // y'alpha/(n - p): the most likely scale of k
  PenaltyCurve curve;                                      // what was tried; empty for a given penalty
  std::string chosen_by;                                   // "given", "leave-one-out", ...
  bool at_end = false;  // the best penalty tried is the smallest or largest
  std::vector<std::string> notes;
};

template <class X>
struct KernelRidge : KernelRidgeFit {
  Kernel<X> kernel;
  Mean<X> mean;
  Points<X> x;  // n
  Vector y;     // n

  /// The fitted function: m. O(n m)
  Vector operator()(Batch<X> at, int threads = 0) const;
  /// Of the trend's terms, in the user's units: p.
  Vector trend_coefficients() const;
};

/// One eigendecomposition (about 9n^3 flops, four n x n matrices); after it a penalty costs O(n^2). A given
/// penalty takes a Cholesky factor: 2n^3/3 flops.
/// Throws Problem::numerical with the violation of Mercer's condition if k is no kernel on these points.
template <class X>
KernelRidge<X> kernel_ridge(const Kernel<X>& kernel, Batch<X> x, const Vector& y,
                            const KernelRidgeOptions& options = {}, const Mean<X>& mean = constant_mean<X>());

namespace internal {
/// The Gaussian process whose mean this is: kernel variance * k, noise variance * penalty.
/// Throws Problem::data if that variance is 0: the trend explains y exactly.
template <class X>
Process<X> process_of(const KernelRidge<X>& ridge, int threads = 0);
}  // namespace internal

/// From K (n x n), y (n) less the known trend, and the trend's basis (n x p).
KernelRidgeFit kernel_ridge(Matrix k, const Vector& y, const Matrix& basis,
                            const KernelRidgeOptions& options);

namespace internal {
/// Throws a usage Error unless the options can be used.
void check(const KernelRidgeOptions& options);

/// Throws a data Error if the fit leaves the process no variance.
void check_scale(const KernelRidgeFit& fit);
}  // namespace internal

extern template struct KernelRidge<Row>;

}  // namespace covary

#include "covary/linear/kernel_ridge_impl.h"
