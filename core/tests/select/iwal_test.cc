// Importance weighted active learning: probabilities, unbiased risks with intervals that cover, and no trap.
#include "covary/select/iwal.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/select/risk.h"
#include "covary/select/selector.h"
#include "covary/select/stream_machine.h"
#include "demo/hidden_cluster.h"
#include "support.h"

namespace covary::test::iwal_test {
namespace {

void expect_fair(Index repeats, double most_missed) {
  std::vector<HiddenClusterRun> runs(static_cast<size_t>(repeats));
  internal::parallel_for(repeats, internal::threads_or_all(0), [&](Index i) {
    runs[static_cast<size_t>(i)] = run_stream(HiddenCluster(100 + std::uint64_t(i)), "iwal");
  });
  double bias = 0, squares = 0, covered = 0, missed = 0, asked = 0, naive = 0;
  const auto n = double(repeats);
  for (const HiddenClusterRun& r : runs) {
    const double off = r.corrected - r.truth;
    const Risk estimate = risk(r.seen);
    double wrong = 0;
    for (const SampledLoss& l : r.seen) wrong += l.loss;
    bias += off / n, squares += off * off / n, naive += (wrong / double(r.seen.size()) - r.truth) / n;
    covered += double(estimate.lower <= r.truth && r.truth <= estimate.upper) / n;
    missed += double(r.missed) / n, asked += double(r.labelled.size()) / n;
  }
  const double error = std::sqrt((squares - bias * bias) / (n - 1));
  ::testing::Test::RecordProperty("asked", std::to_string(asked));
  ::testing::Test::RecordProperty("covered", std::to_string(covered));
  ::testing::Test::RecordProperty("missed", std::to_string(missed));
  ::testing::Test::RecordProperty(
      "bias", std::to_string(bias) + " +- " + std::to_string(error) + ", naive " + std::to_string(naive));
  EXPECT_LE(std::abs(bias), 4 * error);
  EXPECT_GT(naive, std::abs(bias) + 4 * error);  // of the labels themselves
  EXPECT_GE(covered, 0.95 - 3 * std::sqrt(0.95 * 0.05 / n));
  EXPECT_LE(missed, most_missed);
  EXPECT_LT(asked, 300);
}

TEST(Iwal, IsUnbiasedCoversAndIsNeverTrapped) { expect_fair(12, 0); }
TEST(Iwal, IsUnbiasedCoversAndIsNeverTrappedSlow) { expect_fair(200, 0); }

TEST(Iwal, ProbabilitiesAreThoseOfTheFormula) {
  const internal::IwalOptions o{.c = 0.2, .least = 0.01};
  EXPECT_EQ(internal::query_probability(0, 500, o), 1);
  EXPECT_EQ(internal::query_probability(0.3, 1, o), 1);
  const double t = 501, g = 0.2;
  EXPECT_NEAR(internal::query_probability(g, 500, o), 0.2 * (1 / (g * g) + 1 / g) * std::log(t) / (t - 1),
              1e-12);
  EXPECT_EQ(internal::query_probability(0.9, 1000000, o), 0.01);
  for (double gap = 0.01; gap < 1; gap += 0.01)
    EXPECT_GE(internal::query_probability(gap, 500, o), internal::query_probability(gap + 0.01, 500, o));
}

// Where the labels of a region are one and the same, and it is far from the other class, little is asked for.
TEST(Iwal, AsksWhereTheOtherSideIsCheap) {
  const Matrix x = random_points(50, 500, 2);
  StreamMachine<Row> s(parse<Row>("linear(lengthscale=1)"), 2, {.penalty = 10},
                       {.budget = 500, .length = 500, .start = 10, .strategy = "iwal"});
  double near = 0, far = 0;
  Index nears = 0, fars = 0;
  for (Index i = 0; i < 500; ++i) {
    const Offer o = s.offer(x.row(i));
    if (o.ask) s.tell(double(x(i, 0) > 0));
    if (i < 200) continue;
    if (std::abs(x(i, 0)) < 0.1) near += o.probability, ++nears;
    if (std::abs(x(i, 0)) > 1.5) far += o.probability, ++fars;
  }
  EXPECT_GT(near / double(nears), 3 * far / double(fars));
}

TEST(Iwal, OneAtATimeIsTheSame) {
  const Matrix x = random_points(51, 200, 2);
  const StreamOptions o{.budget = 200, .length = 200, .strategy = "iwal"};
  StreamMachine<Row> one(parse<Row>("se(lengthscale=1)"), 2, {}, o),
      many(parse<Row>("se(lengthscale=1)"), 2, {}, o);
  std::vector<double> a, b;
  for (Index i = 0; i < 200; ++i) {
    const Offer offer = one.offer(x.row(i));
    a.push_back(offer.probability);
    if (offer.ask) one.tell(double(x(i, 0) > 0));
  }
  many.offer_many(
      x, [&](Index i) { return double(x(i, 0) > 0); },
      [&](Index, const Offer& f) { b.push_back(f.probability); });
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

// A weight of 2 is the label twice.
TEST(Iwal, WeightsOfLabelsAreRepeats) {
  const Matrix x = random_points(52, 40, 2);
  Vector y(40), weights = Vector::Ones(40);
  for (Index i = 0; i < 40; ++i) y[i] = x(i, 0) + 0.8 * std::sin(9.0 * double(i)) > 0 ? 1 : -1;
  std::vector<Index> rows = internal::all_indices(40);
  for (Index i = 0; i < 40; i += 3) weights[i] = 2, rows.push_back(i);
  const Kernel<Row> k = parse<Row>("se(lengthscale=1)");
  const auto block = [&](const Matrix& at) {
    return [&k, at](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix {
      return k.cross(Matrix(at(r, Eigen::all)), Matrix(at(c, Eigen::all)));
    };
  };
  const Matrix twice = x(rows, Eigen::all);
  const internal::Separator a = internal::separate(block(x), y, {.penalty = 2}, nullptr, weights),
                            b = internal::separate(block(twice), y(rows), {.penalty = 2});
  const auto f = [&](const internal::Separator& s, const Matrix& at) {
    return internal::decision(s, k.cross(x, Matrix(at(s.support, Eigen::all))));
  };
  EXPECT_TRUE(near(f(a, x), f(b, twice), 1e-5));
  EXPECT_NE(error_of([&] { internal::separate(block(x), y, {}, nullptr, Vector::Zero(40)); }, Problem::usage)
                .find("positive weight"),
            std::string::npos);
}

TEST(Iwal, IsForStreams) {
  const Matrix x = random_points(53, 20, 2);
  EXPECT_NE(error_of(
                [&] {
                  Selector(parse_strategy("iwal"),
                           pool_of<Row>(Process<Row>(parse<Row>("se(lengthscale=1)")), x), {.kinds = 2});
                },
                Problem::usage)
                .find("in a stream"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_strategy("iwal(least=2)").make(); }, Problem::usage).find("least"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::iwal_test
