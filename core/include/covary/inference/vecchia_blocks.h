// The algebra of Vecchia's approximation: densities of single observations given a few others, and predictions from
// a few. Not templates: they see the kernel as blocks only.
//
// For a block (c, i) with covariances K that include the noise, w = K_cc^-1 k_ci, v = (-w, 1):
//
//   d = k_ii - k_ic w,  e = y_i - w'y_c,  log p(y_i | y_c) = -1/2 (log(2 pi d) + e^2/d)
//   d log p/dK = 1/2 ((e/d)(a v' + v a') + (e^2/d^2 - 1/d) v v'),  a = (K_cc^-1 y_c, 0)
//
// so that the slope along D = dK/dtheta is (e/d) a'D v + 1/2 (e^2/d^2 - 1/d) v'D v: one Cholesky factor of m^3/3
// flops, eight blocks at a time. With an unknown trend y is y - F beta, linear in beta: numbers of all columns of
// [y F] are kept until beta, by generalized least squares of the whitened rows [e_y e_F]/sqrt(d), is known.
#pragma once
#include <cstdint>
#include <memory>

#include "covary/base/random.h"
#include "covary/kernels/kernel.h"
#include "covary/process/solution.h"

namespace covary::internal {

struct FusedKernel;
struct KernelProgram;
class NeighborTree;
class RemoteBlocks;

/// A kernel on small blocks of points. Points are numbered by their place.
struct BlockKernel {
  Index parameters = 0;                                                      // of theta
  std::shared_ptr<const FusedKernel> fused;                                  // computed by the loops, from
  const Matrix* coordinates = nullptr;                                       //   D x n; otherwise
  std::function<Matrix(const std::vector<Index>&)> covariance;               // k of some points, r x r
  std::function<Vector(const std::vector<Index>&, const Matrix&)> pullback;  // sum w_ij dk_ij/dtheta
  std::shared_ptr<const RemoteBlocks> remote;    // the same points elsewhere: densities are computed there,
  std::shared_ptr<const KernelProgram> program;  //   by this
};

/// Nothing where the loops do not know the kernel.
std::shared_ptr<const FusedKernel> fused_or_none(const Kernel<Row>& kernel, Index columns);
Matrix fused_coordinates(const FusedKernel& kernel, const Rows& x);  // D x n
Vector fused_search_scales(const FusedKernel& kernel);               // D: 1/lengthscale of each coordinate

/// Of each point (n) at most m others that come before it in an order: places, -1 where there are fewer.
struct NeighborSets {
  std::shared_ptr<const NeighborTree> tree;
  Index most = 0;                  // m
  std::vector<std::int32_t> sets;  // n x m, point after point
  bool whole = false;              // each has all predecessors: nothing is approximate
};

/// How close a point is to some others, the larger the closer.
using Closeness = std::function<Vector(Index place, const std::vector<Index>& others)>;

/// A tree of the rows of z (n x ...).
std::shared_ptr<const NeighborTree> neighbor_tree(const Rows& z, int threads);
std::vector<Index> rows_by_place(const NeighborTree& tree);
/// The m nearest of those before each; with `closeness` the closest of the 3 m nearest, or of all where these are
/// few.
NeighborSets neighbor_sets(std::shared_ptr<const NeighborTree> tree, Index m, const Closeness& closeness,
                           int threads);

/// Observations at n places.
struct BlockData {
  const BlockKernel& kernel;
  const NeighborSets& neighbors;
  const Vector& y;      // n, less the known part of the trend
  const Matrix& basis;  // n x p, columns independent
  const Vector& noise;  // n
};

/// The estimate of the trend, and the density.
struct BlockSolution {
  double log_density = -std::numeric_limits<double>::infinity();  // with the trend at its estimate
  double misfit = 0;
  Vector beta;  // p
  Matrix r;     // p x p upper: F'QF = R'R, Q the precision matrix that the blocks make
  bool regular() const { return std::isfinite(log_density); }
};
BlockSolution solve_blocks(const BlockData& data, int threads);

struct BlockSlopes {
  double value = -std::numeric_limits<double>::infinity(), misfit = 0;
  Vector kernel;         // of theta
  double log_noise = 0;  // of the logarithm of a common factor of the noise
};
/// n (m^3/3 + m^2 (d + p)) flops.
BlockSlopes block_slopes(const BlockData& data, int threads);

/// Of each observation given all others, in the density that the blocks make: mean and precision. With the
/// precision matrix Q and P = Q - Q F (F'QF)^-1 F'Q: c_i = P_ii, y_i - (P y)_i/c_i.
std::pair<Vector, Vector> block_left_out(const BlockData& data, const BlockSolution& s, int threads);

/// New points, as predictions see them; `at` counts them.
struct BlockTargets {
  Index count = 0;
  Matrix coordinates;  // D x q, where the kernel is fused
  Matrix search;       // ... x q, beside the rows that the tree was made of
  Matrix basis;        // q x p
  Vector prior;        // q: k(x, x)
  /// Of a kernel that is not fused: k of some observations (places), then some of the new points.
  std::function<Matrix(const std::vector<Index>&, const std::vector<Index>& at)> covariance;
  std::function<Vector(Index at, const std::vector<Index>&)> closeness;  // empty: the nearest are the closest
};

/// [y - F beta, F]', a point to a column: the input of predictions.
Matrix block_columns(const BlockData& data, const BlockSolution& s);

/// Each from its `most` nearest observations: f | y_c with the trend estimated. Without noise of its own.
struct BlockPredictions {
  Vector mean, variance;  // q; the mean without its known part
  Matrix trend;           // p x q: R'^-1 (f* - F_c'w), half of what the trend adds
  Index clamped = 0;
};
BlockPredictions predict_blocks(const BlockData& data, const BlockSolution& s, const Matrix& columns,
                                const BlockTargets& to, Index most);

/// New points in an order, each from its nearest observations and the nearest of those before it. By place of a tree
/// of the new points.
struct BlockJoint {
  std::vector<Index> rows;         // q: the new point at a place
  std::vector<Index> order;        // q: places, from coarse to fine
  std::vector<std::int32_t> sets;  // q x t: places of earlier ones, -1 where there are fewer
  Matrix weights;                  // t x q: of these
  Vector variance;                 // q: what is left given the observations and these
  Matrix trend;                    // p x q: R'^-1 df/dbeta, half of what the trend adds

  void each_earlier(Index place, const auto& fn) const {
    for (Index k = 0; k < weights.rows(); ++k)
      if (const std::int32_t t = sets[static_cast<size_t>(place * weights.rows() + k)]; t >= 0)
        fn(Index(t), weights(k, place));
  }
};
BlockJoint join_blocks(const BlockData& data, const BlockSolution& s, const Matrix& columns,
                       const BlockTargets& to, Index observed, Index earlier, int threads);
/// q x q, scaled to the variances of the marginals, so that those of few and of many points at once are the same.
Matrix covariance_of(const BlockJoint& joint, const Vector& variance);
/// q x draws: deviations of draws from the mean.
Matrix drawn_errors(const BlockJoint& joint, Index draws, Random& rng);

/// Error bound of the entries of such a covariance.
double rounding_of_blocks(Index most, const Vector& prior);

}  // namespace covary::internal
