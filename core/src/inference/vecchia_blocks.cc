#include "covary/inference/vecchia_blocks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algebra/decompositions.h"
#include "covary/algebra/remote.h"
#include "covary/base/parallel.h"
#include "covary/base/ranks.h"
#include "inference/block_members.h"
#include "process/gls.h"

namespace covary::internal {
namespace {

constexpr Index columns_at_once = 5;  // of [y F]: with more, the slopes are taken once beta is known

/// BlockSums over the points of a run. With b = (1, -beta) the slope along D is b'(outer) b - plain:
///   outer = sum e t'/d + 1/2 s e e'/d^2,  plain = 1/2 sum s/d,  s = v'D v,  t_c = a_c'D v
struct SlopeSum {
  Matrix outer;
  double plain = 0;
  explicit SlopeSum(Index c) : outer(Matrix::Zero(c, c)) {}
  void operator+=(const SlopeSum& more) { outer += more.outer, plain += more.plain; }
  template <class F>
  void numbers(const F& f) {
    f(outer.data(), outer.size()), f(&plain, 1);
  }
  double at(const Vector& b) const { return b.dot(outer * b) - plain; }
};

struct BlockSums {
  double log_d = 0;
  bool singular = false;
  std::vector<SlopeSum> theta;  // of each entry, where the kernel is fused
  SlopeSum noise;
  Vector kernel;  // of theta, where it is not

  void operator+=(const BlockSums& more) {
    log_d += more.log_d;
    singular = singular || more.singular;
    for (size_t i = 0; i < more.theta.size(); ++i) theta[i] += more.theta[i];
    noise += more.noise;
    kernel += more.kernel;
  }
  /// f(pointer, count) for all numbers but `singular`.
  template <class F>
  void numbers(const F& f) {
    f(&log_d, 1), f(kernel.data(), kernel.size()), noise.numbers(f);
    for (SlopeSum& s : theta) s.numbers(f);
  }
};

/// One run over all points: whitened columns, and slopes if asked for. On a cluster each rank takes some of the points,
/// and has the sums of all in the end; of whitened rows it has the triangles Q'W of each rank, which have the same
/// products.
class Pass {
 public:
  Pass(const BlockData& data, const Matrix& columns, bool slopes)
      : data_(data),
        columns_(columns),
        slopes_(slopes),
        runs_(own_part((data.y.size() + block_run - 1) / block_run, data.y.size())),
        first_(runs_.first * block_run),
        whitened(std::min(runs_.end() * block_run, data.y.size()) - first_, columns.rows()),
        sums(empty()) {
    if (data.kernel.fused) terms_.emplace(*data.kernel.fused);
  }

  /// The same bits with any number of threads: runs have a fixed length, and are added in their order.
  void run(int threads) {
    if (data_.kernel.remote) return run_elsewhere();
    const Index n = data_.y.size();
    std::vector<BlockSums> all(static_cast<size_t>(runs_.count), BlockSums{0, false, {}, SlopeSum(0), {}});
    parallel_for(runs_.count, threads, [&](Index i) {
      const Index first = first_ + i * block_run;
      all[static_cast<size_t>(i)] = of({first, std::min(block_run, n - first)});
    });
    for (const BlockSums& s : all) sums += s;
    if (runs_.count < (n + block_run - 1) / block_run) add_other_ranks();
  }

 private:
  void run_elsewhere() {
    const BlockKernel& k = data_.kernel;
    std::optional<RemoteBlocks::Whitened> w = k.remote->whitened(*k.program, columns_, data_.noise);
    sums.singular = !w;
    if (w) whitened = std::move(w->rows), sums.log_d = w->log_d;
  }

  const BlockData& data_;
  const Matrix& columns_;  // c x n
  bool slopes_;
  Range runs_;   // of this rank
  Index first_;  // of its points
  std::optional<FusedTerms> terms_;

 public:
  Matrix whitened;  // n x c
  BlockSums sums;

 private:
  BlockSums empty() const {
    const auto p = static_cast<size_t>(data_.kernel.parameters);
    return {0, false, std::vector<SlopeSum>(data_.kernel.fused && slopes_ ? p : 0, SlopeSum(columns_.rows())),
            SlopeSum(columns_.rows()), Vector::Zero(Index(p))};
  }

  /// One exchange of a few numbers from each rank, added up in their order.
  void add_other_ranks() {
    const Index c = whitened.cols();
    if (whitened.rows() > c) whitened = Matrix(Reflections(whitened).r());
    Vector own(2 + whitened.size());
    own[0] = sums.singular ? 1 : 0, own[1] = double(whitened.rows());
    own.tail(whitened.size()) = whitened.reshaped();
    std::string bytes = bytes_of(own);
    sums.numbers(
        [&](const double* v, Index count) { bytes += bytes_of(Eigen::Map<const Vector>(v, count)); });
    sums = empty();
    std::vector<Matrix> rows;
    for (const std::string& part : ranks()->gathered("sums over points", bytes)) {
      const Vector all = numbers_of(part);
      const auto r = Index(all[1]);
      rows.emplace_back(Eigen::Map<const Matrix>(all.data() + 2, r, c));
      BlockSums more = empty();
      more.singular = all[0] != 0;
      Index at = 2 + r * c;
      more.numbers([&](double* v, Index count) {
        Eigen::Map<Vector>(v, count) = all.segment(at, count);
        at += count;
      });
      sums += more;
    }
    Index filled = 0;
    for (const Matrix& m : rows) filled += m.rows();
    whitened.resize(filled, c);
    filled = 0;
    for (const Matrix& m : rows) whitened.middleRows(filled, m.rows()) = m, filled += m.rows();
  }

  BlockSums of(Range places) {
    BlockSums out = empty();
    BlockBatch batch(data_.neighbors.most + 1, columns_.rows(), coordinate_count(data_.kernel),
                     terms_ && slopes_ ? terms_->slopes : 0);
    BlockMembers members(data_, terms_ ? &*terms_ : nullptr, columns_);
    const Eights products((batch.width + 1) * 2);
    for (Index first = places.first; first < places.end(); first += simd::block_lanes) {
      members.load(batch, first, slopes_);
      for (Index l = 0; l < members.lanes(); ++l) {
        out.singular = out.singular || batch.singular(l);
        out.log_d += std::log(batch.d(l));
        const double root = 1 / std::sqrt(batch.d(l));
        for (Index c = 0; c < batch.width; ++c) whitened(first + l - first_, c) = root * batch.e(c, l);
      }
      if (!slopes_ || out.singular) continue;
      if (terms_)
        add_fused(batch, members, products.at(0), out);
      else
        add_general(batch, members, out);
    }
    return out;
  }

  static void add(const BlockBatch& batch, Index lanes, const double* products, SlopeSum& to) {
    for (Index l = 0; l < lanes; ++l) {
      const double s = products[l], d = 1 / whole(batch, l), half = 0.5 * s * d;
      to.plain += half;
      for (Index i = 0; i < batch.width; ++i)
        for (Index j = 0; j < batch.width; ++j)
          to.outer(i, j) += d * batch_e(batch, i, l) *
                            (products[simd::block_lanes * (1 + j) + l] + half * batch_e(batch, j, l));
    }
  }
  static double whole(const BlockBatch& batch, Index l) { return batch.d(l); }
  static double batch_e(const BlockBatch& batch, Index c, Index l) { return batch.e(c, l); }

  void add_fused(BlockBatch& batch, const BlockMembers& members, double* products, BlockSums& out) const {
    const Index size = (1 + batch.width) * simd::block_lanes;
    double* const rest = products + size;  // K v = (0, ..., 0, d): what all entries but the noise's have left
    batch.solve_back();
    batch.noise_products(products);
    add(batch, members.lanes(), products, out.noise);
    for (Index i = 0; i < size; ++i) rest[i] = -products[i];
    for (Index l = 0; l < simd::block_lanes; ++l) rest[l] += batch.d(l);
    for (const FusedTerms::Output& o : terms_->outputs) {
      batch.products(o, products);
      if (o.theta >= 0)
        add(batch, members.lanes(), products, out.theta[static_cast<size_t>(o.theta)]);
      else
        for (Index i = 0; i < size; ++i) rest[i] -= products[i];
    }
    for (const Index t : terms_->rest) add(batch, members.lanes(), rest, out.theta[static_cast<size_t>(t)]);
  }

  /// G of each block; there is one column, y - F beta.
  void add_general(BlockBatch& batch, const BlockMembers& members, BlockSums& out) const {
    batch.solve_back();
    Matrix g(batch.r, batch.r);
    for (Index l = 0; l < members.lanes(); ++l) {
      const double d = batch.d(l), e = batch.e(0, l), ratio = e / d, square = ratio * ratio - 1 / d;
      for (Index i = 0; i < batch.r; ++i) {
        const double vi = batch.v(i, l), ai = i + 1 < batch.r ? batch.a(0, i, l) : 0;
        for (Index j = 0; j < batch.r; ++j) {
          const double vj = batch.v(j, l), aj = j + 1 < batch.r ? batch.a(0, j, l) : 0;
          const bool there = members.place(i, l) >= 0 && members.place(j, l) >= 0;
          g(i, j) = there ? 0.5 * (ratio * (ai * vj + vi * aj) + square * vi * vj) : 0;
        }
        out.noise.plain -= g(i, i) * batch.noise(i, l);
      }
      out.kernel += data_.kernel.pullback(members.set(l), g);
    }
  }
};

/// [y F]', a point to a column.
Matrix columns_of(const Vector& y, const Matrix& basis) {
  Matrix out(1 + basis.cols(), y.size());
  out.row(0) = y.transpose();
  out.bottomRows(basis.cols()) = basis.transpose();
  return out;
}

BlockSolution solved(const Pass& pass, Index n) {
  BlockSolution out;
  if (pass.sums.singular || !pass.whitened.allFinite()) return out;
  const Matrix half = pass.whitened.rightCols(pass.whitened.cols() - 1);
  if (half.cols()) out.r = trend_triangle(half, 0);
  Vector residual;
  std::tie(residual, out.beta) = trend_weights(half, out.r, 0, pass.whitened.col(0));
  out.misfit = residual.squaredNorm();
  out.log_density = -0.5 * (double(n) * std::log(2 * std::numbers::pi) + pass.sums.log_d + out.misfit);
  return out;
}

}  // namespace

BlockSolution solve_blocks(const BlockData& data, int threads) {
  const Matrix columns = columns_of(data.y, data.basis);
  Pass pass(data, columns, false);
  pass.run(threads);
  return solved(pass, data.y.size());
}

BlockSlopes block_slopes(const BlockData& data, int threads) {
  const Matrix columns = columns_of(data.y, data.basis);
  const bool elsewhere = data.kernel.remote != nullptr;
  const bool at_once =
      !elsewhere && (columns.rows() == 1 || (data.kernel.fused && columns.rows() <= columns_at_once));
  Pass pass(data, columns, at_once);
  pass.run(threads);
  const BlockSolution s = solved(pass, data.y.size());
  if (!s.regular()) return {};
  if (elsewhere) {
    const std::optional<RemoteBlocks::Slopes> g =
        data.kernel.remote->slopes(*data.kernel.program, data.y - data.basis * s.beta, data.noise);
    return g ? BlockSlopes{s.log_density, s.misfit, g->theta, g->noise} : BlockSlopes();
  }
  const auto read = [&](const BlockSums& sums, const Vector& b) {
    BlockSlopes out{s.log_density, s.misfit, sums.kernel, sums.noise.at(b)};
    for (size_t i = 0; i < sums.theta.size(); ++i) out.kernel[Index(i)] = sums.theta[i].at(b);
    return out;
  };
  if (at_once) return read(pass.sums, concat(Vector::Ones(1), -s.beta));
  const Matrix residual = (data.y - data.basis * s.beta).transpose();
  Pass again(data, residual, true);
  again.run(threads);
  return read(again.sums, Vector::Ones(1));
}

/// Q = sum_i v_i v_i'/d_i, entry by entry in the order of the points; O(n m p).
std::pair<Vector, Vector> block_left_out(const BlockData& data, const BlockSolution& s, int threads) {
  const Index n = data.y.size(), p = data.basis.cols(), m = data.neighbors.most;
  const Matrix columns = columns_of(data.y - data.basis * s.beta, data.basis);
  std::optional<FusedTerms> terms;
  if (data.kernel.fused) terms.emplace(*data.kernel.fused);
  Vector own = Vector::Zero(n);              // Q_ii
  Matrix weighted = Matrix::Zero(1 + p, n);  // Q [r F], a point to a column
  const Index runs = (n + block_run - 1) / block_run, some = 8 * std::max(1, threads);
  std::vector<Matrix> kept(static_cast<size_t>(std::min(runs, some)));
  for (Index start = 0; start < runs; start += some) {  // v/sqrt(d), e/sqrt(d) of some runs, then their sums
    const Index now = std::min(some, runs - start);
    parallel_for(now, threads, [&](Index i) {
      const Index first = (start + i) * block_run, count = std::min(block_run, n - first);
      Matrix& out = kept[static_cast<size_t>(i)];
      out.resize(m + 1 + columns.rows(), count);
      BlockBatch batch(m + 1, columns.rows(), coordinate_count(data.kernel), 0);
      BlockMembers members(data, terms ? &*terms : nullptr, columns);
      for (Index b = 0; b < count; b += simd::block_lanes) {
        members.load(batch, first + b, false);
        batch.solve_back();
        for (Index l = 0; l < std::min<Index>(simd::block_lanes, count - b); ++l) {
          const double root = 1 / std::sqrt(batch.d(l));
          for (Index q = 0; q <= m; ++q) out(q, b + l) = root * batch.v(q, l);
          for (Index c = 0; c < batch.width; ++c) out(m + 1 + c, b + l) = root * batch.e(c, l);
        }
      }
    });
    for (Index i = 0; i < now; ++i) {
      const Matrix& in = kept[static_cast<size_t>(i)];
      for (Index k = 0; k < in.cols(); ++k) {
        const Index place = (start + i) * block_run + k;
        for (Index q = 0; q <= m; ++q) {
          const Index to = q < m ? Index(data.neighbors.sets[static_cast<size_t>(place * m + q)]) : place;
          if (to < 0) continue;
          own[to] += in(q, k) * in(q, k);
          weighted.col(to) += in(q, k) * in.col(k).tail(1 + p);
        }
      }
    }
  }
  if (p > 0) {  // P_ii = Q_ii - |R'^-1 (Q F)_i|^2
    const Matrix u = s.r.transpose().triangularView<Eigen::Lower>().solve(weighted.bottomRows(p));
    for (Index i = 0; i < n; ++i) {
      const double left = own[i] - u.col(i).squaredNorm();
      own[i] = left > 1e-10 * own[i] ? left : 0;
    }
  }
  const Vector mean =
      (own.array() > 0)
          .select(data.y.array() - weighted.row(0).transpose().array() / own.array(), data.y.array());
  return {mean, own};
}

}  // namespace covary::internal
