// Posterior densities of the parameters of an expensive likelihood, and the search for them.
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "arrays.h"
#include "bind.h"
#include "covary/design/posterior_search.h"
#include "watched.h"

namespace covary::python {
namespace {

using namespace nb::literals;

using Density = std::shared_ptr<PosteriorDensity>;

/// One call at a time.
struct Searching {
  explicit Searching(PosteriorSearch s) : search(std::move(s)) {}
  PosteriorSearch search;
  std::mutex mutex = {};
};
using Search = std::shared_ptr<Searching>;

/// name, low, high, "normal(0, 2)"
using PriorWords = std::tuple<std::string, double, double, std::string>;

std::vector<ParameterPrior> prior_of(const std::vector<PriorWords>& all) {
  std::vector<ParameterPrior> out;
  for (const auto& [name, low, high, words] : all) {
    std::vector<ParameterPrior> one{{name, low, high}};
    internal::read_prior(words, one);
    out.push_back(one[0]);
  }
  return out;
}

DensityOptions density_options(bool joint, nb::handle impossible, Index draws, double percent,
                               std::uint64_t seed, int threads) {
  DensityOptions o{.joint = joint, .draws = draws, .percent = percent, .seed = seed, .threads = threads};
  if (!impossible.is_none()) o.impossible = matrix(impossible, "impossible", Numbers::finite);
  return o;
}

/// make() where Ctrl-C stops it. What it uses it must own.
Density made_density(std::function<PosteriorDensity()> make) {
  const auto out = std::make_shared<Density>();
  watched(
      [out, make = std::move(make)](const Wanted&) { *out = std::make_shared<PosteriorDensity>(make()); });
  return std::move(*out);
}

/// On a grid, or where `counts` is empty on drawn points.
Density density_of(const FittedModel& m, const std::vector<PriorWords>& prior,
                   const std::vector<Index>& counts, Index points, bool joint, nb::handle impossible,
                   Index draws, double percent, std::uint64_t seed, int threads) {
  return made_density([m, p = prior_of(prior), counts, points,
                       o = density_options(joint, impossible, draws, percent, seed, threads)] {
    return counts.empty() ? sampled_density(m, p, points, o) : grid_density(m, p, counts, o);
  });
}

Search search_of(const std::vector<PriorWords>& prior, Index budget, const std::string& strategy,
                 const std::string& kernel, const std::string& mean, double noise, double tail, Index start,
                 Index candidates, std::uint64_t seed, int threads) {
  return std::make_shared<Searching>(PosteriorSearch(
      prior_of(prior), budget, {strategy, kernel, mean, noise, tail, start, candidates, seed, threads}));
}

Vector asked_of(const Search& s) {
  const auto out = std::make_shared<Vector>();
  watched([out, s](const Wanted&) {
    const std::lock_guard lock(s->mutex);
    *out = s->search.ask();
  });
  return *out;
}

Density density_found(const Search& s, Index draws, double percent, std::uint64_t seed) {
  return made_density([s, draws, percent, seed] {
    const std::lock_guard lock(s->mutex);
    return s->search.density({.draws = draws, .percent = percent, .seed = seed});
  });
}

nb::tuple as_tuple(const IntervalEstimate& e) { return nb::make_tuple(e.value, e.lower, e.upper); }

nb::list as_list(const std::vector<IntervalEstimate>& all) {
  nb::list out;
  for (const IntervalEstimate& e : all) out.append(as_tuple(e));
  return out;
}

void bind_density(nb::module_& m) {
  nb::class_<PosteriorDensity> c(m, "Density", "A posterior density at points. Immutable.");
  c.def_prop_ro("names", [](const PosteriorDensity& p) {
    std::vector<std::string> out;
    for (const ParameterPrior& one : p.prior()) out.push_back(one.name);
    return out;
  });
  c.def_prop_ro("points", [](const PosteriorDensity& p) -> Matrix { return p.points(); });
  c.def_prop_ro("density", [](const PosteriorDensity& p) { return p.density(); });
  c.def_prop_ro("mass", [](const PosteriorDensity& p) -> Vector { return p.mass(); });
  c.def_prop_ro("log_joint", [](const PosteriorDensity& p) -> Vector { return p.log_joint(); });
  c.def_prop_ro("sd", [](const PosteriorDensity& p) -> Vector { return p.sd(); });
  c.def_prop_ro("mean", [](const PosteriorDensity& p) { return p.mean(); });
  c.def_prop_ro("covariance", [](const PosteriorDensity& p) { return p.covariance(); });
  c.def_prop_ro("log_evidence", [](const PosteriorDensity& p) { return as_tuple(p.log_evidence()); });
  c.def_prop_ro("means", [](const PosteriorDensity& p) { return as_list(p.means()); });
  c.def_prop_ro("sds", [](const PosteriorDensity& p) { return as_list(p.sds()); });
  c.def_prop_ro("effective_points", [](const PosteriorDensity& p) { return p.effective_points(); });
  c.def_prop_ro("notes", [](const PosteriorDensity& p) { return p.notes(); });
  c.def("density_at", &PosteriorDensity::density_at, "sds"_a, "For a log density so many sds from its mean.");
  c.def(
      "expectation",
      [](const PosteriorDensity& p, nb::handle v) { return as_tuple(p.expectation(values(v, "values"))); },
      "values"_a, "Of values at the points: estimate, lower, upper.");
  c.def("sample", &PosteriorDensity::sample, "n"_a, "seed"_a, "n x d.");
}

}  // namespace

void bind_posteriors(nb::module_& m) {
  bind_density(m);
  m.def("posterior_density", &density_of, "model"_a, "prior"_a, "counts"_a, "points"_a, "joint"_a,
        "impossible"_a.none(), "draws"_a, "percent"_a, "seed"_a, "threads"_a, "Ctrl-C stops it.");
  nb::class_<Searching> c(m, "Search", "Where to evaluate a log likelihood.");
  c.def_static("begin", &search_of, "prior"_a, "budget"_a, "strategy"_a, "kernel"_a, "mean"_a, "noise"_a,
               "tail"_a, "start"_a, "candidates"_a, "seed"_a, "threads"_a);
  c.def("ask", &asked_of, "The next parameters. Ctrl-C stops it.");
  c.def(
      "tell",
      [](const Search& s, double value) {
        const std::lock_guard lock(s->mutex);
        s->search.tell(value);
      },
      "log_likelihood"_a);
  c.def("density", &density_found, "draws"_a, "percent"_a, "seed"_a, "Ctrl-C stops it.");
  c.def_prop_ro("left", [](const Searching& s) { return s.search.left(); });
  c.def_prop_ro("evaluated", [](const Searching& s) { return s.search.evaluated(); });
  c.def_prop_ro("log_likelihoods", [](const Searching& s) { return s.search.log_likelihoods(); });
}

}  // namespace covary::python
