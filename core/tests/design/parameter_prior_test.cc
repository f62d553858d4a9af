// Priors of parameters: they integrate to 1 over their ranges, and are read as they are typed.
#include "covary/design/parameter_prior.h"

#include "support.h"

namespace covary::parameter_prior_test {
namespace {

using internal::log_prior_density;
using internal::read_prior;

/// The integral over the range, by the midpoint rule.
double total(const ParameterPrior& p) {
  constexpr Index n = 20000;
  const double h = (p.high - p.low) / double(n);
  const Matrix x = Vector::LinSpaced(n, p.low + h / 2, p.high - h / 2);
  return h * log_prior_density({p}, x).array().exp().sum();
}

TEST(ParameterPrior, IntegratesToOneOverItsRange) {
  for (const ParameterPrior& p : std::vector<ParameterPrior>{
           {"a", -3, 5}, {"a", -3, 5, 1, 2}, {"a", 0, 1, 0, 0.2}, {"a", 7, 9, 0, 1}, {"a", -9, -7, 0, 1}})
    EXPECT_NEAR(total(p), 1, 1e-6) << p.mean;
}

TEST(ParameterPrior, IsTheSumOverParametersAndZeroOutside) {
  const ParameterPrior a{"a", 0, 2}, b{"b", -1, 1, 0.5, 2}, held{"c", 3, 3, 0, 1};
  const Matrix x{{0.5, 0.25, 3}, {2.5, 0.25, 3}, {0.5, -1.5, 3}};
  const Vector all = log_prior_density({a, b, held}, x);
  EXPECT_NEAR(all[0],
              log_prior_density({a}, x.leftCols(1))[0] + log_prior_density({b}, x.middleCols(1, 1))[0],
              1e-14);
  EXPECT_EQ(all[1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(all[2], -std::numeric_limits<double>::infinity());
}

TEST(ParameterPrior, IsReadAsItIsTyped) {
  std::vector<ParameterPrior> p{{"a", -1, 1}, {"b", 0, 9}, {"c", 0, 1}};
  read_prior("normal(0.5, 3), b=normal(mean=-2, sd=4), c=uniform", p);
  EXPECT_EQ(p[0].mean, 0.5);
  EXPECT_EQ(p[0].sd, 3);
  EXPECT_EQ(p[1].mean, -2);
  EXPECT_EQ(p[1].sd, 4);
  EXPECT_TRUE(p[2].uniform());
}

TEST(ParameterPrior, NumbersMayBeNegative) {
  std::vector<ParameterPrior> p{{"a", -9, 9}};
  read_prior("a=normal(-2, 0.5)", p);
  EXPECT_EQ(p[0].mean, -2);
  EXPECT_EQ(p[0].sd, 0.5);
  read_prior("normal(-1.5)", p);
  EXPECT_EQ(p[0].mean, -1.5);
}

TEST(ParameterPrior, WhatCannotBeReadIsNamed) {
  std::vector<ParameterPrior> p{{"rate", 0, 1}};
  EXPECT_NE(test::error_of([&] { read_prior("rate=normal(0, -1)", p); }, Problem::usage)
                .find("a positive sd, found 'normal(0, -1)'"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { read_prior("rats=normal(0, 1)", p); }, Problem::usage).find("'rate'"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { read_prior("rate=norml(0, 1)", p); }, Problem::usage).find("normal"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { read_prior("rate=normal(0, 0)", p); }, Problem::usage).find("rate"),
            std::string::npos);
}

TEST(ParameterPrior, RangesWithoutVolumeAreRefused) {
  const auto check = [](const std::vector<ParameterPrior>& prior) { internal::check(prior); };
  EXPECT_NE(test::error_of(
                [&] {
                  check({{"a", 1, 1}});
                },
                Problem::usage)
                .find("no volume"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { check({{"a", 2, 1}}); }, Problem::usage).find("2..1"), std::string::npos);
  EXPECT_NE(test::error_of(
                [&] {
                  check({{"a", 0, 1}, {"b", 50, 51, 0, 1}});
                },
                Problem::usage)
                .find("no mass"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { check({}); }, Problem::usage).find("one parameter"), std::string::npos);
  check({{"a", 1, 1}, {"b", 0, 1}});
}

}  // namespace
}  // namespace covary::parameter_prior_test
