// Mercer's condition on given points: is this function of two points a kernel at all?
//
// A kernel must be symmetric, and its matrix on any points positive semi-definite. A check on some points can
// prove a violation, but cannot exclude one on others.
//
//   Mercer m = mercer_check<Row>(MyKernel{}, x);
//   if (!m.holds) ... m.text();   // "not positive semi-definite: smallest eigenvalue -0.31 of largest 5.2
//   ..."
#pragma once
#include <string>

#include "covary/kernels/kernel_gram.h"

namespace covary {

struct Mercer {
  Index n = 0;                       // points
  double smallest = 0, largest = 0;  // eigenvalues of (K + K')/2
  double asymmetry = 0;              // the most that k(x, z) and k(z, x) differ by
  double tolerance = 0;              // allowance for rounding: 1e-10 of the largest |eigenvalue|
  bool holds = true;
  /// The result, in one sentence.
  std::string text() const;
};

namespace internal {
/// K, n x n: both triangles as the kernel gives them, in tiles across threads. Throws Problem::numerical
/// naming two points whose kernel value is not finite. n^2 kernel values.
Matrix kernel_matrix(const Gram& gram, int threads = 0);
}  // namespace internal

/// Of a matrix of kernel values. 4n^3/3 flops.
Mercer mercer_check(const Matrix& k, int threads = 0);

template <class X>
Mercer mercer_check(const Kernel<X>& kernel, Batch<X> x, int threads = 0) {
  internal::check_given(kernel.parameters());
  return mercer_check(internal::kernel_matrix(gram<X>(kernel, x), threads), threads);
}

namespace internal {
/// Throws Problem::numerical with `name` and the text unless the condition holds. n^3/3 flops if it clearly
/// does.
void require_mercer(const Matrix& k, const std::string& name, int threads = 0);
}  // namespace internal

}  // namespace covary
