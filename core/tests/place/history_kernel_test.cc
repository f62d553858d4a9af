// Kernels learned from many readings of the same places: the objective against dense algebra and differences,
// what is found against what was simulated.
#include "covary/place/history_kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "covary/kernels/stationary.h"
#include "covary/place/history.h"
#include "support.h"

namespace covary::test::place_history_kernel_test {
namespace {

Matrix some_covariance(std::uint64_t seed, Index n) {
  const Matrix a = random_points(seed, n, n + 3);
  return a * a.transpose() / double(n + 3);
}

TEST(PlaceHistoryKernel, TheObjectiveIsTheLogDensityOfAllTimes) {
  const Matrix x = random_points(1, 9, 2), r = random_points(2, 30, 9), s = r.transpose() * r / 30;
  const Kernel<Row> k = matern52(0.8);
  double sum = 0;
  for (Index t = 0; t < 30; ++t) sum += log_density(r.row(t), covariance(k, x, Vector::Constant(9, 0.3)));
  const Vector theta = internal::concat(k.theta(), Vector::Constant(1, std::log(0.3)));
  EXPECT_NEAR(internal::ScatterEvidence<Row>(k, x, s, 30).at(theta, false).value, sum, 1e-9);
}

TEST(PlaceHistoryKernel, GradientsAreThoseOfDifferences) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Matrix x = random_points(seed, 11, 2), s = some_covariance(seed + 100, 11);
    const Kernel<Row> k = random_kernel(seed, 2);
    const Index p = k.theta().size();
    internal::ScatterEvidence<Row> scatter(k, x, s, 7);
    const auto at = [&](const Vector& t, bool gradient) { return scatter.at(t, gradient); };
    const Vector theta = internal::concat(k.theta(), Vector::Constant(1, std::log(0.2)));
    const Evaluation e = at(theta, true);
    const Vector d = differences([&](const Vector& t) { return at(t, false).value; }, theta, 5e-4);
    const double least = 1e-3 * std::max(1.0, std::abs(e.value));
    for (Index i = 0; i <= p; ++i)
      EXPECT_NEAR(e.gradient[i], d[i], 1e-6 * std::max(std::abs(d[i]), least)) << k.text() << ", entry " << i;
  }
}

TEST(PlaceHistoryKernel, FindsTheParametersOfSimulatedReadings) {
  const Matrix x = 2 * random_points(5, 30, 2);
  const Matrix c = covariance(2.5 * matern32(1.7), x, Vector::Constant(30, 0.4));
  Random rng(6);
  const Matrix l = c.llt().matrixL();
  const HistoryCovariance h = internal::sample_covariance(rng.normal(2000, 30) * l.transpose());
  const internal::HistoryKernel<Row> found =
      internal::kernel_from_history<Row>(parse<Row>("matern32()"), x, h.covariance, 1999);
  EXPECT_NEAR(found.nugget, 0.4, 0.02);
  for (const Parameter& p : found.kernel.parameters()) {
    if (p.role == Role::lengthscale) {
      EXPECT_NEAR(p.value, 1.7, 0.15);
    } else {
      EXPECT_NEAR(p.value, 2.5, 0.15);
    }
  }
}

TEST(PlaceHistoryKernel, AtTheOptimumOfAFreeScaleTheTraceIsTheNumberOfPlaces) {
  const Matrix x = random_points(7, 14, 2), s = some_covariance(8, 14);
  FitOptions o;
  o.prior = Prior::none;
  const internal::HistoryKernel<Row> f =
      internal::kernel_from_history<Row>(parse<Row>("matern52()"), x, s, 500, o);
  const Matrix k = covariance(f.kernel, x, Vector::Constant(14, f.nugget));
  EXPECT_NEAR(k.llt().solve(s).trace(), 14, 14e-5);
}

TEST(PlaceHistoryKernel, ASubsetOfThePlacesIsWhatItSaysWhenThereAreMany) {
  const Matrix x = random_points(9, 60, 2), s = covariance(matern52(1.0), x, Vector::Constant(60, 0.1));
  FitOptions o;
  o.subset = 30;
  const internal::HistoryKernel<Row> f =
      internal::kernel_from_history<Row>(parse<Row>("matern52()"), x, s, 100000, o);
  EXPECT_NEAR(f.nugget, 0.1, 1e-3);  // s is exact, so the kernel is found
}

}  // namespace
}  // namespace covary::test::place_history_kernel_test
