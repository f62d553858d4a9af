#include "covary/base/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/base/row_names.h"

namespace covary {
using namespace internal;

void internal::check_finite(const Vector& y, const std::string& what) {
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw Error(Problem::data,
                  fmt::format("{}: {}: expected a finite number, found {}", what, row_words(i), y[i]));
}

void internal::check_sizes(Index points, Index observations) {
  if (points != observations)
    throw Error(Problem::usage,
                fmt::format("{} points were given with {} observations", points, observations));
  if (points == 0) throw Error(Problem::data, "no observations: at least one row is needed");
}

}  // namespace covary
