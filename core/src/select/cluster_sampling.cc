#include "covary/select/cluster_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "covary/base/error.h"
#include "covary/base/percent.h"

namespace covary {
namespace {

/// The share of errors that would give `wrong` or fewer among n with probability 1 - level: Clopper and Pearson's.
double upper_share(Index wrong, Index n, double level) {
  return wrong >= n ? 1 : boost::math::ibeta_inv(double(wrong + 1), double(n - wrong), level);
}

}  // namespace

ClusterSampling::ClusterSampling(ClusterTree tree, Index kinds, double factor)
    : tree_(std::move(tree)),
      kinds_(kinds),
      factor_(factor),
      counts_(static_cast<size_t>(tree_.nodes())),
      error_(static_cast<size_t>(tree_.nodes()), 1),
      in_pruning_(static_cast<size_t>(tree_.nodes()), 0),
      kind_(static_cast<size_t>(tree_.points()), -1) {
  if (kinds < 2) throw Error(Problem::usage, fmt::format("there must be 2 classes or more, found {}", kinds));
  if (!(factor > 1 && std::isfinite(factor)))
    throw Error(Problem::usage, fmt::format("factor must be a number over 1, found {}", factor));
  in_pruning_[static_cast<size_t>(tree_.root())] = 1;
}

Index ClusterSampling::labels_in(Index node) const {
  const std::vector<Index>& c = counts_[static_cast<size_t>(node)];
  return std::accumulate(c.begin(), c.end(), Index{0});
}

/// The first of the most frequent classes. A cluster without a label has that of the nearest one around it.
Index ClusterSampling::most_frequent(Index node) const {
  while (node >= 0 && counts_[static_cast<size_t>(node)].empty()) node = tree_.parent(node);
  if (node < 0) return 0;
  const std::vector<Index>& c = counts_[static_cast<size_t>(node)];
  return std::max_element(c.begin(), c.end()) - c.begin();
}

/// D_vl; 1 without a label.
double ClusterSampling::half_width(Index node, Index kind) const {
  const auto n = double(labels_in(node));
  if (n == 0) return 1;
  const double p = double(counts_[static_cast<size_t>(node)][static_cast<size_t>(kind)]) / n;
  return 1 / n + std::sqrt(p * (1 - p) / n);
}

/// 1 - p of the most frequent class if that is admissible, or 1.
double ClusterSampling::own_error(Index node) const {
  const std::vector<Index>& c = counts_[static_cast<size_t>(node)];
  const auto n = double(labels_in(node));
  const Index best = most_frequent(node);
  const auto share = [&](Index l) { return double(c[static_cast<size_t>(l)]) / n; };
  const double at_most = 1 - std::max(0.0, share(best) - half_width(node, best));
  for (Index l = 0; l < kinds_; ++l)
    if (l != best && at_most >= factor_ * (1 - std::min(1.0, share(l) + half_width(node, l)))) return 1;
  return 1 - share(best);
}

/// Of the two below it, each pruned as well as it can be.
double ClusterSampling::split_error(Index node) const {
  if (tree_.is_point(node)) return 1;
  double sum = 0;
  for (const Index child : {tree_.left(node), tree_.right(node)})
    sum += double(tree_.size(child)) * error_[static_cast<size_t>(child)];
  return sum / double(tree_.size(node));
}

void ClusterSampling::refine(Index node) {
  constexpr double less = 1 - 1e-9;  // by more than rounding
  in_pruning_[static_cast<size_t>(node)] = 1;
  const bool empty = counts_[static_cast<size_t>(node)].empty();
  if (empty || !(split_error(node) < less * own_error(node))) return;
  in_pruning_[static_cast<size_t>(node)] = 0;
  refine(tree_.left(node)), refine(tree_.right(node));
}

void ClusterSampling::tell(Index point, Index kind) {
  if (point < 0 || point >= tree_.points())
    throw Error(Problem::usage,
                fmt::format("expected a point from 0 to {}, found {}", tree_.points() - 1, point));
  if (kind < 0 || kind >= kinds_)
    throw Error(Problem::data, fmt::format("expected a class from 0 to {}, found {}", kinds_ - 1, kind));
  if (kind_[static_cast<size_t>(point)] >= 0) return;
  kind_[static_cast<size_t>(point)] = kind, ++told_;
  Index cluster = -1;
  for (Index v = point; v >= 0; v = tree_.parent(v)) {
    std::vector<Index>& c = counts_[static_cast<size_t>(v)];
    if (c.empty()) c.assign(static_cast<size_t>(kinds_), 0);
    ++c[static_cast<size_t>(kind)];
    error_[static_cast<size_t>(v)] = std::min(own_error(v), split_error(v));
    if (in_pruning_[static_cast<size_t>(v)]) cluster = v;
  }
  refine(cluster);
}

std::vector<ClusterSampling::Cluster> ClusterSampling::clusters() const {
  std::vector<Cluster> out;
  for (Index at = 0; at < tree_.points();) {
    Index v = tree_.order()[static_cast<size_t>(at)];
    while (!in_pruning_[static_cast<size_t>(v)]) v = tree_.parent(v);
    Cluster c{v, tree_.size(v), labels_in(v), most_frequent(v)};
    if (c.labels > 0) {
      c.share = double(counts_[static_cast<size_t>(v)][static_cast<size_t>(c.kind)]) / double(c.labels);
      c.lower = std::max(0.0, c.share - half_width(v, c.kind));
    }
    out.push_back(c);
    at += c.size;
  }
  return out;
}

std::vector<Index> ClusterSampling::memberships() const {
  std::vector<Index> out(kind_.size());
  const std::vector<Cluster> all = clusters();
  for (size_t c = 0; c < all.size(); ++c)
    for (Index i = tree_.first(all[c].node), end = i + all[c].size; i < end; ++i)
      out[static_cast<size_t>(tree_.order()[static_cast<size_t>(i)])] = Index(c);
  return out;
}

Vector ClusterSampling::chances(const std::vector<Index>& pending) const {
  std::vector<char> taken(kind_.size(), 0);
  for (size_t i = 0; i < kind_.size(); ++i) taken[i] = kind_[i] >= 0;
  for (const Index i : pending) taken[static_cast<size_t>(i)] = 1;
  Vector out = Vector::Zero(tree_.points());
  for (const Cluster& c : clusters()) {
    std::vector<Index> open;
    for (Index i = tree_.first(c.node), end = i + c.size; i < end; ++i)
      if (const Index point = tree_.order()[static_cast<size_t>(i)]; !taken[static_cast<size_t>(point)])
        open.push_back(point);
    for (const Index i : open) out[i] = double(c.size) * (1 - c.lower) / double(open.size());
  }
  const double sum = out.sum();
  return sum > 0 ? Vector(out / sum) : out;
}

std::vector<Index> ClusterSampling::labels() const {
  const std::vector<Cluster> all = clusters();
  std::vector<Index> out = memberships();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = kind_[i] >= 0 ? kind_[i] : all[static_cast<size_t>(out[i])].kind;
  return out;
}

Vector ClusterSampling::errors() const {
  const std::vector<Cluster> all = clusters();
  const std::vector<Index> member = memberships();
  Vector out(tree_.points());
  for (Index i = 0; i < out.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    out[i] = kind_[at] >= 0 ? 0 : 1 - all[static_cast<size_t>(member[at])].share;
  }
  return out;
}

double ClusterSampling::error_limit(double percent) const {
  internal::check_percent(percent, "percent");
  double sum = 0;
  for (const Cluster& c : clusters()) {
    const Index wrong = c.labels - Index(std::lround(c.share * double(c.labels)));
    const double limit = c.labels == 0 ? 1 : upper_share(wrong, c.labels, percent / 100);
    sum += double(c.size - c.labels) * limit;
  }
  return sum / double(tree_.points());
}

}  // namespace covary
