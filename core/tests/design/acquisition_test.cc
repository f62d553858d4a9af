// The gradient of every acquisition function with respect to x against differences, for all kernels over numbers;
// their values against those of the strategies over a pool.
#include "covary/design/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/inference/registry.h"
#include "covary/select/selector.h"
#include "support.h"

namespace covary::test::acquisition_test {
namespace {

using internal::acquisition;
using internal::Acquisition;

const std::vector<std::string> all{"expected-improvement", "probability-of-improvement",
                                   "upper-confidence",     "thompson",
                                   "knowledge-gradient",   "uncertainty"};

void expect_gradient(const Acquisition& a, const Matrix& at) {
  for (Index i = 0; i < at.rows(); ++i) {
    const Matrix x = at.row(i);
    const auto [value, slopes] = a.slopes(x);
    const Vector d = differences([&](const Vector& t) { return a.values(Matrix(x + t.transpose()))[0]; },
                                 Vector::Zero(x.cols()), 1e-4);
    EXPECT_NEAR(value, a.values(x)[0], 1e-7 * std::max(1.0, std::abs(value)));
    EXPECT_LE((slopes - d).cwiseAbs().maxCoeff(), 2e-5 * std::max(1.0, d.cwiseAbs().maxCoeff()))
        << "row " << i << ": " << slopes.transpose() << " and " << d.transpose();
  }
}

/// Rows that the kernel takes, in tenths plus `off`: kernels over counts have a kink where two are equal.
Matrix points_off(const Entry<Row>& entry, std::uint64_t seed, Index n, Index d, double off) {
  const Matrix x = points_for(entry, seed, n, d) + 0.3 * random_points(seed + 50, n, d).cwiseAbs();
  return ((10 * x.array()).round() / 10 + off).matrix();
}

class EveryAcquisition : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryAcquisition, HasTheGradientOfDifferencesForAllKernels) {
  for (const Entry<Row>& e : registry<Row>()) {
    if (e.reads != Reads::numbers) continue;
    const Index d = e.columns ? e.columns : 2;
    Random rng(7);
    const std::string text = random_call(rng, e, d);
    const Matrix x = points_off(e, 1, 20, d, 0), at = points_off(e, 2, 2, d, 0.05),
                 reference = points_off(e, 3, 6, d, 0);
    const Process<Row> prior(parsed_call(text), constant_mean<Row>(), Noise::of(0.1));
    const Process<Row> p = prior.condition(x, random_targets(3, x));
    const bool minimize = rng.uniform() < 0.5;
    SCOPED_TRACE(text + (minimize ? ", smallest" : ", largest"));
    Random any(1);
    if (GetParam() == "thompson")  // a draw has a gradient if the kernel is smooth, and needs its features
      if (e.name.ends_with("matern12") || !p.kernel().features(any, 8)) continue;
    expect_gradient(acquisition(parse_strategy(GetParam()), p, {minimize, 5, reference}), at);
  }
}

TEST_P(EveryAcquisition, HasTheGradientOfDifferencesUnderTrendsAndInducingPoints) {
  const Matrix x = random_points(1, 40, 2), at = random_points(2, 3, 2), reference = random_points(4, 8, 2);
  const Vector y = random_targets(3, x);
  for (const char* trend : {"zero", "linear"})
    for (const char* how : {"exact", "inducing(points=15)"}) {
      SCOPED_TRACE(std::string(trend) + ", " + how);
      const Process<Row> prior(parse<Row>("1.5 * matern52(1)"), parse_mean(trend), Noise::of(0.1));
      const Process<Row> p = condition(parse_inference<Row>(how), prior, Rows(x), y, 1);
      expect_gradient(acquisition(parse_strategy(GetParam()), p, {false, 5, reference}), at);
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAcquisition, ::testing::ValuesIn(all), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// The same numbers as the strategies over a pool have.
TEST(Acquisition, ScoresAreThoseOfTheStrategies) {
  const Matrix x = random_points(1, 15, 2), pool = random_points(2, 30, 2);
  const Vector y = random_targets(3, x);
  const Process<Row> prior(parse<Row>("1.5 * se(1)"), constant_mean<Row>(), Noise::of(0.05));
  const Process<Row> p = prior.condition(x, y);
  for (const bool minimize : {false, true})
    for (const char* name :
         {"expected-improvement", "probability-of-improvement", "uncertainty", "upper-confidence"}) {
      SCOPED_TRACE(name);
      const Matrix both = join(pool, x);
      Selector s(parse_strategy(name), pool_of<Row>(prior, both), {.minimize = minimize});
      std::vector<Index> known = internal::all_indices(15);
      for (Index& i : known) i += 30;
      s.tell(known, y);
      s.suggest();
      const Acquisition a = acquisition(parse_strategy(name), p, {minimize, 1, {}});
      Vector ours = a.values(pool), theirs = s.scores().head(30);
      for (double& v : ours) v = a.score(v);
      if (std::string(name) == "upper-confidence")
        ours.array() -= ours[0], theirs.array() -= theirs[0];  // above another level
      EXPECT_LT((ours - theirs).cwiseAbs().maxCoeff(), 1e-8);
    }
}

/// What a label does for the best mean, by drawing labels.
TEST(Acquisition, KnowledgeGradientIsWhatLabelsDo) {
  const Matrix x = random_points(1, 10, 1), reference = Vector::LinSpaced(15, -2, 2);
  const Process<Row> prior(parse<Row>("se(0.7)"), zero_mean<Row>(), Noise::of(0.2));
  const Process<Row> p = prior.condition(x, random_targets(2, x));
  const Acquisition a = acquisition(parse_strategy("knowledge-gradient"), p, {false, 1, reference});
  const Matrix at = Matrix::Constant(1, 1, 0.3);
  const Matrix seen = join(Rows(Matrix(join(Rows(x), Rows(reference)))), Rows(at));
  const double now = p.mean(seen.topRows(25)).maxCoeff();
  const Marginals m = p.predict(at, Of::y);
  double sum = 0, weights = 0;
  for (double z = -6; z <= 6; z += 0.05) {
    const Vector label = Vector::Constant(1, m.mean[0] + z * std::sqrt(m.variance[0]));
    const double w = std::exp(-0.5 * z * z);
    sum += w * p.condition(at, label).mean(seen).maxCoeff(), weights += w;
  }
  EXPECT_NEAR(a.score(a.values(at)[0]), sum / weights - now, 1e-4);
}

TEST(Acquisition, OthersNeedATable) {
  const Process<Row> p = Process<Row>(parse<Row>("se(1)")).condition(Matrix::Ones(1, 1), Vector::Ones(1));
  EXPECT_NE(error_of([&] { acquisition(parse_strategy("density"), p, {}); }, Problem::usage)
                .find("needs a table of candidates"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::acquisition_test
