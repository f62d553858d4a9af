// k-fold cross-validation: what folds are, and that n of them are leave-one-out.
#include "covary/evaluate/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/predictive/score.h"

namespace covary::folds_test {
namespace {

TEST(Folds, SizesDifferByOneAtMost) {
  for (const auto& [n, k] : std::vector<std::pair<Index, Index>>{{10, 3}, {7, 7}, {100, 10}, {5, 2}}) {
    const std::vector<Index> fold = internal::folds(n, k, 1);
    std::vector<Index> sizes;
    for (Index f = 0; f < k; ++f) sizes.push_back(std::count(fold.begin(), fold.end(), f));
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()),
              1);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), Index{0}), n);
  }
  EXPECT_EQ(internal::folds(50, 5, 7), internal::folds(50, 5, 7));
  EXPECT_NE(internal::folds(50, 5, 7), internal::folds(50, 5, 8));
  EXPECT_THROW(internal::folds(5, 1, 1), Error);
  EXPECT_THROW(internal::folds(5, 6, 1), Error);
}

struct Example {
  Matrix x;
  Vector y;
  Process<Row> prior;
};

Example example(const Noise& noise) {
  Random rng(4);
  Example e{rng.normal(30, 2), Vector(30),
            Process<Row>(parse<Row>("1.2 * matern52(lengthscale=[0.8, 1.5])"), parse_mean("linear"), noise)};
  for (Index i = 0; i < 30; ++i) e.y[i] = std::sin(e.x(i, 0)) + e.x(i, 1) + 0.1 * rng.normal();
  return e;
}

TEST(Folds, AsManyAsRowsAreLeaveOneOut) {
  const Example e = example(Noise::of(0.02));
  const auto refit = [&](const std::vector<Index>& rows) {
    return FittedModel({}, e.prior.condition(pick(e.x, rows), e.y(rows)));
  };
  const Prediction by_folds = cross_validate(e.x, e.prior.noise(), internal::folds(30, 30, 1), refit);
  const LeaveOneOut closed = e.prior.condition(e.x, e.y).leave_one_out();
  EXPECT_LT((by_folds.mean - closed.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((by_folds.sd.cwiseAbs2() - closed.variance).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(score(by_folds, e.y).nlpd, closed.nlpd, 1e-9);
}

TEST(Folds, NoiseOfEachRow) {
  const Vector sd = Vector::LinSpaced(30, 0.05, 0.5);
  const Example e = example(Noise::rows(sd));
  const auto refit = [&](const std::vector<Index>& rows) {
    return FittedModel({}, e.prior.condition(pick(e.x, rows), e.y(rows), Noise::rows(sd(rows))));
  };
  const Prediction by_folds = cross_validate(e.x, e.prior.noise(), internal::folds(30, 30, 1), refit);
  const LeaveOneOut closed = e.prior.condition(e.x, e.y).leave_one_out();
  EXPECT_LT((by_folds.mean - closed.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((by_folds.sd.cwiseAbs2() - closed.variance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Folds, FewerFoldsPredictFromLess) {
  const Example e = example(Noise::of(0.02));
  const auto refit = [&](const std::vector<Index>& rows) {
    return FittedModel({}, e.prior.condition(pick(e.x, rows), e.y(rows)));
  };
  const Prediction two = cross_validate(e.x, e.prior.noise(), internal::folds(30, 2, 1), refit);
  const Prediction all = cross_validate(e.x, e.prior.noise(), internal::folds(30, 30, 1), refit);
  EXPECT_GT(two.sd.squaredNorm(), all.sd.squaredNorm());
}

}  // namespace
}  // namespace covary::folds_test
