// A triangle by way of Phi'Phi: half the work of reflections, for problems that a prior keeps
// well-conditioned.
#pragma once
#include <optional>

#include "covary/algebra/qr_triangle.h"

namespace covary {
using namespace internal;

struct NormalEquations {
  Triangle triangle;
  double reciprocal_condition = 1;  // of Phi'Phi + start, columns scaled to length 1
};

/// Of all rows after those of `start`: n N^2 flops, in one pass, and a second one over the rows for `rest`,
/// which cannot be had as a difference of squares. Nothing if the reciprocal condition is below `least`.
std::optional<NormalEquations> normal_equations(const RowBlocks& a, const Vector& b, const Triangle& start,
                                                double least, int threads);

}  // namespace covary
