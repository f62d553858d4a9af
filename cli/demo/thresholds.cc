// Thresholds on a line: how many labels find where a class ends, by choosing them and by chance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/kernels/expression.h"
#include "covary/select/selector.h"
#include "demo/demo.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

/// A strategy, and the kernel it is to look through, without noise.
struct Means {
  std::string strategy, kernel;
};

/// Labels until two neighbors differ: class 1 begins at candidate `edge`, and both ends are known.
Index labels_needed(const Means& by, const Matrix& x, Index edge) {
  const Process<Row> prior(parse<Row>(by.kernel));
  Selector s(parse_strategy(by.strategy), pool_of<Row>(prior, x), {.kinds = 2});
  Index low = 0, high = x.rows() - 1, labels = 2;
  s.tell({low, high}, (Vector(2) << 0, 1).finished());
  for (; high - low > 1; ++labels) {
    const Index chosen = s.suggest()[0].candidate;
    s.tell(chosen, double(chosen >= edge));
    if (chosen >= edge)
      high = std::min(high, chosen);
    else
      low = std::max(low, chosen);
  }
  return labels;
}

/// The most of a few thresholds.
Index worst(const Means& by, const Matrix& x, int thresholds) {
  Random rng(1);
  Index most = 0;
  for (int i = 0; i < thresholds; ++i)
    most = std::max(most, labels_needed(by, x, 1 + rng.integer(x.rows() - 1)));
  return most;
}

/// The same for points in an order of chance, where both neighbors of the threshold must have come: the
/// later of two places. Mean of 1000.
double by_chance(Index n) {
  Random rng(2);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const Index one = rng.integer(n), other = rng.integer(n - 1);
    sum += double(1 + std::max(one, other + (other >= one)));
  }
  return sum / 1000;
}

}  // namespace

void show_thresholds() {
  const Means margin{"svm-margin(penalty=inf)", "linear(lengthscale=1)"};
  const Means disagreement{"disagreement", "linear(lengthscale=1)"};
  const Means unsure{"uncertainty", "matern12(lengthscale=1)"};
  std::vector<std::vector<std::string>> rows{{"points", "log2(points) + 4", disagreement.strategy,
                                              margin.strategy, unsure.strategy, "random (mean)"}};
  for (const auto& [n, thresholds] :
       {std::pair<Index, int>{1000, 10}, {10000, 10}, {100000, 5}, {1000000, 2}}) {
    const Matrix x = Vector::LinSpaced(n, 0, 1);
    rows.push_back({fmt::format("{}", n), fmt::format("{:.1f}", std::log2(double(n)) + 4),
                    fmt::format("{}", worst(disagreement, x, thresholds)),
                    fmt::format("{}", worst(margin, x, thresholds)),
                    fmt::format("{}", worst(unsure, x, thresholds)), fmt::format("{:.0f}", by_chance(n))});
  }
  print(
      "Thresholds: labels until two neighbors among evenly spaced points differ, both ends counted, the "
      "most of "
      "several thresholds.\n\n");
  print(text_table(rows));
  print(fmt::format("\nKernels: {} for {} and {}, {} for {}; no noise.\n", margin.kernel,
                    disagreement.strategy, margin.strategy, unsure.kernel, unsure.strategy));
}

}  // namespace covary::cli
