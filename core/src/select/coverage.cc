#include "covary/select/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algebra/blas.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;
namespace {

/// The largest region of uncovered candidates: those with a correlation above one half with its middle.
struct Region {
  Index middle = -1, size = 0;
};
Region largest_region(const Matrix& correlation, const std::vector<char>& open) {
  Region out;
  for (Index i = 0; i < correlation.rows(); ++i) {
    if (!open[static_cast<size_t>(i)]) continue;
    Index size = 0;
    for (Index j = 0; j < correlation.cols(); ++j)
      size += open[static_cast<size_t>(j)] && correlation(i, j) > 0.5;
    if (size > out.size) out = {i, size};
  }
  return out;
}

/// r: the share of each candidate's variance that labels at `labels` leave, of some candidates. n^2 (n/3 + r)
/// flops.
Vector left_by(const Pool& pool, const std::vector<Index>& some, const std::vector<Index>& labels,
               int threads) {
  Matrix k = pool.among(labels, labels);
  for (Index i = 0; i < k.rows(); ++i)
    k(i, i) += pool.noise[labels[static_cast<size_t>(i)]] + 1e-10 * k(i, i);
  const Vector own = pool.diagonal(some);
  Matrix half = pool.among(labels, some);
  if (blas::cholesky(k, threads) != 0) return Vector::Zero(own.size());
  blas::solve_lower(k, half, threads);
  return ((own - half.colwise().squaredNorm().transpose()).array() / own.array().max(1e-300)).max(0);
}

/// Some candidates that represent the pool, and their variance given labels.
struct View {
  const Pool& pool;
  std::vector<Index> some;
  int threads;
  Matrix correlation = {};  // r x r
  double within = 0;        // mean of k over them

  View(const Pool& p, Index most, int t) : pool(p), some(representatives(p.size, most)), threads(t) {
    const Matrix k = pool.among(some, some);
    const Vector scale = k.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    correlation = scale.asDiagonal() * k * scale.asDiagonal();
    within = k.mean();
  }
  struct Seen {
    double uncovered, distance;
    Region region;
    double region_share;
  };
  /// Shares are of those that have no label.
  Seen of(const std::vector<Index>& labels) const {
    const Vector left = left_by(pool, some, labels, threads);
    std::vector<Index> sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> open(some.size());
    Index without = 0, uncovered = 0;
    for (size_t i = 0; i < some.size(); ++i) {
      if (std::binary_search(sorted.begin(), sorted.end(), some[i])) continue;
      ++without;
      uncovered += open[i] = left[Index(i)] > 0.5;
    }
    const double of = double(std::max<Index>(1, without));
    const Region region = largest_region(correlation, open);
    return {double(uncovered) / of, distance(labels), region, double(region.size) / of};
  }
  /// |mean_S k - mean_R k| for labels S, or as many of them as R has, and the candidates R that stand for
  /// all.
  double distance(const std::vector<Index>& all) const {
    std::vector<Index> labels = representatives(std::ssize(all), std::ssize(some));
    for (Index& i : labels) i = all[static_cast<size_t>(i)];
    const double squared = pool.among(labels, labels).mean() - 2 * pool.among(some, labels).mean() + within;
    return std::sqrt(std::max(0.0, squared));
  }
};

/// Warn beyond this factor times the worst random set of labels,
constexpr double beyond = 1.25;
/// and not for a smaller share of the candidates.
constexpr double worth_saying = 0.02;

}  // namespace

PoolCoverage coverage(const PoolPosterior& belief, std::uint64_t seed,
                      const std::function<std::string(Index)>& name, Index most, int draws) {
  const std::vector<Index> labels(belief.order().begin(), belief.order().begin() + belief.labels());
  if (labels.empty()) return {.uncovered = 1, .warnings = {"there are no labels yet"}};
  const View view(belief.pool(), most, belief.threads());
  const View::Seen now = view.of(labels);
  PoolCoverage out{.uncovered = now.uncovered, .region_share = now.region_share, .distance = now.distance};
  if (now.region.size > 0) out.region = view.some[static_cast<size_t>(now.region.middle)];
  double most_uncovered = 0, largest = 0;
  Random rng(seed);
  const bool any_open = std::max(out.uncovered, out.region_share) > worth_saying;
  for (int d = 0; d < draws; ++d) {
    const std::vector<Index> drawn =
        rng.subset(belief.pool().size, std::min(belief.pool().size, std::ssize(labels)));
    if (!any_open) {
      out.distance_by_chance = std::max(out.distance_by_chance, view.distance(drawn));
      continue;
    }
    const View::Seen by_chance = view.of(drawn);
    out.by_chance += by_chance.uncovered / draws;
    most_uncovered = std::max(most_uncovered, by_chance.uncovered);
    largest = std::max(largest, by_chance.region_share);
    out.distance_by_chance = std::max(out.distance_by_chance, by_chance.distance);
  }
  const bool open = out.uncovered > worth_saying && out.uncovered > beyond * most_uncovered;
  if (open)
    out.warnings.push_back(fmt::format(
        "the labels explain less than half of the variance of {:.0f} % of the unlabelled candidates (random "
        "labels: {:.0f} %): predictions there are close to the prior",
        100 * out.uncovered, 100 * out.by_chance));
  if (open || (out.region_share > worth_saying && out.region_share > beyond * largest))
    out.warnings.push_back(fmt::format(
        "the largest region without labels holds {:.0f} % of those candidates, around {}",
        100 * out.region_share, name ? name(out.region) : fmt::format("candidate {}", out.region + 1)));
  if (out.distance > beyond * out.distance_by_chance)
    out.warnings.push_back(
        fmt::format("the labels do not represent the pool: they are {:.2g} times as far from it as any "
                    "random labels; do not judge the model by its errors on them",
                    out.distance / out.distance_by_chance));
  return out;
}

Vector internal::leaning(const Rows& pool, const std::vector<Index>& labelled) {
  Vector out(pool.cols());
  for (Index k = 0; k < pool.cols(); ++k) {
    const double mean = pool.col(k).mean();
    const double sd = std::sqrt((pool.col(k).array() - mean).square().mean());
    double sum = 0;
    for (const Index i : labelled) sum += pool(i, k) - mean;
    out[k] = sd > 0 && !labelled.empty() ? sum / double(labelled.size()) / sd : 0;
  }
  return out;
}

}  // namespace covary
