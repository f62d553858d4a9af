// The search for the optima of an objective from many starts.
#pragma once
#include "learn/choose.h"

namespace covary {
using namespace internal;

/// So many evaluations a descent; then so many of the best of each sort that are apart go on.
struct Stage {
  int evaluations, kept;
};

/// Short descents from many starts, then longer ones from the best of them that are apart. Best first.
std::vector<Basin> halved(const Task& task, const Ground& on, std::vector<Basin> from,
                          std::initializer_list<Stage> stages, const MinimizeOptions& how);

/// Optima of many length-scales differ by which inputs count and how, those of periodic kernels by the
/// period. So beside the best optimum of each sort, length-scales are switched and periods moved; the best of
/// these points by value on `screened` are descended from on `on`, as long as that helps. What is found joins
/// `found`; best first.
void hop(std::vector<Basin>& found, const Task& task, const Ground& on, const std::vector<Ground>& screened,
         const MinimizeOptions& how);

/// What exploring found on a sample, or on all rows.
struct Explored {
  std::vector<Basin> found;  // best first
  std::vector<Start> from;   // where the first descents began, if hardly any agreed on the best optimum
};

/// Descents from the best of many starts that are apart; if hardly any agree on the best optimum, from many
/// more.
Explored explore(const Task& task, const Ground& on);

Error nothing_to_start_from(const std::string& first, size_t count);

/// Up to so many rows every optimum that a sample suggests is tried on all rows too.
constexpr Index few_rows = 1200;

}  // namespace covary
