// Posterior variances near their rounding: none is 0 unless the point was observed without noise, none is far
// below the truth, and all are counted. The truth is the same computation with twice the digits.
#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/model/fitted_model.h"
#include "support.h"

namespace covary::rounding_test {
namespace {

using Wide = long double;  // 64 bits of mantissa: 11 more than double
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

/// k(x,x) - k'(K + noise)^-1 k for amplitude * se(lengthscale), in long double.
Vector true_variances(const Vector& x, const Vector& at, Wide amplitude, Wide lengthscale, Wide noise) {
  const Index n = x.size();
  const auto k = [&](double a, double b) {
    const Wide r = (Wide(a) - Wide(b)) / lengthscale;
    return amplitude * std::exp(-r * r / 2);
  };
  WideMatrix l(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) {
      Wide sum = k(x[i], x[j]) + (i == j ? noise : 0);
      for (Index m = 0; m < j; ++m) sum -= l(i, m) * l(j, m);
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  Vector out(at.size());
  for (Index p = 0; p < at.size(); ++p) {
    Wide left = amplitude;
    std::vector<Wide> z(static_cast<size_t>(n));
    for (Index i = 0; i < n; ++i) {
      Wide sum = k(x[i], at[p]);
      for (Index m = 0; m < i; ++m) sum -= l(i, m) * z[static_cast<size_t>(m)];
      z[static_cast<size_t>(i)] = sum / l(i, i);
      left -= z[static_cast<size_t>(i)] * z[static_cast<size_t>(i)];
    }
    out[p] = double(left);
  }
  return out;
}

// What is not counted is right to a tenth, what is counted is no smaller than a rounding of it.
TEST(Rounding, EveryVarianceIsRightOrCounted) {
  const Vector x = Vector::LinSpaced(12, 0, 3);
  const Vector at = (Vector(8) << 0, 0.123, x[6], 1.5321, 2.9, 3.2, 3.6, -0.01).finished();
  for (const double lengthscale : {0.1, 0.3, 0.6})
    for (const double noise : {1e-2, 1e-6, 1e-10, 1e-13, 1e-14}) {
      const Vector truth = true_variances(x, at, 1, lengthscale, noise);
      const Process<Row> p(parse<Row>("se(lengthscale=" + std::to_string(lengthscale) + ")"), {},
                           Noise::of(noise));
      const Process<Row> posterior = p.condition(x, x.array().sin());
      for (Index i = 0; i < at.size(); ++i) {
        const Marginals m = posterior.predict(at.segment(i, 1));
        SCOPED_TRACE(testing::Message() << "lengthscale " << lengthscale << ", noise " << noise << ", at "
                                        << at[i] << ": " << m.variance[0] << ", truly " << truth[i]);
        EXPECT_GT(m.variance[0], 0) << "there is noise";
        if (m.clamped == 0) {
          EXPECT_NEAR(m.variance[0], truth[i], 0.12 * truth[i]);
        } else {
          EXPECT_GT(m.variance[0], 0.5 * truth[i]);
        }
      }
    }
}

// The noise lies below the rounding of the covariances; the truth is 0.03.
TEST(Rounding, NoiseBelowTheRoundingOfTheCovariance) {
  const Vector x = Vector::LinSpaced(10, 0, 9);
  const Process<Row> p = Process<Row>(parse<Row>("fixed(1e14 * se(lengthscale=1))"), {}, Noise::of(1e-3))
                             .condition(x, x.array().sin());
  const Prediction m = FittedModel({}, p).predict(x);
  EXPECT_EQ(m.clamped, 10) << "all are counted";
  EXPECT_GT(m.sd.minCoeff(), 0.03);
  EXPECT_LT(m.sd.maxCoeff(), 0.04);
}

// A covariance that is singular but for its rounding comes with a note.
TEST(Rounding, IllConditionedIsSaid) {
  const Vector x = Vector::LinSpaced(40, 0, 3);
  const Process<Row> p(parse<Row>("se(lengthscale=0.3)"), {}, Noise::of(1e-14));
  const Process<Row> posterior = p.condition(x, x.array().sin());
  const bool jittered = posterior.conditioning().jitter > 0;
  EXPECT_TRUE(jittered || posterior.conditioning().reciprocal_condition < 1e-13);
  EXPECT_TRUE(test::mentions(posterior.notes(), jittered ? "singular to rounding" : "ill-conditioned"));
  EXPECT_TRUE(Process<Row>(parse<Row>("se(lengthscale=0.3)"), {}, Noise::of(1e-2))
                  .condition(x, x.array().sin())
                  .notes()
                  .empty());
}

// Known exactly is 0, and a hair beside it is not.
TEST(Rounding, OnlyAnExactObservationIsZero) {
  const Vector x = Vector::LinSpaced(8, 0, 7), beside = x.array() + 1e-6;
  for (const char* kernel : {"se(lengthscale=1)", "3 * matern32(lengthscale=2)", "matern12(lengthscale=1)"})
    for (const char* trend : {"zero", "constant", "linear"}) {
      const Process<Row> p =
          Process<Row>(parse<Row>(kernel), parse_mean(trend), Noise::of(0)).condition(x, x.array().cos());
      EXPECT_EQ(p.variance(x).maxCoeff(), 0) << kernel << ", " << trend;
      EXPECT_EQ(p.predict(x).clamped, 8) << kernel << ", " << trend;
      EXPECT_GT(p.variance(beside).minCoeff(), 0) << kernel << ", " << trend;
    }
}

}  // namespace
}  // namespace covary::rounding_test
