#include <cmath>

#include "inference/target_batch.h"
#include "process/gls.h"

namespace covary::internal {
Matrix block_columns(const BlockData& data, const BlockSolution& s) {
  Matrix out(1 + data.basis.cols(), data.y.size());
  out.row(0) = (data.y - data.basis * s.beta).transpose();
  out.bottomRows(data.basis.cols()) = data.basis.transpose();
  return out;
}

/// e = 0 - w'(y - F beta) and f* - F_c'w of the last entries.
BlockPredictions predict_blocks(const BlockData& data, const BlockSolution& s, const Matrix& columns,
                                const BlockTargets& to, Index most) {
  const Index q = to.count, p = data.basis.cols(), m = std::min(most, data.y.size());
  BlockPredictions out{Vector(q), Vector(q), Matrix(p, q), 0};
  if (q == 0) return out;
  std::optional<FusedTerms> terms;
  if (data.kernel.fused) terms.emplace(*data.kernel.fused);
  TargetBatch blocks(data, terms ? &*terms : nullptr, columns, to, m);
  BlockBatch& batch = blocks.batch;
  for (Index first = 0; first < q; first += simd::block_lanes) {
    blocks.load(first);
    for (Index l = 0; l < blocks.lanes(); ++l) {
      const Index at = first + l;
      out.mean[at] = -batch.e(0, l);
      out.variance[at] = batch.d(l);
      for (Index c = 0; c < p; ++c) {  // R'^-1, one entry after the other
        double u = batch.e(1 + c, l);
        for (Index k = 0; k < c; ++k) u -= s.r(k, c) * out.trend(k, at);
        out.trend(c, at) = u / s.r(c, c);
      }
      if (p > 0) out.mean[at] += to.basis.row(at).dot(s.beta);
    }
  }
  out.clamped = clamp_variances(out.variance, to.prior, m);
  if (p > 0) out.variance += out.trend.colwise().squaredNorm().transpose();
  return out;
}

double rounding_of_blocks(Index most, const Vector& prior) {
  return prior.size() ? rounding_level(most) * prior.cwiseAbs().maxCoeff() : 0;
}

}  // namespace covary::internal
