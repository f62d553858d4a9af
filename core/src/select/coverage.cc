#include "covary/select/coverage.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "covary/random.h"

namespace covary {
namespace {

/// Squared discrepancy of means in the kernel's metric: |mean_S k - mean_R k|^2 for labels S and some R.
double discrepancy(const Matrix& k, const Matrix& among, const Vector& pool_mean, double pool) {
  return among.mean() - 2 * (k.transpose() * pool_mean).mean() + pool;
}

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

double open_share(const Vector& left) { return double((left.array() > 0.5).count()) / double(left.size()); }

}  // namespace

Coverage coverage(const Belief& belief, std::uint64_t seed, Index most, int draws) {
  const Pool& pool = belief.pool();
  const std::vector<Index> labels(belief.order().begin(), belief.order().begin() + belief.labels());
  Coverage out;
  if (labels.empty()) {
    out.uncovered = 1;
    out.warnings.push_back("there are no labels yet");
    return out;
  }
  const std::vector<Index> some = representatives(pool.size, most);
  const Matrix k = pool.among(some, some);
  const Vector scale = k.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Vector pool_mean = k.rowwise().mean();
  const Vector left = left_by(pool, some, labels);
  out.uncovered = open_share(left);
  const auto distance = [&](const std::vector<Index>& s) {
    return std::sqrt(std::max(
        0.0, discrepancy(pool.among(some, s), pool.among(s, s),
                         Vector::Constant(std::ssize(some), 1 / double(some.size())), pool_mean.mean())));
  };
  out.distance = distance(labels);
  Random rng(seed);
  std::vector<double> distances;
  for (int d = 0; d < draws; ++d) {
    const std::vector<Index> other = rng.subset(pool.size, std::min(pool.size, std::ssize(labels)));
    out.by_chance += open_share(left_by(pool, some, other)) / draws;
    distances.push_back(distance(other));
  }
  std::sort(distances.begin(), distances.end());
  if (!distances.empty()) out.distance_by_chance = distances[(distances.size() * 95) / 100];

  std::vector<char> open(some.size());
  for (size_t i = 0; i < some.size(); ++i) open[i] = left[Index(i)] > 0.5;
  const Region region = largest_region(scale.asDiagonal() * k * scale.asDiagonal(), open);
  if (region.size > 0) {
    out.region = some[static_cast<size_t>(region.middle)];
    out.region_share = double(region.size) / double(some.size());
  }
  if (out.uncovered > 0.05 && out.uncovered > 1.5 * out.by_chance)
    out.warnings.push_back(
        fmt::format("no label speaks for {:.0f} % of the pool (by chance it would be {:.0f} %): "
                    "what is predicted there is a guess",
                    100 * out.uncovered, 100 * out.by_chance));
  if (out.region_share > 0.02)
    out.warnings.push_back(
        fmt::format("the largest part without labels is {:.0f} % of the pool, around candidate {}",
                    100 * out.region_share, out.region + 1));
  if (out.distance > 1.5 * out.distance_by_chance)
    out.warnings.push_back(
        fmt::format("the labels do not look like the pool: {:.2g} times as far from it as labels "
                    "by chance would be; do not judge the model by its errors on them",
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
