// An approximate model beside the exact one: nothing where nothing is approximate, and what a comparison by hand gives.
#include "covary/evaluate/approximation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace covary::test::approximation_test {
namespace {

using internal::compared_with_exact;

FittedModel given(const std::string& inference, Index n) {
  const Matrix x = random_points(41, n, 2);
  Request request;
  request.kernel = "fixed(2 * matern32(lengthscale=1))", request.noise = "0.1", request.inference = inference;
  return fit(request, {x, random_targets(42, x), {"a", "b"}, "y", Noise::of(0.1)});
}

TEST(Approximation, OfAnExactModelIsNothing) {
  EXPECT_FALSE(compared_with_exact(given("exact()", 60)));
  EXPECT_FALSE(compared_with_exact(given("vecchia(neighbors=59)", 60)));
}

TEST(Approximation, ComesNearerWithMoreNeighbors) {
  double last = std::numeric_limits<double>::infinity(), last_density = last;
  for (const Index neighbors : {2, 6, 20, 60}) {
    const auto e = compared_with_exact(given("vecchia(neighbors=" + std::to_string(neighbors) + ")", 300));
    ASSERT_TRUE(e) << neighbors;
    EXPECT_EQ(e->given, 200);
    EXPECT_EQ(e->tested, 100);
    const double off = std::abs(e->log_density - e->exact_log_density);
    EXPECT_LT(e->mean_difference, last) << neighbors;
    EXPECT_LT(off, last_density) << neighbors;
    EXPECT_GE(e->largest_mean_difference, e->mean_difference);
    EXPECT_LE(e->least_sd_ratio, e->sd_ratio);
    EXPECT_GE(e->largest_sd_ratio, e->sd_ratio);
    last = e->mean_difference, last_density = off;
  }
}

TEST(Approximation, OfInducingPointsKeepsTheirPlaces) {
  const auto e = compared_with_exact(given("inducing(points=20)", 120));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->inference, "inducing(points=20)");
  EXPECT_LT(e->log_density, e->exact_log_density) << "a lower bound";
}

}  // namespace
}  // namespace covary::test::approximation_test
