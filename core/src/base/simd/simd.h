// The inner loops that decide the speed of kernels, compiled for several instruction sets and chosen at run
// time. Matrices are column-major with a leading dimension, as everywhere.
#pragma once
#include <cstddef>

#include "base/simd/blocks.h"

namespace covary::simd {

constexpr std::ptrdiff_t solve_part = 256;

/// Doubles of scratch that solve_lower wants for m columns.
constexpr std::ptrdiff_t solve_space(std::ptrdiff_t m) { return (32 + m) * solve_part; }

/// A matrix as lines (rows of A, columns of B) that the inner products run along: entry k of line i.
struct Strided {
  const double* data;
  std::ptrdiff_t line, step;
};

constexpr std::ptrdiff_t product_rows = 128, product_columns = 256, product_depth = 192;  // packed at a time
constexpr std::ptrdiff_t product_space = (product_rows + product_columns) * product_depth;

struct Loops {
  const char* name;
  /// x_i <- exp(x_i); under 1 ulp and a half, 0 below -708, +inf above 709.78.
  void (*exp)(double* x, std::ptrdiff_t n);
  /// x_i <- sin(pi x_i), to 2e-16; 0 for |x_i| over 1e15.
  void (*sin_pi)(double* x, std::ptrdiff_t n);
  /// x_i <- log(1 + x_i) for 0 <= x_i <= 1e300.
  void (*log1p)(double* x, std::ptrdiff_t n);
  /// out_ij = sum_k weight_k (a_ik - b_jk)^2, at most 1e300. Differences first: an offset costs no accuracy.
  void (*squared_distances)(const double* a, std::ptrdiff_t lda, std::ptrdiff_t na, const double* b,
                            std::ptrdiff_t ldb, std::ptrdiff_t nb, std::ptrdiff_t d, const double* weight,
                            double* out);
  /// out_k = sum_ij h_ij (a_ik - b_jk)^2.
  void (*weighted_squares)(const double* a, std::ptrdiff_t lda, std::ptrdiff_t na, const double* b,
                           std::ptrdiff_t ldb, std::ptrdiff_t nb, std::ptrdiff_t d, const double* h,
                           double* out);
  /// out_ij = amplitude sin(pi (phase_j + sum_k a_ik w_kj)), w d x m. An entry's bits do not depend on the
  /// block.
  void (*waves)(const double* a, std::ptrdiff_t lda, std::ptrdiff_t na, const double* w, std::ptrdiff_t d,
                std::ptrdiff_t m, const double* phase, double amplitude, double* out);
  /// sum_i a_i b_i, in an order that depends on n alone.
  double (*dot)(const double* a, const double* b, std::ptrdiff_t n);
  /// The same for four columns: out_k = sum_i a_ik x_i.
  void (*dot_four)(const double* a, std::ptrdiff_t lda, const double* x, std::ptrdiff_t n, double* out);
  /// x_i <- x_i - sum_k a_ik w_k over four columns.
  void (*subtract_four)(const double* a, std::ptrdiff_t lda, const double* w, double* x, std::ptrdiff_t n);
  /// x_i <- x_i - w a_i; sum_i x_i^2 then.
  double (*subtract_and_square)(const double* a, double w, double* x, std::ptrdiff_t n);
  /// (a, w) <- (c a + s w, c w - s a), then the same for (b, w): turns = (c, s) of a, (c, s) of b. One pass.
  void (*rotate_two)(double* a, double* b, double* w, std::ptrdiff_t n, const double* turns);
  /// x <- L^-1 x, L lower of n rows, x n x m; n a multiple of 32. A column's bits do not depend on the
  /// others.
  void (*solve_lower)(const double* l, std::ptrdiff_t ldl, std::ptrdiff_t n, double* x, std::ptrdiff_t ldx,
                      std::ptrdiff_t m, double* space);
  /// C <- C + alpha A B, C m x n, the inner products `depth` long; lower: only where i >= j. space:
  /// product_space.
  void (*add_product)(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t depth, double alpha,
                      const Strided& a, const Strided& b, bool lower, double* c, std::ptrdiff_t ldc,
                      double* space);
  const BlockLoops* blocks;
};

/// The loops for this processor.
const Loops& loops();

/// All that the processor supports, the best first; then null.
const Loops* const* all_loops();

}  // namespace covary::simd
