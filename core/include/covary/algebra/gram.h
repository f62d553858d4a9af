// The covariance matrix of n points as blocks: all that the dense algebra sees of a kernel and its points.
#pragma once
#include <functional>
#include <memory>

#include "covary/base/types.h"

namespace covary::internal {

class Place;             // algebra/remote.h
struct ProgramOnPoints;  // algebra/remote.h

/// Borrows the points; a kernel over any X becomes one of these once, and everything below is not a template.
struct Gram {
  Index size = 0;                                               // n
  std::function<Matrix(Range, Range)> block;                    // rows x columns
  std::function<Vector(Range)> diagonal;                        // k(x_i, x_i)
  std::function<Vector(Range, Range, const Matrix&)> pullback;  // sum of weights times dK/dtheta
  std::shared_ptr<const Place> place = {};                      // where it is factored; null: here
  std::shared_ptr<const ProgramOnPoints> program = {};  // what a device fills it from; null: it is sent
};

/// Lower triangle of `out` <- K, in tiles across threads. n^2/2 kernel values.
void fill_lower(const Gram& gram, Eigen::Ref<Matrix> out, int threads);

/// The same of some columns, from row columns.first on; they begin at a multiple of 128.
void fill_panel(const Gram& gram, Range columns, Eigen::Ref<Matrix> out, int threads);

/// sum_ij w_ij dK_ij/dtheta for a symmetric w, of which `weights(rows, columns)` gives tiles with rows >=
/// columns. The sum is taken in a fixed order, so the bits do not depend on the number of threads.
Vector pullback_lower(const Gram& gram, const std::function<Matrix(Range, Range)>& weights, int threads);

/// The part of it that the tiles in some columns add.
Vector pullback_panel(const Gram& gram, Range columns, const std::function<Matrix(Range, Range)>& weights,
                      int threads);

/// The columns `c` of K for all n points, in tiles that stay in cache: n x c.count.
Matrix tall_block(Index n, const std::function<Matrix(Range)>& rows, Index columns);

}  // namespace covary::internal
