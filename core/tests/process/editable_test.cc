// A posterior edited in place equals one conditioned from scratch, whatever was done to it and in which
// order.
#include "covary/process/editable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "covary/kernels/stationary.h"
#include "process/editable_support.h"

namespace covary::test::editable_test {
namespace {

/// A new point: mostly anywhere, sometimes where there is one already.
Matrix anywhere(Random& rng, const EditableProcess<Row>& g) {
  if (g.size() && rng.integer(8) == 0) return g.points().row(rng.integer(g.size()));
  return rng.normal(1, 2);
}

void edit_at_random(EditableProcess<Row>& g, Random& rng) {
  const Index n = g.size(), what = n < 8 ? 0 : n > 70 ? 1 : rng.integer(7);
  if (what == 0) {
    const Index q = 1 + rng.integer(3);
    Matrix x(q, 2);
    for (Index i = 0; i < q; ++i) x.row(i) = anywhere(rng, g);
    g.add(x, rng.normal(q, 1));
  } else if (what == 1) {
    g.remove(rng.integer(n));
  } else if (what == 2) {
    g.retarget(rng.integer(n), rng.normal());
  } else if (what == 3) {
    g.renoise(rng.integer(n), 0.01 + rng.uniform());
  } else if (what == 4 && g.pending() < 6) {
    g.pend(anywhere(rng, g));
  } else if (what == 5 && g.pending()) {
    g.tell(rng.integer(g.pending()), rng.normal());
  } else if (what == 6 && g.pending()) {
    g.withdraw(rng.integer(g.pending()));
  }
}

TEST(EditableProcess, AThousandRandomEditsEqualARefit) {
  std::uint64_t seed = 310;
  for (const char* trend : {"zero", "constant", "linear", "constant(0.7)"})
    for (const char* kernel : {"1.7 * matern52(0.9) + 0.4", "se(1.3)", "linear(1) + 0.5 * matern12(2)"}) {
      SCOPED_TRACE(std::string(trend) + ", " + kernel);
      const Process<Row> p = prior(kernel, trend);
      EditableProcess<Row> g(p);
      Random rng(seed++);
      const Matrix at = rng.normal(7, 2);
      for (int edit = 1; edit <= 1000; ++edit) {
        edit_at_random(g, rng);
        if (edit % 25 == 0) expect_equal(g, p, at);
      }
      EXPECT_EQ(g.edits().added + g.edits().told - g.edits().removed, g.size());
      EXPECT_EQ(g.edits().pended - g.edits().told - g.edits().withdrawn, g.pending());
      EXPECT_GT(g.edits().worst_residual, 0);
      EXPECT_LT(g.edits().worst_residual, 1e-10);
      EXPECT_EQ(g.edits().jitter, 0);
    }
}

TEST(EditableProcess, PendingPointsChangeTheVarianceAndNoMean) {
  for (const char* trend : {"zero", "constant", "linear"}) {
    const Data d = data(30);
    const Process<Row> p = prior("se(0.8)", trend);
    EditableProcess<Row> g = grown(d, p);
    const Vector mean = g.mean(d.at), variance = g.variance(d.at);
    EXPECT_EQ(g.pend(d.at.topRows(5)), 0);
    EXPECT_EQ(g.pend(d.at.row(6)), 5);
    EXPECT_TRUE(near(g.mean(d.at), mean, 1e-13));
    EXPECT_TRUE((g.variance(d.at).array() <= variance.array() + 1e-12).all());
    expect_equal(g, p, d.at, 1e-10);
    for (int left = 6; left > 0; --left) g.withdraw(left / 2);
    EXPECT_TRUE(near(g.variance(d.at), variance, 1e-13));
  }
}

TEST(EditableProcess, PendingPointsMayBeToldInAnyOrder) {
  const Data d = data(25);
  const Process<Row> p = prior("se(0.8)", "linear");
  EditableProcess<Row> g = grown(d, p), straight = g;
  g.pend(d.at.topRows(4));
  g.add(random_points(320, 2, 2), Vector::Ones(2));
  g.remove(3);
  g.tell(2, 0.3);
  g.tell(0, 0.1);
  expect_equal(g, p, d.at, 1e-10);
  g.tell(1, 0.4);
  g.tell(0, 0.2);
  straight.add(random_points(320, 2, 2), Vector::Ones(2));
  straight.remove(3);
  straight.add(d.at.topRows(4), Eigen::Vector4d(0.1, 0.2, 0.3, 0.4));
  EXPECT_EQ(g.pending(), 0);
  EXPECT_TRUE(near(g.mean(d.at), straight.mean(d.at), 1e-10));
  EXPECT_TRUE(near(g.variance(d.at), straight.variance(d.at), 1e-10));
  EXPECT_NEAR(g.log_evidence(), straight.log_evidence(), 1e-9);
}

TEST(EditableProcess, TheOrderOfPointsDoesNotMatter) {
  const Data d = data(40);
  EditableProcess<Row> forwards(prior()), backwards(prior());
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(forwards.add(d.x.row(i), d.y.segment(i, 1)), i);
    backwards.add(d.x.row(39 - i), d.y.segment(39 - i, 1));
  }
  EXPECT_TRUE(near(forwards.mean(d.at), backwards.mean(d.at), 1e-11));
  EXPECT_TRUE(near(forwards.variance(d.at), backwards.variance(d.at), 1e-11));
  EXPECT_NEAR(forwards.log_evidence(), backwards.log_evidence(), 1e-10);
}

TEST(EditableProcess, NumbersAreThoseOfAVector) {
  const Data d = data(6);
  EditableProcess<Row> g = grown(d);
  g.remove(2);
  EXPECT_TRUE(same_bits(g.points().row(2), d.x.row(3)));
  EXPECT_EQ(g.targets()[2], d.y[3]);
  EXPECT_EQ(g.add(d.x.row(2), d.y.segment(2, 1)), 5);
}

TEST(EditableProcess, StartsFromAPosterior) {
  const Data d = data(30);
  const Process<Row> posterior = prior("se(0.7)", "linear").condition(d.x, d.y);
  EditableProcess<Row> g(posterior);
  EXPECT_EQ(g.size(), 30);
  EXPECT_TRUE(near(g.mean(d.at), posterior.mean(d.at), 1e-11));
  EXPECT_TRUE(near(g.variance(d.at, Of::y), posterior.variance(d.at, Of::y), 1e-11));
  g.add(d.at, Vector::Zero(12));
  const Process<Row> later = posterior.condition(d.at, Vector::Zero(12));
  EXPECT_TRUE(near(g.mean(d.x), later.mean(d.x), 1e-10));
  EXPECT_TRUE(near(g.process().coefficients(), later.coefficients(), 1e-8));
}

TEST(EditableProcess, ASnapshotKnowsItsCondition) {
  const Data d = data(40);
  EditableProcess<Row> g = grown(d);
  g.remove(7);
  const Process<Row> fresh = refit(g, prior()), now = g.process();
  EXPECT_NEAR(now.conditioning().reciprocal_condition, fresh.conditioning().reciprocal_condition,
              0.5 * fresh.conditioning().reciprocal_condition);
  EXPECT_LT(now.conditioning().reciprocal_condition, 0.1);
}

TEST(EditableProcess, EmptyIsThePrior) {
  const Data d = data(5);
  const Process<Row> p = prior("se(0.7)", "constant(2)");
  EditableProcess<Row> g(p);
  EXPECT_TRUE(same_bits(g.mean(d.at), p.mean(d.at)));
  EXPECT_TRUE(same_bits(g.variance(d.at), p.variance(d.at)));
  EXPECT_EQ(g.log_evidence(), 0);
  EXPECT_EQ(g.process().size(), 0);
  EXPECT_EQ(g.redundancy().size(), 0);
}

TEST(EditableProcess, RemovedDownToNothingItGrowsAgain) {
  const Data d = data(9);
  for (const char* trend : {"zero", "linear"}) {
    const Process<Row> p = prior("se(0.7)", trend);
    EditableProcess<Row> g = grown(d, p);
    while (g.size()) g.remove(g.size() / 2);
    EXPECT_EQ(g.log_evidence(), 0);
    g.add(d.at.array() + 100.0, Vector::LinSpaced(12, 0, 1));
    expect_equal(g, p, d.at.array() + 100.5, 1e-9);
  }
}

TEST(EditableProcess, AnUnknownTrendNeedsAPoint) {
  const Data d = data(5);
  EditableProcess<Row> g(prior());
  EXPECT_NE(error_of([&] { g.mean(d.at); }, Problem::usage).find("before the first point"),
            std::string::npos);
  EXPECT_THROW(g.variance(d.at), Error);
  EXPECT_THROW(g.joint(d.at), Error);
  g.pend(d.x);
  EXPECT_NO_THROW(g.variance(d.at)) << "what is pending will tell the trend";
  EXPECT_THROW(g.mean(d.at), Error);
  g.tell(0, 1);
  EXPECT_NO_THROW(g.predict(d.at));
}

TEST(EditableProcess, RedundancyIsTheVarianceFromAllOthers) {
  const Data d = data(15);
  const EditableProcess<Row> g = grown(d);
  const Vector r = g.redundancy();
  for (Index i = 0; i < 15; ++i) {
    EditableProcess<Row> without = g;
    without.remove(i);
    EXPECT_NEAR(r[i], without.variance(d.x.row(i))[0], 1e-10);
  }
}

TEST(EditableProcess, ExactObservationsAreReturned) {
  const Data d = data(12);
  EditableProcess<Row> g = grown(d, prior("matern32(0.8)", "constant", 0));
  EXPECT_TRUE(near(g.mean(d.x), d.y, 1e-11));
  const Marginals m = g.predict(d.x);
  EXPECT_EQ(m.clamped, 12);
  EXPECT_TRUE(same_bits(m.variance, Vector::Zero(12)));
}

TEST(EditableProcess, RepeatsNeedNoise) {
  const Data d = data(6);
  EditableProcess<Row> exact = grown(d, prior("matern32(0.8)", "constant", 0));
  const auto refused = [&](const std::function<void()>& f) {
    EXPECT_NE(error_of(f, Problem::data).find("repeats an input that is there without noise"),
              std::string::npos);
  };
  refused([&] { exact.add(d.x.row(2), Vector::Zero(1)); });
  refused([&] { exact.pend(d.x.row(2)); });
  refused([&] { exact.add(join(d.at.row(0), d.at.row(0)), Vector::Zero(2)); });
  exact.add(d.x.row(2), Vector::Zero(1), Vector::Constant(1, 0.1));
  refused([&] { exact.renoise(6, 0); });
  EXPECT_EQ(exact.size(), 7);
  exact.pend(d.at.row(0));
  refused([&] { exact.add(d.at.row(0), Vector::Zero(1)); });
}

TEST(EditableProcess, NoiseByRowBelongsToTheRows) {
  const Data d = data(6);
  EditableProcess<Row> g(Process<Row>(parse<Row>("se(1)"), {}, Noise::rows(Vector::Ones(6))));
  EXPECT_NE(error_of([&] { g.add(d.x, d.y); }, Problem::usage).find("give variances"), std::string::npos);
  EXPECT_THROW(g.pend(d.x), Error);
  g.add(d.x, d.y, Vector::Constant(6, 0.3));
  EXPECT_NO_THROW(g.predict(d.at));
  EXPECT_NE(error_of([&] { g.predict(d.at, Of::y); }, Problem::usage).find("ask for f"), std::string::npos);
}

TEST(EditableProcess, OptionsAreChecked) {
  EXPECT_NE(
      error_of([] { EditableProcess<Row>(prior(), {.check_every = 0}); }, Problem::usage).find("check_every"),
      std::string::npos);
  EXPECT_NE(
      error_of([] { EditableProcess<Row>(prior(), {.tolerance = -1}); }, Problem::usage).find("tolerance"),
      std::string::npos);
}

TEST(EditableProcess, CopiesAreIndependentAndManyThreadsMayRead) {
  const Data d = data(40);
  EditableProcess<Row> g = grown(d);
  const EditableProcess<Row> copy = g;
  const Vector mean = copy.mean(d.at);
  g.remove(0);
  EXPECT_TRUE(same_bits(copy.mean(d.at), mean));
  EXPECT_FALSE(same_bits(g.mean(d.at), mean));
  g.retarget(1, 2);
  std::vector<Vector> seen(4);
  {
    std::vector<std::jthread> threads;
    for (Vector& s : seen) threads.emplace_back([&] { s = g.predict(d.at).mean; });
  }
  for (const Vector& s : seen) EXPECT_TRUE(same_bits(s, seen[0]));
}

/// k(a, b): how many letters agree from the front, and one.
struct Prefix {
  static double common(const std::string& a, const std::string& b) {
    size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return 1 + double(n);
  }
  Matrix cross(std::span<const std::string> a, std::span<const std::string> b) const {
    Matrix k(count(a), count(b));
    for (Index i = 0; i < k.rows(); ++i)
      for (Index j = 0; j < k.cols(); ++j)
        k(i, j) = common(a[static_cast<size_t>(i)], b[static_cast<size_t>(j)]);
    return k;
  }
  Vector diag(std::span<const std::string> a) const {
    Vector d(count(a));
    for (Index i = 0; i < d.size(); ++i) d[i] = 1 + double(a[static_cast<size_t>(i)].size());
    return d;
  }
  Vector pullback(std::span<const std::string>, std::span<const std::string>, const Matrix&) const {
    return Vector(0);
  }
  Vector theta() const { return Vector(0); }
  Prefix with(const Vector&) const { return *this; }
  std::string text() const { return "prefix()"; }
};

TEST(EditableProcess, OverStrings) {
  using Strings = std::vector<std::string>;
  const Process<std::string> p(Kernel<std::string>(Prefix{}), constant_mean<std::string>(), Noise::of(0.1));
  const Strings x{"car", "cat", "dog", "dot", "do"}, at{"ca", "door", "emu"};
  EditableProcess<std::string> g(p);
  g.add(x, Vector::LinSpaced(5, 0, 1));
  g.pend(Strings{"carp"});
  g.remove(1);
  g.tell(0, 2);
  g.add(Strings{"cat"}, Vector::Constant(1, 0.25));
  const Process<std::string> fresh =
      p.condition(x, Vector::LinSpaced(5, 0, 1)).condition(Strings{"carp"}, Vector::Constant(1, 2));
  EXPECT_TRUE(near(g.mean(at), fresh.mean(at), 1e-11));
  EXPECT_TRUE(near(g.variance(at), fresh.variance(at), 1e-11));
  EXPECT_NEAR(g.log_evidence(), fresh.log_evidence(), 1e-10);
}

}  // namespace
}  // namespace covary::test::editable_test
