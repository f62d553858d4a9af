// Every inference of the registry: what a posterior and an objective owe each other, whatever computes them.
#include <gtest/gtest.h>

#include "covary/inference/registry.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::inference_test {
namespace {

/// As typed, with the parameters that make 60 rows an approximation, and those with which nothing is.
struct Case {
  std::string text, limit;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const InferenceEntry<Row>& e : inferences<Row>())
    all.push_back(e.parameters.empty() ? Case{e.name + "()", e.name + "()"}
                                       : Case{e.name + "(20)", e.name + "(1000)"});
  return all;
}

class EveryInference : public testing::TestWithParam<Case> {
 protected:
  const Matrix x = random_points(1, 60, 2), at = random_points(3, 15, 2);
  const Vector y = random_targets(2, x).array() + 2;
  const Process<Row> prior{1.7 * matern52(0.9), constant_mean<Row>(), Noise::of(0.05)};
  const Inference<Row> inference = parse_inference<Row>(GetParam().text);
  const Inference<Row> limit = parse_inference<Row>(GetParam().limit);
  const Process<Row> posterior = condition(inference, prior, x, y);
  const Process<Row> exact = prior.condition(x, y);
};

TEST_P(EveryInference, ItsTextIsReadBack) {
  EXPECT_EQ(parse_inference<Row>(inference.text()).text(), inference.text());
  EXPECT_EQ(posterior.report().inference, inference.text());
}

TEST_P(EveryInference, MarginalsAreTheDiagonalOfTheJoint) {
  const Marginals m = posterior.predict(at);
  const Gaussian j = posterior.joint(at);
  EXPECT_TRUE(near(m.mean, j.mean(), 1e-10));
  EXPECT_TRUE(near(m.variance, j.covariance().diagonal(), 1e-9));
  EXPECT_TRUE(near(posterior.mean(at), m.mean, 1e-10));
  EXPECT_GE(m.variance.minCoeff(), 0);
}

TEST_P(EveryInference, GradientsAreThoseOfDifferences) {
  for (const Noise& noise : {Noise::learn(), Noise::of(0.2)}) {
    Process<Row> model(1.7 * matern52(0.9) + 0.3 * matern32((Vector(2) << 0.4, 2).finished()),
                       constant_mean<Row>(), noise);
    const Matrix twice = with_repeats(x, 7);
    const Vector again = concat(y, y.head(7).array() + 0.1);
    const auto objective = inference.objective(model, twice, again, ObjectiveKind::evidence)();
    Vector theta = model.kernel().theta();
    if (noise.kind == Noise::Kind::learned) theta = concat(theta, Vector::Constant(1, std::log(0.07)));
    const Evaluation e = objective->at(theta);
    ASSERT_EQ(e.gradient.size(), theta.size());
    const Vector d = differences([&](const Vector& t) { return objective->at(t, false).value; }, theta, 1e-3);
    for (Index i = 0; i < d.size(); ++i)
      EXPECT_NEAR(e.gradient[i], d[i], 1e-6 * std::max(1.0, std::abs(d[i]))) << i;
    EXPECT_EQ(objective->at(theta, false).gradient.size(), 0);
  }
}

TEST_P(EveryInference, TheObjectiveIsTheEvidenceOfThePosterior) {
  const auto objective = inference.objective(prior, x, y, ObjectiveKind::evidence)();
  EXPECT_NEAR(objective->at(prior.kernel().theta()).value, posterior.log_evidence(), 1e-8);
  EXPECT_LE(posterior.log_evidence(), exact.log_evidence() + 1e-6);
}

TEST_P(EveryInference, ConditioningTwiceIsConditioningOnce) {
  const Process<Row> later = condition(inference, prior, Rows(x.topRows(40)), Vector(y.head(40)))
                                 .condition(x.bottomRows(20), y.tail(20));
  EXPECT_EQ(later.size(), 60);
  EXPECT_TRUE(near(later.mean(at), posterior.mean(at), 1e-9));
  EXPECT_TRUE(near(later.variance(at), posterior.variance(at), 1e-9));
  EXPECT_NEAR(later.log_evidence(), posterior.log_evidence(), 1e-8);
}

TEST_P(EveryInference, ItsLimitIsExact) {
  const Process<Row> all = condition(limit, prior, x, y);
  EXPECT_TRUE(near(all.mean(at), exact.mean(at), 1e-6));
  EXPECT_TRUE(near(all.variance(at), exact.variance(at), 1e-6));
  EXPECT_NEAR(all.log_evidence(), exact.log_evidence(), 1e-5);
  EXPECT_TRUE(near(all.coefficients(), exact.coefficients(), 1e-6));
  EXPECT_TRUE(near(all.coefficient_covariance(), exact.coefficient_covariance(), 1e-6));
  const LeaveOneOut a = all.leave_one_out(), b = exact.leave_one_out();
  EXPECT_TRUE(near(a.mean, b.mean, 1e-5));
  EXPECT_TRUE(near(a.variance, b.variance, 1e-5));
}

TEST_P(EveryInference, FarFromTheDataItIsThePrior) {
  const Process<Row> known(prior.kernel(), constant_mean<Row>(2.0), Noise::of(0.05));
  const Process<Row> p = condition(inference, known, x, y);
  const Matrix far = Matrix::Constant(1, 2, 1e4);
  EXPECT_NEAR(p.mean(far)[0], 2, 1e-9);
  EXPECT_NEAR(p.variance(far)[0], 1.7, 1e-9);
}

TEST_P(EveryInference, BitsDoNotDependOnBlocksOrThreads) {
  const Matrix many = random_points(9, 3000, 2);
  const Vector values = random_targets(10, many);
  const auto objective = inference.objective(prior, many, values, ObjectiveKind::evidence);
  const Evaluation one = objective()->at(prior.kernel().theta(), true, 1),
                   two = objective()->at(prior.kernel().theta(), true, 2);
  if (inference.text() != "exact()") {  // LAPACK divides its own work by threads
    EXPECT_EQ(one.value, two.value);
    EXPECT_TRUE(same_bits(one.gradient, two.gradient));
  }
  const Marginals all = posterior.predict(many, Of::f, 2);
  for (const Range r : {Range{0, 1}, Range{700, 300}, Range{2999, 1}}) {
    const Marginals some = posterior.predict(Rows(many.middleRows(r.first, r.count)), Of::f, 1);
    EXPECT_TRUE(same_bits(some.mean, all.mean.segment(r.first, r.count)));
    EXPECT_TRUE(same_bits(some.variance, all.variance.segment(r.first, r.count)));
  }
}

TEST_P(EveryInference, PathsHaveThePosteriorsMoments) {
  constexpr Index draws = 300;
  Matrix f(at.rows(), draws);
  for (Index i = 0; i < draws; ++i) f.col(i) = posterior.path(std::uint64_t(i), 1000)(at);
  const Vector mean = f.rowwise().mean(), sd = posterior.predict(at).sd();
  const Vector off = (mean - posterior.mean(at)).cwiseQuotient(sd) * std::sqrt(double(draws));
  EXPECT_LT(off.cwiseAbs().maxCoeff(), 4.5);
  const Vector spread = ((f.colwise() - mean).rowwise().squaredNorm() / double(draws - 1)).cwiseSqrt();
  EXPECT_TRUE(near(spread.cwiseQuotient(sd), Vector::Ones(at.rows()), 0.25));
}

TEST_P(EveryInference, CostGrowsWithTheRows) {
  EXPECT_GT(inference.cost(2000, 3).flops, inference.cost(1000, 3).flops);
  EXPECT_GE(inference.cost(2000, 3).bytes, inference.cost(1000, 3).bytes);
}

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
