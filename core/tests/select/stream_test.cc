// Streams: the same choices however points are offered, within both budgets, and better than chance.
#include "covary/select/stream.h"

#include <cmath>

#include "covary/kernels/stationary.h"
#include "covary/select/stream_machine.h"
#include "covary/svm/classifier.h"
#include "support.h"

namespace covary::test::stream_test {
namespace {

Process<Row> prior(double lengthscale = 0.7, const std::string& trend = "constant") {
  return Process<Row>(matern52(lengthscale), parse_mean(trend), Noise::of(0.01));
}

struct Asked {
  std::vector<Index> rows;
  std::vector<double> scores;  // of every point
  StreamSummary summary;
  Vector mean;  // of the model in the end, at some points
};

void note(Asked& a, Index i, const Offer& o) {
  a.scores.push_back(o.score);
  if (o.ask) a.rows.push_back(i);
}

Asked one_by_one(const Matrix& x, const Vector& y, const StreamOptions& o, const Process<Row>& p = prior()) {
  Stream<Row> s(p, o);
  Asked out;
  for (Index i = 0; i < x.rows(); ++i) {
    const Offer offer = s.offer(x.row(i));
    note(out, i, offer);
    if (offer.ask) s.tell(y[i]);
    EXPECT_LE(s.model().size(), o.memory);
  }
  out.summary = s.summary(), out.mean = s.model().mean(x.topRows(50));
  return out;
}

Asked in_batches(const Matrix& x, const Vector& y, const StreamOptions& o, Index batch,
                 const Process<Row>& p = prior()) {
  Stream<Row> s(p, o);
  Asked out;
  for (Index first = 0; first < x.rows(); first += batch) {
    const Index m = std::min(batch, x.rows() - first);
    s.offer_many(
        x.middleRows(first, m), [&](Index i) { return y[first + i]; },
        [&](Index i, const Offer& offer) { note(out, first + i, offer); });
  }
  out.summary = s.summary(), out.mean = s.model().mean(x.topRows(50));
  return out;
}

::testing::AssertionResult same(const Asked& a, const Asked& b) {
  if (a.rows != b.rows) return ::testing::AssertionFailure() << "other points were asked for";
  const auto as_vector = [](const std::vector<double>& v) {
    return Vector(Eigen::Map<const Vector>(v.data(), std::ssize(v)));
  };
  const auto scores = same_bits(as_vector(a.scores), as_vector(b.scores));
  return scores ? same_bits(a.mean, b.mean) : scores;
}

struct Data {
  Matrix x = random_points(400, 1500, 2);
  Vector y = random_targets(401, x);
};

StreamOptions options(Index budget = 120, Index memory = 60, Forget forget = Forget::redundant) {
  return {.budget = budget, .length = 1500, .memory = memory, .random_share = 0.1, .forget = forget};
}

TEST(Stream, OfferManyIsOfferOneAtATime) {
  const Data d;
  for (const Forget forget : {Forget::oldest, Forget::redundant})
    for (const std::string trend : {"zero", "constant", "linear"}) {
      const Asked one = one_by_one(d.x, d.y, options(120, 60, forget), prior(0.7, trend));
      EXPECT_EQ(one.summary.asked, 120);
      EXPECT_TRUE(same(one, in_batches(d.x, d.y, options(120, 60, forget), 1500, prior(0.7, trend))))
          << trend;
      EXPECT_TRUE(same(one, in_batches(d.x, d.y, options(120, 60, forget), 333, prior(0.7, trend)))) << trend;
    }
}

TEST(Stream, AnyNumberOfThreadsMakesTheSameChoices) {
  const Data d;
  StreamOptions o = options();
  o.threads = 1;
  const Asked one = in_batches(d.x, d.y, o, 1500);
  o.threads = 4;
  EXPECT_TRUE(same(one, in_batches(d.x, d.y, o, 1500)));
  o.seed = 2;
  EXPECT_NE(one.rows, in_batches(d.x, d.y, o, 1500).rows);
}

TEST(Stream, CountsAddUp) {
  const Data d;
  const StreamSummary s = in_batches(d.x, d.y, options(), 1500).summary;
  EXPECT_EQ(s.seen, 1500);
  EXPECT_EQ(s.asked, 120);
  EXPECT_EQ(s.kept, 60);
  EXPECT_EQ(s.dropped, 60);
  EXPECT_GT(s.by_chance, 0);
  EXPECT_EQ(s.text().rfind("1500 points seen, 120 asked for (", 0), 0) << s.text();
}

// The model is that of the points kept.
TEST(Stream, ForgettingEqualsNeverHavingKnown) {
  const Data d;
  Stream<Row> s(prior(), options());
  s.offer_many(d.x, [&](Index i) { return d.y[i]; });
  const Process<Row> fresh = prior().condition(s.model().points(), s.model().targets());
  EXPECT_TRUE(near(s.model().mean(d.x), fresh.mean(d.x), 1e-8));
  EXPECT_TRUE(near(s.model().variance(d.x), fresh.variance(d.x), 1e-8));
}

TEST(Stream, MemoryForEverythingForgetsNothing) {
  const Data d;
  const Asked a = in_batches(d.x, d.y, options(120, 120, Forget::oldest), 1500),
              b = in_batches(d.x, d.y, options(120, 5000, Forget::redundant), 1500);
  EXPECT_TRUE(same(a, b));
  EXPECT_EQ(a.summary.dropped, 0);
  EXPECT_EQ(a.summary.kept, 120);
}

TEST(Stream, TheOldestAreForgotten) {
  const Data d;
  Stream<Row> s(prior(), options(120, 60, Forget::oldest));
  std::vector<Index> asked;
  s.offer_many(
      d.x, [&](Index i) { return d.y[i]; },
      [&](Index i, const Offer& o) {
        if (o.ask) asked.push_back(i);
      });
  const std::vector<Index> last(asked.end() - 60, asked.end());
  EXPECT_TRUE(same_bits(s.model().points(), d.x(last, Eigen::all)));
}

// Taking points away one at a time, each time the one that the others predict best.
TEST(Stream, MostRedundantIsGreedy) {
  const Data d;
  for (const std::string trend : {"zero", "linear"}) {
    EditableProcess<Row> g(prior(0.7, trend));
    g.add(d.x.topRows(40), d.y.head(40));
    std::vector<Index> left;
    for (Index i = 0; i < 40; ++i) left.push_back(i);
    for (const Index found : internal::most_redundant(g.precision(), g.variances(), 15)) {
      Index best = 0;
      g.redundancy().minCoeff(&best);
      EXPECT_EQ(found, left[static_cast<size_t>(best)]) << trend;
      g.remove(best);
      left.erase(left.begin() + best);
    }
  }
}

TEST(Stream, NoPointIsRedundantTwice) {
  const std::vector<Index> all =
      internal::most_redundant(Matrix::Identity(3, 3), Vector::Constant(3, 0.1), 9);
  EXPECT_EQ(all, (std::vector<Index>{0, 1, 2}));
}

double error_of_model(const EditableProcess<Row>& g, const Matrix& at, const Vector& truth) {
  return std::sqrt((g.mean(at) - truth).squaredNorm() / double(truth.size()));
}

/// Flat but for a small region of fast waves, which points rarely meet.
Vector uneven(const Matrix& x) {
  Vector y(x.rows());
  for (Index i = 0; i < x.rows(); ++i) y[i] = std::sin(2 * x(i, 0)) + std::cos(2 * x(i, 1));
  return y;
}

/// Most points in the middle, some far out: what is rare is what the model does not know.
Matrix uneven(std::uint64_t seed, Index n) {
  Matrix x = random_points(seed, n, 2);
  return (x.array() * x.array().abs()).matrix() / 2;
}

/// Anywhere in a square.
Matrix even(std::uint64_t seed, Index n) {
  Random rng(seed);
  return Matrix::NullaryExpr(n, 2, [&] { return 6 * rng.uniform() - 3; });
}

TEST(Stream, BeatsChance) {
  double by_score = 0, by_chance = 0;
  int wins = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix x = uneven(500 + seed, 2000);
    const Matrix at = 2 * (Random(800 + seed).normal(300, 2).array().tanh());
    const Vector y = uneven(x), truth = uneven(at);
    const auto error = [&](double share) {
      Stream<Row> s(prior(1), {.budget = 60, .length = 2000, .random_share = share, .seed = seed});
      s.offer_many(x, [&](Index i) { return y[i]; });
      return error_of_model(s.model(), at, truth);
    };
    const double own = error(0), chance = error(1);
    by_score += own, by_chance += chance, wins += own < chance;
  }
  EXPECT_LT(by_score, 0.7 * by_chance);
  EXPECT_GE(wins, 17);
}

TEST(Stream, ForgettingWhatIsRedundantBeatsForgettingTheOldest) {
  double redundant = 0, oldest = 0;
  int wins = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix x = even(600 + seed, 2000), at = even(700 + seed, 300);
    const Vector y = uneven(x), truth = uneven(at);
    const auto error = [&](Forget forget) {
      Stream<Row> s(prior(1), {.budget = 200, .length = 2000, .memory = 40, .forget = forget, .seed = seed});
      s.offer_many(x, [&](Index i) { return y[i]; });
      return error_of_model(s.model(), at, truth);
    };
    const double a = error(Forget::redundant), b = error(Forget::oldest);
    redundant += a, oldest += b, wins += a < b;
  }
  EXPECT_LT(redundant, 0.85 * oldest);
  EXPECT_GE(wins, 15);
}

TEST(Stream, RelearningKeepsThePoints) {
  const Data d;
  Stream<Row> s(prior(), options());
  s.offer_many(d.x.topRows(700), [&](Index i) { return d.y[i]; });
  const Matrix kept = s.model().points();
  s.relearn(prior(1.3));
  EXPECT_TRUE(same_bits(s.model().points(), kept));
  EXPECT_TRUE(near(s.model().mean(d.x), prior(1.3).condition(kept, s.model().targets()).mean(d.x), 1e-9));
  EXPECT_EQ(s.summary().rebuilt, 1);
  s.offer_many(d.x.bottomRows(800), [&](Index i) { return d.y[700 + i]; });
  EXPECT_EQ(s.summary().asked, 120);
}

TEST(Stream, GoesOnFromAPosterior) {
  const Data d;
  const Process<Row> before = prior().condition(d.x.topRows(30), d.y.head(30));
  Stream<Row> s(before, {.budget = 5, .rate = 0.1, .start = 0});
  EXPECT_NEAR(s.offer(d.x.row(40)).score, std::sqrt(before.variance(d.x.row(40))[0]), 1e-9);
}

TEST(Stream, ExactRepeatsWithoutNoiseTellNothing) {
  const Process<Row> exact(matern52(0.7), zero_mean<Row>(), Noise::of(0));
  const Data d;
  Stream<Row> s(exact, {.budget = 20, .length = 20, .start = 20});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_TRUE(s.offer(d.x.row(i % 4)).ask);
    s.tell(d.y[i % 4]);
  }
  EXPECT_EQ(s.model().size(), 4);
}

TEST(Stream, MistakesAreNamed) {
  const Data d;
  const auto fails = [](const std::function<void()>& f, Problem problem, const std::string& words) {
    const std::string said = error_of(f, problem);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  fails([] { Stream<Row>(prior(), {.budget = 10}); }, Problem::usage, "needs a rate");
  fails([] { Stream<Row>(prior(), {.budget = -2, .length = 9}); }, Problem::usage, "0 or more, found -2");
  fails([] { Stream<Row>(prior(), {.budget = 3, .length = 9, .memory = 1}); }, Problem::usage,
        "memory must be 2 points or more, found 1");
  fails([&] { Stream<Row>(prior().condition(d.x, d.y), {.budget = 3, .length = 9}); }, Problem::limit,
        "1500 points to begin with are more than the 500 to be kept");
  Stream<Row> s(prior(), {.budget = 3, .length = 9});
  fails([&] { s.tell(1); }, Problem::usage, "tell: no point was asked for");
  fails([&] { s.offer(d.x.topRows(2)); }, Problem::usage, "expected one point, found 2: see offer_many");
  Matrix bad = d.x.topRows(3);
  bad(2, 1) = std::nan("");
  fails([&] { s.offer_many(bad, [](Index) { return 0.0; }); }, Problem::data, "x: row 3");
  EXPECT_EQ(s.summary().seen, 0);
  ASSERT_TRUE(s.offer(d.x.row(0)).ask);
  fails([&] { s.offer(d.x.row(1)); }, Problem::usage, "is awaited: tell it first");
  fails([&] { s.tell(std::nan("")); }, Problem::data, "tell: expected a finite number, found nan");
  s.tell(1);
  EXPECT_EQ(s.model().size(), 1);
}

// ---- classes

/// A ring around the middle; kinds > 2: cut in pieces by angle.
double ring(const Eigen::Ref<const Eigen::RowVectorXd>& x, Index kinds) {
  if (x.norm() < 1) return 0;
  return kinds == 2 ? 1 : 1 + std::floor((std::atan2(x[1], x[0]) / M_PI + 1) / 2.0001 * double(kinds - 1));
}

StreamMachine<Row> machine(Index kinds, const StreamOptions& o) {
  return StreamMachine<Row>(se(0.8), kinds, {.penalty = 10, .threads = o.threads}, o);
}

TEST(StreamMachine, OfferManyIsOfferOneAtATimeAtAnyNumberOfThreads) {
  const Data d;
  for (const Index kinds : {2, 4}) {
    StreamOptions o = options(100, 30);
    o.threads = 1;
    StreamMachine<Row> one = machine(kinds, o);
    Asked a, b;
    for (Index i = 0; i < d.x.rows(); ++i) {
      const Offer offer = one.offer(d.x.row(i));
      note(a, i, offer);
      if (offer.ask) one.tell(ring(d.x.row(i), kinds));
      EXPECT_LE(one.points().rows(), 30);
    }
    o.threads = 4;
    StreamMachine<Row> many = machine(kinds, o);
    many.offer_many(
        d.x, [&](Index i) { return ring(d.x.row(i), kinds); },
        [&](Index i, const Offer& offer) { note(b, i, offer); });
    b.mean = many.decision(d.x).leftCols(1);
    a.mean = one.decision(d.x).leftCols(1);
    EXPECT_TRUE(same(a, b)) << kinds;
    EXPECT_EQ(one.summary().asked, 100);
    EXPECT_EQ(one.summary().dropped, 70);
  }
}

// What no machine rests on can go without a trace.
TEST(StreamMachine, ForgettingEqualsTrainingOnWhatIsKept) {
  const Data d;
  StreamMachine<Row> s = machine(2, options(100, 40));
  s.offer_many(d.x, [&](Index i) { return ring(d.x.row(i), 2); });
  const auto fresh = Classifier<Row>::train(se(0.8), s.points(), s.classes(), {.penalty = 10});
  EXPECT_TRUE(near(s.decision(d.x), fresh.decision(d.x), 1e-4));
}

TEST(StreamMachine, BeatsChance) {
  double by_score = 0, by_chance = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix x = 2 * random_points(900 + seed, 1500, 2);
    const auto missed = [&](double share) {
      StreamMachine<Row> s =
          machine(2, {.budget = 60, .length = 1500, .random_share = share, .seed = seed, .threads = 1});
      s.offer_many(x, [&](Index i) { return ring(x.row(i), 2); });
      const std::vector<Index> found = s.predict(x);
      double out = 0;
      for (Index i = 0; i < x.rows(); ++i) out += double(found[static_cast<size_t>(i)]) != ring(x.row(i), 2);
      return out;
    };
    by_score += missed(0.1), by_chance += missed(1);
  }
  EXPECT_LT(by_score, 0.7 * by_chance);
}

TEST(StreamMachine, NeverForgetsTheLastOfAClass) {
  const Data d;
  StreamMachine<Row> s = machine(4, options(200, 6));
  s.offer_many(d.x, [&](Index i) { return ring(d.x.row(i), 4); });
  for (Index c = 0; c < 4; ++c) EXPECT_GT(std::count(s.classes().begin(), s.classes().end(), c), 0) << c;
}

TEST(StreamMachine, MistakesAreNamed) {
  const Data d;
  const auto fails = [](const std::function<void()>& f, Problem problem, const std::string& words) {
    const std::string said = error_of(f, problem);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  fails([] { machine(1, {.budget = 3, .length = 9}); }, Problem::usage, "2 classes or more, found 1");
  fails([] { machine(3, {.budget = 3, .length = 9, .memory = 3}); }, Problem::usage,
        "memory must be more than the 3 classes, found 3");
  StreamMachine<Row> s = machine(2, {.budget = 3, .length = 9});
  fails([&] { s.tell(1); }, Problem::usage, "tell: no point was asked for");
  ASSERT_TRUE(s.offer(d.x.row(0)).ask);
  fails([&] { s.tell(2); }, Problem::data, "expected a class from 0 to 1, found 2");
  fails([&] { s.tell(0.5); }, Problem::data, "expected a class from 0 to 1, found 0.5");
  fails([&] { s.offer(d.x.row(1)); }, Problem::usage, "is awaited: tell it first");
}

}  // namespace
}  // namespace covary::test::stream_test
