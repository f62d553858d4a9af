// Chooses what to label next: suggest, tell, suggest, tell.
//
//   Selector s(parse_strategy("variance-reduction"), pool_of(process, candidates));
//   for (const Choice& c : s.suggest(4)) s.tell(c.candidate, measure(c.candidate));
//
// The same seed gives the same choices, whatever the number of threads. Equal scores go to the candidate that
// stands first.
#pragma once
#include "covary/base/random.h"
#include "covary/select/strategy.h"

namespace covary {

struct SelectorOptions {
  std::uint64_t seed = 1;
  double random_share = 0;  // with this probability a choice is made by chance alone, so that no candidate is
                            // out of reach and risks can be estimated
  Vector cost = {};         // m: of a label; empty: all the same. Then scores are divided by it
  bool repeats = false;     // a candidate may be labelled again
  Index kinds = 0;          // classes; 0: labels are numbers
  SvmOptions svm = {};      // of the classifier that labels are for: strategies look at that one
  bool minimize = false;    // the best is the smallest label; otherwise the largest
  int threads = 0;
  /// Progress of a long computation ("labels", "scores"), called from any thread but never
  /// concurrently.
  std::function<void(const char* work, double share)> progress = {};
};

/// A candidate that was chosen.
struct Choice {
  Index candidate = 0;
  double score = 0;        // of the strategy, before costs
  double probability = 1;  // with which this one was chosen now
  Index open = 0;          // among how many
  bool by_chance = false;
  std::string reason;
};

class Selector {
 public:
  Selector(const NamedStrategy& strategy, Pool pool, SelectorOptions options = {});

  /// The next `batch` candidates, none twice and no near-repeats of each other; they are pending until told.
  /// Throws Problem::data if fewer are left.
  std::vector<Choice> suggest(Index batch = 1);
  /// A number, or a class from 0 on.
  void tell(Index candidate, double label);
  void tell(const std::vector<Index>& candidates, const Vector& labels);
  /// Another kernel for the same candidates.
  void replace(Pool pool) { belief_.replace(std::move(pool)); }

  const PoolPosterior& belief() const { return belief_; }
  StrategyInput sight() const;
  Index open() const;  // how many may be chosen
  bool is_open(Index candidate) const;
  /// Of the latest suggest: m, before costs.
  const Vector& scores() const { return scores_; }
  const std::vector<Index>& classes() const { return classes_; }

 private:
  Choice choose(const Vector& fresh);
  Index first_of_largest(const Vector& worth) const;
  Vector chances(Vector scores) const;
  Matrix coded(const Vector& labels) const;

  NamedStrategy named_;
  Strategy strategy_;
  SelectorOptions options_;
  PoolPosterior belief_;
  Random rng_;
  std::vector<char> taken_;     // m
  std::vector<Index> classes_;  // n
  Vector scores_;
};

}  // namespace covary
