#include "covary/algebra/remote.h"

#include <algorithm>

#include "covary/base/error.h"

namespace covary {
using namespace internal;
namespace {

std::shared_ptr<const Place>& place_of_cluster() {
  static std::shared_ptr<const Place> place;
  return place;
}

}  // namespace

void internal::set_cluster_place(std::shared_ptr<const Place> place) {
  place_of_cluster() = std::move(place);
}

std::shared_ptr<const Place> internal::cluster_place() {
  if (place_of_cluster()) return place_of_cluster();
  throw Error(
      Problem::usage,
      "device cluster: MPI was not initialized here: run mpirun -n 4 covary-mpi, or make a covary::Cluster "
      "before anything else");
}

/// |K^-1|_1 from below, by ascent over the unit vectors: K^-1 is symmetric, so one solve serves both steps.
double internal::reciprocal_condition(const RemoteMatrix& l, double norm) {
  const Index n = l.size();
  if (n == 0 || !(norm > 0)) return 1;
  const auto solve = [&](Matrix b) {
    l.solve(b, false);
    l.solve(b, true);
    return Vector(b.col(0));
  };
  Vector x = Vector::Constant(n, 1 / double(n)), y = solve(x);
  double largest = y.lpNorm<1>();
  for (int round = 0; round < 4; ++round) {
    const Vector signs = y.unaryExpr([](double v) { return v < 0 ? -1.0 : 1.0; }), z = solve(signs);
    Index j = 0;
    if (z.cwiseAbs().maxCoeff(&j) <= z.dot(x)) break;
    x = Vector::Unit(n, j);
    y = solve(x);
    if (y.lpNorm<1>() <= largest) break;
    largest = y.lpNorm<1>();
  }
  Vector alternating(n);
  for (Index i = 0; i < n; ++i)
    alternating[i] = (i % 2 ? -1 : 1) * (1 + double(i) / double(std::max<Index>(1, n - 1)));
  largest = std::max(largest, 2 * solve(alternating).lpNorm<1>() / (3 * double(n)));
  return 1 / (norm * largest);
}

Matrix internal::lower_of(const RemoteMatrix& m) {
  const Index n = m.size();
  constexpr Index wide = 512;
  Matrix out = Matrix::Zero(n, n);
  for (Index j = 0; j < n; j += wide) {
    const Range c{j, std::min(wide, n - j)};
    out.block(j, j, n - j, c.count) = m.columns(c);
  }
  out.triangularView<Eigen::StrictlyUpper>().setZero();
  return out;
}

/// Panels of columns are brought here one after the other; within one the tiles are shared by the threads.
Vector internal::contract_on_host(const RemoteMatrix& inverse, const Gram& gram, const Matrix& a, double m,
                                  int threads) {
  constexpr Index wide = 512;
  const Index n = gram.size;
  Vector sum = gram.pullback({0, 0}, {0, 0}, Matrix(0, 0));
  for (Index j = 0; j < n; j += wide) {
    const Range c{j, std::min(wide, n - j)};
    const Matrix panel = inverse.columns(c);
    sum += pullback_panel(
        gram, c,
        [&](Range r, Range k) -> Matrix {
          Matrix g = panel.block(r.first - j, k.first - j, r.count, k.count);
          if (r.first == k.first) g.triangularView<Eigen::StrictlyUpper>() = g.transpose();
          g = 0.5 * (a.middleRows(r.first, r.count) * a.middleRows(k.first, k.count).transpose() - m * g);
          return g;
        },
        threads);
  }
  return sum;
}

}  // namespace covary
