#include "covary/select/coverage.h"

#include "support.h"

namespace covary::coverage_test {
namespace {

/// 400 candidates of a square, of which some are labelled.
struct Square {
  Matrix x;
  Process<Row> p{parse<Row>("se(lengthscale=0.15)"), zero_mean<Row>(), Noise::of(0.01)};
  explicit Square(std::uint64_t seed) {
    Random rng(seed);
    x = Matrix::NullaryExpr(400, 2, [&](Index, Index) { return rng.uniform(); });
  }
  PoolPosterior labelled(const std::vector<Index>& some) const {
    PoolPosterior b(pool_of<Row>(p, x), 1, 1);
    b.tell(some, Vector::Zero(std::ssize(some)));
    return b;
  }
  /// The first n candidates with x < 1/2.
  std::vector<Index> left_half(Index n) const {
    std::vector<Index> out;
    for (Index i = 0; i < x.rows() && std::ssize(out) < n; ++i)
      if (x(i, 0) < 0.5) out.push_back(i);
    return out;
  }
};

TEST(PoolCoverage, LabelsByChanceGiveNoWarning) {
  int quiet = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Square s(seed);
    quiet += coverage(s.labelled(internal::all_indices(40)), seed + 1000).warnings.empty();
  }
  EXPECT_GE(quiet, 95);
}

TEST(PoolCoverage, LabelsOfOneHalfAreNoticed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Square s(seed);
    const PoolCoverage c = coverage(s.labelled(s.left_half(40)));
    ASSERT_EQ(c.warnings.size(), 3u) << seed;
    EXPECT_TRUE(c.warnings[0].starts_with("the labels explain less than half of the variance of "))
        << c.warnings[0];
    EXPECT_NE(c.warnings[1].find("around candidate " + std::to_string(c.region + 1)), std::string::npos);
    EXPECT_TRUE(c.warnings[2].starts_with("the labels do not represent the pool: ")) << c.warnings[2];
    EXPECT_GT(s.x(c.region, 0), 0.5);
    EXPECT_NEAR(c.uncovered, 0.4 * 400 / 360, 0.1);  // of those without a label
    EXPECT_GT(c.uncovered, c.by_chance);
    EXPECT_GT(c.distance, c.distance_by_chance);
  }
}

TEST(PoolCoverage, NothingIsLeftOfAPoolThatIsLabelled) {
  const Square s(1);
  const PoolCoverage c = coverage(s.labelled(internal::all_indices(400)));
  EXPECT_EQ(c.uncovered, 0);
  EXPECT_EQ(c.region, -1);
  EXPECT_NEAR(c.distance, 0, 1e-7);
  EXPECT_TRUE(c.warnings.empty());
}

TEST(PoolCoverage, NoLabels) {
  const Square s(1);
  const PoolCoverage c = coverage(PoolPosterior(pool_of<Row>(s.p, s.x)));
  EXPECT_EQ(c.uncovered, 1);
  EXPECT_EQ(c.warnings, std::vector<std::string>{"there are no labels yet"});
}

TEST(PoolCoverage, LooksAtAPartOfALargePool) {
  const Square s(2);
  const PoolPosterior b = s.labelled(s.left_half(40));
  EXPECT_NEAR(coverage(b, 1, {}, 150).uncovered, coverage(b, 1, {}, 400).uncovered, 0.15);
}

TEST(Leaning, InDeviationsOfThePool) {
  const Matrix x = (Matrix(4, 2) << 0, 5, 0, 5, 2, 5, 2, 5).finished();
  EXPECT_EQ(internal::leaning(x, {2, 3}), (Vector(2) << 1, 0).finished());
  EXPECT_EQ(internal::leaning(x, {0, 2}), Vector::Zero(2));
  EXPECT_EQ(internal::leaning(x, {}), Vector::Zero(2));
}

}  // namespace
}  // namespace covary::coverage_test
