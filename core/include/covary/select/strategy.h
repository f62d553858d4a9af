// A query strategy scores every candidate of a pool by the value of a label there.
//
// Any struct with `Vector scores(const StrategyInput&)` (m; not negative, larger is better) and `std::string
// reason(const StrategyInput&, Index) const` is one. It may keep what it computed between calls. Registered ones are
// listed by strategies(), made by parse_strategy("density(weight=2)"), and inherit the conformance tests.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <string>

#include "covary/kernels/registry.h"
#include "covary/select/belief.h"

namespace covary {

/// The input of a strategy.
struct StrategyInput {
  const PoolPosterior& belief;
  std::vector<Index> classes = {};  // n: of the labels; empty in regression
  Index kinds = 0;                  // how many classes there may be; 0: regression
  std::uint64_t seed = 1;           // of this choice
  SvmOptions svm = {};              // of the classifier that labels are for
  bool minimize = false;            // the best is the smallest f, for those that look for it
  const Pool& pool() const { return belief.pool(); }
  bool classifies() const { return kinds > 0; }
};

template <class S>
concept ScoresCandidates = requires(S s, const StrategyInput& sight, Index i) {
  { s.scores(sight) } -> std::convertible_to<Vector>;
  { s.reason(sight, i) } -> std::convertible_to<std::string>;
};

/// Any strategy. Moved, not copied: it may hold what it computed.
class Strategy {
 public:
  template <class S>
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  requires(!std::same_as<S, Strategy> && ScoresCandidates<S>) Strategy(S s)
      : self_(std::make_unique<Held<S>>(std::move(s))) {}

  Vector scores(const StrategyInput& sight) { return self_->scores(sight); }
  /// One line on why this candidate, after scores().
  std::string reason(const StrategyInput& sight, Index candidate) const {
    return self_->reason(sight, candidate);
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual Vector scores(const StrategyInput&) = 0;
    virtual std::string reason(const StrategyInput&, Index) const = 0;
  };
  template <class S>
  struct Held final : Any {
    explicit Held(S held) : s(std::move(held)) {}
    Vector scores(const StrategyInput& sight) override { return s.scores(sight); }
    std::string reason(const StrategyInput& sight, Index i) const override { return s.reason(sight, i); }
    S s;
  };
  std::unique_ptr<Any> self_;
};

/// The purpose of a strategy.
enum class Question { baseline, function, classes, best, everything, posterior };

/// A strategy as the registry knows it.
struct StrategyEntry {
  std::string name;                     // as typed: "variance-reduction"
  std::string formula;                  // "sum_t cov(t, x)^2 / (var(x) + noise)"
  std::string about;                    // one line: when to use it
  std::vector<std::string> parameters;  // names of its arguments
  std::function<Strategy(const Arguments&)> make;
  Question question = Question::function;
  std::string reference = {};  // where it is from, a key of docs/references.bib: "tong2001"
  enum class For { both, regression, classification } task = For::both;
  /// Whether scores fall near candidates that are pending. Where they do not, they are multiplied by the
  /// share of a candidate's variance that those leave.
  enum class Pending { seen, unseen, seen_in_regression } pending = Pending::seen;
  bool chance = false;  // no score: every candidate is equally likely
  bool draws = false;   // a candidate is drawn with probability proportional to its score (per cost)
  bool machine =
      false;  // scores are of the classifier of the labels; a penalty of its own is the classifier's
  std::vector<std::string> words = {};  // of the parameters: those that take a word, not a number
  bool pool = true;                     // false: it decides on points as they pass by, not on a pool
  bool settles = false;  // a score of 0 says that the label is known already: replays end there
  bool labels = false;   // it needs the labels themselves, not only their posterior
  /// The labels for which it can decide on a stream, point by point; none: it needs a pool.
  std::optional<For> stream = {};
  /// Bytes that it needs for m candidates, beside the belief; none: a few numbers each.
  std::function<double(const Arguments&, Index m)> bytes = {};

  bool applies(bool classes) const { return task == For::both || (task == For::classification) == classes; }
  bool streams(bool classes) const {
    return stream && (*stream == For::both || (*stream == For::classification) == classes);
  }
};

/// Every strategy, in the order they are listed.
const std::vector<StrategyEntry>& strategies();

/// "committee(members=16)": which strategy it is, and with what arguments. Throws Problem::usage and lists
/// the names, the nearest first.
struct NamedStrategy {
  const StrategyEntry* entry;
  std::string text;  // as typed
  Arguments arguments;
  Strategy make() const { return entry->make(arguments); }
  /// The classifier's options, with the penalty that the strategy was given.
  SvmOptions svm(SvmOptions options) const;
};

/// "numbers", "classes" or "both".
std::string text_of(StrategyEntry::For task);
/// "learn the function", "find the best", ...
std::string text_of(Question question);

NamedStrategy parse_strategy(const std::string& text);

/// A committee of the user's own models: votes(sight) gives what each predicts, m x members; in
/// classification, the number of a class.
Strategy committee_of(std::function<Matrix(const StrategyInput&)> votes);

}  // namespace covary
