// What people type for our kernels, and what they are told.
#include <gtest/gtest.h>

#include "covary/base/error.h"
#include "covary/kernels/explain.h"
#include "covary/kernels/expression.h"

namespace covary::test::kernel_hints_test {
namespace {

std::string refused(const std::string& expression) {
  try {
    (void)parse<Row>(expression);
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::usage);
    return e.what();
  }
  return "accepted";
}

bool says(const std::string& expression, const std::string& part) {
  const std::string what = refused(expression);
  EXPECT_NE(what.find(part), std::string::npos) << expression << ": " << what;
  return what.find(part) != std::string::npos;
}

TEST(KernelHints, NamesOfOtherLibraries) {
  for (const char* name : {"rbf", "RBF", "RBFKernel", "gaussian", "Gaussian", "squared_exponential",
                           "SquaredExponential", "sqexp", "ExpQuad", "eq"})
    EXPECT_TRUE(says(std::string(name) + "()", "did you mean 'se'?"));
  for (const char* name : {"exponential", "Exponential", "ou", "laplacian", "absolute_exponential"})
    EXPECT_TRUE(says(std::string(name) + "()", "did you mean 'matern12'?"));
  for (const char* name : {"white", "WhiteKernel", "white_noise", "noise", "nugget"})
    EXPECT_TRUE(
        says(std::string(name) + "()", "the noise variance is fitted beside the kernel, see --noise"));
  for (const char* name : {"rq", "RQ", "RationalQuadratic", "ratquad"})
    EXPECT_TRUE(says(std::string(name) + "()", "did you mean 'rational_quadratic'?"));
  for (const char* name : {"expsinesquared", "ExpSineSquared", "exp_sine_squared", "StdPeriodic", "Periodic"})
    EXPECT_TRUE(says(std::string(name) + "()", "did you mean 'periodic'?"));
  for (const char* name : {"dotproduct", "DotProduct", "dot_product", "lin", "Linear"})
    EXPECT_TRUE(says(std::string(name) + "()", "did you mean 'linear'?"));
  EXPECT_TRUE(says("poly(degree=2)", "did you mean 'polynomial'?"));
  EXPECT_TRUE(says("ConstantKernel(1)", "did you mean 'constant'?"));
  EXPECT_TRUE(says("bias()", "did you mean 'constant'?"));
  EXPECT_TRUE(says("ScaleKernel(1)", "a number in front scales, 2.5 * se()"));
}

TEST(KernelHints, MaternByItsSmoothness) {
  EXPECT_TRUE(says("matern(nu=0.5)", "did you mean 'matern12'?"));
  EXPECT_TRUE(says("matern(nu=1.5)", "did you mean 'matern32'?"));
  EXPECT_TRUE(says("Matern(lengthscale=2, nu=2.5)", "did you mean 'matern52'?"));
  EXPECT_TRUE(says("matern()", "matern12(), matern32() or matern52() (nu = 1/2, 3/2, 5/2)"));
  EXPECT_TRUE(says("matern(nu=x)", "matern12(), matern32() or matern52() (nu = 1/2, 3/2, 5/2)"));
  EXPECT_TRUE(says("matern(nu=3)", "matern12(), matern32() or matern52()"));
  EXPECT_TRUE(says("Matern52()", "did you mean 'matern52'?"));
  EXPECT_TRUE(says("matern_32()", "did you mean 'matern32'?"));
}

TEST(KernelHints, InsideExpressionsAndWithoutBrackets) {
  EXPECT_TRUE(says("2 * rbf() + se()", "did you mean 'se'?, at position 5"));
  EXPECT_TRUE(says("se() + white", "the noise variance"));
  EXPECT_THROW(internal::check_names("on(x, rbf())"), Error);
}

/// A name that nothing is near gets the list, not a guess.
TEST(KernelHints, WhatIsNearToNothingGetsTheList) {
  EXPECT_TRUE(says("wiener()", "there are fixed, on, features, constant, se, "));
  EXPECT_TRUE(says("x()", "there are "));
}

TEST(Nearest, OnlyWhatIsClose) {
  const std::vector<std::string> options{"--delimiter", "--decimal", "--target", "--max-seconds", "--out"};
  EXPECT_EQ(internal::nearest("--maximize", options), "");  // and not --delimiter
  EXPECT_EQ(internal::nearest("--minimize", options), "");
  EXPECT_EQ(internal::nearest("--tagret", options), "--target");
  EXPECT_EQ(internal::nearest("--Target", options), "--target");
  EXPECT_EQ(internal::nearest("fti", {"fit", "tell"}), "fit") << "two letters swapped are one slip";
  EXPECT_EQ(internal::nearest("--max", options), "--max-seconds");
  EXPECT_EQ(internal::nearest("--o", options), "--out");
}

TEST(NamedColumns, OfFeatures) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(internal::named_columns(std::string("x, x^2")), (Names{"x"}));
  EXPECT_EQ(internal::named_columns(std::string("1e3*b + exp(-a/10), splines(\"c d\", knots=8), polynomial")),
            (Names{"b", "a", "c d"}));
  EXPECT_EQ(internal::named_columns(std::string("fourier([u, v], features=10, kernel=se(lengthscale=2))")),
            (Names{"u", "v"}));
  EXPECT_EQ(internal::named_columns(std::string("bumps(centers=3), 1.5, -2")), Names{});
  EXPECT_EQ(internal::named_columns(internal::read_expression("se() + features(\"x, z\") * on(w, se())")),
            (Names{"x", "z", "w"}));
}

}  // namespace
}  // namespace covary::test::kernel_hints_test
