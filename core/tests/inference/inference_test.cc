// Every inference of the registry: what a posterior and an objective owe each other, whatever computes them.
#include <gtest/gtest.h>

#include "conformance.h"
#include "covary/kernels/stationary.h"

namespace covary::test::inference_test {
namespace {

/// As typed, with the parameters that make 60 rows an approximation, and those with which nothing is.
struct Case {
  std::string text, limit;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const InferenceEntry<Row>& e : inferences<Row>()) {
    const std::string whole = e.name + "()";
    all.push_back(parse_inference<Row>(whole).text() == whole ? Case{whole, whole}
                                                              : Case{e.name + "(20)", e.name + "(1000)"});
  }
  return all;
}

using conformance::InferenceCase;

class EveryInference : public testing::TestWithParam<Case> {
 protected:
  const Process<Row> prior{1.7 * matern52(0.9), constant_mean<Row>(), Noise::of(0.05)};
  const Inference<Row> inference = parse_inference<Row>(GetParam().text);
  const Index d = inference.refusal(prior, random_points(1, 60, 2)).empty() ? 2 : 1;  // columns
  const Matrix x = random_points(1, 60, d), at = random_points(3, 15, d);
  const Vector y = random_targets(2, x).array() + 2;
  const Inference<Row> limit = parse_inference<Row>(GetParam().limit);
  const InferenceCase<Row> given{prior, x, y, at};
};

TEST_P(EveryInference, ItsTextIsReadBack) { expect_none(conformance::text(inference, given)); }

TEST_P(EveryInference, MarginalsAreTheDiagonalOfTheJoint) {
  expect_none(conformance::marginals(inference, given));
}

TEST_P(EveryInference, GradientsAreThoseOfDifferences) {
  for (const Noise& noise : {Noise::learn(), Noise::of(0.2)}) {
    const Process<Row> model(
        1.7 * matern52(0.9) + 0.3 * matern32(Vector((Vector(2) << 0.4, 2).finished()).head(d)),
        constant_mean<Row>(), noise);
    const Vector again = internal::concat(y, y.head(7).array() + 0.1);
    expect_none(conformance::gradients(inference, InferenceCase<Row>{model, with_repeats(x, 7), again, at}));
  }
}

TEST_P(EveryInference, TheObjectiveIsTheEvidenceOfThePosterior) {
  expect_none(conformance::evidence(inference, given));
}

TEST_P(EveryInference, ConditioningTwiceIsConditioningOnce) {
  expect_none(conformance::conditioning_twice(inference, given));
}

TEST_P(EveryInference, ItsLimitIsExact) { expect_none(conformance::limit_is_exact(limit, given)); }

TEST_P(EveryInference, FarFromTheDataItIsThePrior) {
  const Process<Row> known(prior.kernel(), constant_mean<Row>(2.0), Noise::of(0.05));
  const Matrix far = Matrix::Constant(1, d, 1e4);
  expect_none(conformance::far_is_prior(inference, InferenceCase<Row>{known, x, y, at}, Rows(far)));
}

TEST_P(EveryInference, BitsDoNotDependOnBlocksOrThreads) {
  const Matrix many = random_points(9, 3000, d);
  expect_none(conformance::prediction_blocks(inference, InferenceCase<Row>{prior, x, y, many}));
  if (inference.text() != "exact()")  // LAPACK divides its own work by threads
    expect_none(conformance::objective_threads(
        inference, InferenceCase<Row>{prior, many, random_targets(10, many), at}));
}

TEST_P(EveryInference, PathsHaveThePosteriorsMoments) {
  expect_none(conformance::path_moments(inference, given));
}

TEST_P(EveryInference, CostGrowsWithTheRows) { expect_none(conformance::cost_grows(inference)); }

INSTANTIATE_TEST_SUITE_P(Registry, EveryInference, testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.text.substr(0, of.param.text.find('(')); });

TEST(Inferences, WhatCannotBeReadIsRefused) {
  for (const char* text : {"", "exakt()", "inducing(points=0)", "inducing(512.5)", "inducing(512, 3)",
                           "inducing(points=512", "inducing(punkte=3)"})
    EXPECT_THROW(parse_inference<Row>(text), Error) << text;
  EXPECT_EQ(parse_inference<Row>("inducing").text(), "inducing(points=512)");
  EXPECT_EQ(parse_inference<Row>("inducing(64)").text(), "inducing(points=64)");
}

TEST(Inducing, NeedsNoiseAndSaysSo) {
  const Matrix x = random_points(1, 20, 1);
  const Process<Row> prior(se(1.0), zero_mean<Row>(), Noise::none());
  EXPECT_THROW(condition(parse_inference<Row>("inducing(5)"), prior, Rows(x), Vector(x.col(0))), Error);
}

TEST(Inducing, SaysThatItIsApproximate) {
  const Matrix x = random_points(1, 50, 1);
  const Process<Row> prior(se(0.3), zero_mean<Row>(), Noise::of(0.1));
  const Process<Row> few = condition(parse_inference<Row>("inducing(5)"), prior, Rows(x), Vector(x.col(0)));
  EXPECT_TRUE(few.report().approximate);
  ASSERT_EQ(few.notes().size(), 1);
  EXPECT_NE(few.notes()[0].find("5 of 50 inputs are inducing points"), std::string::npos);
}

}  // namespace
}  // namespace covary::test::inference_test
