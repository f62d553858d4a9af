// Searches along one positive number, evenly in its logarithm.
#pragma once
#include <cmath>
#include <functional>

#include "covary/base/types.h"

namespace covary {

/// count numbers from lower to upper, evenly in the logarithm, ascending.
inline Vector log_spaced(double lower, double upper, Index count) {
  Vector v = Vector::LinSpaced(count, std::log(lower), std::log(upper)).array().exp();
  v[0] = lower, v[count - 1] = upper;
  return v;
}

/// Where f is least between lower and upper, to 1e-7 of the distance of their logarithms: golden sections.
inline double golden_section(const std::function<double(double)>& f, double lower, double upper) {
  constexpr double part = 0.6180339887498949;
  double a = std::log(lower), b = std::log(upper), left = b - part * (b - a), right = a + part * (b - a);
  double at_left = f(std::exp(left)), at_right = f(std::exp(right));
  for (int step = 0; step < 32; ++step) {
    if (at_left <= at_right) {
      b = right, right = left, at_right = at_left;
      left = b - part * (b - a), at_left = f(std::exp(left));
    } else {
      a = left, left = right, at_left = at_right;
      right = a + part * (b - a), at_right = f(std::exp(right));
    }
  }
  return std::exp(at_left <= at_right ? left : right);
}

}  // namespace covary
