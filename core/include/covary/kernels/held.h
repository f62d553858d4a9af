// Columns that are held at one value, whatever their value in a row: this is how a model ignores a column.
#pragma once
#include "covary/kernels/kernel.h"

namespace covary::internal {

struct HeldColumn {
  Index column = 0;
  double value = 0;
};
using HeldColumns = std::vector<HeldColumn>;

/// Their names, those of all columns given.
std::vector<std::string> names_of(const HeldColumns& held, const std::vector<std::string>& columns);

/// x with every held column at its value.
Matrix with_held(const Rows& x, const HeldColumns& held);

/// k(x, z) of x and z with those columns held; its text is that of k.
Kernel<Row> holding(const HeldColumns& held, const Kernel<Row>& k);

/// The columns that k holds, none if it was not made by holding(); and the kernel inside, or k itself.
HeldColumns held_columns(const Kernel<Row>& k);
Kernel<Row> without_held(const Kernel<Row>& k);

/// The columns that are the same in every row of x, from which nothing can be learned of how y depends on
/// them. None if x has one row or if that are all columns.
HeldColumns constant_columns(const Rows& x);

/// Of these the ones without a fixed parameter of the kernel: none for a kernel without free parameters, and
/// not those with a fixed parameter of their own.
HeldColumns ignored_columns(const Kernel<Row>& k, const Rows& x);

}  // namespace covary::internal
