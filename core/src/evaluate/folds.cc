#include "covary/evaluate/folds.h"

#include <fmt/format.h>

#include <algorithm>

#include "covary/base/error.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;

std::vector<Index> internal::folds(Index n, Index k, std::uint64_t seed) {
  if (k < 2 || k > n)
    throw Error(Problem::usage, fmt::format("folds: expected 2 to {} (the rows), found {}", n, k));
  std::vector<Index> fold(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) fold[static_cast<size_t>(i)] = i % k;
  Random rng(seed);
  for (Index i = n - 1; i > 0; --i)
    std::swap(fold[static_cast<size_t>(i)], fold[static_cast<size_t>(rng.integer(i + 1))]);
  return fold;
}

Prediction cross_validate(const Rows& x, const Noise& noise, const std::vector<Index>& fold,
                          const Refit& refit, int threads) {
  const Index n = std::ssize(fold), k = *std::max_element(fold.begin(), fold.end()) + 1;
  Prediction all;
  std::vector<Index> place(fold.size());  // of each row among the folds one after the other
  Index seen = 0;
  for (Index f = 0; f < k; ++f) {
    std::vector<Index> in, out;
    for (Index i = 0; i < n; ++i) (fold[static_cast<size_t>(i)] == f ? out : in).push_back(i);
    for (const Index i : out) place[static_cast<size_t>(i)] = seen++;
    const FittedModel model = refit(in);
    const Matrix at = pick(x, out);
    const Prediction p =
        noise.per_row() ? model.predict(at, noise.of_rows(out), threads) : model.predict(at, Of::y, threads);
    all = f == 0 ? p : all.joined(p);
  }
  return all.picked(place);
}

}  // namespace covary
