#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "inference/block_members.h"
#include "inference/neighbor_search.h"
#include "process/gls.h"

namespace covary::internal {
namespace {

/// Of eight new points: their conditioning sets, and what stands in the last entry of the blocks.
class TargetBatch {
 public:
  TargetBatch(const BlockData& data, const FusedTerms* fused, const Matrix& columns, const BlockTargets& to,
              Index most)
      : data_(data),
        fused_(fused),
        columns_(columns),
        to_(to),
        batch(most + 1, columns.rows(), coordinate_count(data.kernel), 0),
        search_(*data.neighbors.tree, most, bool(to.closeness)) {}

  void load(Index first) {
    for (Index l = 0; l < simd::block_lanes; ++l) load_lane(std::min(first + l, to_.count - 1), l);
    if (fused_) batch.fill(*fused_, false);
    if (!fused_)
      for (Index l = 0; l < simd::block_lanes; ++l) load_covariances(std::min(first + l, to_.count - 1), l);
    batch.factorize();
  }
  const std::vector<Index>& set(Index l) const { return sets_[static_cast<size_t>(l)]; }

 private:
  void load_lane(Index at, Index l) {
    std::vector<Index>& set = sets_[static_cast<size_t>(l)];
    search_.find(to_.search.col(at).data(), data_.y.size(), set);
    if (to_.closeness && std::ssize(set) > batch.r - 1) search_.keep_closest(to_.closeness(at, set), set);
    const Index m = batch.r - 1;
    for (Index q = 0; q < m; ++q) {
      const Index place = set[static_cast<size_t>(q)];
      batch.noise(q, l) = data_.noise[place];
      for (Index c = 0; c < batch.width; ++c) batch.column(c, q, l) = columns_(c, place);
      for (Index k = 0; k < batch.coordinates; ++k)
        batch.coordinate(k, q, l) = (*data_.kernel.coordinates)(k, place);
    }
    batch.noise(m, l) = 0;
    batch.column(0, m, l) = 0;
    for (Index c = 1; c < batch.width; ++c) batch.column(c, m, l) = to_.basis(at, c - 1);
    for (Index k = 0; k < batch.coordinates; ++k) batch.coordinate(k, m, l) = to_.coordinates(k, at);
  }
  void load_covariances(Index at, Index l) {
    const Matrix k = to_.covariance(set(l), at);
    for (Index i = 0; i < batch.r; ++i) {
      for (Index j = 0; j <= i; ++j) batch.covariance(i, j, l) = k(i, j);
      batch.covariance(i, i, l) += batch.noise(i, l);
    }
  }

  const BlockData& data_;
  const FusedTerms* fused_;
  const Matrix& columns_;
  const BlockTargets& to_;

 public:
  BlockBatch batch;

 private:
  NeighborSearch search_;
  std::array<std::vector<Index>, size_t(simd::block_lanes)> sets_;
};

}  // namespace

Matrix block_columns(const BlockData& data, const BlockSolution& s) {
  Matrix out(1 + data.basis.cols(), data.y.size());
  out.row(0) = (data.y - data.basis * s.beta).transpose();
  out.bottomRows(data.basis.cols()) = data.basis.transpose();
  return out;
}

/// e = 0 - w'(y - F beta) and f* - F_c'w of the last entries.
BlockPredictions predict_blocks(const BlockData& data, const BlockSolution& s, const Matrix& columns,
                                const BlockTargets& to, Index most, bool weights) {
  const Index q = to.count, p = data.basis.cols(), m = std::min(most, data.y.size());
  BlockPredictions out{Vector(q), Vector(q), Matrix(p, q), {}, {}, 0};
  if (q == 0) return out;
  std::optional<FusedTerms> terms;
  if (data.kernel.fused) terms.emplace(*data.kernel.fused);
  TargetBatch blocks(data, terms ? &*terms : nullptr, columns, to, m);
  BlockBatch& batch = blocks.batch;
  for (Index first = 0; first < q; first += simd::block_lanes) {
    blocks.load(first);
    if (weights) batch.solve_back();
    for (Index l = 0; l < std::min<Index>(simd::block_lanes, q - first); ++l) {
      const Index at = first + l;
      out.mean[at] = -batch.e(0, l);
      out.variance[at] = batch.d(l);
      for (Index c = 0; c < p; ++c) {  // R'^-1, one entry after the other
        double u = batch.e(1 + c, l);
        for (Index k = 0; k < c; ++k) u -= s.r(k, c) * out.trend(k, at);
        out.trend(c, at) = u / s.r(c, c);
      }
      if (p > 0) out.mean[at] += to.basis.row(at).dot(s.beta);
      if (!weights) continue;
      out.sets.push_back(blocks.set(l));
      Vector w(m);
      for (Index k = 0; k < m; ++k) w[k] = -batch.v(k, l);
      out.weights.push_back(std::move(w));
    }
  }
  out.clamped = clamp_variances(out.variance, to.prior, m);
  if (p > 0) out.variance += out.trend.colwise().squaredNorm().transpose();
  return out;
}

double rounding_of_blocks(Index most, const Vector& prior) {
  return prior.size() ? rounding_level(most) * prior.cwiseAbs().maxCoeff() : 0;
}

Matrix joint_of_blocks(Matrix prior, const BlockPredictions& found, const Vector& noise,
                       const std::function<Matrix(const std::vector<Index>&, const std::vector<Index>&)>& cross) {
  const Index q = prior.rows();
  std::vector<Index> all;
  for (const std::vector<Index>& set : found.sets) all.insert(all.end(), set.begin(), set.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Eigen::SparseMatrix<double, Eigen::RowMajor> w(std::ssize(all), q);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < q; ++j) {
    const std::vector<Index>& set = found.sets[static_cast<size_t>(j)];
    for (size_t k = 0; k < set.size(); ++k)
      entries.emplace_back(std::lower_bound(all.begin(), all.end(), set[k]) - all.begin(), j,
                           found.weights[static_cast<size_t>(j)][Index(k)]);
  }
  w.setFromTriplets(entries.begin(), entries.end());
  constexpr Index tile = 512;
  for (Index i = 0; i < w.rows(); i += tile) {  // some observations: t x q
    const Index t = std::min(tile, w.rows() - i);
    const std::vector<Index> rows(all.begin() + i, all.begin() + i + t);
    const Eigen::SparseMatrix<double, Eigen::RowMajor> own = w.middleRows(i, t);
    Matrix inner = Matrix::Zero(t, q);
    for (Index k = 0; k < t; ++k) inner.row(k) = noise[rows[static_cast<size_t>(k)]] * own.row(k);
    for (Index j = 0; j < w.rows(); j += tile) {
      const std::vector<Index> others(all.begin() + j, all.begin() + j + std::min(tile, w.rows() - j));
      inner += cross(rows, others) * w.middleRows(j, std::ssize(others));
    }
    const Matrix seen = own.transpose() * cross(rows, {});
    prior += own.transpose() * inner - seen - seen.transpose();
  }
  if (found.trend.rows()) prior += found.trend.transpose() * found.trend;
  prior = (0.5 * (prior + prior.transpose())).eval();
  prior.diagonal() = found.variance;
  return prior;
}

}  // namespace covary::internal
