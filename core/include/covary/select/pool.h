// A pool of candidates as strategies see it: the covariances of its points, never the points themselves, so
// that rows, strings and graphs are all the same to them.
#pragma once
#include <functional>

#include "covary/process.h"

namespace covary {

struct Pool {
  Index size = 0;  // m
  /// k(x_i, x_j) for a run of candidates i and some candidates j.
  std::function<Matrix(Range, const std::vector<Index>&)> block;
  /// k(x_i, x_j) for some and some.
  std::function<Matrix(const std::vector<Index>&, const std::vector<Index>&)> among;
  Vector diagonal;  // m: k(x_i, x_i)
  Vector known;     // m: the known part of the trend
  Matrix basis;     // m x p: of its unknown part
  Vector noise;     // m: the variance of a label there
  /// The same candidates under other parameters, as the labels leave them open: one for each draw. May be
  /// empty.
  std::function<std::vector<Pool>(int draws, std::uint64_t seed)> drawn = {};
};

/// The candidates x under the kernel, trend and noise of a process, whatever it was conditioned on. Borrows
/// x.
template <class X>
Pool pool_of(const Process<X>& process, Batch<X> x) {
  check_given(process.kernel().parameters());
  check_finite(x, "x");
  const Kernel<X> k = process.kernel();
  const Mean<X> mean = process.trend().centred_on(x);
  Pool pool;
  pool.size = count(x);
  pool.block = [k, x](Range r, const std::vector<Index>& c) {
    return k.cross(slice(x, r), Batch<X>(pick(x, c)));
  };
  pool.among = [k, x](const std::vector<Index>& r, const std::vector<Index>& c) {
    return k.cross(Batch<X>(pick(x, r)), Batch<X>(pick(x, c)));
  };
  pool.diagonal = k.diag(x);
  pool.known = mean.known_at(x);
  pool.basis = mean.basis_at(x);
  pool.noise = process.noise().variances(count(x));
  return pool;
}

/// The numbers 0, ..., m - 1.
std::vector<Index> everyone(Index m);

/// Up to `most` of the m candidates, ascending, the same for the same m: all of them if there are no more.
std::vector<Index> representatives(Index m, Index most);

/// fn(run) for runs of candidates of a fixed length, across threads: what is computed for a candidate does
/// not depend on their number.
void for_runs(Index m, int threads, const std::function<void(Range)>& fn);

}  // namespace covary
