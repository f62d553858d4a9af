// Several new points at once, from coarse to fine. With w and d of the block of a point's nearest observations o and
// of the nearest new points t that come before it, the errors of f follow one after the other:
//
//   error_i = w_t'error_t + sqrt(d_i) z_i + (F_i - w_o'F_o + w_t'(h_t - F_t))'(beta - estimate),  z_i ~ N(0, 1)
//
// q m^3/3 flops for the weights, q t for a draw, q^2 t for the covariance.
#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "inference/target_batch.h"

namespace covary::internal {
namespace {

/// Closeness of new points among themselves, of a kernel that is not fused.
Closeness closeness_among(const BlockTargets& to, const std::vector<Index>& rows) {
  if (!to.covariance) return {};
  return [&to, &rows](Index place, const std::vector<Index>& others) {
    std::vector<Index> at;
    for (const Index i : others) at.push_back(rows[static_cast<size_t>(i)]);
    at.push_back(rows[static_cast<size_t>(place)]);
    const Matrix k = to.covariance({}, at);
    const Index last = k.rows() - 1;
    return Vector(k.col(last).head(last).cwiseQuotient(k.diagonal().head(last).cwiseSqrt()));
  };
}

/// w, d and F - w_o'F_o of a run of places.
void load_run(TargetBatch& blocks, Range r, Index earlier, BlockJoint& out) {
  BlockBatch& batch = blocks.batch;
  for (Index first = r.first; first < r.end(); first += simd::block_lanes) {
    blocks.load(first);
    batch.solve_back();
    for (Index l = 0; l < std::min<Index>(simd::block_lanes, r.end() - first); ++l) {
      const Index place = first + l;
      out.variance[place] = batch.singular(l) ? 0 : batch.d(l);
      for (Index c = 0; c < out.trend.rows(); ++c) out.trend(c, place) = batch.e(1 + c, l);
      for (Index k = 0; k < earlier; ++k) out.weights(k, place) = -batch.v(batch.r - 1 - earlier + k, l);
    }
  }
}

}  // namespace

BlockJoint join_blocks(const BlockData& data, const BlockSolution& s, const Matrix& columns,
                       const BlockTargets& to, Index observed, Index earlier, int threads) {
  const Index q = to.count, p = data.basis.cols();
  const auto tree = neighbor_tree(to.search.transpose(), threads);
  BlockJoint out;
  out.rows = rows_by_place(*tree);
  const NeighborSets among = neighbor_sets(tree, earlier, closeness_among(to, out.rows), threads);
  out.order = all_indices(q);
  std::sort(out.order.begin(), out.order.end(), [&](Index a, Index b) {
    return tree->position()[static_cast<size_t>(a)] < tree->position()[static_cast<size_t>(b)];
  });
  out.sets = among.sets;
  out.weights.resize(among.most, q), out.variance.resize(q), out.trend.resize(p, q);
  std::optional<FusedTerms> terms;
  if (data.kernel.fused) terms.emplace(*data.kernel.fused);
  for_runs(q, threads, [&](Range r) {
    TargetBatch blocks(data, terms ? &*terms : nullptr, columns, to, std::min(observed, data.y.size()),
                       &among);
    load_run(blocks, r, among.most, out);
  });
  if (p == 0) return out;
  const Matrix basis = to.basis(out.rows, Eigen::all).transpose();
  for (const Index i : out.order)
    out.each_earlier(i,
                     [&](Index t, double w) { out.trend.col(i) += w * (out.trend.col(t) - basis.col(t)); });
  out.trend = s.r.transpose().triangularView<Eigen::Lower>().solve(out.trend).eval();
  return out;
}

/// S_i. = w_t'S_t. for the points before i, S_ii = d_i + w_t'S_ti: q^2 t flops.
Matrix covariance_of(const BlockJoint& joint, const Vector& variance) {
  const Index q = joint.variance.size();
  Matrix s = Matrix::Zero(q, q);  // in the order
  std::vector<Index> number(static_cast<size_t>(q));
  for (Index i = 0; i < q; ++i) number[static_cast<size_t>(joint.order[static_cast<size_t>(i)])] = i;
  for (Index i = 0; i < q; ++i) {
    const Index place = joint.order[static_cast<size_t>(i)];
    double own = joint.variance[place];
    joint.each_earlier(place, [&](Index t, double w) {
      s.col(i).head(i) += w * s.col(number[static_cast<size_t>(t)]).head(i);
    });
    joint.each_earlier(place, [&](Index t, double w) { own += w * s(number[static_cast<size_t>(t)], i); });
    s.row(i).head(i) = s.col(i).head(i).transpose();
    s(i, i) = own;
  }
  std::vector<Index> at(static_cast<size_t>(q)), place(static_cast<size_t>(q));  // of each point
  for (Index i = 0; i < q; ++i) {
    const auto row = static_cast<size_t>(joint.rows[static_cast<size_t>(i)]);
    at[row] = number[static_cast<size_t>(i)], place[row] = i;
  }
  const Matrix trend = joint.trend(Eigen::all, place);
  Matrix out = s(at, at);
  s.resize(0, 0);
  if (trend.rows()) out.noalias() += trend.transpose() * trend;
  const Vector scale =
      (out.diagonal().array() > 0).select((variance.array() / out.diagonal().array()).max(0).sqrt(), 0);
  out = (scale.asDiagonal() * out * scale.asDiagonal()).eval();
  out.diagonal() = variance;
  return out;
}

Matrix drawn_errors(const BlockJoint& joint, Index draws, Random& rng) {
  const Index q = joint.variance.size();
  const Matrix slope = rng.normal(joint.trend.rows(), draws);
  Matrix by_place(draws, q), out(q, draws);
  for (const Index i : joint.order) {
    Vector error = std::sqrt(std::max(0.0, joint.variance[i])) * rng.normal(draws, 1);
    joint.each_earlier(i, [&](Index t, double w) { error += w * by_place.col(t); });
    by_place.col(i) = error;
  }
  for (Index i = 0; i < q; ++i)
    out.row(joint.rows[static_cast<size_t>(i)]) =
        by_place.col(i).transpose() + joint.trend.col(i).transpose() * slope;
  return out;
}

}  // namespace covary::internal
