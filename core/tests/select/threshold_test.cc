// A threshold asks at the rate it should, whatever the scores are.
#include "covary/select/threshold.h"

#include <algorithm>
#include <cmath>

#include "support.h"

namespace covary::test::threshold_test {
namespace {

struct Named {
  std::string name;
  std::function<std::vector<double>(Index n, std::uint64_t seed)> make;
};

std::vector<double> filled(Index n, std::uint64_t seed, const std::function<double(Index, Random&)>& score) {
  Random rng(seed);
  std::vector<double> out;
  for (Index i = 0; i < n; ++i) out.push_back(score(i, rng));
  return out;
}
std::vector<double> uniform(Index n, std::uint64_t seed) {
  return filled(n, seed, [](Index, Random& rng) { return rng.uniform(); });
}

const std::vector<Named>& distributions() {
  static const std::vector<Named> all{
      {"uniform", uniform},
      {"tiny",
       [](Index n, std::uint64_t seed) {
         return filled(n, seed, [](Index, Random& rng) { return 1e-200 * rng.uniform(); });
       }},
      {"falling",
       [](Index n, std::uint64_t seed) {
         return filled(n, seed,
                       [](Index i, Random& rng) { return (0.5 + rng.uniform()) / std::sqrt(double(i + 1)); });
       }},
      {"rising",
       [](Index n, std::uint64_t seed) {
         return filled(n, seed,
                       [](Index i, Random& rng) { return (0.5 + rng.uniform()) * std::sqrt(double(i + 1)); });
       }},
      {"heavy tails",
       [](Index n, std::uint64_t seed) {
         return filled(n, seed, [](Index, Random& rng) { return std::abs(rng.normal() / rng.normal()); });
       }},
      {"all equal", [](Index n, std::uint64_t) { return std::vector<double>(static_cast<size_t>(n), 0.7); }},
      {"all zero", [](Index n, std::uint64_t) { return std::vector<double>(static_cast<size_t>(n), 0.0); }},
      {"half zero",
       [](Index n, std::uint64_t seed) {
         return filled(n, seed, [](Index, Random& rng) { return std::max(0.0, rng.uniform() - 0.5); });
       }},
      {"ascending",
       [](Index n, std::uint64_t seed) {
         std::vector<double> s = uniform(n, seed);
         std::sort(s.begin(), s.end());
         return s;
       }},
      {"descending", [](Index n, std::uint64_t seed) {
         std::vector<double> s = uniform(n, seed);
         std::sort(s.rbegin(), s.rend());
         return s;
       }}};
  return all;
}

Index asked(Threshold& t, const std::vector<double>& scores) {
  for (const double s : scores) t.offer(s);
  return t.asked();
}

TEST(Threshold, MeetsTheBudgetExactlyWhenTheLengthIsKnown) {
  for (const Named& d : distributions())
    for (const double share : {0.0, 0.2, 1.0})
      for (const Index budget : {0, 7, 100, 1000, 20000}) {
        Threshold t({.budget = budget, .length = 20000, .random_share = share, .seed = 3});
        EXPECT_EQ(asked(t, d.make(20000, 5)), budget) << d.name << " share " << share;
      }
}

TEST(Threshold, KeepsTheRateWhenTheLengthIsNotKnown) {
  for (const Named& d : distributions())
    for (const double share : {0.0, 0.2, 1.0}) {
      Threshold t({.budget = 100000, .rate = 0.01, .random_share = share, .seed = 3});
      if (d.name == "all zero" && share < 1) continue;
      EXPECT_NEAR(double(asked(t, d.make(100000, 5))), 1000, 50) << d.name << " share " << share;
    }
}

TEST(Threshold, AScoreOfZeroIsWorthNoLabel) {
  Threshold t({.budget = 1000, .rate = 0.01});
  EXPECT_EQ(asked(t, std::vector<double>(20000, 0.0)), 10);  // the start
}

TEST(Threshold, NeverAsksForMoreThanTheBudget) {
  for (const Named& d : distributions()) {
    Threshold t({.budget = 300, .rate = 0.1});
    Index most = 0;
    for (const double s : d.make(20000, 6)) t.offer(s), most = std::max(most, t.asked());
    EXPECT_EQ(most, 300) << d.name;
    EXPECT_EQ(t.offer(1e9).reason(), "the budget is spent") << d.name;
  }
}

// The labels are spread over the stream: no tenth of it has more than twice its part.
TEST(Threshold, SpreadsTheLabels) {
  for (const Named& d : distributions()) {
    if (d.name == "all zero") continue;  // nothing is worth a label: they go where they must
    const std::vector<double> scores = d.make(50000, 7);
    Threshold t({.budget = 1000, .length = 50000});
    std::vector<Index> parts(10, 0);
    for (size_t i = 0; i < scores.size(); ++i) parts[i / 5000] += t.offer(scores[i]).ask;
    for (const Index p : parts) EXPECT_NEAR(double(p), 100, 100) << d.name;
  }
}

// Of independent scores it asks for large ones.
TEST(Threshold, AsksForLargeScores) {
  const std::vector<double> scores = uniform(50000, 8);
  Threshold t({.budget = 1000, .length = 50000, .start = 0});
  double sum = 0;
  for (const double s : scores)
    if (t.offer(s).ask) sum += s;
  EXPECT_GT(sum / 1000, 0.93);  // the best 1000 have 0.99, by chance 0.5
}

// Units do not matter: the same asks, to rounding of the logarithm.
TEST(Threshold, ScaleDoesNotMatter) {
  const std::vector<double> scores = uniform(20000, 9);
  Threshold a({.budget = 500, .length = 20000}), b({.budget = 500, .length = 20000});
  Index differ = 0;
  for (const double s : scores) differ += a.offer(s).ask != b.offer(1024 * s).ask;
  EXPECT_EQ(differ, 0);
}

// Knuth's selection sampling: every point is as likely.
TEST(Threshold, ByChanceAloneIsASampleWithoutReplacement) {
  std::vector<Index> times(40, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Threshold t({.budget = 10, .length = 40, .start = 0, .random_share = 1, .seed = seed});
    for (Index& n : times) n += t.offer(0.5).ask;
  }
  for (const Index n : times) EXPECT_NEAR(double(n), 1000, 5 * std::sqrt(4000 * 0.25 * 0.75));
}

// Points are asked for as often as their probability says: sum of (ask - probability) has mean 0.
TEST(Threshold, ProbabilitiesAreTrue) {
  double off = 0, variance = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Threshold t({.budget = 100, .length = 2000, .random_share = 0.3, .seed = seed});
    for (const double s : uniform(2000, seed + 1000)) {
      const Offer o = t.offer(s);
      off += double(o.ask) - o.probability, variance += o.probability * (1 - o.probability);
    }
  }
  EXPECT_LT(std::abs(off), 4 * std::sqrt(variance));
  EXPECT_GT(variance, 1000);
}

TEST(Threshold, SameSeedSameAsks) {
  const std::vector<double> scores = uniform(5000, 10);
  const auto asks = [&](std::uint64_t seed) {
    Threshold t({.budget = 200, .length = 5000, .random_share = 0.5, .seed = seed});
    std::vector<bool> out;
    for (const double s : scores) out.push_back(t.offer(s).ask);
    return out;
  };
  EXPECT_EQ(asks(1), asks(1));
  EXPECT_NE(asks(1), asks(2));
}

TEST(Threshold, AsksForTheFirstAndForAllThatAreLeft) {
  Threshold t({.budget = 6, .length = 8, .start = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(t.offer(1).reason(), "one of the first points");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(t.offer(1e-9).ask);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(t.offer(1e-9).reason(), "as many labels are left as points");
  Threshold all({.budget = 50, .rate = 1});
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(all.offer(0.1 * i).ask);
  EXPECT_FALSE(all.offer(1).ask);
}

TEST(Threshold, MistakesAreNamed) {
  const auto fails = [](const ThresholdOptions& o, const std::string& words) {
    const std::string said = error_of([&] { Threshold{o}; }, Problem::usage);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  fails({.budget = -1, .length = 10}, "budget must be 0 or more, found -1");
  fails({.budget = 10}, "a stream of unknown length needs a rate, labels per point, found 0");
  fails({.budget = 10, .length = -5}, "length must be 0 or more, found -5");
  fails({.budget = 10, .length = 5, .rate = 0.1}, "either a length or a rate, found 5 and 0.1");
  fails({.budget = 10, .length = 5, .start = -1}, "start must be 0 or more, found -1");
  fails({.budget = 10, .length = 5, .random_share = 1.5}, "must be from 0 to 1, found 1.5");
  fails({.budget = 10, .length = 5, .step = 0}, "step must be positive, found 0");
  Threshold t({.budget = 10, .length = 50, .start = 0});
  t.offer(1);
  const std::string said = error_of([&] { t.offer(std::nan("")); }, Problem::numerical);
  EXPECT_NE(said.find("score of point 2 must be a finite number of at least 0, found nan"), said.npos)
      << said;
  EXPECT_EQ(t.seen(), 1);
}

}  // namespace
}  // namespace covary::test::threshold_test
