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

/// A function of theta. It keeps the scratch of an evaluation between calls, so that one caller at a time
/// uses it.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) = 0;
};

/// Makes objectives over the same data: one for each thread that evaluates.
using Objectives = std::function<std::unique_ptr<Objective>()>;

}  // namespace covary
