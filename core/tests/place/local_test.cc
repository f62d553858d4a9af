// Mutual information by neighbors: exact where nothing is left out, and within what it proves elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "covary/kernels/stationary.h"
#include "place/placement_support.h"

namespace covary::place_local_test {
namespace {

using namespace covary::test;

/// n places in a square of side sqrt(n), so that the density does not depend on n.
Matrix places(Index n, std::uint64_t seed) {
  Random random(seed);
  return Matrix::NullaryExpr(n, 2, [&] { return std::sqrt(double(n)) * random.uniform(); });
}

PlacementProblem problem_of(const Kernel<Row>& k, Index n, double nugget, double noise) {
  PlacementProblem p;
  p.fields = {internal::with_nugget(field_of(k, Points<Row>(places(n, 3))), nugget)};
  p.noise = Vector::Constant(1, noise);
  return p;
}

Placed chosen(const PlacementProblem& p, const std::string& criterion, Index k, Index neighbors = 50) {
  return place(p, criterion_called(criterion), k, {.neighbors = neighbors});
}

TEST(LocalMutualInformation, IsExactWhereNothingIsLeftOut) {
  for (const double noise : {0.0, 0.1}) {
    const PlacementProblem p = problem_of(matern52(2.0), 120, 0.05, noise);
    const Placed exact = chosen(p, "mutual-information", 12),
                 local = chosen(p, "local-mutual-information", 12, 119);
    EXPECT_EQ(local.places(), exact.places());
    for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(local.picks[i].value, exact.picks[i].value, 1e-9);
  }
}

/// The value that is said, and what is proven of it, beside the exact value of the same set.
TEST(LocalMutualInformation, TheValueIsAsCloseAsItSays) {
  for (const Kernel<Row>& k : {wendland(Vector::Constant(1, 3.0)), se(0.8), matern32(1.0)})
    for (const double noise : {0.0, 0.2}) {
      const PlacementProblem p = problem_of(k, 400, 0.3, noise);
      const Placed local = chosen(p, "local-mutual-information", 25, 40);
      const Placed exact = internal::assessed(p, criterion_called("mutual-information"), local.places());
      ASSERT_EQ(local.notes.size(), 1u);
      const size_t at = local.notes[0].find("right to ");
      ASSERT_NE(at, std::string::npos) << local.notes[0];
      const double proven = std::stod(local.notes[0].substr(at + 9));
      EXPECT_LE(std::abs(local.value() - exact.value()), 1.01 * proven + 1e-9) << k.text();
      EXPECT_GE(local.picks.back().bound, exact.value() - 1e-9);
      EXPECT_LE(exact.picks.back().share(), 1);
    }
}

TEST(LocalMutualInformation, FindsNearlyWhatTheExactOneFinds) {
  const PlacementProblem p = problem_of(wendland(Vector::Constant(1, 3.0)), 600, 0.1, 0.05);
  const Placed local = chosen(p, "local-mutual-information", 30), exact = chosen(p, "mutual-information", 30);
  const Placed assessed = internal::assessed(p, criterion_called("mutual-information"), local.places());
  EXPECT_GT(assessed.value(), 0.999 * exact.value());
}

TEST(LocalMutualInformation, SaysWhatIsNotProven) {
  const Placed local = chosen(problem_of(matern12(3.0), 60, 0, 0.1), "local-mutual-information", 3, 5);
  EXPECT_THAT(local.notes, testing::ElementsAre(testing::HasSubstr("not bounded without a nugget")));
  EXPECT_TRUE(std::isnan(local.picks.back().share()));
}

TEST(LocalMutualInformation, RoundingIsRefused) {
  try {
    (void)chosen(problem_of(se(20.0), 200, 0, 0.1), "local-mutual-information", 3);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("needs a nugget"));
  }
}

}  // namespace
}  // namespace covary::place_local_test
