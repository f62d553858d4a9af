// From the optima of a sample to those of all rows.
#pragma once
#include "learn/explore.h"

namespace covary {

/// The optima of samples, each for some evaluations on all rows, the best ones for more; and neighbors of the
/// best of these.
std::vector<Basin> tried_on_all_rows(const Task& task, const Ground& all, const std::vector<Ground>& samples,
                                     const std::vector<Basin>& suggested);

/// The optima of a sample, once more by value on all rows.
void rank_on_all_rows(std::vector<Basin>& basins, const Task& task, const Ground& all);

/// Few parameters are screened on all rows too: a sample may not show an optimum of short length-scales.
void add_screened_on_all(std::vector<Basin>& basins, const Task& task, const Ground& all);

/// Descents on all rows from the best, then from the next ones as far as they come near it.
void refine(std::vector<Basin>& basins, const Task& task, const Ground& all, const Ground& sample);

/// Whether an input counts is a choice that a descent does not take back. On all rows, by value: is there a
/// better one beside the best optimum?
void change_one(std::vector<Basin>& basins, const Task& task, const Ground& all);

/// So many evaluations on all rows, and before them on a sample, at the most.
constexpr int joint_evaluations = 100, joint_evaluations_on_sample = 40;

/// A descent of (theta, variables) from an optimum of theta, on `sample` first if that has fewer rows. `best` is
/// moved there; returns the variables, empty where the objective has none.
Vector refine_jointly(Basin& best, const Task& task, const Ground& all, const Ground& sample);

}  // namespace covary
