// Decides point by point whether to query a label, at a given rate, independent of the scale of the scores and
// its drift.
//
// A point is asked for if its score is above a threshold. In log units that goes up by `step` at each ask and
// down by step r/(1 - r) at each pass, so that it stands still where a share r of the points is asked for.
//
//   length known:      r = labels left / points left, so the budget is met exactly, and asked for is never
//                      more
//   length not known:  r = rate (1 + owed/50), owed: how many labels the rate is behind; until the budget is
//                      spent
//
// A score of 0 is never above it. A share of the queries is random: a point is queried with probability
//
//   share r + (1 - share r) [score > threshold]
//
// and the threshold answers for the rest alone. share = 1 with a known length is a sample without
// replacement.
//
// Two strategies have no threshold, and no rate: with Asks::positive every point with a positive score is asked for,
// with Asks::by_probability the score is the probability of asking; until the budget is spent.
#pragma once
#include <cstdint>
#include <string>

#include "covary/base/random.h"

namespace covary {

/// Which points are asked for after the first ones.
enum class Asks { above, positive, by_probability };

struct ThresholdOptions {
  Index budget = 0;         // labels at most
  Index length = 0;         // points to come; 0: not known, then `rate` is needed
  double rate = 0;          // labels a point, where the length is not known
  Index start = 10;         // the first points are asked for whatever their score
  double random_share = 0;  // of the asks after those
  double step = 0.1;        // of the threshold, in log units
  Asks asks = Asks::above;
  std::uint64_t seed = 1;
};

namespace internal {
/// Throws Problem::usage unless the options can be used.
void check(const ThresholdOptions& options);
}  // namespace internal

/// The decision on a point, and its reason.
struct Offer {
  enum class Why { start, all, chance, score, low, spent, open, inferred, drawn, passed };
  bool ask = false;
  double score = 0, threshold = 0;
  double probability = 0;  // with which it was asked for, given its score
  double rate = 0;         // r when it came
  Why why = Why::low;
  bool by_chance() const { return why == Why::chance; }
  /// "score 0.41 is above the threshold 0.38"
  std::string reason() const;
};

class Threshold {
 public:
  explicit Threshold(const ThresholdOptions& options);

  /// The next point. Throws Problem::numerical unless the score is a number of at least 0; then nothing has
  /// changed.
  Offer offer(double score);
  /// Whether the score of the next point can matter.
  bool looks() const;

  double rate() const;   // r: labels wanted per point now, at least 0; 1 or more: all
  double value() const;  // the threshold
  Index seen() const { return seen_; }
  Index asked() const { return asked_; }
  Index by_chance() const { return by_chance_; }
  Index left() const { return options_.budget - asked_; }  // labels

 private:
  Offer decided(double score);
  void settle(double score);

  ThresholdOptions options_;
  Random rng_;
  Index seen_ = 0, asked_ = 0, by_chance_ = 0;
  double log_;                  // of the threshold; -infinity until a score was positive
  std::vector<double> starts_;  // log scores of the first points
};

}  // namespace covary
