// Sampling bias: a small cluster that the first separator hides from a strategy that only queries near it,
// and the remedies.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "covary/select/strategy.h"
#include "demo/demo.h"
#include "demo/hidden_cluster.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index budget = 100;
constexpr int repeats = 50;
constexpr std::uint64_t first_seed = 100;

struct Asked {
  std::string name, strategy;
  double random_share;  // 1 for random, which has no other picks
  bool stream = false;
};

std::vector<HiddenClusterRun> all_runs(const Asked& asked) {
  std::vector<HiddenClusterRun> out(repeats);
  std::atomic<int> next{0};
  std::vector<std::future<void>> workers;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t)
    workers.push_back(std::async(std::launch::async, [&] {
      for (int i = next++; i < repeats; i = next++) {
        const HiddenCluster scene(first_seed + std::uint64_t(i));
        out[static_cast<size_t>(i)] = asked.stream ? run_stream(scene, asked.strategy)
                                                   : run(scene, asked.strategy, asked.random_share, budget);
      }
    }));
  for (auto& w : workers) w.get();
  return out;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// "9", or "over 100" if it was not within the budget.
std::string until(const std::vector<HiddenClusterRun>& runs, double share,
                  Index HiddenClusterRun::*count = &HiddenClusterRun::until) {
  std::vector<Index> sorted;
  sorted.reserve(runs.size());
  for (const HiddenClusterRun& t : runs) sorted.push_back(t.*count);
  std::sort(sorted.begin(), sorted.end());
  const Index labels = sorted[std::min(sorted.size() - 1, size_t(share * double(sorted.size())))];
  return labels > budget ? fmt::format("over {}", budget) : fmt::format("{}", labels);
}

/// True, naive and corrected risk, averaged over the runs, and how often the intervals of 95 % hold the
/// truth.
std::vector<std::string> risks(const Asked& asked, const std::vector<HiddenClusterRun>& runs) {
  const double n = double(runs.size());
  double truth = 0, naive = 0, naive_holds = 0, corrected = 0, holds = 0;
  const bool chance = asked.random_share > 0 || asked.stream || parse_strategy(asked.strategy).entry->draws;
  for (const HiddenClusterRun& t : runs) {
    truth += t.truth / n;
    double wrong = 0;
    for (const SampledLoss& f : t.seen) wrong += f.loss;
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

std::vector<std::string> answer(const Asked& asked, const std::vector<HiddenClusterRun>& runs) {
  double wrong = 0, error = 0;
  for (const HiddenClusterRun& t : runs)
    wrong += double(t.missed) / double(runs.size()), error += t.error / double(runs.size());
  std::vector<std::string> out{asked.name,
                               percent(asked.random_share),
                               percent(wrong),
                               until(runs, 0.95, &HiddenClusterRun::until_most),
                               until(runs, 0.5),
                               until(runs, 0.95),
                               fmt::format("{:.4f}", error)};
  for (const std::string& r : risks(asked, runs)) out.push_back(r);
  return out;
}

/// The pool by class, and what was labelled.
Chart panel(const std::string& title, const HiddenCluster& c, const HiddenClusterRun& told) {
  std::vector<Index> kind[2];
  for (Index i = 0; i < c.y.size(); ++i) kind[c.y[i] > 0].push_back(i);
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
  const std::vector<Asked> all{{"svm-margin", "svm-margin", 0},
                               {"svm-margin", "svm-margin", 0.2},
                               {"uncertainty(sd=1)", "uncertainty(sd=1)", 0.2},
                               {"hierarchical", "hierarchical", 0},
                               {"random", "random", 1},
                               {"iwal", "iwal", 0, true}};
  std::vector<std::vector<std::string>> rows{{"strategy", "by chance", "hidden wrong", "95 % right",
                                              "99 % right", "95 % point", "error", "true risk", "naive",
                                              "holds", "corrected", "holds"}};
  std::vector<HiddenClusterRun> first;
  double asked_for = 0;  // by the last, the stream
  for (const Asked& asked : all) {
    std::vector<HiddenClusterRun> runs = all_runs(asked);
    asked_for = 0;
    for (const HiddenClusterRun& r : runs) asked_for += double(r.labelled.size()) / repeats;
    rows.push_back(answer(asked, runs));
    first.push_back(std::move(runs[0]));
  }
  print(
      fmt::format("Sampling bias: {} points, {} of them hidden behind another class; {} labels, {} "
                  "repeats.\n\n{}",
                  HiddenCluster::size, HiddenCluster::hidden, budget, repeats, text_table(rows)));
  print(
      "\n   95 % right: labels until 95 % of the pool are right for good, in 95 % of the repeats; 99 % "
      "right: the "
      "same of 99 %, in half of them (95 % point: in 95 %)\n"
      "   holds: how often the interval of 95 % around a risk holds the true one\n");
  print(
      fmt::format("   iwal: the same points as a stream, each asked for with a probability; {:.0f} labels on "
                  "average, and the risk "
                  "is that of all points\n"
                  "\nWhat the labels of svm-margin alone look like, in the first repeat:\n",
                  asked_for));
  for (const std::string& w : first[0].coverage.warnings) print("   " + w + "\n");
  const HiddenCluster c(first_seed);
  Figure figure{"What a strategy sees of a small cluster behind another", {}, {}, 2};
  figure.panels = {panel("svm-margin: wrong for good", c, first[0]),
                   panel("mended: uncertainty(sd=1)", c, first[2])};
  write_output(folder + "/bias.svg", as_svg(figure));
  print(fmt::format("\nWhat was labelled: {}/bias.svg\n", folder));
}

}  // namespace covary::cli
