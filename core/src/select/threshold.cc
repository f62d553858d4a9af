#include "covary/select/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covary/base/error.h"

namespace covary {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr double horizon = 50;  // labels within which what is owed is made up for

void check_count(const char* what, Index n) {
  if (n < 0) throw Error(Problem::usage, fmt::format("stream: {} must be 0 or more, found {}", what, n));
}

}  // namespace

void internal::check(const ThresholdOptions& o) {
  check_count("budget", o.budget);
  check_count("length", o.length);
  check_count("start", o.start);
  if (o.length == 0 && !(o.rate > 0 && std::isfinite(o.rate)))
    throw Error(Problem::usage,
                fmt::format("stream: a stream of unknown length needs a rate, labels per point, found {}; or "
                            "give its length",
                            o.rate));
  if (o.length > 0 && o.rate != 0)
    throw Error(Problem::usage,
                fmt::format("stream: either a length or a rate, found {} and {}: the length implies the rate",
                            o.length, o.rate));
  if (!(o.random_share >= 0 && o.random_share <= 1))
    throw Error(Problem::usage,
                fmt::format("the share of random picks must be from 0 to 1, found {}", o.random_share));
  if (!(o.step > 0 && std::isfinite(o.step)))
    throw Error(Problem::usage, fmt::format("stream: step must be positive, found {}", o.step));
}

std::string Offer::reason() const {
  switch (why) {
    case Why::start:
      return "one of the first points";
    case Why::all:
      return "as many labels are left as points";
    case Why::chance:
      return fmt::format("by chance, {:.3g} of 1", probability);
    case Why::score:
      return fmt::format("score {:.3g} is above the threshold {:.3g}", score, threshold);
    case Why::low:
      return fmt::format("score {:.3g} is not above the threshold {:.3g}", score, threshold);
    case Why::open:
      return "separators that agree with all labels disagree";
    case Why::inferred:
      return "all separators that agree with the labels agree: its label is inferred";
    case Why::drawn:
      return fmt::format("drawn with probability {:.3g}", probability);
    case Why::passed:
      return fmt::format("not drawn, with probability {:.3g}", probability);
    case Why::spent:
      break;
  }
  return "the budget is spent";
}

Threshold::Threshold(const ThresholdOptions& options) : options_(options), rng_(options.seed), log_(none) {
  internal::check(options_);
}

double Threshold::rate() const {
  if (left() <= 0) return 0;
  if (options_.length > 0) return double(left()) / double(std::max<Index>(1, options_.length - seen_));
  const Index first = std::min({options_.start, options_.budget, seen_});
  const double owed = options_.rate * double(seen_ - first) - double(asked_ - first);
  return std::max(0.0, options_.rate * (1 + owed / horizon));
}

double Threshold::value() const { return std::exp(log_); }

bool Threshold::looks() const { return left() > 0 && (options_.random_share < 1 || seen_ < options_.start); }

/// During the initial queries the threshold is the median of their scores.
void Threshold::settle(double score) {
  if (score > 0) starts_.push_back(std::log(score));
  if (starts_.empty()) return;
  const auto middle = starts_.begin() + std::ssize(starts_) / 2;
  std::nth_element(starts_.begin(), middle, starts_.end());
  log_ = *middle;
}

Offer Threshold::decided(double score) {
  const double r = rate(), share = options_.random_share;
  Offer out{false, score, value(), 0, r, Offer::Why::low};
  if (left() <= 0) {
    out.why = Offer::Why::spent;
  } else if (seen_ < options_.start) {
    out.why = Offer::Why::start, out.probability = 1;
    settle(score);
  } else if (options_.asks == Asks::by_probability) {
    out.probability = std::min(1.0, score);
    out.why = rng_.uniform() < score ? Offer::Why::drawn : Offer::Why::passed;
  } else if (options_.asks == Asks::positive) {
    const double chance = share * std::min(1.0, r);  // of what is inferred
    out.probability = score > 0 ? 1 : chance;
    if (score > 0)
      out.why = Offer::Why::open;
    else
      out.why = share > 0 && rng_.uniform() < chance ? Offer::Why::chance : Offer::Why::inferred;
  } else if (r >= 1) {
    out.why = Offer::Why::all, out.probability = 1;
  } else {
    if (log_ == none && score > 0) log_ = std::log(score), out.threshold = score;
    const double chance = share * r;
    const bool above = share < 1 && score > out.threshold;
    out.probability = above ? 1 : chance;
    if (share > 0 && rng_.uniform() < chance)
      out.why = Offer::Why::chance;
    else if (above)
      out.why = Offer::Why::score, log_ += options_.step;
    else
      log_ -= options_.step * (1 - share) * r / (1 - r);  // r'/(1 - r') of what chance leaves
  }
  return out;
}

Offer Threshold::offer(double score) {
  if (!(score >= 0) || std::isinf(score))
    throw Error(Problem::numerical,
                fmt::format("stream: the score of point {} must be a finite number of at least 0, found {}",
                            seen_ + 1, score));
  Offer out = decided(score);
  out.ask = out.why != Offer::Why::low && out.why != Offer::Why::spent && out.why != Offer::Why::inferred &&
            out.why != Offer::Why::passed;
  ++seen_, asked_ += out.ask, by_chance_ += out.by_chance();
  return out;
}

}  // namespace covary
