// The types of columns, as Python holds them.
#pragma once
#include <nanobind/nanobind.h>

#include <optional>

#include "covary/model/records.h"

namespace covary::python {

namespace nb = nanobind;

/// A network as Python has it: shared, and not changed.
struct NetworkHandle {
  std::shared_ptr<const Network> network;
};

/// What a model is told of its columns: nothing where they are numbers.
Schema schema_or_none(const std::optional<Schema>& given);

}  // namespace covary::python
