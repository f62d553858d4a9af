// By Eigen and our own blocks alone, for machines without LAPACK (WebAssembly); blas.cc is the fast path.
#include "algebra/blas.h"

#ifndef COVARY_LAPACK

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "algebra/blocked.h"
#include "covary/base/error.h"

namespace covary::blas {
namespace {

using blocked::Op;

/// A factor in the shape that Eigen's estimator of 1-norms asks for.
struct Solver {
  ConstBlock l;
  using Scalar = double;
  using RealScalar = double;
  using MatrixType = Matrix;
  Index rows() const { return l.rows(); }
  Index cols() const { return l.rows(); }
  Vector solve(const Vector& b) const {
    const Vector x = l.triangularView<Eigen::Lower>().solve(b);
    return l.transpose().triangularView<Eigen::Upper>().solve(x);
  }
  const Solver& adjoint() const { return *this; }
};

}  // namespace

Index cholesky(Block a, int) { return blocked::cholesky(a); }
void invert_lower(Block l, int) { blocked::invert_lower(l); }
void inverse_from_cholesky(Block l, int) { blocked::inverse_from_cholesky(l); }
void solve_lower(ConstBlock l, Block b, int) { blocked::solve_lower(l, b); }
void solve_lower_transposed(ConstBlock l, Block b, int) { blocked::solve_lower_transposed(l, b); }

static void scale(double beta, Block c) {
  if (beta == 0) c.setZero();
  if (beta != 0 && beta != 1) c *= beta;
}

void multiply(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int) {
  scale(beta, c);
  blocked::add_product(alpha, a, Op::plain, b, Op::plain, c);
}

void multiply_transposed(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int) {
  scale(beta, c);
  blocked::add_product(alpha, a, Op::transposed, b, Op::plain, c);
}

static void scale_lower(double beta, Block c) {
  if (beta == 0) c.triangularView<Eigen::Lower>().setZero();
  if (beta != 0 && beta != 1) c.triangularView<Eigen::Lower>() *= beta;
}

void rank_update(double alpha, ConstBlock a, double beta, Block c, int) {
  scale_lower(beta, c);
  blocked::add_product(alpha, a, Op::plain, a, Op::transposed, c, true);
}
void rank_update_transposed(double alpha, ConstBlock a, double beta, Block c, int) {
  scale_lower(beta, c);
  blocked::add_product(alpha, a, Op::transposed, a, Op::plain, c, true);
}

Vector reflect(Block a, int) {
  const Eigen::HouseholderQR<Block> in_place(a);
  return in_place.hCoeffs();
}

void form_orthogonal(Block a, const Vector& reflections, int) {
  const Matrix v = a;
  a = Eigen::HouseholderSequence<const Matrix, const Vector>(v, reflections) *
      Matrix::Identity(a.rows(), a.cols());
}

void reduce(Block a, int threads) { reflect(a, threads); }

static Eigen::SelfAdjointEigenSolver<Matrix> eigen(const Block& a, int what) {
  Eigen::SelfAdjointEigenSolver<Matrix> solver(a, what);
  if (solver.info() != Eigen::Success)
    throw Error(Problem::numerical, "the eigenvalues of a symmetric matrix did not converge");
  return solver;
}

Vector eigenvalues(Block a, int) {
  return a.rows() ? Vector(eigen(a, Eigen::EigenvaluesOnly).eigenvalues()) : Vector(0);
}

Vector eigenvectors(Block a, int) {
  if (a.rows() == 0) return Vector(0);
  const auto solver = eigen(a, Eigen::ComputeEigenvectors);
  a = solver.eigenvectors();
  return solver.eigenvalues();
}

Singular singular(Block a, int) {
  if (a.size() == 0) return {Matrix(a.rows(), 0), Vector(0), Matrix(a.cols(), 0)};
  const Eigen::BDCSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  if (svd.info() != Eigen::Success)
    throw Error(Problem::numerical, "the singular values of a matrix did not converge");
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

double reciprocal_condition(ConstBlock l, double norm) {
  return l.rows() ? Eigen::internal::rcond_estimate_helper(norm, Solver{l}) : 1;
}

}  // namespace covary::blas

#endif
