// The noise of observations, and what it may not be.
#include "covary/process/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"

namespace covary::test::noise_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Noise, KindsAndText) {
  EXPECT_EQ(Noise::none().text(), "0");
  EXPECT_EQ(Noise::of(0.01).text(), "0.01");
  EXPECT_EQ(Noise::learn().text(), "learn");
  EXPECT_EQ(Noise::rows(Vector::Ones(2)).text(), "rows");
  EXPECT_TRUE(std::isnan(Noise::learn().variance));
  EXPECT_EQ(Noise::learn(0.5).variance, 0.5);
}

TEST(Noise, Variances) {
  EXPECT_TRUE(same_bits(Noise::of(0.25).variances(3), Vector::Constant(3, 0.25)));
  EXPECT_TRUE(same_bits(Noise::rows(Eigen::Vector2d(1, 3)).variances(2), Eigen::Vector2d(1, 9)));
  EXPECT_NE(error_of([] { Noise::rows(Vector::Ones(2)).variances(3); }, Problem::usage)
                .find("2 standard deviations"),
            std::string::npos);
  EXPECT_THROW(Noise::learn().variances(3), Error);
}

TEST(Noise, ImpossibleValuesAreRefused) {
  for (const double v : {-1.0, -0x1p-1074, std::nan(""), infinity}) {
    EXPECT_THROW(Noise::of(v), Error) << v;
    EXPECT_THROW(Noise::learn(v), Error) << v;
  }
  EXPECT_THROW(Noise::learn(0.0), Error);
  for (const double sd : {0.0, -1.0, std::nan(""), infinity}) {
    Vector all = Vector::Ones(3);
    all[1] = sd;
    EXPECT_NE(error_of([&] { Noise::rows(all); }, Problem::data).find("row 2"), std::string::npos) << sd;
  }
}

}  // namespace
}  // namespace covary::test::noise_test
