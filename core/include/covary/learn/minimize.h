// Smooth minimization in a box, by a projected limited-memory BFGS method that never throws.
//
// A value that is not finite marks a point outside the domain: the search backs off from it.
#pragma once
#include <functional>
#include <limits>
#include <string>

#include "covary/base/types.h"

namespace covary::internal {

/// f(x) -> value and gradient.
using Smooth = std::function<std::pair<double, Vector>(const Vector&)>;

struct MinimizeOptions {
  int max_evaluations = 1000;
  double gradient_tolerance = 1e-5;  // largest entry of the projected gradient
  double value_tolerance = 1e-9;     // decrease in one step, relative to max(1, |value|)
  int memory = 30;                   // pairs kept
  double first_step = 0.2;           // in the largest entry of x, before any curvature is known
  double longest_step = 3;           // in the largest entry of x
  Vector flat;  // of each variable: over this f is a smooth function of exp(-2 x); infinity or empty: nowhere
  Smooth alike;  // cheaper, and curved about as f is near x0: its second derivatives begin the search
  std::function<bool()> stop;  // asked before every evaluation; true ends the search
};

/// Where a search ended; also the Summary of the search.
struct Minimum {
  Vector x, gradient;
  double value = std::numeric_limits<double>::infinity();
  int evaluations = 0, iterations = 0;
  bool converged = false;
  std::string stopped;  // in words
};

/// Least f in lower <= x <= upper, from x0 (moved into the box).
Minimum minimize(const Smooth& f, const Vector& x0, const Vector& lower, const Vector& upper,
                 const MinimizeOptions& options = {});

}  // namespace covary::internal
