// One kernel expression in words, with draws from its prior.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "covary/kernels/explain.h"
#include "pictures/chart.h"

namespace covary::cli {

/// What is to be drawn.
struct Draws {
  Index count = 3;
  std::uint64_t seed = 1;
  std::optional<Chart::Window> over;  // none: what shows the length-scales that were given
};

/// An expression as learning would see it, and as it is drawn.
struct Explained {
  Kernel<Row> kernel, drawable;      // with gaps, and without
  std::vector<std::string> columns;  // the names of the inputs
  bool stationary = true;
  Draws draws;
  Chart::Window over;
};

Explained explained_kernel(const std::string& expression, const Draws& draws);

std::string text_of(const Explained& e);
std::string json_of(const Explained& e);

/// Mean, 95 % band and draws along each input.
Figure drawn(const Explained& e);

}  // namespace covary::cli
