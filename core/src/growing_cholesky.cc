#include "growing_cholesky.h"

#include <Eigen/Jacobi>
#include <cmath>

namespace covary {

bool GrowingCholesky::append(Vector row, double diagonal, double least) {
  lower().solveInPlace(row);
  const double left = diagonal - row.squaredNorm();
  if (!(left > least)) return false;
  if (n_ == l_.rows()) {
    const Index wider = std::max<Index>(32, 2 * n_);
    l_.conservativeResize(wider, wider);
  }
  l_.row(n_).head(n_) = row;
  l_(n_, n_) = std::sqrt(left);
  ++n_;
  return true;
}

/// The rows below move up by one; rotations of neighbouring columns take away what then stands right of the
/// diagonal.
void GrowingCholesky::remove(Index p) {
  for (Index i = p + 1; i < n_; ++i) l_.row(i - 1).head(i + 1) = l_.row(i).head(i + 1);
  --n_;
  for (Index j = p; j < n_; ++j) {
    Eigen::JacobiRotation<double> turn;
    turn.makeGivens(l_(j, j), l_(j, j + 1));
    l_.middleRows(j, n_ - j).applyOnTheRight(j, j + 1, turn);
  }
}

Matrix GrowingCholesky::solve(Matrix b) const {
  lower().solveInPlace(b);
  l_.topLeftCorner(n_, n_).transpose().triangularView<Eigen::Upper>().solveInPlace(b);
  return b;
}

}  // namespace covary
