#include "covary/select/stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "covary/algebra/conditional_covariance.h"
#include "covary/select/strategy.h"

namespace covary {
using namespace internal;

ThresholdOptions StreamOptions::threshold() const {
  ThresholdOptions out{.budget = budget,
                       .length = length,
                       .rate = rate,
                       .start = start,
                       .random_share = random_share,
                       .seed = seed};
  if (strategy.empty()) return out;
  const StrategyEntry& e = *parse_strategy(strategy).entry;
  if (e.chance) out.random_share = 1;
  if (e.name == "disagreement") out.asks = Asks::positive;
  if (e.name == "iwal") out.asks = Asks::by_probability;
  return out;
}

void internal::check_streams(const std::string& strategy, bool classes) {
  if (strategy.empty()) return;
  const StrategyEntry& entry = *parse_strategy(strategy).entry;
  if (entry.streams(classes)) return;
  std::vector<std::string> usable;
  for (const StrategyEntry& e : strategies())
    if (e.streams(classes)) usable.push_back(e.name);
  throw Error(
      Problem::usage,
      fmt::format("strategy {} cannot be used in a stream of {}, where each point is decided at once; these "
                  "can: {}",
                  entry.name, classes ? "classes" : "numbers", fmt::join(usable, ", ")));
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
                          const OfferSeen& asked, const OfferSeen& seen) {
  in_growing_blocks(m, scores, [&](Index i, double score) {
    const Offer out = threshold.offer(score);
    if (out.ask) asked(i, out);
    if (seen) seen(i, out);
    return out.ask;
  });
}

}  // namespace covary
