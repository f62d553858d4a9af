#include "covary/select/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "select/draw_index.h"

namespace covary {
using namespace internal;
namespace {

void check(const SelectorOptions& o, Index m) {
  if (!(o.random_share >= 0 && o.random_share <= 1))
    throw Error(Problem::usage,
                fmt::format("the share of random picks must be from 0 to 1, found {}", o.random_share));
  if (o.cost.size() && o.cost.size() != m)
    throw Error(Problem::usage, fmt::format("{} costs were given for {} candidates", o.cost.size(), m));
  for (Index i = 0; i < o.cost.size(); ++i)
    if (!(o.cost[i] > 0 && std::isfinite(o.cost[i])))
      throw Error(Problem::data,
                  fmt::format("the cost of candidate {} must be positive, found {}", i + 1, o.cost[i]));
  if (o.kinds == 1 || o.kinds < 0)
    throw Error(Problem::usage, fmt::format("there must be 2 classes or more, found {}", o.kinds));
}

void check_task(const StrategyEntry& e, Index kinds) {
  if (!e.pool)
    throw Error(
        Problem::usage,
        fmt::format("strategy {} decides on points one at a time, in a stream (replay --stream), not on a "
                    "pool of candidates",
                    e.name));
  if (!e.applies(kinds > 0))
    throw Error(Problem::usage, fmt::format("strategy {} is for {}, not for {}", e.name, text_of(e.task),
                                            kinds ? "classes" : "numbers"));
}

/// Scores that differ by less, in parts of themselves, differ by rounding.
constexpr double equal = 1e-9;

bool sees_pending(const StrategyEntry& e, bool classifies) {
  using Pending = StrategyEntry::Pending;
  return e.pending == Pending::seen || (e.pending == Pending::seen_in_regression && !classifies);
}

}  // namespace

Selector::Selector(const NamedStrategy& strategy, Pool pool, SelectorOptions options)
    : named_(strategy),
      strategy_(strategy.make()),
      options_(std::move(options)),
      belief_(std::move(pool), options_.kinds > 2 ? options_.kinds : 1, options_.threads),
      rng_(options_.seed),
      taken_(static_cast<size_t>(belief_.pool().size), 0) {
  check(options_, belief_.pool().size);
  check_task(*strategy.entry, options_.kinds);
  options_.svm = strategy.svm(options_.svm);
  check(options_.svm);
  belief_.watched_by(options_.progress);
}

StrategyInput Selector::sight() const {
  return {belief_, classes_, options_.kinds, options_.seed, options_.svm, options_.minimize};
}

Index Selector::open() const {
  if (options_.repeats) return belief_.pool().size;
  return std::count(taken_.begin(), taken_.end(), 0);
}

bool Selector::is_open(Index candidate) const {
  return options_.repeats || !taken_[static_cast<size_t>(candidate)];
}

std::vector<Choice> Selector::suggest(Index batch) {
  if (batch < 1) throw Error(Problem::usage, fmt::format("a batch has 1 candidate or more, found {}", batch));
  if (batch > open())
    throw Error(Problem::data,
                fmt::format("{} asked for, {} {} left",
                            batch == 1 ? "1 candidate was" : fmt::format("{} candidates were", batch), open(),
                            open() == 1 ? "is" : "are"));
  Vector fresh;  // m: what the batch so far leaves of a candidate, where scores do not see it
  if (batch > 1 && !sees_pending(*named_.entry, options_.kinds > 0))
    fresh = Vector::Ones(belief_.pool().size);
  std::vector<Choice> out;
  for (Index b = 0; b < batch; ++b) {
    out.push_back(choose(fresh));
    const Index chosen = out.back().candidate;
    taken_[static_cast<size_t>(chosen)] = 1;
    if (fresh.size()) {  // 1 - correlation^2: an exact repeat is worth nothing
      const Vector variance = belief_.variance(), with = belief_.covariance(chosen);
      const double own = std::max(variance[chosen], 1e-300);
      for (Index i = 0; i < fresh.size(); ++i)
        fresh[i] *= std::max(0.0, 1 - with[i] * with[i] / (own * std::max(variance[i], 1e-300)));
    }
    belief_.pend(chosen);
  }
  return out;
}

Choice Selector::choose(const Vector& fresh) {
  StrategyInput s = sight();
  s.seed = rng_.fork();
  const double coin = rng_.uniform();
  Choice c;
  c.open = open();
  const auto by_chance = [&] {
    Index k = rng_.integer(c.open);
    for (Index i = 0;; ++i)
      if (is_open(i) && k-- == 0) return i;
  };
  const double share = named_.entry->chance ? 1 : options_.random_share;
  scores_ = strategy_.scores(s);
  Index best = -1;
  Vector worth;
  if (share < 1) {
    worth = scores_;
    if (fresh.size()) worth.array() *= fresh.array();
    if (options_.cost.size()) worth.array() /= options_.cost.array();
    if (named_.entry->draws) {
      worth = chances(std::move(worth));
      best = draw_index(worth, rng_.uniform());
    } else {
      best = first_of_largest(worth);
    }
  }
  c.by_chance = coin < share;
  c.candidate = c.by_chance ? by_chance() : best;
  c.score = scores_[c.candidate];
  const double likely = named_.entry->draws && share < 1 ? worth[c.candidate] : double(c.candidate == best);
  c.probability = share / double(c.open) + (1 - share) * likely;
  c.reason = c.by_chance ? "by chance" : strategy_.reason(s, c.candidate);
  return c;
}

/// Of the candidates that may be chosen; equal to rounding, the first.
Index Selector::first_of_largest(const Vector& worth) const {
  Index best = -1;
  double beyond = 0;  // what a later one must exceed
  for (Index i = 0; i < worth.size(); ++i)
    if ((best < 0 || worth[i] > beyond) && is_open(i)) best = i, beyond = worth[i] * (1 + equal);
  return best;
}

/// Scores -> probabilities over the candidates that may be chosen; uniform where every score is 0.
Vector Selector::chances(Vector scores) const {
  for (Index i = 0; i < scores.size(); ++i)
    if (!is_open(i)) scores[i] = 0;
  if (const double sum = scores.sum(); sum > 0) return scores / sum;
  for (Index i = 0; i < scores.size(); ++i) scores[i] = is_open(i) ? 1 / double(open()) : 0;
  return scores;
}

Matrix Selector::coded(const Vector& labels) const {
  for (Index i = 0; i < labels.size(); ++i)
    if (!std::isfinite(labels[i]))
      throw Error(Problem::data, fmt::format("label {}: expected a number, found {}", i + 1, labels[i]));
  if (!options_.kinds) return labels;
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != std::floor(labels[i]) || labels[i] < 0 || labels[i] >= double(options_.kinds))
      throw Error(Problem::data, fmt::format("label {}: expected a class from 0 to {}, found {}", i + 1,
                                             options_.kinds - 1, labels[i]));
  if (options_.kinds == 2) return 2 * labels.array() - 1;
  Matrix out = Matrix::Constant(labels.size(), options_.kinds, -1);
  for (Index i = 0; i < labels.size(); ++i) out(i, Index(labels[i])) = 1;
  return out;
}

void Selector::tell(Index candidate, double label) {
  const Matrix code = coded(Vector::Constant(1, label));
  belief_.tell(candidate, code.row(0).transpose());
  taken_[static_cast<size_t>(candidate)] = 1;
  if (options_.kinds) classes_.push_back(Index(label));
}

void Selector::tell(const std::vector<Index>& candidates, const Vector& labels) {
  check_sizes(std::ssize(candidates), labels.size());
  belief_.tell(candidates, coded(labels));
  for (const Index c : candidates) taken_[static_cast<size_t>(c)] = 1;
  if (options_.kinds)
    for (const double l : labels) classes_.push_back(Index(l));
}

}  // namespace covary
