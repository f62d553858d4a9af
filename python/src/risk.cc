// The risk of a model whose labels were chosen by a strategy, and rules to stop labelling.
#include "covary/select/risk.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.h"
#include "arrays.h"
#include "bind.h"
#include "covary/base/error.h"
#include "covary/base/percent.h"
#include "covary/select/stop.h"

namespace covary::python {
namespace {

using namespace nb::literals;

nb::dict described(const Risk& r) {
  nb::dict d;
  d["corrected"] = r.corrected, d["lower"] = r.lower, d["upper"] = r.upper;
  d["standard_error"] = r.standard_error, d["effective"] = r.effective, d["percent"] = r.percent;
  d["naive"] = r.naive, d["naive_lower"] = r.naive_lower, d["naive_upper"] = r.naive_upper;
  d["text"] = r.text();
  return d;
}

nb::dict estimated(nb::handle losses, nb::handle probabilities, nb::handle open, double percent) {
  const Vector loss = values(losses, "losses"), probability = values(probabilities, "probabilities");
  const std::vector<Index> among = indices(open, "open");
  if (probability.size() != loss.size() || std::ssize(among) != loss.size())
    throw Error(Problem::usage, "risk: " + std::to_string(loss.size()) + " losses, " +
                                    std::to_string(probability.size()) + " probabilities and " +
                                    std::to_string(among.size()) + " numbers of open candidates");
  internal::check_percent(percent, "percent");
  std::vector<SampledLoss> labels;
  for (Index i = 0; i < loss.size(); ++i)
    labels.push_back({loss[i], probability[i], among[static_cast<size_t>(i)]});
  return described(risk(labels, percent));
}

}  // namespace

void bind_risk(nb::module_& m) {
  m.def("risk", &estimated, "losses"_a, "probabilities"_a, "open"_a, "percent"_a);
  nb::class_<Stopping> c(m, "Stopping",
                         "When to stop labelling: rules that are 0 are off, the first that holds ends it.");
  c.def(
      "__init__",
      [](Stopping* s, const nb::args& args, const nb::kwargs& kwargs) {
        const Arguments a("Stopping", {"largest_sd", "gain", "change", "rounds"}, 0, args, kwargs);
        new (s) Stopping(StopRules{a.number("largest_sd", 0), a.number("gain", 0), a.number("change", 0),
                                   a.whole("rounds", 3)});
      },
      nb::sig("def __init__(self, *, largest_sd: float = 0.0, gain: float = 0.0, change: float = 0.0, "
              "rounds: int "
              "= 3) -> None"),
      "largest_sd: no candidate's f is less certain, in units of y. gain: the next label brings less, per "
      "cost. change: predictions moved by less in each of so many rounds.");
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  c.def("round", &Stopping::round, "labels"_a, "largest_sd"_a = nan, "gain"_a = inf, "change"_a = inf,
        "After a round: labels so far, the largest sd of f, the gain per cost of the latest choice, and how "
        "far "
        "predictions moved.");
  c.def_prop_ro("reason", &Stopping::reason, "The rule that holds, in words, or ''.");
  c.def_prop_ro("remaining", &Stopping::remaining,
                "Labels until the largest sd is likely there; -1: not known.");
  c.def("forecast", &Stopping::forecast, "unit"_a = "", "'about 12 more labels to reach 0.5 K', or ''.");
}

}  // namespace covary::python
