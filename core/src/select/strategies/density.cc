// density: uncertain, and typical of the pool; pure-density: typical of the pool.
#include <fmt/format.h>

#include <cmath>

#include "select/shared.h"

namespace covary::strategy {
namespace {

struct Density {
  double weight;
  select::Representativeness representativeness{1000};
  Vector typical = {}, unsure = {};

  Vector scores(const StrategyInput& sight) {
    typical = representativeness.of(sight.belief);
    unsure = select::uncertainty(sight, true);
    return unsure.array() * typical.array().pow(weight);
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    return fmt::format("{}, and correlation {:.2g} with the candidates without a label, on average",
                       select::uncertainty_words(sight, unsure, i, true), typical[i]);
  }
};

struct PureDensity {
  select::Representativeness representativeness{1000};
  Vector latest = {};
  Vector scores(const StrategyInput& sight) { return latest = representativeness.of(sight.belief); }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("correlation {:.2g} with the candidates without a label, on average", latest[i]);
  }
};

}  // namespace

StrategyEntry density() {
  StrategyEntry e{
      "density",
      "(var f(x), for classes Phi(-lead/sd)) * (mean_t corr(x, t))^weight",
      "uncertain and typical of the pool: avoids outliers",
      {"weight"},
      [](const Arguments& a) {
        const double weight = a.number("weight");
        if (weight < 0 || std::isinf(weight))
          throw Error(
              Problem::usage,
              fmt::format("strategy: density: weight must be a number of 0 or more, found {}", weight));
        return Strategy(Density{std::isnan(weight) ? 1 : weight});
      }};
  e.reference = "settles2008";
  e.pending = StrategyEntry::Pending::seen_in_regression;
  return e;
}

StrategyEntry pure_density() {
  StrategyEntry e{"pure-density",
                  "mean_t corr(x, t)",
                  "typical of the pool alone: its densest parts, again and again",
                  {},
                  [](const Arguments&) { return Strategy(PureDensity{}); }};
  e.reference = "settles2008";
  e.pending = StrategyEntry::Pending::unseen;
  return e;
}

}  // namespace covary::strategy
