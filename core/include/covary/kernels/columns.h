// on(columns, kernel): a kernel that sees only some columns of a row.
#pragma once
#include "covary/kernels/kernel.h"

namespace covary {

/// `inner` on the given columns (from 0). Names, if given, are what the expression prints; else numbers
/// from 1.
Kernel<Row> on(std::vector<Index> columns, Kernel<Row> inner, std::vector<std::string> names = {});

}  // namespace covary
