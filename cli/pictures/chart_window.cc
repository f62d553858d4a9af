#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "pictures/chart.h"

namespace covary::cli {

Chart::Window window_in(const std::string& text, const std::string& what) {
  const std::vector<double> ends = numbers_in(text, what);
  if (ends.size() != 2 || !(ends[0] < ends[1]) || !std::isfinite(ends[1] - ends[0]))
    throw Error(Problem::usage, fmt::format("{}: expected LOW,HIGH, found '{}'", what, text));
  return {ends[0], ends[1]};
}

}  // namespace covary::cli
