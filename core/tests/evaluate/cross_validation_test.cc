// Each observation from the others: in the units of y, by closed form and by folds.
#include "covary/evaluate/cross_validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/kernels/expression.h"

namespace covary::check_test {
namespace {

SavedModel example(double size, const Noise& noise, const std::string& kernel = "matern52()") {
  Random rng(3);
  const Matrix x = rng.normal(24, 1);
  Vector y(24);
  for (Index i = 0; i < 24; ++i) y[i] = size * (std::sin(2 * x(i, 0)) + 0.1 * rng.normal());
  FitOptions options;
  options.starts = 1;
  const Asked asked{"t",
                    kernel,
                    noise.kind == Noise::Kind::learned ? "learn" : "given",
                    Prior::weak,
                    ObjectiveKind::evidence,
                    1,
                    1};
  return saved(fit(Model<Row>{parse<Row>(kernel), constant_mean<Row>(), noise}, x, y, options), x, y, {"x"},
               "y", asked);
}

void expect_close(const Prediction& a, const Prediction& b, double size) {
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-8 * size);
  EXPECT_LT((a.sd - b.sd).cwiseAbs().maxCoeff(), 1e-8 * size);
}

TEST(LeftOut, AsManyFoldsAsRowsAreTheClosedForm) {
  for (const Noise& noise :
       {Noise::learn(), Noise::of(0.02), Noise::rows(Vector::LinSpaced(24, 0.05, 0.4))}) {
    const SavedModel m = example(1, noise);
    const Predictor p = restored(m);
    expect_close(left_out(m, p), left_out(m, p, {.folds = 24}), 1);
  }
}

TEST(LeftOut, UnitsOfY) {  // 1e200 is learned as y / scale
  const double size = 1e200;
  const SavedModel small = example(1, Noise::learn()), large = example(size, Noise::learn());
  ASSERT_NE(large.scale, 1);
  const Prediction a = left_out(small, restored(small)), b = left_out(large, restored(large));
  EXPECT_LT((a.mean - b.mean / size).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((a.sd - b.sd / size).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(LeftOut, RefitLearnsAnewAndFixedParametersStay) {
  const SavedModel free = example(1, Noise::learn());
  EXPECT_NE(left_out(free, restored(free), {.folds = 4}).sd,
            left_out(free, restored(free), {.folds = 4, .refit = true}).sd);
  const SavedModel fixed = example(1, Noise::of(0.02), "fixed(0.8 * se(lengthscale=0.7))");
  expect_close(left_out(fixed, restored(fixed), {.folds = 4}),
               left_out(fixed, restored(fixed), {.folds = 4, .refit = true}), 1);
}

TEST(LeftOut, SaysHowFarItIs) {
  const SavedModel m = example(1, Noise::of(0.02));
  std::vector<Index> seen;
  CheckOptions o{.folds = 3};
  o.progress = [&](Index done, Index of) { seen.push_back(10 * done + of); };
  (void)left_out(m, restored(m), o);
  EXPECT_EQ(seen, (std::vector<Index>{3, 13, 23}));
}

TEST(LeftOut, WhatItRefuses) {
  SavedModel m = example(1, Noise::of(0.02));
  const Predictor p = restored(m);
  EXPECT_THROW(left_out(m, p, {.refit = true}), Error);
  EXPECT_THROW(left_out(m, p, {.folds = 25}), Error);
  m.asked = {};
  EXPECT_THROW(left_out(m, p, {.folds = 3, .refit = true}), Error);
}

}  // namespace
}  // namespace covary::check_test
