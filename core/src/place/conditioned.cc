#include "covary/place/conditioned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/base/runtime.h"

namespace covary {

Conditioned::Conditioned(Field field, Vector noise, int threads)
    : field_(std::move(field)), noise_(std::move(noise)), variance_(field_.variance), threads_(threads) {}

void Conditioned::reserve(Index sensors) {
  const Index needed = count() + sensors;
  if (needed <= columns_.cols()) return;
  check_memory(8.0 * double(size()) * double(needed),
               fmt::format("{} sensors among {} places", needed, size()));
  columns_.conservativeResize(size(), needed);
}

Vector Conditioned::covariance(Index place) const {
  Vector out(size());
  const Vector at = columns_.row(place).head(count());
  for_runs(size(), threads_, [&](Range r) {
    auto part = out.segment(r.first, r.count);
    part = field_.block(r, {place});
    part.noalias() -= columns_.block(r.first, 0, r.count, count()) * at;
  });
  return out;
}

void Conditioned::add(Index place) { take(place, noise_[place]); }
void Conditioned::add_exact(Index place) { take(place, 0); }

void Conditioned::take(Index place, double noise) {
  const double s = variance_[place] + noise;
  if (!(s > 1e-14 * (field_.variance[place] + noise)))
    throw Error(
        Problem::numerical,
        fmt::format(
            "the reading at place {} is known from {} others to rounding: sensors need some noise, or the "
            "field some variation of its own",
            place + 1, count()));
  if (count() == columns_.cols()) reserve(std::max<Index>(8, count() / 2));
  columns_.col(count()) = covariance(place) / std::sqrt(s);
  variance_ -= columns_.col(count()).cwiseAbs2();
  variance_ = variance_.cwiseMax(0);
  sensors_.push_back(place);
}

}  // namespace covary
