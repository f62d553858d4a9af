#include "covary/select/stream.h"

#include <fmt/format.h>

#include <limits>

#include "covary/algebra/conditional_covariance.h"

namespace covary {
using namespace internal;

ThresholdOptions StreamOptions::threshold() const {
  return {.budget = budget,
          .length = length,
          .rate = rate,
          .start = start,
          .random_share = random_share,
          .seed = seed};
}

void internal::check(const StreamOptions& o) {
  check(o.threshold());
  if (o.memory < 2)
    throw Error(Problem::usage, fmt::format("stream: memory must be 2 points or more, found {}", o.memory));
}

std::string StreamSummary::text() const {
  return fmt::format("{} points seen, {} asked for ({} by chance), {} kept, {} dropped; threshold {:.3g}",
                     seen, asked, by_chance, kept, dropped, threshold);
}

/// Leaving points out of the precision P is conditioning on them: var(y_i | those kept but i) = 1 / remaining_i.
std::vector<Index> internal::most_redundant(Matrix precision, const Vector& noise, Index q) {
  ConditionalCovariance left(covariances_of(std::move(precision)));
  std::vector<char> gone(static_cast<size_t>(noise.size()), 0);
  while (left.count() < q) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < noise.size(); ++i) {
      const double p = left.remaining()[i], own = 1 / p - noise[i];
      if (!gone[static_cast<size_t>(i)] && p > 0 && own < least) best = i, least = own;
    }
    if (best < 0) break;
    left.condition_on(best, 0);
    gone[static_cast<size_t>(best)] = 1;
  }
  return left.rows();
}

void internal::in_growing_blocks(Index m, const std::function<Vector(Range)>& scores,
                                 const std::function<bool(Index, double)>& fn) {
  constexpr Index narrow = 64, wide = 4096;
  Index width = narrow;
  for (Index first = 0; first < m;) {
    const Range r{first, std::min(width, m - first)};
    const Vector s = scores(r);
    bool asked = false;
    while (!asked && first < r.end()) {
      asked = fn(first, s[first - r.first]);
      ++first;
    }
    width = asked ? narrow : std::min(2 * width, wide);
  }
}

void internal::check_turn(bool awaited, bool telling) {
  if (telling && !awaited) throw Error(Problem::usage, "tell: no point was asked for");
  if (!telling && awaited)
    throw Error(Problem::usage, "offer: the label of the point that was asked for is awaited: tell it first");
}

void internal::check_one(Index points) {
  if (points != 1)
    throw Error(Problem::usage, fmt::format("offer: expected one point, found {}: see offer_many", points));
}

void internal::check_kept(Index points, Index memory) {
  if (points > memory)
    throw Error(Problem::limit, fmt::format("stream: {} points to begin with are more than the {} to be kept",
                                            points, memory));
}

template class Stream<Row>;

void internal::offer_each(Threshold& threshold, Index m, const std::function<Vector(Range)>& scores,
                          const std::function<void(Index)>& asked, const OfferSeen& seen) {
  in_growing_blocks(m, scores, [&](Index i, double score) {
    const Offer out = threshold.offer(score);
    if (out.ask) asked(i);
    if (seen) seen(i, out);
    return out.ask;
  });
}

}  // namespace covary
