// Gradients by central differences, as a reference.
#pragma once
#include <functional>

#include "covary/base/types.h"

namespace covary::conformance {

/// The gradient of f at t by central differences of order six: error O(h^6) f^(7)/140 + O(eps f/h).
inline Vector differences(const std::function<double(const Vector&)>& f, const Vector& t, double h = 2e-3) {
  Vector g(t.size());
  for (Index i = 0; i < t.size(); ++i) {
    const auto pair = [&](double step) {
      Vector up = t, down = t;
      up[i] += step, down[i] -= step;
      return f(up) - f(down);
    };
    g[i] = (45 * pair(h) - 9 * pair(2 * h) + pair(3 * h)) / (60 * h);
  }
  return g;
}

}  // namespace covary::conformance
