// Each observation from the others: in the units of y, by closed form and by folds.
#include "covary/evaluate/cross_validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/kernels/expression.h"

namespace covary::check_test {
namespace {

FittedModel example(double size, const Noise& noise, const std::string& kernel = "matern52()") {
  Random rng(3);
  const Matrix x = rng.normal(24, 1);
  Vector y(24);
  for (Index i = 0; i < 24; ++i) y[i] = size * (std::sin(2 * x(i, 0)) + 0.1 * rng.normal());
  FitOptions options;
  options.starts = 1;
  Request request;
  request.data = "t", request.kernel = kernel, request.starts = 1;
  request.noise = noise.is_learned() ? "learn" : "given";
  return internal::fitted_model(
      fit(Model<Row>{parse<Row>(kernel), constant_mean<Row>(), noise}, x, y, options), x, y, {"x"}, "y",
      request);
}

void expect_close(const Prediction& a, const Prediction& b, double size) {
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-8 * size);
  EXPECT_LT((a.sd - b.sd).cwiseAbs().maxCoeff(), 1e-8 * size);
}

TEST(LeftOut, AsManyFoldsAsRowsAreTheClosedForm) {
  for (const Noise& noise :
       {Noise::learn(), Noise::of(0.02), Noise::rows(Vector::LinSpaced(24, 0.05, 0.4))}) {
    const FittedModel m = example(1, noise);
    expect_close(left_out(m), left_out(m, {.folds = 24}), 1);
  }
}

TEST(LeftOut, UnitsOfY) {  // 1e200 is learned as y / scale
  const double size = 1e200;
  const FittedModel small = example(1, Noise::learn()), large = example(size, Noise::learn());
  ASSERT_NE(large->scale, 1);
  const Prediction a = left_out(small), b = left_out(large);
  EXPECT_LT((a.mean - b.mean / size).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((a.sd - b.sd / size).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(LeftOut, RefitLearnsAnewAndFixedParametersStay) {
  const FittedModel free = example(1, Noise::learn());
  EXPECT_NE(left_out(free, {.folds = 4}).sd, left_out(free, {.folds = 4, .refit = true}).sd);
  const FittedModel fixed = example(1, Noise::of(0.02), "fixed(0.8 * se(lengthscale=0.7))");
  expect_close(left_out(fixed, {.folds = 4}), left_out(fixed, {.folds = 4, .refit = true}), 1);
}

TEST(LeftOut, SaysHowFarItIs) {
  const FittedModel m = example(1, Noise::of(0.02));
  std::vector<Index> seen;
  CheckOptions o{.folds = 3};
  o.progress = [&](Index done, Index of) { seen.push_back(10 * done + of); };
  (void)left_out(m, o);
  EXPECT_EQ(seen, (std::vector<Index>{3, 13, 23}));
}

TEST(LeftOut, WhatItRefuses) {
  const FittedModel m = example(1, Noise::of(0.02));
  EXPECT_THROW(left_out(m, {.refit = true}), Error);
  EXPECT_THROW(left_out(m, {.folds = 25}), Error);
  ModelRecord unasked = m.record();
  unasked.request = {};
  EXPECT_THROW(left_out(FittedModel(unasked), {.folds = 3, .refit = true}), Error);
}

}  // namespace
}  // namespace covary::check_test
