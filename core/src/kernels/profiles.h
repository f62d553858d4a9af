// Profiles of stationary kernels, k = f(s) of a scaled squared distance s: se and the Matern kernels.
//
// Profile::value replaces s by f(s), Profile::slope by -2 f'(s), both in place; Profile::spread draws the factor that
// makes a normal frequency one of its spectral density.
#pragma once
#include <string_view>

#include "covary/base/random.h"
#include "kernels/distance.h"

namespace covary {

using Flat = Eigen::Map<Eigen::ArrayXd>;

/// fn of pieces of s that stay near the processor; entry by entry, so that the bits are those of the whole.
template <class Fn>
void in_pieces(Matrix& s, const Fn& fn) {
  constexpr Index piece = 1024;
  for (Index i = 0; i < s.size(); i += piece) fn(Flat(s.data() + i, std::min(piece, s.size() - i)));
}

/// Frequencies of a Matern kernel: normal, divided by sqrt(chi^2 / (2 nu)) with 2 nu degrees of freedom.
inline double student_spread(Random& rng, double nu) { return std::sqrt(nu / rng.gamma(nu)); }

struct SquaredExponential {
  static constexpr std::string_view name = "se";
  static void value(Flat s) {
    s *= -0.5;
    exp_in_place(Eigen::Map<Vector>(s.data(), s.size()));
  }
  static void slope(Flat s) { value(s); }
  static double spread(Random&) { return 1; }
};

/// r <- c sqrt(s) in place of s, and exp(-r) beside it.
inline Vector radial(Flat s, double c) {
  s = c * s.sqrt();
  Vector e = -s;
  exp_in_place(e);
  return e;
}

struct Matern12 {
  static constexpr std::string_view name = "matern12";
  static void value(Flat s) { s = radial(s, 1).array(); }
  static void slope(Flat s) {  // exp(-r)/r; where r = 0 it meets a zero difference: 0
    const Vector e = radial(s, 1);
    s = (s > 0).select(e.array() / s, 0.0);
  }
  static double spread(Random& rng) { return student_spread(rng, 0.5); }
};

struct Matern32 {
  static constexpr std::string_view name = "matern32";
  static void value(Flat s) {
    const Vector e = radial(s, std::sqrt(3.0));
    s = (1 + s) * e.array();
  }
  static void slope(Flat s) { s = 3 * radial(s, std::sqrt(3.0)).array(); }
  static double spread(Random& rng) { return student_spread(rng, 1.5); }
};

struct Matern52 {
  static constexpr std::string_view name = "matern52";
  static void value(Flat s) {
    const Vector e = radial(s, std::sqrt(5.0));
    s = (1 + s + s * s / 3) * e.array();
  }
  static void slope(Flat s) {
    const Vector e = radial(s, std::sqrt(5.0));
    s = 5.0 / 3.0 * (1 + s) * e.array();
  }
  static double spread(Random& rng) { return student_spread(rng, 2.5); }
};

}  // namespace covary
