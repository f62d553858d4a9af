#include "algebra/normal_equations.h"

#include <cmath>

#include "algebra/blas.h"
#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index equation_rows = 1024;  // rows at a time

/// fn(run, range) for runs of blocks side by side; how many runs there are does not depend on the threads.
Index run_count(Index rows) { return std::clamp<Index>(rows / (4 * equation_rows), 1, 4); }
void for_runs(Index rows, int threads, const std::function<void(Index, Range)>& fn) {
  const Index runs = run_count(rows), blocks = (rows + equation_rows - 1) / equation_rows;
  parallel_for(runs, threads, [&](Index k) {
    for (Index i = k * blocks / runs; i < (k + 1) * blocks / runs; ++i)
      fn(k, {i * equation_rows, std::min(equation_rows, rows - i * equation_rows)});
  });
}

struct Products {
  Matrix ata;  // N x N lower
  Vector atb;  // N
};

Products products(const RowBlocks& a, const Vector& b, const Triangle& start, int threads) {
  const Index n = a.columns;
  std::vector<Products> parts(static_cast<size_t>(run_count(a.rows)), {Matrix::Zero(n, n), Vector::Zero(n)});
  for_runs(a.rows, threads, [&](Index k, Range r) {
    Products& p = parts[static_cast<size_t>(k)];
    const Matrix rows = a.at(r);
    blas::rank_update_transposed(1, rows, 1, p.ata, 1);
    p.atb.noalias() += rows.transpose() * b.segment(r.first, r.count);
  });
  Products all{Matrix::Zero(n, n), start.r.transpose() * start.z};
  if (start.r.isDiagonal(0))
    all.ata.diagonal() = start.r.diagonal().cwiseAbs2();
  else
    blas::rank_update_transposed(1, start.r, 0, all.ata, threads);
  for (const Products& p : parts) all.ata += p.ata, all.atb += p.atb;
  return all;
}

double squares_left(const RowBlocks& a, const Vector& b, const Triangle& start, const Vector& w,
                    int threads) {
  Vector parts = Vector::Zero(run_count(a.rows));
  for_runs(a.rows, threads,
           [&](Index k, Range r) { parts[k] += (b.segment(r.first, r.count) - a.at(r) * w).squaredNorm(); });
  return start.rest + (start.r * w - start.z).squaredNorm() + parts.sum();
}

}  // namespace

std::optional<NormalEquations> normal_equations(const RowBlocks& a, const Vector& b, const Triangle& start,
                                                double least, int threads) {
  Products p = products(a, b, start, threads);
  Vector length = p.ata.diagonal().cwiseSqrt();
  if (!(length.minCoeff() > 0) || !length.allFinite()) return {};
  const Vector inverse = length.cwiseInverse();
  p.ata = (inverse.asDiagonal() * p.ata * inverse.asDiagonal()).eval();
  const Matrix full = p.ata.selfadjointView<Eigen::Lower>();
  const double norm = full.cwiseAbs().colwise().sum().maxCoeff();
  if (blas::cholesky(p.ata, threads) != 0) return {};
  NormalEquations out{Triangle(a.columns), blas::reciprocal_condition(p.ata, norm)};
  if (!(out.reciprocal_condition >= least)) return {};
  Triangle& t = out.triangle;
  Matrix z = inverse.cwiseProduct(p.atb);
  blas::solve_lower(p.ata, z, 1);
  t.z = z.col(0);
  t.r = p.ata.triangularView<Eigen::Lower>().transpose();
  const Vector w = inverse.cwiseProduct(t.r.triangularView<Eigen::Upper>().solve(t.z));
  t.r = (t.r * length.asDiagonal()).eval();
  t.rest = squares_left(a, b, start, w, threads);
  return out;
}

}  // namespace covary
