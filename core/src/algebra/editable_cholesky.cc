#include "algebra/editable_cholesky.h"

#include <Eigen/Jacobi>
#include <cmath>

#include "algebra/blas.h"

namespace covary {

bool GrowingCholesky::append(const Vector& row, double diagonal, double least) {
  Matrix half = row;  // L^-1 row, as a matrix of one column
  blas::solve_lower(l_.topLeftCorner(n_, n_), half, 1);
  const double left = diagonal - half.squaredNorm();
  if (!(left > least)) return false;
  if (n_ == l_.rows()) {
    const Index wider = std::max<Index>(32, 2 * n_);
    l_.conservativeResize(wider, wider);
  }
  l_.row(n_).head(n_) = half.col(0);
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
  blas::solve_lower(l_.topLeftCorner(n_, n_), b, 1);
  blas::solve_lower_transposed(l_.topLeftCorner(n_, n_), b, 1);
  return b;
}

}  // namespace covary
