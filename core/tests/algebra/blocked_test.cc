// Factorizations by our own blocks, beside those that Eigen or LAPACK make.
#include "algebra/blocked.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/simd/simd.h"
#include "covary/base/types.h"

namespace covary::test::blocked_test {
namespace {

using blocked::Op;

Matrix any(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = std::sin(double(1 + i) * 1.7 + double(j * j) * 0.3);
  return m;
}

/// Of condition about n; its upper triangle is another matrix's, which nobody may read or change.
Matrix covariance(Index n) {
  const Matrix a = any(n, n);
  Matrix k = a * a.transpose() / double(n);
  k.diagonal().array() += 1;
  k.triangularView<Eigen::StrictlyUpper>().setConstant(7);
  return k;
}

Matrix lower_of(const Matrix& k) { return k.triangularView<Eigen::Lower>(); }

const std::vector<Index> sizes{0, 1, 2, 3, 17, 47, 48, 49, 96, 97, 131, 300};

TEST(Blocked, CholeskyTimesItselfIsTheMatrix) {
  for (const Index n : sizes) {
    const Matrix k = covariance(n);
    Matrix l = k;
    ASSERT_EQ(blocked::cholesky(l), 0) << n;
    const Matrix f = lower_of(l);
    EXPECT_LE(lower_of(f * f.transpose() - k).norm(), 1e-14 * double(n + 1) * k.norm()) << n;
    if (n > 1) {
      EXPECT_EQ(l(0, n - 1), 7) << n;
    }
  }
}

TEST(Blocked, CholeskyNamesThePivotThatIsNotPositive) {
  for (const Index at : {0, 5, 47, 48, 60, 130}) {
    Matrix k = covariance(131);
    k(at, at) = -1;
    EXPECT_EQ(blocked::cholesky(k), at + 1);
  }
}

TEST(Blocked, InversesAreInverses) {
  for (const Index n : sizes) {
    const Matrix k = covariance(n);
    Matrix l = k;
    blocked::cholesky(l);
    Matrix w = l, inverse = l;
    blocked::invert_lower(w);
    blocked::inverse_from_cholesky(inverse);
    const Matrix one = Matrix::Identity(n, n), full = k.selfadjointView<Eigen::Lower>();
    const Matrix back = inverse.selfadjointView<Eigen::Lower>();
    EXPECT_LE((lower_of(w) * lower_of(l) - one).norm(), 1e-13 * double(n + 1)) << n;
    EXPECT_LE((full * back - one).norm(), 1e-12 * double(n + 1)) << n;
    if (n > 1) {
      EXPECT_EQ(w(0, n - 1), 7) << n;
    }
    if (n > 1) {
      EXPECT_EQ(inverse(0, n - 1), 7) << n;
    }
  }
}

TEST(Blocked, SolvesLeaveNoResidual) {
  for (const Index n : sizes)
    for (const Index m : {0, 1, 3, 5, 50}) {
      Matrix l = covariance(n);
      blocked::cholesky(l);
      const Matrix f = lower_of(l), b = any(n, m);
      Matrix x = b, t = b;
      blocked::solve_lower(l, x);
      blocked::solve_lower_transposed(l, t);
      EXPECT_LE((f * x - b).norm(), 1e-13 * double(n + 1)) << n << " " << m;
      EXPECT_LE((f.transpose() * t - b).norm(), 1e-13 * double(n + 1)) << n << " " << m;
    }
}

TEST(Blocked, ProductsOfEveryShapeAndSide) {
  for (const Index m : {1, 7, 130, 260})
    for (const Index n : {1, 5, 130})
      for (const Index k : {1, 9, 200, 400})
        for (const Op a : {Op::plain, Op::transposed})
          for (const Op b : {Op::plain, Op::transposed}) {
            const Matrix left = any(m, k), right = any(k, n), c = any(m, n);
            const Matrix expected = c - 0.5 * left * right;
            Matrix out = c;
            blocked::add_product(-0.5, a == Op::plain ? left : Matrix(left.transpose()), a,
                                 b == Op::plain ? right : Matrix(right.transpose()), b, out);
            EXPECT_LE((out - expected).norm(), 1e-13 * double(m + k)) << m << " " << n << " " << k;
          }
}

TEST(Blocked, ALowerProductLeavesTheRest) {
  for (const Index n : {1, 5, 64, 131, 300}) {
    const Matrix a = any(n, 40), c = any(n, n);
    const Matrix expected = c + a * a.transpose();
    Matrix out = c;
    blocked::add_product(1, a, Op::plain, a, Op::transposed, out, true);
    EXPECT_LE(lower_of(out - expected).norm(), 1e-12 * double(n)) << n;
    Matrix above = out - c;
    above.triangularView<Eigen::Lower>().setZero();
    EXPECT_EQ(above.norm(), 0) << n;
  }
}

TEST(Blocked, EveryLevelOfLoopsMultiplies) {
  const Matrix a = any(77, 211), b = any(211, 33);
  std::vector<double> space(simd::product_space);
  for (const simd::Loops* const* loops = simd::all_loops(); *loops != nullptr; ++loops) {
    Matrix c = Matrix::Zero(77, 33);
    (*loops)->add_product(77, 33, 211, 2, {a.data(), 1, 77}, {b.data(), 211, 1}, false, c.data(), 77,
                          space.data());
    EXPECT_LE((c - 2 * a * b).norm(), 1e-11) << (*loops)->name;
  }
}

}  // namespace
}  // namespace covary::test::blocked_test
