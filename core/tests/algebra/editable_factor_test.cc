// A factor edited in place is the factor of the edited matrix, and what it carries is what a solve would
// give.
#include "covary/algebra/editable_factor.h"

#include <gtest/gtest.h>

#include "support.h"

namespace covary::test::editable_factor_test {
namespace {

/// A matrix, right-hand sides, and a factor that should be theirs.
struct Edited {
  Matrix k, right;
  EditableFactor factor;

  Index size() const { return k.rows(); }
  void expect_equal(double tolerance) const {
    const Matrix l = lower_root_of(k);
    ASSERT_EQ(factor.size(), size());
    EXPECT_TRUE(near(factor.lower_copy(), l, tolerance));
    EXPECT_TRUE(near(factor.halves().transpose(), l.triangularView<Eigen::Lower>().solve(right), tolerance));
    EXPECT_NEAR(factor.log_determinant(), 2 * l.diagonal().array().log().sum(), tolerance * double(size()));
  }
};

Matrix positive(Random& rng, Index n) {
  const Matrix g = rng.normal(n, n + 3);
  return g * g.transpose() / double(n) + Matrix::Identity(n, n);
}

Edited random_edited(std::uint64_t seed, Index n, Index carried) {
  Random rng(seed);
  Edited e{positive(rng, n), rng.normal(n, carried), EditableFactor(carried)};
  e.factor = EditableFactor(Factor::of(lower_root_of(e.k)), e.right);
  return e;
}

Matrix without(const Matrix& m, Index i, bool columns) {
  std::vector<Index> left;
  for (Index j = 0; j < m.rows(); ++j)
    if (j != i) left.push_back(j);
  return columns ? Matrix(m(left, left)) : Matrix(m(left, Eigen::all));
}

TEST(EditableFactor, BlocksAppendedOneByOneAreTheWhole) {
  Random rng(1);
  const Index n = 150;
  const Matrix k = positive(rng, n), right = rng.normal(n, 3);
  Edited e{k, right, EditableFactor(3)};
  for (Index at = 0, q = 1; at < n; at += q, q = std::min<Index>(1 + rng.integer(7), n - at))
    ASSERT_TRUE(e.factor.append(k.block(0, at, at, q), k.block(at, at, q, q), right.middleRows(at, q)));
  e.expect_equal(1e-12);
}

TEST(EditableFactor, RemovingAnyRowIsNeverHavingHadIt) {
  for (const Index n : {1, 2, 3, 9, 40})
    for (Index i = 0; i < n; i += std::max<Index>(1, n / 7)) {
      SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(n));
      Edited e = random_edited(2, n, 2);
      e.factor.remove(i);
      e.k = without(e.k, i, true);
      e.right = without(e.right, i, false);
      if (n == 1) {
        EXPECT_EQ(e.factor.size(), 0);
      } else {
        e.expect_equal(1e-13);
      }
    }
}

TEST(EditableFactor, TheDiagonalGoesUpAndDown) {
  for (const Index n : {1, 2, 7, 40})
    for (Index i = 0; i < n; i += std::max<Index>(1, n / 5))
      for (const double v : {3.0, 1e-3, -0.5, -0.9}) {
        SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(n) + " by " + std::to_string(v));
        Edited e = random_edited(3, n, 2);
        ASSERT_TRUE(e.factor.add_to_diagonal(i, v));
        e.k(i, i) += v;
        e.expect_equal(1e-12);
      }
}

TEST(EditableFactor, WhatIsNotPositiveDefiniteIsRefusedAndChangesNothing) {
  Edited e = random_edited(4, 20, 2);
  const Matrix l = e.factor.lower_copy(), z = e.factor.halves();
  EXPECT_FALSE(e.factor.add_to_diagonal(5, -100));
  const double own = 1 / inverse_of(e.k)(5, 5);  // what row 5 has of its own
  EXPECT_FALSE(e.factor.add_to_diagonal(5, -own));
  EXPECT_FALSE(e.factor.append(e.k.col(3), e.k.block(3, 3, 1, 1), Matrix::Zero(1, 2))) << "row 3 again";
  EXPECT_FALSE(e.factor.append(e.k.col(3), Matrix::Zero(1, 1), Matrix::Zero(1, 2)));
  EXPECT_TRUE(same_bits(e.factor.lower_copy(), l));
  EXPECT_TRUE(same_bits(e.factor.halves(), z));
}

TEST(EditableFactor, RightHandSidesComeGoAndChange) {
  Edited e = random_edited(5, 33, 1);
  Random rng(6);
  const Matrix more = rng.normal(33, 3);
  e.factor.carry(more);
  e.factor.drop(1);
  e.right = join(e.right.transpose(), more.rightCols(2).transpose()).transpose();
  e.expect_equal(1e-13);
  e.factor.add_to_right(17, 2, 0.7);
  e.right(17, 2) += 0.7;
  e.expect_equal(1e-13);
  EXPECT_TRUE(near(e.factor.right(2), e.right.col(2), 1e-13));
}

TEST(EditableFactor, SolvesAreThoseOfTheFactor) {
  for (const Index n : {1, 3, 4, 5, 8, 63, 130}) {
    const Edited e = random_edited(7, n, 0);
    Random rng(8);
    const Matrix b = rng.normal(n, 5);
    const Factor f = e.factor.factor();
    EXPECT_TRUE(near(e.factor.half_solve(b, 1), f.half_solve(b), 1e-13));
    EXPECT_TRUE(near(e.factor.half_solve(b.col(1)), f.half_solve(b.col(1)), 1e-13));
    EXPECT_TRUE(near(e.factor.half_solve_transposed(b.col(1)), f.half_solve_transposed(b.col(1)), 1e-13));
    EXPECT_TRUE(near(e.factor.columns({0, n - 1}), e.k(Eigen::all, std::vector<Index>{0, n - 1}), 1e-13));
  }
}

TEST(EditableFactor, AThousandRandomEdits) {
  Edited e = random_edited(9, 30, 2);
  Random rng(10);
  for (int edit = 0; edit < 1000; ++edit) {
    const Index n = e.size(), i = rng.integer(n), what = n < 5 ? 0 : n > 60 ? 1 : rng.integer(4);
    if (what == 0) {
      const Vector b = rng.normal(n, 1) * 0.2;
      const double s = 2 + b.dot(solved(e.k, b).col(0));
      const Matrix right = rng.normal(1, 2);
      ASSERT_TRUE(e.factor.append(b, Matrix::Constant(1, 1, s), right));
      Matrix k(n + 1, n + 1);
      k << e.k, b, b.transpose(), s;
      e.k = k;
      e.right = join(e.right, right);
    } else if (what == 1) {
      e.factor.remove(i);
      e.k = without(e.k, i, true);
      e.right = without(e.right, i, false);
    } else {
      const double own = 1 / solved(e.k, Vector::Unit(n, i))(i, 0);
      const double v = what == 2 ? rng.uniform() : -0.5 * rng.uniform() * own;
      ASSERT_TRUE(e.factor.add_to_diagonal(i, v));
      e.k(i, i) += v;
    }
  }
  e.expect_equal(1e-11);
}

}  // namespace
}  // namespace covary::test::editable_factor_test
