// A pool of candidates and what to label next: suggest, tell, suggest, tell.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "arrays.h"
#include "bind.h"
#include "covary/design/suggest.h"
#include "select/own_strategy.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// One call at a time.
struct Choosing {
  Choosing(std::shared_ptr<const StrategyEntry> strategy, CandidatePool candidates)
      : own(std::move(strategy)), pool(std::move(candidates)) {}
  std::shared_ptr<const StrategyEntry> own;  // of a strategy of Python's
  CandidatePool pool;
  std::mutex mutex = {};
};
using Chooser = std::shared_ptr<Choosing>;

SelectorOptions options_of(nb::handle cost, double random_share, bool repeats, bool minimize,
                           std::uint64_t seed, int threads) {
  SelectorOptions o;
  if (!cost.is_none()) o.cost = values(cost, "costs");
  o.random_share = random_share, o.repeats = repeats, o.seed = seed, o.threads = threads;
  o.minimize = minimize;
  return o;
}

/// make() where Ctrl-C stops it. What it uses it must own.
Chooser made(const GivenStrategy& strategy, std::function<CandidatePool()> make) {
  const auto out = std::make_shared<Chooser>();
  watched([out, own = strategy.own, make = std::move(make)](const Wanted&) {
    *out = std::make_shared<Choosing>(own, make());
  });
  return std::move(*out);
}

/// Numbers: candidates beside the rows that the model has learned from.
Chooser of_model(const FittedModel& m, nb::handle at, nb::handle strategy, nb::handle cost,
                 double random_share, bool repeats, bool minimize, std::uint64_t seed, int threads) {
  const GivenStrategy s = strategy_of(strategy);
  return made(s, [m, x = matrix(at, "X_pool", Numbers::finite), s,
                  o = options_of(cost, random_share, repeats, minimize, seed, threads)] {
    return CandidatePool(m, x, s.named, o);
  });
}

/// Classes: candidates beside labelled rows; `penalty` and `tolerance` are those of the classifier.
Chooser of_classes(const Kernel<Row>& kernel, double penalty, double tolerance, nb::handle at, Index kinds,
                   nb::handle at_known, nb::handle known, nb::handle strategy, nb::handle cost,
                   double random_share, bool repeats, bool minimize, std::uint64_t seed, int threads) {
  const ClassifiedRows rows{kernel,
                            matrix(at_known, "X"),
                            indices(known, "labels"),
                            kinds,
                            {.penalty = penalty, .tolerance = tolerance, .threads = threads}};
  const GivenStrategy s = strategy_of(strategy);
  return made(s, [rows, x = matrix(at, "X_pool", Numbers::finite), s,
                  o = options_of(cost, random_share, repeats, minimize, seed, threads)] {
    return CandidatePool(rows, x, s.named, o);
  });
}

nb::dict described(const std::vector<Choice>& choices) {
  std::vector<Index> indices, open;
  std::vector<bool> by_chance;
  std::vector<std::string> reasons;
  Vector scores(std::ssize(choices)), probabilities(std::ssize(choices));
  for (size_t i = 0; i < choices.size(); ++i) {
    const Choice& c = choices[i];
    indices.push_back(c.candidate), open.push_back(c.open), by_chance.push_back(c.by_chance);
    reasons.push_back(c.reason), scores[Index(i)] = c.score, probabilities[Index(i)] = c.probability;
  }
  nb::dict d;
  d["indices"] = indices, d["scores"] = scores, d["probabilities"] = probabilities;
  d["open"] = open, d["by_chance"] = by_chance, d["reasons"] = reasons;
  return d;
}

/// With the sd of f at each, and what there is to say. What `covary suggest` does.
nb::dict suggested(const FittedModel& m, nb::handle at, Index n, const std::string& strategy, nb::handle cost,
                   double random_share, const std::vector<std::string>& where, bool minimize,
                   std::uint64_t seed, int threads) {
  const auto out = std::make_shared<Suggestions>();
  SuggestOptions o{.count = n, .strategy = strategy};
  o.where = where;
  o.selector = options_of(cost, random_share, false, minimize, seed, threads);
  watched([out, m, x = matrix(at, "X_pool", Numbers::finite), o](const Wanted&) { *out = suggest(m, x, o); });
  nb::dict d = described(out->choices);
  d["sd"] = out->sd, d["notes"] = out->notes;
  return d;
}

nb::dict next_of(const Chooser& c, Index n) {
  const auto out = std::make_shared<std::vector<Choice>>();
  watched([out, c, n](const Wanted&) {
    const std::lock_guard lock(c->mutex);
    *out = c->pool.suggest(n);
  });
  return described(*out);
}

void told(const Chooser& c, nb::handle which, nb::handle labels) {
  watched([c, i = indices(which, "indices"), y = values(labels, "labels", Numbers::finite)](const Wanted&) {
    const std::lock_guard lock(c->mutex);
    c->pool.tell(i, y);
  });
}

void replaced(const Chooser& c, const FittedModel& m) {
  watched([c, m](const Wanted&) {
    const std::lock_guard lock(c->mutex);
    c->pool.replace(m);
  });
}

nb::list strategies_listed() {
  nb::list all;
  for (const StrategyEntry& e : strategies()) {
    nb::dict d;
    d["name"] = e.name, d["formula"] = e.formula, d["parameters"] = e.parameters;
    d["question"] = text_of(e.question), d["reference"] = e.reference;
    d["for"] = text_of(e.task), d["about"] = e.about;
    d["pool"] = e.pool;
    d["stream"] = e.stream ? nb::object(nb::str(text_of(*e.stream).c_str())) : nb::none();
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_selector(nb::module_& m) {
  bind_strategy_input(m);
  nb::class_<Choosing> c(m, "Selector", "Candidates, their labels, and what to label next.");
  c.def("suggest", &next_of, "n"_a);
  c.def("tell", &told, "indices"_a, "labels"_a);
  c.def("replace", &replaced, "model"_a, "Another kernel for the same candidates and labels.");
  c.def(
      "coverage", [](const Choosing& s, std::uint64_t seed) { return s.pool.coverage(seed); }, "seed"_a,
      "Parts of the pool that the labels do not represent, in words.");
  c.def_prop_ro("mean", [](const Choosing& s) { return s.pool.mean(); });
  c.def_prop_ro("sd", [](const Choosing& s) { return s.pool.sd(); });
  c.def_prop_ro(
      "scores", [](const Choosing& s) { return s.pool.scores(); }, "The scores of the latest suggest.");
  c.def_prop_ro("open", [](const Choosing& s) { return s.pool.open(); });
  c.def_static("of_model", &of_model, "model"_a, "X"_a, "strategy"_a, "costs"_a.none(), "random_share"_a,
               "repeats"_a, "minimize"_a, "seed"_a, "threads"_a);
  c.def_static("of_classes", &of_classes, "kernel"_a, "penalty"_a, "tolerance"_a, "X"_a, "kinds"_a,
               "known_X"_a, "known"_a, "strategy"_a, "costs"_a.none(), "random_share"_a, "repeats"_a,
               "minimize"_a, "seed"_a, "threads"_a);
  m.def("suggest", &suggested, "model"_a, "X"_a, "n"_a, "strategy"_a, "costs"_a.none(), "random_share"_a,
        "where"_a, "minimize"_a, "seed"_a, "threads"_a, "What to measure next. Ctrl-C stops it.");
  m.def("strategies", &strategies_listed,
        "What to label next: name, formula, parameters, question, reference, for, about.");
}

}  // namespace covary::python
