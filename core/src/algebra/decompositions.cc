#include "algebra/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace covary {

struct Reflections::Decomposition : Eigen::HouseholderQR<Matrix> {
  using Eigen::HouseholderQR<Matrix>::HouseholderQR;
};

Reflections::Reflections(const Matrix& a) : of_(std::make_shared<Decomposition>(a)) {}

Matrix Reflections::r() const { return of_->matrixQR().topRows(of_->cols()).triangularView<Eigen::Upper>(); }

Matrix Reflections::q() const {
  Matrix q = Matrix::Identity(of_->rows(), of_->cols());
  turn_back(q);
  return q;
}

void Reflections::turn(Eigen::Ref<Matrix> b) const {
  if (of_->cols() > 0) b.applyOnTheLeft(of_->householderQ().transpose());
}

void Reflections::turn_back(Eigen::Ref<Matrix> b) const {
  if (of_->cols() > 0) b.applyOnTheLeft(of_->householderQ());
}

SymmetricEigen symmetric_eigen(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

}  // namespace covary
