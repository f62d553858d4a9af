// on(columns, kernel): a kernel that sees only some columns of a row.
#pragma once
#include <optional>

#include "covary/kernels/kernel.h"

namespace covary {

/// `inner` on the given columns (from 0). Names, if given, are what the expression prints; else numbers
/// from 1.
Kernel<Row> on(std::vector<Index> columns, Kernel<Row> inner, std::vector<std::string> names = {});

/// What on(...) was made of.
struct OnParts {
  std::vector<std::string> columns;  // as the expression prints them
  Kernel<Row> inner;
};

/// The parts of k if it is on(...), else none.
std::optional<OnParts> on_parts(const Kernel<Row>& k);

}  // namespace covary
