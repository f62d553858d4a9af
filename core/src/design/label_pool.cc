#include "covary/design/label_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/base/error.h"
#include "covary/select/replay.h"
#include "select/draw_index.h"

namespace covary {
using namespace internal;
namespace {

std::string words_of(const ClusterSampling::Cluster& c) {
  if (c.labels == 0) return fmt::format("a cluster of {} without a label", c.size);
  return fmt::format("a cluster of {}: {} label{}, at least {:.0f} % of one class", c.size, c.labels,
                     c.labels == 1 ? "" : "s", 100 * c.lower);
}

}  // namespace

LabelledPool label_pool(const Kernel<Row>& kernel, const Rows& x, const std::vector<Index>& labels,
                        Index kinds, const LabelPoolOptions& o) {
  check_sizes(x.rows(), std::ssize(labels));
  check_finite(Batch<Row>(x), "x");
  const Kernel<Row> full = scaled_to(kernel, x);
  check_given(full.parameters());
  ClusterSampling sampling(ClusterTree(covariances(full, Batch<Row>(x)), 2000, o.threads), kinds, o.factor);
  for (Index i = 0; i < x.rows(); ++i)
    if (labels[static_cast<size_t>(i)] >= 0) sampling.tell(i, labels[static_cast<size_t>(i)]);
  Index open = x.rows() - sampling.told();
  if (o.count < 0 || o.count > open)
    throw Error(Problem::data, fmt::format("{} rows to label were asked for, {} {} no label", o.count, open,
                                           open == 1 ? "row has" : "rows have"));
  LabelledPool out{sampling.labels(),
                   sampling.errors(),
                   sampling.memberships(),
                   sampling.clusters(),
                   sampling.error(),
                   sampling.error_limit(o.percent),
                   {}};
  Random rng(o.seed + 0x9e3779b97f4a7c15U * std::uint64_t(sampling.told()));
  std::vector<Index> pending;
  for (; std::ssize(pending) < o.count; --open) {
    const Vector p = sampling.chances(pending);
    const Index i = draw_index(p, rng.uniform());
    const ClusterSampling::Cluster& c =
        out.clusters[static_cast<size_t>(out.cluster[static_cast<size_t>(i)])];
    out.next.push_back({i, p[i], p[i], open, false, words_of(c)});
    pending.push_back(i);
  }
  return out;
}

}  // namespace covary
