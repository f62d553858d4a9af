// Kernels whose covariances and slopes the loops of simd/blocks.h fill in themselves: sums of products of se, Matern
// and rational quadratic kernels with variances in front, on any columns and on the sphere.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/simd/blocks.h"
#include "covary/kernels/kernel.h"

namespace covary::internal {

/// Where a coordinate comes from: a column, or for places on the Earth an axis of space.
struct Coordinate {
  enum class Kind { column, space };
  Kind kind = Kind::column;
  std::vector<Index> columns;  // that it is made of
  Index axis = 0;
  bool operator==(const Coordinate&) const = default;
};

struct FusedFactor {
  simd::Profile profile = simd::Profile::se;
  double alpha = 1;
  Index alpha_slot = -1;  // entry of theta; -1: fixed, or there is none
  std::vector<int> coordinates;
  std::vector<double> weights;  // of each: 1/lengthscale^2
  std::vector<Index> slots;     // of each coordinate, or one of all
};

struct FusedTerm {
  double variance = 1;
  std::vector<Index> slots;  // entries of theta that multiply it
  std::vector<FusedFactor> factors;
};

struct FusedKernel {
  std::vector<Coordinate> coordinates;
  std::vector<FusedTerm> terms;
  double variance() const;
  /// D x n: a point is a column.
  Matrix at(const Rows& x) const;
  /// D: of each coordinate, what squared distances are weighted with in a search for the nearest points: the mean
  /// of the terms' by their variance, of those that have any.
  Vector search_weights() const;
};

/// Nothing for a kernel of another kind, or one that does not take so many columns.
std::optional<FusedKernel> fused_kernel(const Kernel<Row>& kernel, Index columns);

}  // namespace covary::internal
