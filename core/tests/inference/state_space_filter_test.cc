#include "covary/inference/state_space_filter.h"

#include <gtest/gtest.h>

#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::state_space_filter_test {
namespace {

const Process<Row>& prior() {
  static const Process<Row> p(parse<Row>("1.3 * matern52(lengthscale=0.7) + 0.4 * cosine(period=1.7)"),
                              constant_mean<Row>(0.5), Noise::of(0.1));
  return p;
}
Matrix times(Index n) {
  Matrix t = random_points(1, n, 1).cwiseAbs();
  for (Index i = 1; i < n; ++i) t(i, 0) += t(i - 1, 0);
  return t;
}

TEST(StateSpaceFilter, BlocksAreTheWholeSeries) {
  const Matrix x = times(700);
  const Vector y = random_targets(2, x);
  StateSpace::Filter filter(prior());
  EXPECT_EQ(filter.log_evidence(), 0);
  Index at = 0;
  for (const Index n : {1, 2, 300, 7, 0, 390}) filter.observe(x.middleRows(at, n), y.segment(at, n)), at += n;
  const Process<Row> whole = prior().condition(x, y);
  EXPECT_EQ(filter.size(), 700);
  EXPECT_NEAR(filter.log_evidence(), whole.log_evidence(), 1e-9 * std::abs(whole.log_evidence()));
  const Matrix later = x(699, 0) + Vector::LinSpaced(20, 0, 8).array();
  EXPECT_LT((filter.forecast(later).mean - whole.mean(later)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((filter.forecast(later).variance - whole.variance(later)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(StateSpaceFilter, BeforeTheFirstRowItIsThePrior) {
  const Marginals m = StateSpace::Filter(prior()).forecast(Matrix::Constant(1, 1, 3));
  EXPECT_EQ(m.mean[0], 0.5);
  EXPECT_NEAR(m.variance[0], 1.7, 1e-14);
}

TEST(StateSpaceFilter, WhatItCannotDoIsSaid) {
  StateSpace::Filter filter(prior());
  const Matrix x = times(10);
  filter.observe(x, Vector(x.col(0)));
  EXPECT_THROW(filter.observe(x, Vector(x.col(0))), Error);  // back in time
  EXPECT_EQ(filter.size(), 10);
  EXPECT_THROW(filter.forecast(x), Error);
  EXPECT_THROW(StateSpace::Filter(Process<Row>(prior().kernel(), constant_mean<Row>(), Noise::of(1))), Error);
  EXPECT_THROW(StateSpace::Filter(Process<Row>(prior().kernel(), {}, Noise::learn())), Error);
  EXPECT_THROW(StateSpace::Filter(Process<Row>(parse<Row>("wendland(lengthscale=1)"), {}, Noise::of(1))),
               Error);
}

}  // namespace
}  // namespace covary::test::state_space_filter_test
