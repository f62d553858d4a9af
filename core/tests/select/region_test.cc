// disagreement: what it asks for, what it infers, on lines, in planes, for kernels, in pools and in streams.
#include "covary/select/region.h"

#include <cmath>

#include "covary/select/replay_stream.h"
#include "covary/select/stream_machine.h"
#include "support.h"

namespace covary::test::region_test {
namespace {

Selector selector(const Matrix& x, const std::string& strategy, const std::string& kernel, Index kinds = 2) {
  return Selector(parse_strategy(strategy), pool_of<Row>(Process<Row>(parse<Row>(kernel)), x),
                  {.kinds = kinds});
}

/// Asks until everything is inferred. label(i) of candidate i.
Index labels_until_settled(Selector& s, const std::function<double(Index)>& label, Index most) {
  for (Index asked = 0; asked < most; ++asked) {
    const Choice c = s.suggest()[0];
    if (c.score == 0) return s.belief().labels();
    s.tell(c.candidate, label(c.candidate));
  }
  return most + 1;
}

void expect_thresholds(Index n, int thresholds, bool even) {
  Random rng(5);
  Matrix x = Vector::LinSpaced(n, 0, 1);
  if (!even) x = x.array().square();  // crowded at one end: the middle one is that of the candidates
  for (int t = 0; t < thresholds; ++t) {
    const Index edge = 1 + rng.integer(n - 1);
    Selector s = selector(x, "disagreement", "linear(lengthscale=1)");
    s.tell(0, 0);
    const Index labels = labels_until_settled(
        s, [&](Index i) { return double(i >= edge); }, 60);
    EXPECT_LE(double(labels), 2 + std::log2(double(n)) + 2) << edge << " of " << n;
  }
}

TEST(Disagreement, FindsThresholdsByHalvingTheCandidates) {
  expect_thresholds(1000, 20, true);
  expect_thresholds(1000, 20, false);
  expect_thresholds(10000, 3, true);
}
TEST(Disagreement, FindsThresholdsByHalvingTheCandidatesSlow) {
  expect_thresholds(100000, 5, true);
  expect_thresholds(1000000, 2, true);
}

// Labels to settle a pool grow as its logarithm, and all that was inferred is right.
TEST(Disagreement, SettlesAPoolWithFewLabels) {
  Index before = 0;
  for (const Index n : {100, 1000, 4000}) {
    const Matrix x = random_points(8, n, 2);
    const auto label = [&](Index i) { return double(x(i, 0) + 0.4 * x(i, 1) > 0.2); };
    Selector s = selector(x, "disagreement", "linear(lengthscale=1)");
    s.tell(0, label(0));
    const Index labels = labels_until_settled(s, label, 100);
    EXPECT_LE(labels, 45) << n;
    EXPECT_LE(labels - before, 20) << n;
    before = labels;
    internal::DisagreementRegion region(s.belief().pool());
    region.tell(s.belief().order(), s.classes(), 2);
    EXPECT_EQ(region.size(), 0);
  }
}

// Through the origin there is one parameter less; labels that only an offset separates contradict each other.
TEST(Disagreement, SeparatorsThroughTheOrigin) {
  const Matrix x = random_points(9, 500, 2);
  const auto label = [&](Index i) { return double(x(i, 0) > 0.3 * x(i, 1)); };
  Index labels[2];
  for (const int offset : {0, 1}) {
    Selector s = selector(x, "disagreement(offset=" + std::to_string(offset) + ")", "linear(lengthscale=1)");
    s.tell(0, label(0));
    labels[offset] = labels_until_settled(s, label, 100);
  }
  EXPECT_LT(labels[0], labels[1]);
  EXPECT_LE(labels[0], 20);
  const Matrix line = (Vector(3) << 1, 2, 3).finished();
  Selector s = selector(line, "disagreement(offset=0)", "linear(lengthscale=1)");
  s.tell({0, 1}, (Vector(2) << 0, 1).finished());
  EXPECT_NE(error_of([&] { s.suggest(); }, Problem::data).find("candidates 1 and 2"), std::string::npos);
}

// A kernel of small rank is exact too: a circle is a plane in the features of a quadratic kernel.
TEST(Disagreement, SettlesACircleWithAQuadraticKernel) {
  const Matrix x = random_points(10, 600, 2);
  const auto label = [&](Index i) { return double(x.row(i).squaredNorm() < 1.2); };
  Selector s =
      selector(x, "disagreement", "linear(lengthscale=1) * linear(lengthscale=1) + linear(lengthscale=1)");
  s.tell(0, label(0));
  EXPECT_LE(labels_until_settled(s, label, 150), 90);
}

// For other kernels any labels of distinct points have a separator, so nothing is inferred but repeats; a margin
// makes it a region again.
TEST(Disagreement, OtherKernelsNeedAMargin) {
  Matrix x = random_points(11, 150, 2);
  x.row(149) = x.row(0);
  const auto label = [&](Index i) { return double(x(i, 0) > 0); };
  const Pool pool = pool_of<Row>(Process<Row>(parse<Row>("se(lengthscale=1)")), x);
  std::vector<Index> some = internal::all_indices(20), classes;
  for (const Index i : some) classes.push_back(Index(label(i)));
  internal::DisagreementRegion any(pool), wide(pool, {.margin = 0.1});
  any.tell(some, classes, 2), wide.tell(some, classes, 2);
  EXPECT_EQ(any.size(), 150 - 21);
  EXPECT_LT(wide.size(), 100);
  // By definition, without the bounds.
  Index checked = 0;
  for (Index i = 20; i < 149; i += 7) {
    std::vector<Index> at = some;
    at.push_back(i);
    bool both = true;
    for (const int label_of_i : {1, -1}) {
      Vector y(21);
      for (Index j = 0; j < 20; ++j) y[j] = classes[static_cast<size_t>(j)] ? 1 : -1;
      y[20] = label_of_i;
      const Matrix k = pool.among(at, at);
      try {
        both = both &&
               internal::separate(k, y, {.penalty = std::numeric_limits<double>::infinity()}).margin >= 0.1;
      } catch (const Error&) {
        both = false;
      }
    }
    EXPECT_EQ(wide.contains(i), both) << i;
    ++checked;
  }
  EXPECT_GT(checked, 10);
  internal::DisagreementRegion none(pool, {.margin = 10});
  EXPECT_NE(error_of([&] { none.tell(some, classes, 2); }, Problem::data)
                .find("version space is empty: the widest"),
            std::string::npos);
}

TEST(Disagreement, SeveralClassesAreOneAgainstTheRest) {
  Matrix x = 0.6 * random_points(12, 600, 2);  // around the corners of a triangle
  for (Index i = 0; i < 600; ++i) {
    const double a = 2 * M_PI * double(i % 3) / 3;
    x(i, 0) += 4 * std::cos(a), x(i, 1) += 4 * std::sin(a);
  }
  const auto label = [&](Index i) { return double(i % 3); };
  Selector s = selector(x, "disagreement", "linear(lengthscale=1)", 3);
  Index asked = 0;
  for (; asked < 150; ++asked) {
    const Choice c = s.suggest()[0];
    if (c.score == 0) break;
    s.tell(c.candidate, label(c.candidate));
  }
  EXPECT_LT(asked, 60);
  EXPECT_GT(asked, 3);
}

TEST(Disagreement, LabelsThatContradictEverySeparatorAreNamed) {
  const Matrix x = (Vector(5) << 1, 2, 3, 4, 5).finished();
  Selector s = selector(x, "disagreement", "linear(lengthscale=1)");
  s.tell({0, 2, 4}, (Vector(3) << 0, 1, 0).finished());
  const std::string said = error_of([&] { s.suggest(); }, Problem::data);
  EXPECT_NE(said.find("candidates 1, 3 and 5 (counted from 1) contradict every separator"), std::string::npos)
      << said;
  EXPECT_NE(said.find("iwal"), std::string::npos) << said;
  const Matrix alike = Matrix::Ones(3, 2);
  Selector twice = selector(alike, "disagreement", "se(lengthscale=1)");
  twice.tell({0, 2}, (Vector(2) << 0, 1).finished());
  EXPECT_NE(error_of([&] { twice.suggest(); }, Problem::data).find("candidates 1 and 3"), std::string::npos);
}

TEST(Disagreement, ArgumentsAreChecked) {
  EXPECT_NE(error_of([] { parse_strategy("disagreement(margin=-1)").make(); }, Problem::usage)
                .find("margin must be"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_strategy("disagreement(offset=2)").make(); }, Problem::usage).find("offset"),
            std::string::npos);
}

// ---- streams

StreamOptions stream_options(Index length) {
  return {.budget = length, .length = length, .start = 0, .strategy = "disagreement"};
}

TEST(DisagreementStream, AsksOrInfersAndInfersRight) {
  const Matrix x = random_points(20, 3000, 2);
  const auto label = [&](Index i) { return double(x(i, 0) - x(i, 1) > 0.1); };
  StreamMachine<Row> s(parse<Row>("linear(lengthscale=1)"), 2, {}, stream_options(3000));
  Index wrong = 0, late = 0;
  for (Index i = 0; i < 3000; ++i) {
    const Offer o = s.offer(x.row(i));
    if (o.ask) {
      EXPECT_EQ(o.probability, 1);
      s.tell(label(i)), late += i >= 1500;
    } else if (double(s.predict(x.row(i))[0]) != label(i)) {
      ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(s.summary().asked, 70);
  EXPECT_LE(late, 8);
}

TEST(DisagreementStream, OneAtATimeIsTheSame) {
  const Matrix x = random_points(21, 600, 2);
  const auto label = [&](Index i) { return double(x(i, 0) > 0.3); };
  StreamMachine<Row> one(parse<Row>("linear(lengthscale=1)"), 2, {}, stream_options(600)),
      many(parse<Row>("linear(lengthscale=1)"), 2, {}, stream_options(600));
  std::vector<Index> a, b;
  for (Index i = 0; i < 600; ++i)
    if (one.offer(x.row(i)).ask) a.push_back(i), one.tell(label(i));
  many.offer_many(
      x, [&](Index i) { return label(i); },
      [&](Index i, const Offer& o) {
        if (o.ask) b.push_back(i);
      });
  EXPECT_EQ(a, b);
}

TEST(DisagreementStream, ContradictionsAreNamedAndTheStreamGoesOn) {
  StreamMachine<Row> s(parse<Row>("linear(lengthscale=1)"), 2, {},
                       {.budget = 9, .length = 9, .start = 4, .strategy = "disagreement"});
  const auto next = [&](double x, double kind) {
    ASSERT_TRUE(s.offer(Matrix::Constant(1, 1, x)).ask);
    s.tell(kind);
  };
  next(1, 0), next(2, 1), next(0.5, 0);
  ASSERT_TRUE(s.offer(Matrix::Constant(1, 1, 3)).ask);
  const std::string said = error_of([&] { s.tell(0); }, Problem::data);
  EXPECT_NE(said.find("points "), std::string::npos) << said;
  EXPECT_NE(said.find("2 and 4"), std::string::npos) << said;
  s.tell(1);
  EXPECT_EQ(s.classes().size(), 4u);
}

// ---- replays

ReplayData plane(Index n) {
  ReplayData d{random_points(30, n, 2), Vector(n), 2};
  for (Index i = 0; i < n; ++i) d.y[i] = d.x(i, 0) + d.x(i, 1) > 0.5;
  return d;
}
ReplayOptions options(const std::string& strategy) {
  ReplayOptions o;
  o.strategies = {strategy}, o.budget = 60, o.repeats = 3,
  o.penalty = std::numeric_limits<double>::infinity();
  o.threads = 1;
  return o;
}

TEST(Disagreement, AReplayEndsWhenEverythingIsInferred) {
  const ReplayData d = plane(400);
  for (const Trial& t : replay(d, {parse<Row>("linear(lengthscale=1)")}, options("disagreement"))) {
    EXPECT_EQ(t.stopped, "all labels are inferred");
    EXPECT_LT(t.steps.back().labels, 40);
    EXPECT_LT(t.steps.back().error, 0.03);
  }
  for (const Trial& t : replay_stream(d, {parse<Row>("linear(lengthscale=1)")}, options("disagreement"))) {
    EXPECT_LT(t.steps.back().labels, 50);
    EXPECT_LT(t.steps.back().error, 0.03);
  }
}

TEST(Disagreement, AReplayNamesRows) {
  ReplayData d = plane(200);
  for (Index i = 0; i < 200; i += 5) d.y[i] = 1 - d.y[i];
  ReplayOptions o = options("disagreement");  // what it asks for itself never contradicts what it knows
  o.start = 40, o.penalty = 10;
  const std::string said =
      error_of([&] { replay(d, {parse<Row>("linear(lengthscale=1)")}, o); }, Problem::data);
  EXPECT_NE(said.find("the labels of rows "), std::string::npos) << said;
}

/// The rows of the table, in whatever order they arrived: no separator has the labels of those alone.
TEST(Disagreement, AReplayOfAStreamNamesRowsToo) {
  ReplayData d = plane(200);
  for (Index i = 0; i < 200; i += 5) d.y[i] = 1 - d.y[i];
  ReplayOptions o = options("disagreement");
  o.start = 40;
  const Model<Row> model{parse<Row>("linear(lengthscale=1)")};
  std::vector<Index> rows;
  try {
    replay_stream(d, model, o);
  } catch (const EmptyVersionSpace& e) {
    EXPECT_NE(std::string(e.what()).find("the labels of rows "), std::string::npos) << e.what();
    rows = e.labels();
  }
  ASSERT_FALSE(rows.empty());
  const auto told = [&] {
    VersionSpace v(3);
    for (const Index i : rows) v.tell(Vector{{d.x(i, 0), d.x(i, 1), 1}}, d.y[i] > 0 ? 1 : -1);
  };
  EXPECT_THROW(told(), EmptyVersionSpace);
}

}  // namespace
}  // namespace covary::test::region_test
