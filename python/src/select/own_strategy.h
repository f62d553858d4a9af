// Query strategies that are written in Python.
#pragma once
#include <nanobind/nanobind.h>

#include "covary/select/strategy.h"

namespace covary::python {

namespace nb = nanobind;

/// A strategy, and what must live as long as it is used.
struct GivenStrategy {
  NamedStrategy named;
  std::shared_ptr<const StrategyEntry> own;  // null: of the registry
};

/// Of a name, as parse_strategy takes it; of an object with scores(input), and reason(input, i) if it has one; of a
/// function of the input. Throws Problem::usage for anything else.
GivenStrategy strategy_of(nb::handle given);

/// StrategyInput: what such a strategy is shown.
void bind_strategy_input(nb::module_& m);

}  // namespace covary::python
