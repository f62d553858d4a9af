// upper-confidence: an upper confidence bound of f.
#include <fmt/format.h>

#include <cmath>

#include "select/scores/improvement.h"

namespace covary::strategy {
namespace {

struct UpperConfidence {
  double beta;
  select::Outlook now = {};

  Vector scores(const StrategyInput& sight) {
    now = select::outlook(sight);
    return select::above_least(now.mean + std::sqrt(beta) * now.sd);
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("mean {:.4g} and sd {:.2g}: as {} as {:.4g}", now.sign * now.mean[i], now.sd[i],
                       now.sign > 0 ? "large" : "small",
                       now.sign * (now.mean[i] + std::sqrt(beta) * now.sd[i]));
  }
};

}  // namespace

StrategyEntry upper_confidence() {
  StrategyEntry e{
      "upper-confidence",
      "mean + sqrt(beta) sd, above its least over the candidates (beta=4)",
      "the largest credible value; a larger beta explores more",
      {"beta"},
      [](const Arguments& a) { return Strategy(UpperConfidence{select::not_negative(a, "beta", 4)}); }};
  e.question = Question::best;
  e.task = StrategyEntry::For::regression;
  e.pending = StrategyEntry::Pending::unseen;
  e.reference = "srinivas2010";
  return e;
}

}  // namespace covary::strategy
