#include "covary/kernels/common_offset.h"

namespace covary {

Matrix internal::inner_products(const Rows& a, const Rows& b) {
  Matrix s = Matrix::Zero(a.rows(), b.rows());
  for (Index j = 0; j < b.rows(); ++j)
    for (Index k = 0; k < a.cols(); ++k) s.col(j) += b(j, k) * a.col(k);
  return s;
}

Vector internal::along(const Matrix& f, const Vector& c) {
  Vector s = Vector::Zero(f.rows());
  for (Index k = 0; k < f.cols(); ++k) s += c[k] * f.col(k);
  return s;
}

}  // namespace covary
