#include "covary/select/explicit_features.h"

#include <Eigen/Cholesky>
#include <memory>

#include "covary/algebra/pivoted_columns.h"
#include "covary/base/parallel.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;
namespace {

constexpr double rank_tolerance = 1e-10;  // of the largest variance
constexpr Index looked_at_first = 512;    // candidates that tell whether the rank is small

Covariances those_of(const Covariances& k, const std::vector<Index>& some) {
  return covariances_of(among(k, some, some));
}

/// Candidates that span all, or none if there are more than `most`.
std::optional<std::vector<Index>> spanning(const Covariances& k, Index most, int threads) {
  const std::vector<Index> some = representatives(k.size, looked_at_first);
  const auto left = [](const Covariances& c, const PivotedColumns& p) {
    return p.remaining.size() && p.remaining.maxCoeff() > rank_tolerance * c.diagonal.maxCoeff();
  };
  const Covariances few = those_of(k, some);
  PivotedColumns p = pivoted_columns(few, most, rank_tolerance, threads);
  if (left(few, p)) return {};
  if (std::ssize(some) == k.size) return p.rows;
  for (Index rank = std::ssize(p.rows) + 1; rank < 2 * most; rank *= 2) {
    p = pivoted_columns(k, std::min(rank, most), rank_tolerance, threads);
    if (!left(k, p)) return p.rows;
  }
  return {};
}

}  // namespace

Covariances internal::centered_on_first(const Covariances& k) {
  const auto of = std::make_shared<const Covariances>(k);
  auto first = std::make_shared<Vector>(k.size);
  for_runs(k.size, 1, [&](Range r) { first->segment(r.first, r.count) = k.block(r, {0}).col(0); });
  const double own = k.size ? (*first)[0] : 0;
  Covariances out;
  out.size = k.size;
  out.diagonal = (k.diagonal.array() - 2 * first->array() + own).max(0);
  out.block = [of, first, own](Range r, const std::vector<Index>& c) -> Matrix {
    Matrix b = of->block(r, c);
    b.colwise() -= first->segment(r.first, r.count);
    b.rowwise() -= ((*first)(c).array() - own).matrix().transpose();
    return b;
  };
  out.among = [of, first, own](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix {
    Matrix b = among(*of, r, c);
    b.colwise() -= Vector((*first)(r));
    b.rowwise() -= ((*first)(c).array() - own).matrix().transpose();
    return b;
  };
  return out;
}

std::optional<ExplicitFeatures> internal::explicit_features(const Covariances& k, Index most, bool centered,
                                                            int threads) {
  if (k.size == 0) return ExplicitFeatures{Matrix(0, 0), {}, Matrix(0, 0)};
  const Covariances c = centered ? centered_on_first(k) : k;
  if (!(c.diagonal.maxCoeff() > 1e-14 * k.diagonal.maxCoeff()))
    return ExplicitFeatures{Matrix(k.size, 0), {}, Matrix(0, 0)};
  const std::optional<std::vector<Index>> rows = spanning(c, most, threads);
  if (!rows) return {};
  const Eigen::LLT<Matrix> factor(among(c, *rows, *rows));
  if (factor.info() != Eigen::Success) return {};
  ExplicitFeatures out{Matrix(k.size, std::ssize(*rows)), *rows, factor.matrixL()};
  for_runs(k.size, threads, [&](Range r) {
    out.x.middleRows(r.first, r.count) =
        out.lower.triangularView<Eigen::Lower>().solve(c.block(r, *rows).transpose()).transpose();
  });
  return out;
}

}  // namespace covary
