// hierarchical: random labels inside the clusters of a pruned tree, most where classes are mixed [dasgupta2008].
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "covary/base/random.h"
#include "covary/select/cluster_sampling.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// The tree is made once for a pool; labels are told to it in the order they came.
struct Hierarchical {
  double factor;
  std::optional<ClusterSampling> clusters = {};
  Matrix seen = {};  // some covariances of the pool that the tree is of
  Index told = 0;

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    const std::vector<Index> some = representatives(sight.pool().size, 16);
    const Matrix now = among(sight.pool(), some, some);
    const bool same = clusters && clusters->tree().points() == sight.pool().size && told <= belief.labels() &&
                      now.rows() == seen.rows() && now == seen;
    if (!same) {
      clusters.emplace(ClusterTree(sight.pool(), 2000, belief.threads()), sight.kinds, factor);
      seen = now, told = 0;
    }
    for (; told < belief.labels(); ++told)
      clusters->tell(belief.order()[static_cast<size_t>(told)], sight.classes[static_cast<size_t>(told)]);
    return clusters->chances({belief.order().begin() + belief.labels(), belief.order().end()});
  }
  std::string reason(const StrategyInput&, Index i) const {
    const Index c = clusters->memberships()[static_cast<size_t>(i)];
    const ClusterSampling::Cluster of = clusters->clusters()[static_cast<size_t>(c)];
    if (of.labels == 0) return fmt::format("drawn from a cluster of {} without a label", of.size);
    return fmt::format("drawn from a cluster of {}: {} labels, {:.0f} % of one class, at least {:.0f} %",
                       of.size, of.labels, 100 * of.share, 100 * of.lower);
  }
};

}  // namespace

StrategyEntry hierarchical() {
  StrategyEntry e{
      "hierarchical",
      "w_v (1 - lower bound of the purity of v) / open in v, v the cluster of x: a probability",
      "drawn from clusters whose classes are mixed or unknown; every candidate can be drawn",
      {"factor"},
      [](const Arguments& a) {
        const double factor = a.number("factor");
        if (factor <= 1 || std::isinf(factor))
          throw Error(
              Problem::usage,
              fmt::format("strategy: hierarchical: factor must be a number over 1, found {}", factor));
        return Strategy(Hierarchical{std::isnan(factor) ? 2 : factor});
      }};
  e.question = Question::everything;
  e.reference = "dasgupta2008";
  e.task = StrategyEntry::For::classification;
  e.draws = true;
  e.bytes = [](const Arguments&, Index m) {
    const double exact = double(std::min<Index>(m, 2000));
    return 8 * exact * exact + 200 * double(m);
  };
  return e;
}

}  // namespace covary::strategy
