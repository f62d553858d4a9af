// What a fit maximizes: a function of the hyper-parameters, with the scratch that evaluating it takes.
#pragma once
#include <functional>
#include <limits>
#include <memory>

#include "covary/base/types.h"

namespace covary {

/// Which function of the hyper-parameters is maximized.
enum class ObjectiveKind { evidence, leave_one_out };

/// The value of an objective at one theta.
struct Evaluation {
  double value =
      -std::numeric_limits<double>::infinity();  // log density; -infinity where K is not positive definite
  Vector gradient;                               // in theta; empty if it was not asked for
  double misfit = 0;                             // r'K^-1 r, where it is known
};

namespace internal {
/// Numbers that belong to an approximation and are optimized beside theta: the coordinates of inducing points.
struct Variables {
  Vector values;  // empty: there are none
  Vector units;   // of each: a change that matters
};
}  // namespace internal

/// A function of theta. It keeps the scratch of an evaluation between calls, so that one caller at a time
/// uses it.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) = 0;

  /// Variables to begin with at theta. They mean the same for an objective on other rows.
  virtual internal::Variables variables(const Vector& /*theta*/, int /*threads*/) { return {}; }
  /// The value with these variables. The gradient is in theta, then in the variables.
  virtual Evaluation joint(const Vector& theta, const Vector& /*variables*/, bool gradient, int threads) {
    return at(theta, gradient, threads);
  }
};

/// Makes objectives over the same data: one for each thread that evaluates.
using Objectives = std::function<std::unique_ptr<Objective>()>;

}  // namespace covary
