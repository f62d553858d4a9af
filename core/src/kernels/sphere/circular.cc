// matern52 of the chord of a circle: period/pi |sin(pi (x - z)/period)|.
#include <fmt/format.h>

#include <numbers>

#include "covary/kernels/registry.h"
#include "covary/kernels/sphere/sphere.h"
#include "covary/kernels/stationary.h"
#include "kernels/profiles.h"

namespace covary {
using namespace internal;
namespace {

struct Circular {
  double period, lengthscale;

  Matrix cross(Rows a, Rows b) const {
    Matrix s = scaled_squares(a, b);
    in_pieces(s, Matern52::value);
    return s;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {  // dk/dlog l = -2 f'(s) s
    const Matrix s = scaled_squares(a, b);
    Matrix h = s;
    in_pieces(h, Matern52::slope);
    return Vector::Constant(1, (h.array() * s.array() * w.array()).sum());
  }
  // ds/da = p/(pi l^2) sin(2 pi (a - b)/p), dk/da = f'(s) ds/da
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    Matrix h = scaled_squares(a, b);
    in_pieces(h, Matern52::slope);
    const Matrix ds = sin_pi(2 * differences(a, b, 0, period));
    return -0.5 * period / (std::numbers::pi * lengthscale * lengthscale) *
           (h.array() * w.array() * ds.array()).rowwise().sum();
  }
  Vector theta() const { return Vector::Constant(1, std::log(lengthscale)); }
  Circular with(const Vector& t) const { return {period, std::exp(t[0])}; }
  Expression node() const { return call_node("circular", parameters(), {{"period", {period}}}); }
  std::vector<Parameter> parameters() const { return {{"lengthscale", Role::lengthscale, lengthscale}}; }
  Vector start(Rows x, double) const {
    return Vector::Constant(1, 0.5 * std::log(column_spread(on_circle(x)).squaredNorm()));
  }
  FeatureMap<Row> features(Random& rng, Index m) const {
    const FeatureMap<Row> plane = matern52(lengthscale).features(rng, m);
    return {m, [this_ = *this, plane](Rows x) -> Matrix { return plane(this_.on_circle(x)); }};
  }

 private:
  /// n x m: (chord/lengthscale)^2.
  Matrix scaled_squares(Rows a, Rows b) const {
    check_given(parameters());
    if (a.cols() != 1)
      throw Error(
          Problem::usage,
          fmt::format("circular is a kernel of one column, found {}: use on(column, circular())", a.cols()));
    const double scale = period / (std::numbers::pi * lengthscale);
    return scale * scale * sin_pi(differences(a, b, 0, period)).array().square();
  }
  /// n x 2: the points of the plane, on a circle of circumference `period`.
  Matrix on_circle(Rows x) const {
    const Matrix turns = x.col(0) / period;
    Matrix out(x.rows(), 2);
    out << sin_pi(2 * turns.array() + 0.5), sin_pi(2 * turns);
    return period / (2 * std::numbers::pi) * out;
  }
};

}  // namespace

Kernel<Row> circular(double period, double lengthscale) {
  check_range("circular", "period", period);
  if (!std::isnan(lengthscale)) check_range("circular", "lengthscale", lengthscale);
  return Circular{period, lengthscale};
}

namespace entries {

Entry<Row> circular() {
  return {"circular",
          "matern52 of the chord, period/pi |sin(pi (x - z)/period)|",
          "functions of an angle, an hour or another position on a circle",
          {"lengthscale", "period"},
          [](const Arguments& a) {
            const double period = a.number("period");
            return covary::circular(std::isnan(period) ? 360 : period, a.number("lengthscale"));
          },
          1,
          Nature::repeating,
          Reads::numbers,
          {"period"}};
}

}  // namespace entries
}  // namespace covary
