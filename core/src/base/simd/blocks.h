// Small normal densities, eight at a time: the loops of Vecchia's approximation. Each number is eight doubles, one
// of each block, so nothing depends on which blocks stand side by side.
//
// A block has r points, the last of which is conditioned on the others. Its covariances are the rows of a lower
// triangle, one after the other: row j holds (j, 0), ..., (j, j). Below it stand c more rows, numbers of the points
// (observations, columns of a trend) in entries 0, ..., r - 1 of the rows r, ..., r + c - 1. Slopes have no
// diagonal: row j holds (j, 0), ..., (j, j - 1).
#pragma once
#include <cstddef>

namespace covary::simd {

constexpr std::ptrdiff_t block_lanes = 8;

/// Eights in the first n rows of a lower triangle.
constexpr std::ptrdiff_t triangle(std::ptrdiff_t n) { return n * (n + 1) / 2; }

enum class Profile { se, matern12, matern32, matern52, rational_quadratic };

/// f(s), s = sum_k weight_k (x_k - z_k)^2 over some of the coordinates.
struct BlockFactor {
  Profile profile = Profile::se;
  double alpha = 1;                  // of rational_quadratic
  std::ptrdiff_t coordinates = 0;    // how many
  const int* coordinate = nullptr;   // which
  const double* weight = nullptr;    // of each
  bool together = true;              // one length-scale: slopes are -2 f' s, else -2 f'
  int slope = -1, alpha_slope = -1;  // numbers of the slopes that are wanted; -1: not
};

/// variance * product of factors.
struct BlockTerm {
  double variance = 1;
  std::ptrdiff_t factors = 0;
  const BlockFactor* factor = nullptr;
  int slope = -1;  // the term itself, without its diagonal
};

struct BlockLoops {
  /// Triangle k of the sum of terms between r points, x[coordinate][point], with `diagonal` (r) added; slopes[i]
  /// of those that are wanted. scratch: 4 r eights.
  void (*covariances)(std::ptrdiff_t r, const double* x, const BlockTerm* terms, std::ptrdiff_t count,
                      const double* diagonal, double* k, double* const* slopes, double* scratch);
  /// K -> L but for its last pivot, which stays as it is, as do the last entries of the rows below:
  ///   d = k_rr - l'l,  e = y_r - l'z,  L z = y
  /// inverse (r - 1): 1/L_jj, 0 where a pivot is below `level` of the diagonal: such a point tells nothing new.
  void (*factorize)(std::ptrdiff_t r, std::ptrdiff_t c, double level, double* k, double* inverse);
  /// The rows from r - 1 on: b <- L'^-1 b in entries 0, ..., r - 2.
  void (*solve_back)(std::ptrdiff_t r, std::ptrdiff_t c, const double* inverse, double* k);
  /// u <- D v: D symmetric from a slope without diagonal, plus `diagonal` times 1.
  void (*multiply)(std::ptrdiff_t r, const double* slope, double diagonal, const double* v, double* u);
  /// The same of D_jk (x_j - x_k)^2, x one coordinate.
  void (*multiply_squares)(std::ptrdiff_t r, const double* slope, const double* x, const double* v,
                           double* u);
  /// The eight sums of a_i b_i over n.
  void (*sums)(std::ptrdiff_t n, const double* a, const double* b, double* out);
};

}  // namespace covary::simd
