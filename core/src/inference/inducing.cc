#include "covary/inference/inducing.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/base/parallel.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;

std::string Inducing::text() const {
  return fmt::format("inducing(points={}{})", points, fixed ? ", fixed=1" : "");
}

/// The bound takes 2 n m^2 flops; the pivoted columns that Z begins with have a row for each row looked at.
InferenceCost Inducing::cost(Index n, Index d) const {
  const double rows = double(n), m = double(std::min(n, points));
  const double pivots = double(internal::rows_looked_at(n, std::min(n, points))) * m;
  return {2 * rows * m * m + 10 * double(d) * rows * m, 8 * (6 * m * m + 4096 * m + pivots),
          !fixed && points < n};
}

namespace internal {
namespace {

/// Of each column: the shortest length-scale of the kernel there, or the spread of the column if that is less.
Vector units_of(const std::vector<Parameter>& kernel, const Rows& x) {
  Vector unit = column_spread(x);
  for (const Parameter& p : kernel) {
    if (p.role != Role::lengthscale || !(p.value > 0)) continue;
    for (Index c = 0; c < unit.size(); ++c) {
      const bool read = p.reads.empty() || std::find(p.reads.begin(), p.reads.end(), c) != p.reads.end();
      if (p.column == c || (p.column < 0 && read)) unit[c] = std::min(unit[c], p.value);
    }
  }
  return unit;
}

/// Lloyd's algorithm from m random rows: each center becomes the mean of the rows nearest to it. 3 n m d flops
/// a round.
Matrix centers_of(const Matrix& x, Index m, int threads) {
  constexpr int rounds = 10;
  constexpr Index block = 512;
  Matrix centers = pick(x, Random(1).subset(x.rows(), m));
  const Vector ones = Vector::Ones(x.cols());
  std::vector<Index> nearest(static_cast<size_t>(x.rows()));
  for (int round = 0; round < rounds; ++round) {
    parallel_for((x.rows() + block - 1) / block, threads, [&](Index b) {
      const Index first = b * block, count = std::min(block, x.rows() - first);
      const Matrix s = squared_distances(centers, x.middleRows(first, count), ones);
      for (Index i = 0; i < count; ++i) s.col(i).minCoeff(&nearest[static_cast<size_t>(first + i)]);
    });
    Matrix sums = Matrix::Zero(m, x.cols());
    Vector members = Vector::Zero(m);
    for (Index i = 0; i < x.rows(); ++i) {
      const Index c = nearest[static_cast<size_t>(i)];
      sums.row(c) += x.row(i), members[c] += 1;
    }
    for (Index c = 0; c < m; ++c)
      if (members[c] > 0) centers.row(c) = sums.row(c) / members[c];
  }
  return centers;
}

}  // namespace

Index rows_looked_at(Index n, Index m) { return std::min(n, std::max<Index>(20 * m, 4000)); }

Matrix held_points(const Vector& coordinates, Index columns) {
  if (columns == 0 || coordinates.size() % columns != 0 || !coordinates.allFinite())
    throw Error(Problem::data,
                fmt::format("inducing points: expected finite numbers for points of {} columns, "
                            "found {} numbers",
                            columns, coordinates.size()));
  return coordinates.reshaped(columns, coordinates.size() / columns).transpose();
}

Vector coordinates_of(const Rows& z) { return z.transpose().reshaped(); }

Variables inducing_start(const std::vector<Parameter>& kernel, const Rows& x, Index m, int threads) {
  const Vector unit = units_of(kernel, x);
  const Matrix z = centers_of(x * unit.cwiseInverse().asDiagonal(), m, threads) * unit.asDiagonal();
  return {coordinates_of(z), unit.replicate(m, 1)};
}

std::string inducing_note(Index chosen, Index distinct, bool moved) {
  if (moved)
    return fmt::format(
        "approximate: {} inducing points, optimized, stand for {} inputs; the log marginal "
        "likelihood is a lower bound",
        chosen, distinct);
  return fmt::format(
      "approximate: {} of {} inputs are inducing points; the log marginal likelihood is a lower "
      "bound",
      chosen, distinct);
}

void check_inducing_objective(const Inducing& how, ObjectiveKind kind) {
  if (kind != ObjectiveKind::evidence)
    throw Error(Problem::usage,
                "inference " + how.text() + " maximizes the evidence, not leave-one-out: use exact()");
}

template class InducingBound<Row>;
template class InducingPosterior<Row>;

}  // namespace internal
}  // namespace covary
