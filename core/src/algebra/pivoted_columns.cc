#include "covary/algebra/pivoted_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/algebra/conditional_covariance.h"
#include "covary/base/random.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_together = 64;  // candidates between two updates of everything

/// Rows drawn with probabilities proportional to their remaining variance, in the order of drawing;
/// the same one may come again.
std::vector<Index> drawn_rows(const Vector& remaining, Index count, Random& rng) {
  Vector sums(remaining.size());
  double sum = 0;
  for (Index i = 0; i < sums.size(); ++i) sums[i] = sum += remaining[i];
  std::vector<Index> rows;
  for (Index k = 0; k < count; ++k) {
    const double at = rng.uniform() * sum;
    rows.push_back(std::upper_bound(sums.begin(), sums.end() - 1, at) - sums.begin());
  }
  return rows;
}

/// Which of them to take, given what remains of their covariance (c x c): one after the other, each with the
/// chance that what those before it left bears to what it was drawn with [epperly2024].
std::vector<Index> accepted(Matrix c, Index most, double least, Random& rng) {
  const Vector before = c.diagonal();
  ConditionalCovariance given(covariances_of(std::move(c)));
  for (Index i = 0; i < before.size() && given.count() < most; ++i) {
    const double v = given.remaining()[i];
    if (v > least && rng.uniform() * before[i] <= v) given.condition_on(i, 0);
  }
  return given.rows();
}

}  // namespace

PivotedColumns internal::pivoted_columns(const Covariances& k, Index most, double tolerance, int threads) {
  const Index n = k.size;
  most = std::min(most, n);
  const double least = tolerance * (n ? k.diagonal.maxCoeff() : 0);
  check_memory(8.0 * double(n) * double(most), fmt::format("{} columns of {} rows", most, n));
  ConditionalCovariance given(k, threads);
  given.reserve(most);
  PivotedColumns out{{}, k.diagonal};
  std::vector<Index> settled;  // nothing or rounding remains of these
  Random rng(1);
  while (given.count() < most && out.remaining.maxCoeff() > least) {
    const Index left = most - given.count();
    const std::vector<Index> near = drawn_rows(out.remaining, std::min(most_together, 2 * left), rng);
    const Matrix own = given.rows_of_g(near);
    std::vector<Index> rows;
    for (const Index i : accepted(among(k, near, near) - own * own.transpose(), left, least, rng))
      rows.push_back(near[static_cast<size_t>(i)]);
    const std::vector<Index>& done = rows.empty() ? near : rows;
    settled.insert(settled.end(), done.begin(), done.end());
    given.condition_on(rows, Vector::Zero(std::ssize(rows)));
    out.remaining = given.remaining();
    for (const Index i : settled) out.remaining[i] = 0;
  }
  out.rows = given.rows();
  return out;
}

}  // namespace covary
