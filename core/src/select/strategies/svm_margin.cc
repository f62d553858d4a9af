// svm-margin: the candidate that promises to halve the version space of the classifier: the nearest to its separator, or
// the one with the best margins for either label [tong2001].
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "covary/select/hashed_separator.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

enum class Method { simple, maxmin, ratio };

struct MarginOptions {
  Method method = Method::simple;
  Index tried =
      64;  // candidates that maxmin and ratio train machines for, the nearest to the separator; 0: all
  Index bits = 0;  // of the hash; 0: all candidates are scanned
};

/// Looks at the Classifier of the labels: the one that users of the same kernel and penalty have.
struct Margin {
  MarginOptions options;
  PoolClassifier classifier = {};
  Index generation = -1;
  select::Distances distances = {};
  Vector latest = {};  // m: |f| of the nearest separator; infinity where hashing did not look
  bool separated = false;
  struct Halves {
    double one = 0, other = 0;  // margins with either label
  };
  std::vector<std::pair<Index, Halves>> tries = {};
  std::optional<HashedSeparator> hash = {};
  Index hashed_for = -1, asked = 0;
  HashRecall recall = {};

  /// m: by |f|, in margins, of the separator that is nearest; without one (a single class so far), how far each
  /// is from the labels.
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    train(sight);
    separated = std::count(classifier.machines.begin(), classifier.machines.end(), true) > 0;
    if (!separated) return latest = distances.to_nearest(belief);
    if (options.bits > 0) return by_hash(sight);
    scan(belief);
    return options.method == Method::simple ? Vector((1 + latest.array()).inverse()) : by_halves(sight);
  }
  std::string reason(const StrategyInput&, Index i) const {
    if (!separated) return "all labels are of one class: the farthest from them may be of another";
    if (options.bits > 0 && std::isinf(latest[i]))
      return "hashing found no candidate without a label near the separator";
    std::string out = fmt::format("{:.2g} margins from the separator of the labels so far", latest[i]);
    for (const auto& [candidate, h] : tries)
      if (candidate == i)
        out += fmt::format(
            "; margins of {:.3g} and {:.3g} with either label: the {} of {} candidates tried", h.one, h.other,
            options.method == Method::maxmin ? "largest smaller one" : "most even ones", tries.size());
    if (options.bits > 0) out += "; " + recall.text();
    return out;
  }

 private:
  /// Begins with what it was at the last call, unless the labels or the kernel are no longer those.
  void train(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (generation != belief.generation()) classifier = {};
    generation = belief.generation();
    if (belief.labels() == 0) return;
    classifier = sight.pool().classifier(labelled(belief), sight.classes, sight.svm, classifier);
  }
  static std::vector<Index> labelled(const PoolPosterior& belief) {
    return {belief.order().begin(), belief.order().begin() + belief.labels()};
  }
  void scan(const PoolPosterior& belief) {
    latest = Vector(belief.pool().size);
    for_runs(latest.size(), belief.threads(), [&](Range r) {
      const Matrix f = classifier.decision(r);
      for (Index i = 0; i < r.count; ++i) latest[r.first + i] = nearest(f.row(i));
    });
  }
  double nearest(const Eigen::Ref<const Eigen::RowVectorXd>& f) const {
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < f.size(); ++c)
      if (classifier.machines[static_cast<size_t>(c)]) least = std::min(least, std::abs(f[c]));
    return least;
  }

  /// The product of the margins of all machines with one label more: the size of what is left of the version space is
  /// in proportion, one against the rest [tong2001]. Of two classes there is one machine.
  double margin_with(const StrategyInput& sight, Index candidate, Index kind) const {
    std::vector<Index> at = labelled(sight.belief), classes = sight.classes;
    at.push_back(candidate), classes.push_back(kind);
    try {
      const PoolClassifier c = sight.pool().classifier(at, classes, sight.svm, classifier);
      double out = 1;
      for (size_t j = 0; j < c.margins.size(); ++j)
        if (c.machines[j] && (j > 0 || sight.kinds > 2)) out *= c.margins[j];
      return out;
    } catch (const Error& e) {
      if (e.problem() != Problem::data) throw;
      return 0;  // no separator has it so
    }
  }
  /// m: 0 where no machine was trained. Candidates are tried with the two classes that are most likely.
  Vector by_halves(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    std::vector<char> taken(static_cast<size_t>(latest.size()), 0);
    for (const Index i : belief.order()) taken[static_cast<size_t>(i)] = 1;
    std::vector<std::pair<double, Index>> near;
    for (Index i = 0; i < latest.size(); ++i)
      if (!taken[static_cast<size_t>(i)]) near.emplace_back(latest[i], i);
    if (near.empty())
      for (Index i = 0; i < latest.size(); ++i) near.emplace_back(latest[i], i);
    std::sort(near.begin(), near.end());
    if (options.tried > 0 && std::ssize(near) > options.tried)
      near.resize(static_cast<size_t>(options.tried));
    tries.assign(near.size(), {});
    Vector out = Vector::Zero(latest.size());
    parallel_for(std::ssize(near), belief.threads(), [&](Index t) {
      const Index i = near[static_cast<size_t>(t)].second;
      Eigen::RowVectorXd f = classifier.decision({i, 1}).row(0);
      Index one = 0, other = 0;
      f.maxCoeff(&one);
      f[one] = -std::numeric_limits<double>::infinity();
      for (Index c = 0; c < f.size(); ++c)
        if (c != one && (other == one || f[c] > f[other])) other = c;
      const Halves h{margin_with(sight, i, one), margin_with(sight, i, other)};
      tries[static_cast<size_t>(t)] = {i, h};
      const double small = std::min(h.one, h.other), large = std::max(h.one, h.other);
      out[i] = options.method == Method::maxmin ? small : large > 0 ? small / large : 0;
    });
    return out;
  }

  Vector by_hash(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (!hash || hashed_for != generation)
      hash.emplace(sight.pool(), options.bits, belief.threads()), hashed_for = generation;
    latest = Vector::Constant(sight.pool().size, std::numeric_limits<double>::infinity());
    std::vector<char> taken(static_cast<size_t>(latest.size()), 0);
    for (const Index i : belief.order()) taken[static_cast<size_t>(i)] = 1;
    const auto open = [&](Index i) { return !taken[static_cast<size_t>(i)]; };
    const std::vector<std::pair<Index, double>> found = hash->nearest(classifier, open);
    for (const auto& [i, f] : found) latest[i] = f;
    recall.looked += std::ssize(found), recall.of += latest.size(), ++asked;
    const bool check = (asked & (asked - 1)) == 0;  // 1, 2, 4, 8, ...: scans cost little in the long run
    const Vector hashed = latest;
    if (check && !found.empty()) {
      scan(belief);
      const double best = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
                            return a.second < b.second;
                          })->second;
      Index nearer = 0, all = 0;
      for (Index i = 0; i < latest.size(); ++i)
        if (open(i)) ++all, nearer += latest[i] < best * (1 - 1e-6);
      recall.add(nearer, all);
      latest = hashed;
    }
    return (1 + latest.array()).inverse();
  }
};

Method method_of(const Arguments& a) {
  const std::string word = a.word("method", {"simple", "maxmin", "ratio"});
  return word == "simple" ? Method::simple : word == "maxmin" ? Method::maxmin : Method::ratio;
}

Strategy margin_strategy(const Arguments& a) {
  if (const double penalty = a.number("penalty"); !std::isnan(penalty)) check(SvmOptions{.penalty = penalty});
  const MarginOptions o{method_of(a), a.integer("tried", 64, 0, 1000000), a.integer("hash", 0, 0, 24)};
  if (o.bits > 0 && o.method != Method::simple)
    throw Error(
        Problem::usage,
        "strategy svm-margin: hash finds the nearest to the separator: it goes with method=simple alone");
  return Margin{o};
}

}  // namespace

StrategyEntry svm_margin() {
  StrategyEntry e{
      "svm-margin",
      "1 / (1 + |f(x)|), f the classifier of the labels: 1 and -1 at the edges of its margin; or from its "
      "margins m with either label of x, maxmin: min(m+, m-), ratio: min(m+/m-, m-/m+)",
      "the candidate nearest to the classifier's separator; biases the sample, so mix in random picks",
      {"penalty", "method", "tried", "hash"},
      margin_strategy};
  e.words = {"method"};
  e.question = Question::classes;
  e.reference = "tong2001";
  e.task = StrategyEntry::For::classification;
  e.stream = StrategyEntry::For::classification;
  e.pending = StrategyEntry::Pending::unseen;
  e.machine = true;
  return e;
}

}  // namespace covary::strategy
