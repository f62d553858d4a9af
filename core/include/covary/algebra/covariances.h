// A covariance matrix that is never formed: its diagonal, and blocks of some of its columns.
#pragma once
#include <functional>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct Covariances {
  Index size = 0;   // n
  Vector diagonal;  // n
  std::function<Matrix(Range rows, const std::vector<Index>& columns)> block;
};

}  // namespace covary
