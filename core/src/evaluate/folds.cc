#include "covary/evaluate/folds.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/base/error.h"
#include "covary/base/random.h"

namespace covary {

std::vector<Index> folds(Index n, Index k, std::uint64_t seed) {
  if (k < 2 || k > n)
    throw Error(Problem::usage, fmt::format("folds: expected 2 to {} (the rows), found {}", n, k));
  std::vector<Index> fold(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) fold[static_cast<size_t>(i)] = i % k;
  Random rng(seed);
  for (Index i = n - 1; i > 0; --i)
    std::swap(fold[static_cast<size_t>(i)], fold[static_cast<size_t>(rng.integer(i + 1))]);
  return fold;
}

LeaveOneOut cross_validate(const Rows& x, const Vector& y, const Vector& noise,
                           const std::vector<Index>& fold, const Refit& refit, int threads) {
  Vector mean(y.size()), variance(y.size());
  double freedom = std::numeric_limits<double>::infinity();
  const Index k = *std::max_element(fold.begin(), fold.end()) + 1;
  for (Index f = 0; f < k; ++f) {
    std::vector<Index> in, out;
    for (Index i = 0; i < y.size(); ++i) (fold[static_cast<size_t>(i)] == f ? out : in).push_back(i);
    const Prediction p = refit(in).predict(pick(x, out), noise.size() ? Of::f : Of::y, threads);
    mean(out) = p.mean;
    variance(out) = noise.size() ? Vector(p.sd.cwiseAbs2() + noise(out)) : Vector(p.sd.cwiseAbs2());
    if (p.freedom > 0) freedom = std::min(freedom, p.freedom);
  }
  return scored(std::move(mean), std::move(variance), y, freedom);
}

}  // namespace covary
