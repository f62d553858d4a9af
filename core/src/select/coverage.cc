#include "covary/select/coverage.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "covary/random.h"

namespace covary {
namespace {

/// The largest group of uncovered ones that hang together: correlation over one half with its middle.
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

/// n: the share of each candidate's variance that labels at `labels` leave, of some candidates.
Vector left_by(const Pool& pool, const std::vector<Index>& some, const std::vector<Index>& labels) {
  Matrix k = pool.among(labels, labels);
  for (Index i = 0; i < k.rows(); ++i)
    k(i, i) += pool.noise[labels[static_cast<size_t>(i)]] + 1e-10 * k(i, i);
  const Eigen::LLT<Matrix> llt(k);
  const Matrix half = llt.matrixL().solve(pool.among(labels, some));
  const Vector own = pool.diagonal(some);
  return ((own - half.colwise().squaredNorm().transpose()).array() / own.array().max(1e-300)).max(0);
}

/// Some candidates that stand for the pool, and what labels leave of them.
struct View {
  const Pool& pool;
  std::vector<Index> some;
  Matrix correlation = {};  // r x r
  double within = 0;        // mean of k over them

  View(const Pool& p, Index most) : pool(p), some(representatives(p.size, most)) {
    const Matrix k = pool.among(some, some);
    const Vector scale = k.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    correlation = scale.asDiagonal() * k * scale.asDiagonal();
    within = k.mean();
  }
  struct Seen {
    double uncovered, distance;
    Region region;
  };
  Seen of(const std::vector<Index>& labels) const {
    const Vector left = left_by(pool, some, labels);
    std::vector<char> open(some.size());
    for (size_t i = 0; i < some.size(); ++i) open[i] = left[Index(i)] > 0.5;
    return {double((left.array() > 0.5).count()) / double(some.size()), distance(labels),
            largest_region(correlation, open)};
  }
  /// |mean_S k - mean_R k| for labels S and the candidates R that stand for all.
  double distance(const std::vector<Index>& labels) const {
    const double squared = pool.among(labels, labels).mean() - 2 * pool.among(some, labels).mean() + within;
    return std::sqrt(std::max(0.0, squared));
  }
};

/// More than chance would explain: beyond every set of labels by chance, and by a quarter.
constexpr double beyond = 1.25;

}  // namespace

PoolCoverage coverage(const Belief& belief, std::uint64_t seed, Index most, int draws) {
  const std::vector<Index> labels(belief.order().begin(), belief.order().begin() + belief.labels());
  if (labels.empty()) return {.uncovered = 1, .warnings = {"there are no labels yet"}};
  const View view(belief.pool(), most);
  const double size = double(view.some.size());
  const View::Seen now = view.of(labels);
  PoolCoverage out{
      .uncovered = now.uncovered, .region_share = double(now.region.size) / size, .distance = now.distance};
  if (now.region.size > 0) out.region = view.some[static_cast<size_t>(now.region.middle)];
  double most_uncovered = 0, largest = 0;
  Random rng(seed);
  for (int d = 0; d < draws; ++d) {
    const View::Seen by_chance =
        view.of(rng.subset(belief.pool().size, std::min(belief.pool().size, std::ssize(labels))));
    out.by_chance += by_chance.uncovered / draws;
    most_uncovered = std::max(most_uncovered, by_chance.uncovered);
    largest = std::max(largest, double(by_chance.region.size) / size);
    out.distance_by_chance = std::max(out.distance_by_chance, by_chance.distance);
  }
  const bool open = out.uncovered > 0.02 && out.uncovered > beyond * most_uncovered;
  if (open)
    out.warnings.push_back(
        fmt::format("no label speaks for {:.0f} % of the pool (by chance it would be {:.0f} %): "
                    "what is predicted there is a guess",
                    100 * out.uncovered, 100 * out.by_chance));
  if (open || (out.region_share > 0.02 && out.region_share > beyond * largest))
    out.warnings.push_back(
        fmt::format("the largest part without labels is {:.0f} % of the pool, around candidate {}",
                    100 * out.region_share, out.region + 1));
  if (out.distance > beyond * out.distance_by_chance)
    out.warnings.push_back(
        fmt::format("the labels do not look like the pool: {:.2g} times as far from it as any labels "
                    "by chance; do not judge the model by its errors on them",
                    out.distance / out.distance_by_chance));
  return out;
}

Vector leaning(const Rows& pool, const std::vector<Index>& labelled) {
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
