// Covariances given noisy observations: the Schur complement, however the observations come.
#include "covary/algebra/conditional_covariance.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "covary/kernels/kernel_gram.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::conditional_covariance_test {
namespace {

struct Case {
  Matrix k = matern32(0.7).cross(random_points(1, 200, 2), random_points(1, 200, 2));
  Vector noise = random_points(2, 200, 1).col(0).cwiseAbs2() + Vector::Constant(200, 0.01);
  std::vector<Index> some = Random(3).subset(200, 70);

  /// K - K_:S (K_SS + noise)^-1 K_S: for the first s of them.
  Matrix left(Index s) const {
    const std::vector<Index> at(some.begin(), some.begin() + s);
    Matrix among = k(at, at);
    among.diagonal() += noise(at);
    const Matrix c = k(at, Eigen::all);
    return k - c.transpose() * among.llt().solve(c);
  }
  void expect_left(const ConditionalCovariance& given, Index s) const {
    const Matrix expected = left(s);
    ASSERT_EQ(given.count(), s);
    EXPECT_TRUE(near(given.remaining(), expected.diagonal(), 1e-12)) << s;
    for (const Index i : {0, 17, 199}) EXPECT_TRUE(near(given.covariance(i), expected.col(i), 1e-12)) << s;
    const std::vector<Index> columns{3, 150, 3};
    EXPECT_TRUE(near(given.covariance({40, 60}, given.prepare(columns)),
                     expected.middleRows(40, 60)(Eigen::all, columns), 1e-12))
        << s;
  }
};

TEST(ConditionalCovariance, OneObservationAtATimeIsTheSchurComplement) {
  const Case c;
  ConditionalCovariance given(internal::covariances_of(c.k));
  for (Index s = 0; s < 70; ++s) {
    if (s % 20 == 0) c.expect_left(given, s);
    if (s == 13) given.reserve(30);  // beside what is left of the room it has
    const Index i = c.some[static_cast<size_t>(s)];
    given.condition_on(i, c.noise[i]);
  }
  c.expect_left(given, 70);
}

TEST(ConditionalCovariance, ManyAtOnceAreOneAfterAnother) {
  const Case c;
  for (const Index alone : {0, 1, 31, 32, 45}) {
    ConditionalCovariance given(internal::covariances_of(c.k), 2);
    for (Index s = 0; s < alone; ++s)
      given.condition_on(c.some[static_cast<size_t>(s)], c.noise[c.some[static_cast<size_t>(s)]]);
    const std::vector<Index> rest(c.some.begin() + alone, c.some.end());
    given.condition_on(rest, c.noise(rest));
    c.expect_left(given, 70);
    EXPECT_EQ(given.rows(), c.some);
  }
}

TEST(ConditionalCovariance, WithoutColumnsItIsTheSame) {
  const Case c;
  ConditionalCovariance given(internal::covariances_of(c.k));
  const std::vector<Index> first(c.some.begin(), c.some.begin() + 40),
      rest(c.some.begin() + 40, c.some.end());
  Matrix right = c.k(first, std::vector<Index>{5}), solved = Matrix::Zero(200, 1);
  ASSERT_TRUE(given.begin_with(first, c.noise(first), right, [&](Range r, const Matrix& half) {
    solved.middleRows(r.first, r.count) = half.transpose() * right;
  }));
  EXPECT_EQ(given.first_kept(), 40);
  EXPECT_TRUE(near(c.k.col(5) - solved, c.left(40).col(5), 1e-12));
  c.expect_left(given, 40);
  given.condition_on(rest, c.noise(rest));
  c.expect_left(given, 70);
  given.truncate(50);
  c.expect_left(given, 50);
}

TEST(ConditionalCovariance, ARepeatWithoutNoiseTellsNothingNew) {
  const Case c;
  ConditionalCovariance given(internal::covariances_of(c.k), 1, 1e-13);
  given.condition_on(std::vector<Index>{4, 9, 4}, Vector::Zero(3));
  EXPECT_EQ(given.rows(), (std::vector<Index>{4, 9, 4}));
  EXPECT_EQ(given.roots()[2], 0);
  EXPECT_EQ(given.column(2).cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(given.roots()[1], 0);
}

TEST(Covariances, BlocksOfOneRowMakeUpForThoseNotGiven) {
  const Case c;
  Covariances k = internal::covariances_of(c.k);
  const std::vector<Index> rows{7, 3, 7}, columns{199, 0};
  const Matrix given = internal::among(k, rows, columns);
  k.among = {};
  EXPECT_TRUE(same_bits(internal::among(k, rows, columns), given));
  EXPECT_TRUE(same_bits(given, Matrix(c.k(rows, columns))));
}

}  // namespace
}  // namespace covary::test::conditional_covariance_test
