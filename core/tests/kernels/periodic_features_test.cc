// The random features of the periodic kernel, from the longest to the shortest length-scale.
#include <cmath>

#include "covary/kernels/kernel_gram.h"
#include "covary/kernels/periodic.h"
#include "support.h"

namespace covary::periodic_features_test {
namespace {

// phi(x)'phi(z) is k(x, z), to the error of so many draws, for lengthscale 1e-7 to 1e3.
TEST(PeriodicFeatures, AreTheKernelAtEveryLengthscale) {
  constexpr Index draws = 40'000;
  for (const double lengthscale :
       {1e3, 10.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.007, 0.003, 0.001, 1e-4, 1e-5, 1e-7}) {
    const Kernel<Row> k = periodic(2.5, Vector::Constant(1, lengthscale));
    // where the kernel is 1, some 0.9, 0.6, 0.1, and at the far end of the period
    const double unit = std::min(0.25, lengthscale / M_PI) * 2.5;
    const Matrix at = (Vector(5) << 0, 0.23 * unit, 0.5 * unit, 1.07 * unit, 1.25).finished();
    Random rng(5);
    const FeatureMap<Row> map = k.features(rng, draws);
    const Matrix phi = map(at);
    const double error = (phi * phi.transpose() - k.cross(at, at)).cwiseAbs().maxCoeff();
    EXPECT_LT(error, 4 / std::sqrt(double(draws))) << lengthscale;
  }
}

// Of no points at all.
TEST(Gram, PullbackOfNoPointsIsZero) {
  const Kernel<Row> k = periodic(2.5, Vector::Constant(1, 0.5));
  const Matrix none(0, 1);
  const Vector g = internal::pullback_lower(
      gram<Row>(k, none), [](Range r, Range c) { return Matrix(Matrix::Ones(r.count, c.count)); }, 1);
  EXPECT_EQ(g.size(), 2);
  EXPECT_EQ(g.cwiseAbs().sum(), 0);
}

}  // namespace
}  // namespace covary::periodic_features_test
