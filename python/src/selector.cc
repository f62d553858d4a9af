// A pool of candidates and what to label next: suggest, tell, suggest, tell.
#include "covary/select/selector.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <sstream>

#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/select/coverage.h"
#include "model.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// A selector and the candidates that it borrows. One call at a time.
class Choosing {
 public:
  /// The first `candidates` rows of x may be chosen; the others carry the labels `known`.
  Choosing(const NamedStrategy& strategy, const Process<Row>& process, double scale, Matrix x,
           Index candidates, Vector known, bool noise_known, SelectorOptions options,
           Transform transform = {})
      : transform_(transform),
        x_(std::move(x)),
        known_(std::move(known)),
        candidates_(candidates),
        scale_(scale),
        noise_known_(noise_known),
        classifies_(options.kinds > 0),
        selector_(strategy, pool_of(process), std::move(options)) {
    std::vector<Index> told = all_indices(known_.size());
    for (Index& i : told) i += candidates;
    if (!told.empty()) selector_.tell(told, known_);
  }
  Choosing(const Choosing&) = delete;
  Choosing& operator=(const Choosing&) = delete;

  std::vector<Choice> suggest(Index n) {
    const std::lock_guard lock(mutex_);
    return selector_.suggest(n);
  }
  void tell(const std::vector<Index>& which, const Vector& labels) {
    const std::lock_guard lock(mutex_);
    selector_.tell(which, classifies_ ? labels : Vector(transform_(labels) / scale_));
  }
  void replace(const Process<Row>& process) {
    const std::lock_guard lock(mutex_);
    selector_.replace(pool_of(process));
  }
  bool classifies() const { return classifies_; }
  double scale() const { return scale_; }
  /// Throws unless it is one that may be chosen.
  void check_candidate(Index i) const {
    if (i >= 0 && i < candidates_) return;
    throw Error(Problem::usage, "indices: expected a candidate from 0 to " + std::to_string(candidates_ - 1) +
                                    ", found " + std::to_string(i));
  }
  Vector mean() const { return scale_ * selector_.belief().mean().col(0).head(candidates_); }
  Vector sd() const {
    return scale_ * selector_.belief().variance().cwiseMax(0).cwiseSqrt().head(candidates_);
  }
  Vector scores() const {
    return selector_.scores().size() ? Vector(selector_.scores().head(candidates_)) : Vector();
  }
  Index open() const { return selector_.open(); }
  PoolCoverage coverage(std::uint64_t seed) const { return covary::coverage(selector_.belief(), seed); }
  /// Of each column, the labelled from all.
  Vector leaning() const {
    const PoolPosterior& b = selector_.belief();
    return covary::leaning(x_, {b.order().begin(), b.order().begin() + b.labels()});
  }
  Index labels() const { return selector_.belief().labels(); }

 private:
  Pool pool_of(const Process<Row>& process) const {
    Pool pool = covary::pool_of<Row>(process, x_);
    pool.noise_known = noise_known_;
    return pool;
  }
  Transform transform_;  // of labels: means and sds are of it
  Matrix x_;
  Vector known_;
  Index candidates_;
  double scale_;
  bool noise_known_, classifies_;
  Selector selector_;
  std::mutex mutex_;
};
using Chooser = std::shared_ptr<Choosing>;

const Process<Row>& process_of(const FittedModel& m) {
  const Process<Row>& p = gaussian_process(m, "suggest");
  if (!p.noise().per_row()) return p;
  throw Error(Problem::usage,
              "the noise of labels to come is not known: this model has one noise for each row");
}

SelectorOptions options_of(nb::handle cost, Index candidates, Index known, double random_share, bool repeats,
                           std::uint64_t seed, int threads) {
  SelectorOptions o;
  if (!cost.is_none()) o.cost = concat(values(cost, "costs"), Vector::Ones(known));
  if (!cost.is_none() && o.cost.size() != candidates + known)
    throw Error(Problem::usage, "costs: " + std::to_string(o.cost.size() - known) + " for " +
                                    std::to_string(candidates) + " candidates");
  o.random_share = random_share, o.repeats = repeats, o.seed = seed, o.threads = threads;
  return o;
}

Chooser made(std::function<Chooser()> make) {
  const auto out = std::make_shared<Chooser>();
  watched([out, make = std::move(make)](const Wanted&) { *out = make(); });
  return std::move(*out);
}

/// Throws unless x has so many columns.
void check_columns(const Matrix& x, Index expected) {
  if (x.cols() == expected) return;
  throw Error(Problem::usage, "X_pool: expected " + std::to_string(expected) +
                                  " columns, as the model has, found " + std::to_string(x.cols()));
}

/// Numbers: candidates beside the rows that the model has learned from.
Chooser of_model(const FittedModel& m, nb::handle at, const std::string& strategy, nb::handle cost,
                 double random_share, bool repeats, std::uint64_t seed, int threads) {
  const Matrix x = matrix(at, "X_pool", Numbers::finite);
  const ModelRecord& s = m.record();
  check_columns(x, s.x.cols());
  const SelectorOptions o = options_of(cost, x.rows(), s.y.size(), random_share, repeats, seed, threads);
  return made([=, process = process_of(m), all = join(x, s.x), known = s.latent_target(), scale = s.scale,
               noise_known = s.request.noise != "learn", g = s.request.transform,
               named = parse_strategy(strategy)] {
    return std::make_shared<Choosing>(named, process, scale, all, x.rows(), known, noise_known, o, g);
  });
}

/// Throws if the strategy was given another penalty than the classifier: there is one machine.
void check_penalty(const NamedStrategy& strategy, const SvmOptions& svm) {
  const double own = strategy.svm(svm).penalty;
  if (own == svm.penalty) return;
  std::ostringstream words;
  words << "strategy '" << strategy.text << "': the Classifier has penalty " << svm.penalty
        << ", and the strategy looks at that one: give Classifier(penalty=" << own << ")";
  throw Error(Problem::usage, words.str());
}

/// Classes: candidates beside labelled rows, under a kernel and a noise; `penalty` and `tolerance` are those
/// of the classifier.
Chooser of_classes(const Kernel<Row>& kernel, double noise, double penalty, double tolerance, nb::handle at,
                   Index kinds, nb::handle at_known, nb::handle known, const std::string& strategy,
                   nb::handle cost, double random_share, bool repeats, std::uint64_t seed, int threads) {
  const Matrix x = matrix(at, "X_pool", Numbers::finite);
  const Vector labels = values(known, "labels");
  SelectorOptions o = options_of(cost, x.rows(), labels.size(), random_share, repeats, seed, threads);
  o.kinds = kinds;
  o.svm = {.penalty = penalty, .tolerance = tolerance, .threads = threads};
  const NamedStrategy named = parse_strategy(strategy);
  check_penalty(named, o.svm);
  const Matrix known_x = matrix(at_known, "X");
  check_columns(x, known_x.cols());
  const Matrix all = join(x, known_x);
  return made([=] {
    const Process<Row> process(kernel, zero_mean<Row>(), Noise::of(noise));
    return std::make_shared<Choosing>(named, process, 1, all, x.rows(), labels, true, o);
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

nb::dict suggested(const Chooser& c, Index n) {
  const auto out = std::make_shared<std::vector<Choice>>();
  watched([out, c, n](const Wanted&) { *out = c->suggest(n); });
  return described(*out);
}

void told(const Chooser& c, nb::handle which, nb::handle labels) {
  const std::vector<Index> indices = python::indices(which, "indices");
  const Vector y = values(labels, "labels", Numbers::finite);
  for (const Index i : indices) c->check_candidate(i);
  if (std::ssize(indices) != y.size())
    throw Error(Problem::usage, "tell: " + std::to_string(indices.size()) + " indices and " +
                                    std::to_string(y.size()) + " labels");
  watched([=](const Wanted&) { c->tell(indices, y); });
}

void replaced(const Chooser& c, const FittedModel& m) {
  if (c->classifies()) throw Error(Problem::usage, "replace: this pool has classes, not numbers");
  if (m->scale != c->scale())
    throw Error(Problem::usage, "replace: the model's numbers are of another size than those of the pool");
  watched([c, process = process_of(m)](const Wanted&) { c->replace(process); });
}

nb::list strategies_listed() {
  nb::list all;
  for (const StrategyEntry& e : strategies()) {
    nb::dict d;
    d["name"] = e.name, d["formula"] = e.formula, d["parameters"] = e.parameters;
    d["for"] = text_of(e.task), d["about"] = e.about;
    d["stream"] = e.stream ? nb::object(nb::str(text_of(*e.stream).c_str())) : nb::none();
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_selector(nb::module_& m) {
  nb::class_<Choosing> c(m, "Selector", "Candidates, their labels, and what to label next.");
  c.def(
      "suggest", [](const Chooser& s, Index n) { return suggested(s, n); }, "n"_a);
  c.def("tell", &told, "indices"_a, "labels"_a);
  c.def("replace", &replaced, "model"_a, "Another kernel for the same candidates and labels.");
  c.def(
      "coverage", [](const Chooser& s, std::uint64_t seed) { return s->coverage(seed).warnings; }, "seed"_a,
      "What the labels do not stand for, in words.");
  c.def_prop_ro("leaning", &Choosing::leaning, "Of each column, in sd of all.");
  c.def_prop_ro("mean", &Choosing::mean);
  c.def_prop_ro("sd", &Choosing::sd);
  c.def_prop_ro("scores", &Choosing::scores, "Of the latest suggest.");
  c.def_prop_ro("open", &Choosing::open);
  c.def_prop_ro("labels", &Choosing::labels, "How many.");
  c.def_static("of_model", &of_model, "model"_a, "X"_a, "strategy"_a, "costs"_a.none(), "random_share"_a,
               "repeats"_a, "seed"_a, "threads"_a);
  c.def_static("of_classes", &of_classes, "kernel"_a, "noise"_a, "penalty"_a, "tolerance"_a, "X"_a, "kinds"_a,
               "known_X"_a, "known"_a, "strategy"_a, "costs"_a.none(), "random_share"_a, "repeats"_a,
               "seed"_a, "threads"_a);
  m.def("strategies", &strategies_listed, "What to label next: name, formula, parameters, for, about.");
}

}  // namespace covary::python
