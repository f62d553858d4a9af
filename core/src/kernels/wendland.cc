// wendland: covariances that are exactly 0 beyond the length-scale [wendland2005].
//
//   k = p(r) (1 - r)^e for r < 1, else 0,  r^2 = sum_k ((x_k - z_k)/lengthscale_k)^2,  j = floor(d/2) + q + 1
//   q = 1:  e = j + 1,  p = (j + 1) r + 1
//   q = 2:  e = j + 2,  p = ((j + 1)(j + 3) r^2 + 3 (j + 2) r + 3)/3
//
// Positive definite in d columns, q times differentiable in mean square; d is that of the points.
#include <fmt/format.h>

#include "covary/kernels/registry.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

struct Wendland {
  int smoothness;  // q
  Lengthscale lengthscale;

  Matrix cross(Rows a, Rows b) const {
    const double j = exponent(a.cols());
    return scaled(a, b).unaryExpr([this, j](double s) {
      if (!(s < 1)) return 0.0;
      const double r = std::sqrt(s);
      const double p = smoothness == 1 ? (j + 1) * r + 1 : (j + 1) * (j + 3) / 3 * s + (j + 2) * r + 1;
      return p * power(1 - r, int(j) + smoothness);
    });
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // dk/dlog l_k = h(r) (a_k - b_k)^2/l_k^2, contracted with w
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Vector weights = lengthscale.weights(a.cols());
    const Matrix s = scaled(a, b), h = slopes(s, a.cols()).cwiseProduct(w);
    if (lengthscale.values.size() == 1) return Vector::Constant(1, h.cwiseProduct(s).sum());
    return weights.cwiseProduct(weighted_squares(a, b, h));
  }
  // dk/da_ic = -h(r) (a_ic - b_jc)/l_c^2
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    const Matrix h = slopes(scaled(a, b), a.cols()).cwiseProduct(w);
    return weighted_differences(a, b, h) * lengthscale.weights(a.cols()).asDiagonal();
  }
  Vector theta() const { return lengthscale.theta(); }
  Wendland with(const Vector& t) const { return {smoothness, {t.array().exp()}}; }
  Expression node() const {
    return call_node("wendland", parameters(), {{"smoothness", {double(smoothness)}}});
  }
  std::vector<Parameter> parameters() const { return lengthscale.parameters(); }
  Wendland sized(Rows x) const { return {smoothness, lengthscale.sized(x)}; }
  /// A third of the length-scale is where half of the covariance is left: it plays the part of others' length-scale.
  Vector start(Rows x, double) const { return lengthscale.start(x).array() + std::log(3.0); }

 private:
  double exponent(Index d) const {
    const Index half = d / 2;  // rounded down
    return double(half + smoothness + 1);
  }
  /// r^2, a column of the points at a time: where k falls to 0 the last bits of r count.
  Matrix scaled(Rows a, Rows b) const {
    const Vector units = lengthscale.weights(a.cols()).cwiseSqrt().cwiseInverse();
    Matrix s = Matrix::Zero(a.rows(), b.rows());
    for (Index k = 0; k < a.cols(); ++k) s.array() += differences(a, b, k, units[k]).array().square();
    return s;
  }
  static double power(double x, int n) {
    double out = 1;
    for (; n > 0; n /= 2, x *= x)
      if (n % 2) out *= x;
    return out;
  }
  /// h = -(dk/dr)/r: (j + 1)(j + 2)(1 - r)^j, and (j + 3)(j + 4)(1 + (j + 1) r)(1 - r)^(j + 1)/3.
  Matrix slopes(const Matrix& s, Index d) const {
    const double j = exponent(d);
    return s.unaryExpr([this, j](double square) {
      if (!(square < 1)) return 0.0;
      const double r = std::sqrt(square);
      if (smoothness == 1) return (j + 1) * (j + 2) * power(1 - r, int(j));
      return (j + 3) * (j + 4) / 3 * (1 + (j + 1) * r) * power(1 - r, int(j) + 1);
    });
  }
};

}  // namespace

Kernel<Row> wendland(Vector l, int smoothness) {
  check_range("wendland", "smoothness", smoothness, 1, 2);
  return Wendland{smoothness, Lengthscale::checked("wendland", std::move(l))};
}

namespace entries {

Entry<Row> wendland() {
  Entry<Row> e{
      "wendland",
      "p(r) (1 - r)^e, 0 from r = 1 on",
      "functions with one or two derivatives whose values farther apart than the lengthscale are independent",
      {"lengthscale", "smoothness"},
      [](const Arguments& a) {
        return covary::wendland(a.vector("lengthscale"), a.integer("smoothness", 2, 1, 2));
      }};
  e.settings = {"smoothness"};
  return e;
}

}  // namespace entries
}  // namespace covary
