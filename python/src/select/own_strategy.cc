#include "select/own_strategy.h"

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.h"
#include "covary/base/error.h"

namespace covary::python {
namespace {

using namespace nb::literals;

/// What Python sees of a StrategyInput, which lives only as long as the call.
struct Sight {
  const StrategyInput* input = nullptr;

  const StrategyInput& operator*() const {
    if (input) return *input;
    throw Error(Problem::usage, "the input of a strategy can be used only inside of the call");
  }
  const PoolPosterior& belief() const { return (**this).belief; }
  Index checked(Index i) const {
    const Index m = belief().pool().size;
    if (i >= 0 && i < m) return i;
    throw Error(Problem::usage, fmt::format("candidate: expected 0 to {}, found {}", m - 1, i));
  }
};

/// Any thread may be the last to let go of it.
std::shared_ptr<const nb::object> shared_object(nb::object o) {
  const auto let_go = [](const nb::object* held) {
    if (Py_IsInitialized() == 0) return;  // Python took its objects with it
    const nb::gil_scoped_acquire gil;
    delete held;
  };
  return {new nb::object(std::move(o)), let_go};
}

/// The exception goes on with a line that says whose it is.
[[noreturn]] void rethrow_named(nb::python_error& e, const std::string& name) {
  const nb::object value = nb::borrow(e.value());
  if (nb::hasattr(value, "add_note")) value.attr("add_note")("in the strategy '" + name + "'");
  throw e;
}

struct OwnStrategy {
  std::string name;
  std::shared_ptr<const nb::object> object;
  bool has_scores = false, has_reason = false;
  Vector latest = {};

  /// call(the input as Python sees it), with the GIL.
  template <class Call>
  auto shown(const StrategyInput& input, const Call& call) const {
    const nb::gil_scoped_acquire gil;
    const auto sight = std::make_unique<Sight>(Sight{&input});
    const nb::object seen = nb::cast(sight.get(), nb::rv_policy::copy);
    struct Closing {
      nb::object seen;
      ~Closing() { nb::cast<Sight&>(seen).input = nullptr; }
    } const closing{seen};
    try {
      return call(seen);
    } catch (nb::python_error& e) {
      rethrow_named(e, name);
    }
  }
  Vector scores(const StrategyInput& input) {
    latest = shown(input, [&](const nb::object& seen) -> Vector {
      const nb::object f = has_scores ? nb::object(object->attr("scores")) : *object;
      return values(f(seen), fmt::format("strategy '{}': what it gave", name).c_str());
    });
    if (latest.size() != input.pool().size)
      throw Error(Problem::usage,
                  fmt::format("strategy '{}': expected a score for each of {} candidates, found {}", name,
                              input.pool().size, latest.size()));
    for (Index i = 0; i < latest.size(); ++i)
      if (!(latest[i] >= 0 && std::isfinite(latest[i])))
        throw Error(Problem::usage,
                    fmt::format("strategy '{}': candidate {}: expected a finite score of 0 or more, "
                                "found {}",
                                name, i, latest[i]));
    return latest;
  }
  std::string reason(const StrategyInput& input, Index i) const {
    if (!has_reason) return fmt::format("{}: score {:.4g}", name, latest[i]);
    return shown(input, [&](const nb::object& seen) {
      return nb::cast<std::string>(nb::str(object->attr("reason")(seen, i)));
    });
  }
};

std::string name_of(nb::handle given) {
  for (const char* attribute : {"name", "__name__"})
    if (nb::hasattr(given, attribute)) {
      const nb::object name = given.attr(attribute);
      if (nb::isinstance<nb::str>(name)) return nb::cast<std::string>(name);
    }
  return nb::cast<std::string>(nb::type_name(given.type()));
}

}  // namespace

GivenStrategy strategy_of(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return {parse_strategy(nb::cast<std::string>(given)), {}};
  const bool is_class = PyType_Check(given.ptr()) != 0;
  const bool has_scores = !is_class && nb::hasattr(given, "scores");
  if (is_class || (!has_scores && PyCallable_Check(given.ptr()) == 0))
    throw Error(
        Problem::usage,
        fmt::format("strategy: expected a name, a function of the input, or an object with "
                    "scores(input), found {}{}",
                    nb::cast<std::string>(nb::repr(given)), is_class ? ": make an object of the class" : ""));
  const OwnStrategy own{name_of(given), shared_object(nb::borrow(given)), has_scores,
                        has_scores && nb::hasattr(given, "reason")};
  auto entry = std::make_shared<StrategyEntry>();
  entry->name = own.name;
  entry->make = [own](const Arguments&) { return Strategy(own); };
  entry->pending = StrategyEntry::Pending::unseen;
  return {{entry.get(), own.name, {}}, entry};
}

void bind_strategy_input(nb::module_& m) {
  nb::class_<Sight> c(m, "StrategyInput",
                      "What a strategy is shown: candidates, labels, the belief about f.");
  c.def_prop_ro(
      "mean", [](const Sight& s) -> Matrix { return s.belief().mean(); },
      "m x c: of f at each candidate, given the labels.");
  c.def_prop_ro(
      "variance", [](const Sight& s) { return Vector(s.belief().variance().cwiseMax(0)); },
      "m: of f; pending candidates count as labelled.");
  c.def_prop_ro(
      "noise", [](const Sight& s) -> Vector { return s.belief().pool().noise; }, "m: variance of a label.");
  c.def_prop_ro(
      "labelled",
      [](const Sight& s) {
        const auto& order = s.belief().order();
        return std::vector<Index>(order.begin(), order.begin() + s.belief().labels());
      },
      "n: candidates with a label, in the order they came.");
  c.def_prop_ro(
      "pending",
      [](const Sight& s) {
        const auto& order = s.belief().order();
        return std::vector<Index>(order.begin() + s.belief().labels(), order.end());
      },
      "Candidates that were asked for and have no label yet.");
  c.def_prop_ro(
      "labels", [](const Sight& s) -> Matrix { return s.belief().targets(); },
      "n x c: numbers; of two classes -1 and 1, of more a column for each.");
  c.def_prop_ro(
      "classes", [](const Sight& s) { return (*s).classes; }, "n: classes from 0 on; empty for numbers.");
  c.def_prop_ro(
      "kinds", [](const Sight& s) { return (*s).kinds; }, "Number of classes; 0 for numbers.");
  c.def_prop_ro(
      "seed", [](const Sight& s) { return (*s).seed; }, "Of this choice.");
  c.def("__len__", [](const Sight& s) { return s.belief().pool().size; });
  c.def(
      "covariance", [](const Sight& s, Index i) { return s.belief().covariance(s.checked(i)); },
      "candidate"_a, "m: of f at each candidate with f at this one, given the labels and the pending.");
  c.def(
      "prior_covariance",
      [](const Sight& s, const std::vector<Index>& rows, const std::vector<Index>& columns) {
        for (const Index i : rows) (void)s.checked(i);
        for (const Index i : columns) (void)s.checked(i);
        return s.belief().pool().among(rows, columns);
      },
      "rows"_a, "columns"_a, "Of f under the kernel: a number for each pair.");
}

}  // namespace covary::python
