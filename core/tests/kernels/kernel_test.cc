// Every kernel of the registry, at random parameters and on one to four columns, through the conformance
// suite.
#include "covary/kernels/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/linear.h"
#include "covary/kernels/periodic.h"
#include "covary/kernels/stationary.h"

namespace covary::test::kernel_test {
namespace {

class EveryKernel : public ::testing::TestWithParam<std::string> {
 protected:
  const Entry<Row>& entry() const {
    for (const Entry<Row>& e : registry<Row>())
      if (e.name == GetParam()) return e;
    throw std::logic_error(GetParam());
  }
  /// fn(kernel, a, b) for one to four columns (those it can have) and two draws of the parameters.
  template <class F>
  void each(F fn) const {
    for (Index d = std::max<Index>(1, entry().columns); d <= 4; ++d)
      for (std::uint64_t draw = 0; draw < 2; ++draw) {
        Random rng(100 * static_cast<std::uint64_t>(d) + draw);
        const std::string text = random_call(rng, entry(), d);
        SCOPED_TRACE(text);
        const Matrix a = with_repeats(points_for(entry(), 1 + draw, 61, d), 6),
                     b = points_for(entry(), 2 + draw, 45, d);
        fn(parsed_call(text), a, b);
      }
  }
};

using Both = const Matrix&;
TEST_P(EveryKernel, IsSymmetric) {
  each([](const Kernel<Row>& k, Both a, Both b) { expect_none(conformance::symmetry<Row>(k, a, b)); });
}
TEST_P(EveryKernel, IsPositiveSemiDefinite) {
  each(
      [](const Kernel<Row>& k, Both a, Both) { expect_none(conformance::positive_semidefinite<Row>(k, a)); });
}
TEST_P(EveryKernel, DiagIsTheDiagonalOfCross) {
  each([](const Kernel<Row>& k, Both a, Both) { expect_none(conformance::diagonal<Row>(k, a)); });
}
TEST_P(EveryKernel, PullbackIsTheDerivative) {
  each([](const Kernel<Row>& k, Both a, Both b) {
    expect_none(conformance::pullback<Row>(k, a, b));
    expect_none(conformance::pullback<Row>(k, a, a));
    expect_none(conformance::pullback_adds<Row>(k, a, b));
  });
}
TEST_P(EveryKernel, TilesHaveTheBitsOfTheBlock) {
  each([](const Kernel<Row>& k, Both a, Both b) { expect_none(conformance::tiles<Row>(k, a, b)); });
}
TEST_P(EveryKernel, WithItsOwnThetaIsIdentity) {
  each([](const Kernel<Row>& k, Both a, Both b) {
    expect_none(conformance::with_is_identity<Row>(k, a, b));
    expect_none(conformance::parameters_match<Row>(k));
  });
}
TEST_P(EveryKernel, NodeIsItsStructure) {
  each([](const Kernel<Row>& k, Both, Both) { expect_none(conformance::node<Row>(k)); });
  expect_none(conformance::node<Row>(entry().make(Arguments{})));
}
TEST_P(EveryKernel, PreparedPointsHaveTheSameBits) {
  each([](const Kernel<Row>& k, Both a, Both b) { expect_none(conformance::prepared<Row>(k, a, b)); });
}
TEST_P(EveryKernel, TextReadsBackToTheSameBits) {
  each([](const Kernel<Row>& k, Both a, Both b) {
    const Kernel<Row> again = parsed_call(k.text());
    EXPECT_EQ(again.text(), k.text());
    EXPECT_TRUE(same_bits(again.cross(a, b), k.cross(a, b)));
  });
}
TEST_P(EveryKernel, FeaturesHaveItsCovariance) {
  each([](const Kernel<Row>& k, Both a, Both) { expect_none(conformance::features<Row>(k, a.topRows(6))); });
}
TEST_P(EveryKernel, ManyThreadsGiveTheSameBits) {
  each([](const Kernel<Row>& k, Both a, Both b) { expect_none(conformance::thread_safety<Row>(k, a, b)); });
}
TEST_P(EveryKernel, DataSuggestAStart) {
  for (Index d = 1; d <= 4; ++d) {
    if (entry().columns && entry().columns != d) continue;
    const Matrix x = points_for(entry(), 3, 20, d);
    const Kernel<Row> k = parsed_call(GetParam() + "()");
    expect_none(conformance::starts<Row>(k, x));
    const Kernel<Row> sized = k.sized(x);
    Index scales = 0;
    for (const Parameter& p : sized.parameters()) scales += p.path == "lengthscale";
    if (std::ranges::count(entry().parameters, "lengthscale")) {
      EXPECT_EQ(scales, entry().columns ? 1 : d) << "one length-scale for each column is the default";
    }
    const Matrix far = x.array() * 1e-7 + 1e3;
    if (takes_any_number(entry())) expect_none(conformance::starts<Row>(k, far));
    expect_none(conformance::starts<Row>(k, Matrix::Zero(5, d)));
    expect_none(conformance::starts<Row>(k, x.topRows(1)));
  }
}
TEST_P(EveryKernel, WhatIsGivenStaysWhenSized) {
  each([](const Kernel<Row>& k, Both a, Both) { EXPECT_EQ(k.sized(a).text(), k.text()); });
}
TEST_P(EveryKernel, UnknownParametersAreNamedWhenTheyAreNeeded) {
  if (entry().parameters.size() == entry().settings.size()) return;
  const Kernel<Row> k = parsed_call(GetParam() + "()");
  const Matrix x = points_for(entry(), 4, 3, entry().columns ? entry().columns : 2);
  const std::string said = error_of([&] { Process<Row>(k).condition(x, Vector::Ones(3)); }, Problem::usage);
  EXPECT_NE(said.find("was not given"), std::string::npos) << said;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry<Row>& e : registry<Row>()) all.push_back(e.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryKernel, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

/// Values by hand, straight from the definitions.
TEST(Kernel, ValuesAreTheirDefinitions) {
  const Matrix a = Matrix::Constant(1, 1, 0.3), b = Matrix::Constant(1, 1, 1.7);
  const double r = 1.4 / 0.8, pi = 3.14159265358979323846;
  const auto value = [&](const std::string& text) { return parse<Row>(text).cross(a, b)(0, 0); };
  EXPECT_NEAR(value("se(lengthscale=0.8)"), std::exp(-r * r / 2), 1e-15);
  EXPECT_NEAR(value("matern12(lengthscale=0.8)"), std::exp(-r), 1e-15);
  EXPECT_NEAR(value("matern32(0.8)"), (1 + std::sqrt(3) * r) * std::exp(-std::sqrt(3) * r), 1e-15);
  EXPECT_NEAR(value("matern52(0.8)"), (1 + std::sqrt(5) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5) * r),
              1e-15);
  EXPECT_NEAR(value("rational_quadratic(0.8, alpha=1.3)"), std::pow(1 + r * r / 2.6, -1.3), 1e-15);
  EXPECT_NEAR(value("periodic(lengthscale=0.8, period=3)"),
              std::exp(-2 * std::pow(std::sin(pi * 1.4 / 3) / 0.8, 2)), 1e-15);
  EXPECT_NEAR(value("linear(lengthscale=0.8)"), 0.3 * 1.7 / 0.64, 1e-15);
  EXPECT_NEAR(value("polynomial(degree=3, offset=0.5)"), std::pow(0.5 + 0.51, 3), 1e-15);
  EXPECT_EQ(value("constant(variance=2.5)"), 2.5);
  EXPECT_EQ(value("2.5"), 2.5);
}

TEST(Kernel, FullNamesCarryTheColumn) {
  const Parameter shared{"1.lengthscale", Role::lengthscale, 1.0},
      own{"lengthscale", Role::lengthscale, 1.0, 1};
  EXPECT_EQ(full_name(shared), "1.lengthscale");
  EXPECT_EQ(full_name(own), "lengthscale.2");
  EXPECT_EQ(full_name(own, {"time", "temp"}), "lengthscale.temp");
}

TEST(Kernel, AsksForTheRightNumberOfLengthscales) {
  const Kernel<Row> k = se(Vector::Ones(3));
  const std::string said = error_of([&] { k.cross(Matrix::Ones(2, 2), Matrix::Ones(2, 2)); }, Problem::usage);
  EXPECT_NE(said.find("3 length-scales were given for points of 2 columns"), std::string::npos) << said;
}

/// Far apart and near in every kernel that decays: no NaN at any distance a double can hold.
TEST(Kernel, ExtremeDistancesAreFinite) {
  Matrix x(6, 1);
  x << 0, 5e-324, 1e-160, 1e160, -1e300, 1e308;
  for (const char* text : {"se(1)", "matern12(1)", "matern32(1)", "matern52(1)",
                           "rational_quadratic(1, alpha=2)", "se(1e-100)", "matern52(1e100)"}) {
    const Kernel<Row> k = parse<Row>(text);
    const Matrix c = k.cross(x, x);
    EXPECT_TRUE(c.allFinite()) << text;
    EXPECT_LE(c.maxCoeff(), 1.0) << text;
    EXPECT_GE(c.minCoeff(), 0.0) << text;
    EXPECT_TRUE(k.pullback(x, x, Matrix::Ones(6, 6)).allFinite()) << text;
  }
}

}  // namespace
}  // namespace covary::test::kernel_test
