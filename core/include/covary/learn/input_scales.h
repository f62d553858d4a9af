// Ranges and gaps of the inputs, and periods of y along them: the scales of a search for hyper-parameters.
#pragma once
#include "covary/base/random.h"
#include "covary/kernels/kernel.h"

namespace covary::internal {

/// Of the input columns; empty for points that are not rows of numbers.
struct InputScales {
  Vector ranges;                // largest minus smallest; 1 for a constant column
  Vector gaps;                  // the median distance of neighboring distinct values
  Index points = 0;             // n
  std::vector<Vector> periods;  // candidates of a period along each column, the best first; may be empty
};

/// `parameters`: of the kernel; periods are looked for along the columns of its periodic parts.
InputScales input_scales(const Rows& x, const Vector& y, const std::vector<Parameter>& parameters);
template <class B>
requires(!std::same_as<internal::index_of<B>, Row>) InputScales
    input_scales(const B& x, const Vector&, const std::vector<Parameter>&) {
  return {{}, {}, count(x), {}};
}

/// The `size` rows nearest to a random one, ascending: they show length-scales too short for a sample of all
/// rows.
std::vector<Index> neighborhood(const Rows& x, Index size, std::uint64_t seed);
template <class B>
requires(!std::same_as<internal::index_of<B>, Row>) std::vector<Index> neighborhood(const B&, Index,
                                                                                    std::uint64_t) {
  return {};
}

}  // namespace covary::internal
