// Values and descents of one fit's objective plus log prior, on all rows or on a sample.
#pragma once
#include "learn/watch.h"

namespace covary {
using namespace internal;

/// The data that all steps of one search share.
struct Task {
  const Search& search;
  const FitOptions& options;
  Watch& watch;
};

/// The objective on some of the rows.
struct Ground {
  Objectives objective;
  Index rows = 0;
};

/// The objective on all rows.
Ground all_rows(const Search& search);

/// On `size` rows: some from everywhere and some near each other; on all if there are not many more.
std::vector<Ground> samples(const Search& search, Index size, const FitOptions& options);

/// A start and the value of the objective there.
struct Screened {
  Start start;
  double value = 0;  // objective plus log prior; -infinity where the covariance is singular
};

/// The value of each start, in the order given, side by side. Where the noise is learned the variances are
/// first multiplied by a common factor, the best one for the rest.
std::vector<Screened> screen(const Task& task, const Ground& on, std::vector<Start> starts);

/// A start before its first descent.
Basin at_start(const Start& start);

/// Descents side by side; best first, those that could not begin left out.
std::vector<Basin> descend_on(const Task& task, const Ground& on, const std::vector<Basin>& from,
                              const MinimizeOptions& how);

/// One descent that goes on from a basin, with so many threads for each evaluation; its first steps from the
/// curvature on `sample`, if that has fewer rows.
Basin descend(const Task& task, const Ground& on, const Ground& sample, const Basin& from,
              const MinimizeOptions& how, int threads);

/// True if two descents ended at the same optimum, as far as their accuracy can tell.
bool same_optimum(const Basin& a, const Basin& b);

}  // namespace covary
