// Where choosing labels pays, and where it misleads: thresholds on a line, and a cluster that the first
// separator hides.
#include <algorithm>

#include "covary/select/coverage.h"
#include "covary/select/machines.h"
#include "covary/select/risk.h"
#include "covary/select/selector.h"
#include "parallel.h"
#include "support.h"

namespace covary {
namespace {

/// Labels until two neighbours differ, both ends counted; class 1 begins at `edge`.
Index labels_needed(const std::string& strategy, const std::string& kernel, const Matrix& x, Index edge) {
  const Process<Row> prior(parse<Row>(kernel));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, x), {.kinds = 2});
  Index low = 0, high = x.rows() - 1, labels = 2;
  s.tell({low, high}, (Vector(2) << 0, 1).finished());
  for (; high - low > 1 && labels < 100; ++labels) {
    const Index chosen = s.suggest()[0].candidate;
    s.tell(chosen, double(chosen >= edge));
    (chosen >= edge ? high : low) = chosen;
  }
  return labels;
}

void expect_halving(Index n, int thresholds) {
  const Matrix x = Vector::LinSpaced(n, 0, 1);
  Random rng(5);
  const double most = std::log2(double(n)) + 4;
  for (int i = 0; i < thresholds; ++i) {
    const Index edge = 1 + rng.integer(n - 1);
    EXPECT_LE(double(labels_needed("svm-margin(penalty=1e14)", "linear(lengthscale=1)", x, edge)), most)
        << edge;
    EXPECT_LE(double(labels_needed("uncertainty", "matern12(lengthscale=1)", x, edge)), most) << edge;
  }
}

TEST(Thresholds, AreFoundByHalving) {
  expect_halving(1000, 20);
  expect_halving(10000, 5);
}
TEST(Thresholds, AreFoundByHalvingSlow) {
  expect_halving(100000, 5);
  expect_halving(1000000, 2);
}

constexpr Index pool_size = 600, hidden = 18, budget = 100;

/// Two wide clusters, class 0 and class 1, and behind the second one 18 of class 0, which stand last.
struct Clusters {
  Matrix x = Matrix(pool_size, 2);
  Vector y = Vector(pool_size);
  std::vector<Index> start;  // one of each wide cluster
  std::uint64_t seed = 0;    // for a strategy

  explicit Clusters(std::uint64_t scene) {
    Random rng(scene);
    for (Index i = 0; i < pool_size; ++i) {
      const bool behind = i >= pool_size - hidden;
      y[i] = !behind && i % 2 ? 1 : 0;
      const double middle = behind ? 4.2 : y[i] > 0 ? 1.5 : -1.5, across = behind ? 0.15 : 0.55;
      Matrix off;
      do off = rng.normal(1, 2);
      while (off.norm() > 2);
      x(i, 0) = middle + across * off(0, 0), x(i, 1) = (behind ? 1 : 2) * across * off(0, 1);
    }
    start = {2 * rng.integer(pool_size / 2 - hidden), 2 * rng.integer(pool_size / 2 - hidden) + 1};
    seed = rng.fork();
  }
};

struct Told {
  std::vector<Foreseen> seen;
  double truth = 0;
  bool wrong = false;  // on the hidden cluster, in the end
  Index until = 0;     // labels from which on 99 % of the pool are right
  PoolCoverage coverage;
};

Told run(const std::string& strategy, double random_share, std::uint64_t seed) {
  const Clusters c(seed);
  const Process<Row> prior(parse<Row>("se(lengthscale=3)"), zero_mean<Row>(), Noise::of(0.01));
  Selector s(parse_strategy(strategy), pool_of<Row>(prior, c.x),
             {.seed = c.seed, .random_share = random_share, .kinds = 2, .threads = 1});
  Machines machines(SvmOptions{.penalty = 10, .threads = 1});
  for (const Index i : c.start) s.tell(i, c.y[i]);
  const Belief& b = s.belief();
  Told out;
  for (Index labels = 2;; ++labels) {
    machines.train(b.pool(), b.order(), s.classes(), 2);
    const std::vector<Index> best = winners(machines.decision(pool_size, [&](const auto& some) {
      return b.pool().block({0, pool_size}, some);
    }));
    Vector loss(pool_size);
    for (Index i = 0; i < pool_size; ++i) loss[i] = double(best[static_cast<size_t>(i)]) != c.y[i];
    out.wrong = loss.tail(hidden).mean() > 0.5;
    if (loss.mean() > 0.01) out.until = labels + 1;
    if (labels == budget) break;
    double open = 0;
    for (Index i = 0; i < pool_size; ++i) open += s.is_open(i) ? loss[i] : 0;
    out.truth += open / double(s.open()) / double(budget - 2);
    const Choice chosen = s.suggest()[0];
    out.seen.push_back({loss[chosen.candidate], chosen.probability, chosen.open});
    s.tell(chosen.candidate, c.y[chosen.candidate]);
  }
  out.coverage = coverage(b);
  return out;
}

std::vector<Told> runs(const std::string& strategy, double random_share, Index repeats) {
  std::vector<Told> out(static_cast<size_t>(repeats));
  parallel_for(repeats, threads_or_all(0), [&](Index i) {
    out[static_cast<size_t>(i)] = run(strategy, random_share, 100 + std::uint64_t(i));
  });
  return out;
}

double share_wrong(const std::vector<Told>& all) {
  return double(std::count_if(all.begin(), all.end(), [](const Told& t) { return t.wrong; })) /
         double(all.size());
}

/// The labels that a share of the runs is content with.
Index labels_for(double share, const std::vector<Told>& all) {
  std::vector<Index> sorted;
  for (const Told& t : all) sorted.push_back(t.until);
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(share * double(sorted.size()))];
}

void expect_mended(Index repeats) {
  const std::vector<Told> plain = runs("svm-margin(penalty=10)", 0, repeats);
  const std::vector<Told> mended = runs("uncertainty(sd=1)", 0.2, repeats),
                          random = runs("random", 0, repeats);
  EXPECT_GE(share_wrong(plain), 0.9);
  EXPECT_LE(share_wrong(mended), 0.05);
  EXPECT_LT(labels_for(0.5, mended), labels_for(0.5, random));
  EXPECT_LT(labels_for(0.95, mended), labels_for(0.95, random));
  const auto warned =
      std::count_if(plain.begin(), plain.end(), [](const Told& t) { return !t.coverage.warnings.empty(); });
  EXPECT_GE(double(warned), 0.95 * double(repeats));
}

TEST(HiddenCluster, IsMissedByMarginsAndFoundByTheMend) { expect_mended(10); }
TEST(HiddenCluster, IsMissedByMarginsAndFoundByTheMendSlow) { expect_mended(200); }

TEST(HiddenCluster, TheRiskIsCoveredOnceCorrectedSlow) {
  const Index repeats = 1000;
  double held = 0, naive = 0;
  for (const Told& t : runs("uncertainty(sd=1)", 0.2, repeats)) {
    const Risk r = risk(t.seen);
    held += double(r.lower <= t.truth && t.truth <= r.upper) / double(repeats);
    naive += double(r.naive_lower <= t.truth && t.truth <= r.naive_upper) / double(repeats);
  }
  EXPECT_GE(held, 0.95 - 3 * std::sqrt(0.95 * 0.05 / double(repeats)));
  EXPECT_LT(naive, 0.5);
}

}  // namespace
}  // namespace covary
