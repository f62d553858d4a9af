// Eigen's decompositions, compiled once. Unlike those of blas.h they give the same bits whatever BLAS is
// linked.
#pragma once
#include <memory>

#include "covary/base/types.h"

namespace covary {

/// A = Q R for m x n, m >= n; Q is kept as the reflections that make it up. 2 m n^2 flops.
class Reflections {
 public:
  explicit Reflections(const Matrix& a);
  Matrix r() const;                       // n x n, upper
  Matrix q() const;                       // m x n, orthonormal
  void turn(Eigen::Ref<Matrix> b) const;  // b <- Q'b with the whole Q (m x m). 4 m n k flops for k columns.
  void turn_back(Eigen::Ref<Matrix> b) const;  // b <- Q b

 private:
  struct Decomposition;
  std::shared_ptr<const Decomposition> of_;
};

/// A = V diag(values) V' of a symmetric A, values ascending. About 9n^3 flops.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
SymmetricEigen symmetric_eigen(const Matrix& a);

}  // namespace covary
