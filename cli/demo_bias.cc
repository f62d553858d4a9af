// The sample that bends: a small cluster that the first separator hides from a strategy that only looks near
// it, and what mends that.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "covary/expression.h"
#include "covary/select/coverage.h"
#include "covary/select/machines.h"
#include "covary/select/risk.h"
#include "covary/select/selector.h"
#include "demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index size = 600, hidden = 18, budget = 100;
constexpr int repeats = 50;
constexpr std::uint64_t first_seed = 100;
constexpr double penalty = 10, right = 0.01;  // of the pool may be wrong

/// Two wide clusters of 291, class 0 on the left and class 1 on the right, and behind the right one 18 of
/// class 0, which stand last.
struct Clusters {
  Matrix x = Matrix(size, 2);
  Vector y = Vector(size);
  std::vector<Index> start;  // one of each wide cluster
  std::uint64_t seed = 0;    // for a strategy

  explicit Clusters(std::uint64_t scene) {
    Random rng(scene);
    for (Index i = 0; i < size; ++i) {
      const bool behind = i >= size - hidden;
      y[i] = !behind && i % 2 ? 1 : 0;
      const double middle = behind ? 4.2 : y[i] > 0 ? 1.5 : -1.5, across = behind ? 0.15 : 0.55;
      Matrix off;
      do off = rng.normal(1, 2);
      while (off.norm() > 2);
      x(i, 0) = middle + across * off(0, 0), x(i, 1) = (behind ? 1 : 2) * across * off(0, 1);
    }
    start = {2 * rng.integer(size / 2 - hidden), 2 * rng.integer(size / 2 - hidden) + 1};
    seed = rng.fork();
  }
};

struct Asked {
  std::string name, strategy;
  double random_share;  // 1 for random, which has no other picks
};

/// One run of a strategy.
struct Told {
  std::vector<Index> labelled;
  std::vector<Foreseen> seen;
  double truth = 0;  // risk: the mean loss over the open candidates, averaged over the run
  double error = 0;  // share of the pool, in the end
  bool hidden_wrong = false;
  Index until = 0;  // labels from which on the pool is right
  std::vector<std::string> warnings;
};

/// m: 1 where the machines of the labels are wrong.
Vector losses(Machines& machines, const Selector& s, const Vector& y) {
  const Belief& b = s.belief();
  machines.train(b.pool(), {b.order().begin(), b.order().begin() + b.labels()}, s.classes(), 2);
  const std::vector<Index> best = winners(machines.decision(size, [&](const auto& some) {
    return b.pool().block({0, size}, some);
  }));
  Vector out(size);
  for (Index i = 0; i < size; ++i) out[i] = double(best[static_cast<size_t>(i)]) != y[i];
  return out;
}

Told run(const Clusters& c, const Asked& asked) {
  const Process<Row> prior(parse<Row>("se(lengthscale=3)"), zero_mean<Row>(), Noise::of(0.01));
  Selector s(parse_strategy(asked.strategy), pool_of<Row>(prior, c.x),
             {.seed = c.seed, .random_share = asked.random_share, .kinds = 2, .threads = 1});
  Machines machines(SvmOptions{.penalty = penalty, .threads = 1});
  for (const Index i : c.start) s.tell(i, c.y[i]);
  Told out;
  for (Index labels = std::ssize(c.start);; ++labels) {
    const Vector loss = losses(machines, s, c.y);
    out.error = loss.mean(), out.hidden_wrong = loss.tail(hidden).mean() > 0.5;
    if (out.error > right) out.until = labels + 1;
    if (labels == budget) break;
    double open = 0;
    for (Index i = 0; i < size; ++i) open += s.is_open(i) ? loss[i] : 0;
    out.truth += open / double(s.open()) / double(budget - std::ssize(c.start));
    const Choice chosen = s.suggest()[0];
    out.seen.push_back({loss[chosen.candidate], chosen.probability, chosen.open});
    s.tell(chosen.candidate, c.y[chosen.candidate]);
  }
  out.labelled = s.belief().order();
  out.warnings = coverage(s.belief()).warnings;
  return out;
}

std::vector<Told> all_runs(const Asked& asked) {
  std::vector<Told> out(repeats);
  std::atomic<int> next{0};
  std::vector<std::future<void>> workers;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t)
    workers.push_back(std::async(std::launch::async, [&] {
      for (int i = next++; i < repeats; i = next++)
        out[static_cast<size_t>(i)] = run(Clusters(first_seed + std::uint64_t(i)), asked);
    }));
  for (auto& w : workers) w.get();
  return out;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// "9", or "over 100" if it was not within the budget.
std::string until(const std::vector<Told>& runs, double share) {
  std::vector<Index> sorted;
  for (const Told& t : runs) sorted.push_back(t.until);
  std::sort(sorted.begin(), sorted.end());
  const Index labels = sorted[std::min(sorted.size() - 1, size_t(share * double(sorted.size())))];
  return labels > budget ? fmt::format("over {}", budget) : fmt::format("{}", labels);
}

/// True, naive and corrected risk, averaged over the runs, and how often the intervals of 95 % hold the
/// truth.
std::vector<std::string> risks(const Asked& asked, const std::vector<Told>& runs) {
  const double n = double(runs.size());
  double truth = 0, naive = 0, naive_holds = 0, corrected = 0, holds = 0;
  const bool chance = asked.random_share > 0;
  for (const Told& t : runs) {
    truth += t.truth / n;
    double wrong = 0;
    for (const Foreseen& f : t.seen) wrong += f.loss;
    naive += wrong / double(t.seen.size()) / n;
    if (!chance) continue;
    const Risk r = risk(t.seen);
    naive_holds += double(r.naive_lower <= t.truth && t.truth <= r.naive_upper) / n;
    corrected += r.corrected / n;
    holds += double(r.lower <= t.truth && t.truth <= r.upper) / n;
  }
  const std::string none = "\u2013";
  return {fmt::format("{:.4f}", truth), fmt::format("{:.4f}", naive), chance ? percent(naive_holds) : none,
          chance ? fmt::format("{:.4f}", corrected) : none, chance ? percent(holds) : none};
}

std::vector<std::string> answer(const Asked& asked, const std::vector<Told>& runs) {
  double wrong = 0, error = 0;
  for (const Told& t : runs)
    wrong += double(t.hidden_wrong) / double(runs.size()), error += t.error / double(runs.size());
  std::vector<std::string> out{asked.name,       percent(asked.random_share), percent(wrong),
                               until(runs, 0.5), until(runs, 0.95),           fmt::format("{:.4f}", error)};
  for (const std::string& r : risks(asked, runs)) out.push_back(r);
  return out;
}

/// The pool by class, and what was labelled.
Chart panel(const std::string& title, const Clusters& c, const Told& told) {
  std::vector<Index> kind[2];
  for (Index i = 0; i < size; ++i) kind[c.y[i] > 0].push_back(i);
  const auto points = [&](const std::vector<Index>& some, const std::string& label, Chart::Mark mark) {
    return Chart::Points{c.x(some, 0), c.x(some, 1), label, mark};
  };
  Chart chart;
  chart.title = title;
  chart.x_window = {-3, 5};
  chart.points = {points(kind[0], "class 0", Chart::Mark::dot), points(kind[1], "class 1", Chart::Mark::ring),
                  points(told.labelled, "labelled", Chart::Mark::cross)};
  return chart;
}

}  // namespace

void show_bias(const std::string& folder) {
  const std::string margin = fmt::format("svm-margin(penalty={})", penalty);
  const std::vector<Asked> all{{"svm-margin", margin, 0},
                               {"svm-margin", margin, 0.2},
                               {"uncertainty(sd=1)", "uncertainty(sd=1)", 0.2},
                               {"random", "random", 1}};
  std::vector<std::vector<std::string>> rows{{"strategy", "by chance", "hidden wrong", "right from",
                                              "95 % point", "error", "true risk", "naive", "holds",
                                              "corrected", "holds"}};
  std::vector<Told> first;
  for (const Asked& asked : all) {
    std::vector<Told> runs = all_runs(asked);
    rows.push_back(answer(asked, runs));
    first.push_back(std::move(runs[0]));
  }
  print(
      fmt::format("The sample that bends: {} points, {} of them hidden behind another class; {} labels, {} "
                  "repeats.\n\n{}",
                  size, hidden, budget, repeats, text_table(rows)));
  print(
      "\n   right from: labels until 99 % of the pool are right for good (median, and for 95 % of the "
      "repeats)\n"
      "   holds: how often the interval of 95 % around a risk holds the true one\n"
      "\nWhat the labels of svm-margin alone look like, in the first repeat:\n");
  for (const std::string& w : first[0].warnings) print("   " + w + "\n");
  const Clusters c(first_seed);
  Figure figure{"What a strategy sees of a small cluster behind another", {}, {}, 2};
  figure.panels = {panel("svm-margin: wrong for good", c, first[0]),
                   panel("mended: uncertainty(sd=1)", c, first[2])};
  write_output(folder + "/bias.svg", as_svg(figure));
  print(fmt::format("\nWhat was labelled: {}/bias.svg\n", folder));
}

}  // namespace covary::cli
