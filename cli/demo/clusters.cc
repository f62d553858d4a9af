// Labels for all of a pool from a few: hierarchical sampling, with an upper limit on how many are wrong.
#include <fmt/format.h>

#include <cmath>

#include "covary/design/label_pool.h"
#include "covary/kernels/expression.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr Index a_round = 15;
constexpr int rounds = 5;

struct Flowers {
  Matrix x{600, 2};
  std::vector<Index> kind;
};

/// Four round clusters of three kinds; the smallest, of 30, is one of the third kind.
Flowers flowers() {
  constexpr struct {
    Index size;
    double x, y;
    Index kind;
  } clusters[] = {{300, 0, 0, 0}, {200, 4, 1, 1}, {70, 1, 5, 2}, {30, 5, 5, 0}};
  Flowers out;
  Random rng(5);
  for (const auto& c : clusters)
    for (Index i = 0; i < c.size; ++i) {
      const auto row = std::ssize(out.kind);
      out.x(row, 0) = c.x + 0.6 * rng.normal(), out.x(row, 1) = c.y + 0.6 * rng.normal();
      out.kind.push_back(c.kind);
    }
  return out;
}

Chart panel(const Flowers& f, const LabelledPool& all, const std::vector<Index>& told) {
  std::vector<Index> of[3], known;
  for (size_t i = 0; i < told.size(); ++i) {
    of[all.labels[i]].push_back(Index(i));
    if (told[i] >= 0) known.push_back(Index(i));
  }
  const auto points = [&](const std::vector<Index>& which, const std::string& label, Chart::Mark mark) {
    return Chart::Points{f.x(which, 0), f.x(which, 1), label, mark};
  };
  Chart chart;
  chart.title = fmt::format("{} labels", known.size());
  chart.points = {
      points(of[0], "labelled as kind 0", Chart::Mark::dot), points(of[1], "as kind 1", Chart::Mark::ring),
      points(of[2], "as kind 2", Chart::Mark::diamond), points(known, "asked for", Chart::Mark::cross)};
  return chart;
}

}  // namespace

void show_clusters(const std::string& folder) {
  const Flowers f = flowers();
  std::vector<Index> told(f.kind.size(), -1);
  std::vector<std::vector<std::string>> rows{
      {"labels", "clusters", "wrong, at most (95 %)", "wrong in truth"}};
  Figure figure{"Labels for 600 rows from a few", {}, {}, 2};
  for (int round = 0; round <= rounds; ++round) {
    const LabelledPool all = label_pool(parse<Row>("se()"), f.x, told, 3, {.count = a_round});
    Index labels = 0, wrong = 0;
    for (size_t i = 0; i < told.size(); ++i) labels += told[i] >= 0, wrong += all.labels[i] != f.kind[i];
    if (round > 0)
      rows.push_back({fmt::format("{}", labels), fmt::format("{}", all.clusters.size()),
                      fmt::format("{:.1f} %", 100 * all.limit),
                      fmt::format("{:.1f} %", 100 * double(wrong) / double(told.size()))});
    if (round == 1 || round == rounds) figure.panels.push_back(panel(f, all, told));
    for (const Choice& c : all.next) told[size_t(c.candidate)] = f.kind[size_t(c.candidate)];
  }
  print(fmt::format(
      "Labels for all of 600 rows in four clusters of three kinds, {} drawn at a time (hierarchical).\n\n{}",
      a_round, text_table(rows)));
  write_output(folder + "/clusters.svg", as_svg(figure));
  print(fmt::format("\nThe first and the last: {}/clusters.svg\n", folder));
}

}  // namespace covary::cli
