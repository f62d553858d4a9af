#include "covary/base/percent.h"

#include <fmt/format.h>

#include "covary/base/error.h"

namespace covary {

void internal::check_percent(double percent, const std::string& what) {
  if (percent >= 1 && percent < 100) return;
  const bool share = percent > 0 && percent < 1;
  const std::string hint = share ? fmt::format("; did you mean {:.6g}?", 100 * percent) : "";
  throw Error(Problem::usage,
              fmt::format("{}: expected a percentage from 1 to below 100, found {}{}", what, percent, hint));
}

}  // namespace covary
