#include "linear/left_out.h"

#include <fmt/format.h>

#include <cmath>

#include "algebra/blas.h"

namespace covary {

LeftOut::LeftOut(Matrix basis, Vector values, Vector rotated)
    : v(std::move(basis)), squares(v.cwiseAbs2()), d(std::move(values)), c(std::move(rotated)) {
  counted = (squares.rowwise().sum().array() > least_freedom).cast<double>();
}

Vector LeftOut::rmse(const Vector& penalties, int threads) const {
  const Index n = v.rows(), m = d.size(), count = penalties.size();
  Matrix inverse(m, count), alpha(n, count), diagonal(n, count);
  for (Index l = 0; l < count; ++l) inverse.col(l) = (d.array() + penalties[l]).inverse();
  blas::multiply(1, v, Matrix(c.asDiagonal() * inverse), 0, alpha, threads);
  blas::multiply(1, squares, inverse, 0, diagonal, threads);
  Vector out(count);
  for (Index l = 0; l < count; ++l) {
    const Vector errors = (counted.array() > 0).select(alpha.col(l).array() / diagonal.col(l).array(), 0.0);
    out[l] = std::sqrt(errors.squaredNorm() / std::max(1.0, counted.sum()));
  }
  return out;
}

std::string uncounted_note(Index rows, Index uncounted, const std::string& fixed) {
  return fmt::format("leave-one-out covers {} rows: without any one of the other {}, {} not determined",
                     rows - uncounted, uncounted, fixed);
}

}  // namespace covary
