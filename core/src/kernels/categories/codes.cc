#include "kernels/categories/codes.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/base/random.h"

namespace covary {
namespace {

constexpr double most_code = 9007199254740992.0;  // 2^53: whole numbers up to here are exact

}  // namespace

std::vector<Index> codes_of(const std::string& kernel, Rows x) {
  if (x.cols() != 1)
    throw Error(Problem::usage, fmt::format("{0} is a kernel of one column, found {1}: use on(column, {0}())",
                                            kernel, x.cols()));
  std::vector<Index> codes(static_cast<size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    const double code = x(i, 0);
    if (!(code >= 0 && code <= most_code && code == std::floor(code)))
      throw Error(Problem::data,
                  fmt::format("{}: its column must hold codes 0, 1, 2, ..., found {}", kernel, code));
    codes[static_cast<size_t>(i)] = static_cast<Index>(code);
  }
  return codes;
}

Index levels_of(const std::string& kernel, Rows x, Index most) {
  const double largest = x.size() ? x.maxCoeff() : 0;
  if (largest >= double(most))
    throw Error(Problem::limit,
                fmt::format("{}: at most {} levels, found {}: category() has one correlation for "
                            "any number of them",
                            kernel, most, largest + 1));
  return largest > 0 ? static_cast<Index>(largest) + 1 : 1;
}

Vector code_draws(std::uint64_t seed, Index code, Index m) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio: codes get seeds far apart
  Random rng(seed + odd * (static_cast<std::uint64_t>(code) + 1));
  Vector z(m);
  for (double& v : z) v = rng.normal();
  return z;
}

}  // namespace covary
