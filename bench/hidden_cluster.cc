// Is a strategy ever trapped? 200 repeats of the scene with a cluster of 3 % that the first separator hides
// (cli/demo/hidden_cluster.h): labels to 95 % and to 99 % of the points right for good, whether the hidden cluster is
// wrong in the end, and how often the 95 % interval of the risk holds the true one. Pools give half of their points as
// labels; streams pass all of them by.
//
//   hidden_cluster [--quick] [--repeats 200]
#include "../cli/demo/hidden_cluster.h"

#include <cmath>

#include "covary/base/parallel.h"
#include "measure.h"

namespace {

using covary::HiddenCluster, covary::HiddenClusterRun, covary::Index;

constexpr Index half_the_pool = 300;

struct Way {
  const char *name, *strategy;
  bool stream;
  double random_share;
};
constexpr Way all_ways[] = {{"random", "random", false, 1},
                            {"svm-margin", "svm-margin", false, 0},
                            {"hierarchical", "hierarchical", false, 0},
                            {"iwal", "iwal", true, 0}};

std::vector<HiddenClusterRun> runs_of(const Way& w, Index repeats) {
  std::vector<HiddenClusterRun> out(static_cast<size_t>(repeats));
  covary::internal::parallel_for(repeats, covary::internal::threads_or_all(0), [&](Index i) {
    const HiddenCluster scene(100 + std::uint64_t(i));
    out[static_cast<size_t>(i)] = w.stream ? covary::run_stream(scene, w.strategy)
                                           : covary::run(scene, w.strategy, w.random_share, half_the_pool);
  });
  return out;
}

/// That many labels were enough in a share of the runs.
std::string labels_in(const std::vector<HiddenClusterRun>& runs, Index HiddenClusterRun::*until,
                      double share) {
  std::vector<Index> sorted;
  for (const HiddenClusterRun& r : runs)
    sorted.push_back(r.*until > std::ssize(r.labelled) ? HiddenCluster::size + 1 : r.*until);
  std::sort(sorted.begin(), sorted.end());
  const Index labels = sorted[std::min(sorted.size() - 1, size_t(share * double(sorted.size())))];
  return labels > HiddenCluster::size ? "never" : fmt::format("{}", labels);
}

void program(const bench::Options& o) {
  const Index repeats = o.number("repeats", o.has("quick") ? 20 : 200);
  fmt::print(
      "{} repeats. Labels until 95 % and 99 % of the points are right for good, in half and in 95 % of the "
      "repeats; hidden cluster wrong in the end; 95 % intervals of the risk that hold\n"
      "{:<14} {:>7} {:>13} {:>13} {:>8} {:>6}\n",
      repeats, "strategy", "labels", "95 % right", "99 % right", "trapped", "holds");
  for (const Way& w : all_ways) {
    const std::vector<HiddenClusterRun> runs = runs_of(w, repeats);
    double labels = 0, holds = 0;
    Index trapped = 0;
    const bool risks = std::string(w.name) != "svm-margin";
    for (const HiddenClusterRun& r : runs) {
      labels += double(r.labelled.size()) / double(repeats), trapped += r.missed;
      if (!risks) continue;
      const covary::Risk risk = covary::risk(r.seen);
      holds += double(risk.lower <= r.truth && r.truth <= risk.upper) / double(repeats);
    }
    const auto both = [&](Index HiddenClusterRun::*until) {
      return labels_in(runs, until, 0.5) + " / " + labels_in(runs, until, 0.95);
    };
    fmt::print("{:<14} {:>7.0f} {:>13} {:>13} {:>8} {:>6}\n", w.name, labels,
               both(&HiddenClusterRun::until_most), both(&HiddenClusterRun::until), trapped,
               risks ? fmt::format("{:.1f} %", 100 * holds) : "-");
    if (std::string(w.name) == "random" || !risks) continue;
    bench::verdict(o, fmt::format("hidden cluster: {} is trapped, of {} repeats", w.name, repeats),
                   fmt::format("{}", trapped), "0", trapped == 0);
    bench::verdict(o, fmt::format("hidden cluster: {}, the interval of the risk holds", w.name),
                   fmt::format("{:.1f} %", 100 * holds), ">= 95 % - 3 se",
                   holds >= 0.95 - 3 * std::sqrt(0.95 * 0.05 / double(repeats)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] { program(bench::read_options(argc, argv, {"repeats"})); });
}
