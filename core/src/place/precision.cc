#include "place/precision.h"

#include "base/simd/simd.h"
#include "covary/algebra/factor.h"
#include "covary/base/parallel.h"
#include "place/shared.h"

namespace covary::placing {

Precision::Precision(const Field& field, const Vector& own, int threads) : threads_(threads) {
  const Factor factor = factorize(gram_of(field), own, threads);
  raised_ = factor.conditioning().jitter;
  w_ = factor.half_inverse(threads);
}

Vector Precision::diagonal() const {
  Vector out(w_.cols());
  for (Index i = 0; i < out.size(); ++i) out[i] = w_.col(i).tail(out.size() - i).squaredNorm();
  return out;
}

const Vector& Precision::column(Index y) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = known_.find(y); it != known_.end()) return it->second;
  }
  const Index n = w_.cols();
  Vector out(n);
  for_each_column(n, 2 * (n - y), threads_, [&](Index i) {
    const Index first = std::max(i, y);
    out[i] = simd::loops().dot(&w_(first, i), &w_(first, y), n - first);
  });
  const std::lock_guard lock(mutex_);
  return known_.emplace(y, std::move(out)).first->second;
}

}  // namespace covary::placing
