// The prior of a field: of models their posterior, of a kernel, a matrix and a history their covariances.
#include "covary/design/field_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "design/design_support.h"

namespace covary::test::field_prior_test {
namespace {

Matrix readings_of(const Matrix& x, Index times) {
  Random rng(7);
  const Matrix l =
      lower_root_of(covariance(parse<Row>("se(lengthscale=1)"), x, Vector::Constant(x.rows(), 0.1)));
  return rng.normal(times, x.rows()) * l.transpose();
}

TEST(FieldPrior, OfAModelItIsThePosteriorInTheUnitsOfY) {
  const Matrix x = random_points(3, 15, 2);
  for (const double scale : {1.0, 8.0}) {
    const FittedModel m = small_model(Noise::of(0.05), "learn", scale);
    const FieldPrior f = field_prior({m}, x, {.nugget = 0.3});
    Matrix expected = m.joint(x).covariance();
    expected.diagonal().array() += 0.3;
    EXPECT_TRUE(near(internal::covariance_of(f.plain), expected, 1e-9));
    EXPECT_TRUE(near(f.mean, m.mean(x), 1e-12));
    EXPECT_NEAR(f.noise, 0.05 * scale * scale, 1e-12);
    EXPECT_EQ(f.words, "the model");
    EXPECT_TRUE(mentions(f.notes, "a sensor's noise is that of the model, a variance of "));
    EXPECT_TRUE(field_prior({m}, x, {.noise_given = true}).notes.empty());
  }
}

TEST(FieldPrior, SeveralModelsAreAveragedAndTheFirstPredicts) {
  const Matrix x = random_points(3, 9, 2);
  const FittedModel a = small_model(), b = small_model(Noise::of(0.7));
  const FieldPrior f = field_prior({a, b}, x);
  ASSERT_EQ(f.fields.size(), 2u);
  EXPECT_TRUE(near(internal::covariance_of(f.fields[1]), b.joint(x).covariance(), 1e-9));
  EXPECT_TRUE(same_bits(internal::covariance_of(f.plain), internal::covariance_of(f.fields[0])));
  EXPECT_EQ(f.words, "2 models, averaged");
  const FieldPrior drawn = field_prior({a}, x, {.draws = 3, .seed = 2});
  EXPECT_EQ(drawn.fields.size(), 3u);
  EXPECT_TRUE(same_bits(internal::covariance_of(drawn.plain), internal::covariance_of(f.fields[0])));
  EXPECT_EQ(drawn.words, "3 draws of the model's parameters, averaged");
}

TEST(FieldPrior, TheSdAnywhereIsThatOfTheProcessGivenTheSensors) {
  const Matrix x = random_points(3, 6, 2), at = random_points(4, 5, 2);
  const FittedModel m = small_model();
  const FieldPrior f = field_prior({m}, x);
  EXPECT_TRUE(near(f.sd(at, Matrix(0, 2), Vector(0)), m.predict(at).sd, 1e-9));
  const FittedModel more = told(m, x, m.mean(x));
  EXPECT_TRUE(near(f.sd(at, x, Vector::Constant(6, 0.05)), more.predict(at).sd, 1e-7));
}

TEST(FieldPrior, OfAKernelAndOfItsMatrixAreTheSame) {
  const Matrix x = random_points(3, 9, 2);
  const Kernel<Row> k = parse<Row>("2 * matern52(lengthscale=1.5)");
  const FieldPrior a = field_prior(k, x, {"a", "b"}, {.nugget = 0.1});
  const FieldPrior b = field_prior(k.cross(x, x), {.nugget = 0.1});
  EXPECT_TRUE(near(internal::covariance_of(a.plain), internal::covariance_of(b.plain), 1e-12));
  EXPECT_EQ(a.words, "the kernel " + k.text());
  EXPECT_TRUE(a.sd && !b.sd);
  EXPECT_EQ(error_of(
                [&] {
                  field_prior(parse<Row>("2 * matern52()"), x, {"a", "b"});
                },
                Problem::usage)
                .rfind("kernel: lengthscale is not given, and without a history", 0),
            0u);
}

TEST(FieldPrior, OfAHistoryItIsItsCovarianceAndSaysHowFarItWasShrunk) {
  const Matrix x = random_points(3, 5, 2), r = readings_of(x, 40);
  const FieldPrior f = history_prior(r, {.shrinkage = 0.25, .nugget = 0.2});
  Matrix expected = from_history(r, {.shrinkage = 0.25}).covariance;
  expected.diagonal().array() += 0.2;
  EXPECT_TRUE(near(internal::covariance_of(f.plain), expected, 1e-12));
  EXPECT_TRUE(near(f.mean, r.colwise().mean().transpose(), 1e-12));
  EXPECT_EQ(f.words, "the covariances of 40 times, 0.25 of the way to their diagonal");
  const FieldPrior fitted =
      history_prior(r, {.shrinkage = 1}, HistoryTarget{parse<Row>("se()"), x, {.starts = 1}});
  EXPECT_EQ(fitted.words, "the covariances of 40 times, 1 of the way to the kernel");
  EXPECT_TRUE(mentions(fitted.notes, "learned from the history: "));
}

TEST(FieldPrior, FewTimesAreSaid) {
  const Matrix r = readings_of(random_points(3, 9, 2), 4);
  const FieldPrior f = history_prior(r, {.shrinkage = 0, .may_be_singular = true});
  EXPECT_TRUE(mentions(f.notes, "4 times for 9 places: covariances this uncertain need shrinkage"));
}

TEST(FieldPrior, WhatSaysNothingOfSensorsIsRefused) {
  const Matrix x = random_points(3, 4, 2);
  const FittedModel rows = small_model(Noise::rows(Vector::Constant(12, 0.2)), "column:sd");
  EXPECT_EQ(error_of([&] { field_prior({rows}, x); }, Problem::usage),
            "noise is needed: this model has one noise for each row and none for new sensors");
  EXPECT_EQ(field_prior({rows}, x, {.noise_given = true}).noise, 0);
  EXPECT_NE(error_of([&] { field_prior({small_linear_model()}, x); }, Problem::usage)
                .find("needs a Gaussian process"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::field_prior_test
