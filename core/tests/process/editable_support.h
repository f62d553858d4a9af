// What the tests of editable posteriors share: a prior, data, and the same posterior conditioned from scratch.
#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include "covary/process/editable.h"
#include "support.h"

namespace covary::test::editable_test {

inline Process<Row> prior(const std::string& kernel = "1.7 * matern52(0.9) + 0.4",
                          const std::string& trend = "constant", double noise = 0.05) {
  return Process<Row>(parse<Row>(kernel), parse_mean(trend), Noise::of(noise));
}

struct Data {
  Matrix x, at;
  Vector y;
};

inline Data data(Index n, std::uint64_t seed = 300) {
  const Matrix x = random_points(seed, n, 2);
  return {x, random_points(seed + 1, 12, 2), random_targets(seed + 2, x)};
}

inline EditableProcess<Row> grown(const Data& d, const Process<Row>& p = prior(),
                                  const EditableOptions& o = {}) {
  EditableProcess<Row> g(p, o);
  g.add(d.x, d.y);
  return g;
}

/// The same observations from scratch.
inline Process<Row> refit(const EditableProcess<Row>& g, const Process<Row>& p) {
  return p.condition(g.points(), g.targets(), Noise::rows(g.variances().cwiseSqrt()));
}

/// ... and with those that are pending, whatever they will be.
inline Process<Row> refit_all(const EditableProcess<Row>& g, const Process<Row>& p) {
  const Process<Row> measured = refit(g, p);
  if (g.pending() == 0) return measured;
  return p.condition(
      join(g.points(), g.pending_points()), internal::concat(g.targets(), Vector::Constant(g.pending(), 3.3)),
      Noise::rows(internal::concat(g.variances(), Vector::Constant(g.pending(), 0.05)).cwiseSqrt()));
}

inline void expect_equal(const EditableProcess<Row>& g, const Process<Row>& p, const Matrix& at,
                         double tolerance = 1e-8) {
  const Process<Row> mean = refit(g, p), spread = refit_all(g, p);
  EXPECT_TRUE(near(g.mean(at), mean.mean(at), tolerance));
  EXPECT_TRUE(near(g.variance(at), spread.variance(at), tolerance));
  EXPECT_TRUE(near(g.joint(at).covariance(), spread.joint(at).covariance(), tolerance));
  EXPECT_TRUE(near(g.joint(at).mean(), mean.mean(at), tolerance));
  EXPECT_NEAR(g.log_evidence(), mean.log_evidence(), tolerance * std::abs(mean.log_evidence()));
  const Process<Row> now = g.process();
  EXPECT_TRUE(near(now.mean(at), mean.mean(at), tolerance));
  EXPECT_TRUE(near(now.variance(at), mean.variance(at), tolerance));
  EXPECT_NEAR(now.log_evidence(), mean.log_evidence(), tolerance * std::abs(mean.log_evidence()));
  EXPECT_EQ(now.distinct(), mean.distinct());
}

}  // namespace covary::test::editable_test
