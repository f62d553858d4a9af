#include "basis/natural_spline.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace covary {
namespace {

Vector in_range(const std::vector<double>& knots) {
  const Eigen::Map<const Vector> k(knots.data(), std::ssize(knots));
  return (k.array() - knots.front()) / (knots.back() - knots.front());
}

/// K x K: M_0 = M_{K-1} = 0 and, with h_i = u_{i+1} - u_i,
///   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 ((y_{i+1} - y_i)/h_i - (y_i -
///   y_{i-1})/h_{i-1})
/// for every unit vector y: one elimination of a tridiagonal matrix, O(K^2).
Matrix curvature(const Vector& u) {
  const Index n = u.size();
  Matrix m = Matrix::Zero(n, n);
  Vector pivot = Vector::Ones(n);
  for (Index i = 1; i + 1 < n; ++i) {
    const double before = u[i] - u[i - 1], after = u[i + 1] - u[i];
    m(i, i - 1) += 6 / before, m(i, i) -= 6 / before + 6 / after, m(i, i + 1) += 6 / after;
    pivot[i] = 2 * (before + after);
    if (i == 1) continue;
    const double share = before / pivot[i - 1];
    pivot[i] -= share * before;
    m.row(i) -= share * m.row(i - 1);
  }
  for (Index i = n - 2; i >= 1; --i) m.row(i) = (m.row(i) - (u[i + 1] - u[i]) * m.row(i + 1)) / pivot[i];
  return m;
}

/// Where a point stands: after knot i, as a y_i + b y_{i+1} + p M_i + q M_{i+1}.
struct Place {
  Index i;
  double a, b, p, q;
};

Place place(double t, const Vector& u) {
  const Index last = u.size() - 1;
  const Index i = std::clamp<Index>(std::upper_bound(u.begin(), u.end(), t) - u.begin() - 1, 0, last - 1);
  const double h = u[i + 1] - u[i], b = (t - u[i]) / h, a = (u[i + 1] - t) / h, unit = h * h / 6;
  if (t < u[0]) return {i, a, b, 0, -b * unit};
  if (t > u[last]) return {i, a, b, -a * unit, 0};
  return {i, a, b, (a * a * a - a) * unit, (b * b * b - b) * unit};
}

}  // namespace

bool can_be_knots(const std::vector<double>& knots) {
  if (knots.size() < 2) return false;
  const double range = knots.back() - knots.front();
  if (!(range > 0 && std::isfinite(range))) return false;
  const Vector u = in_range(knots);
  for (Index i = 0; i + 1 < u.size(); ++i)
    if (!(u[i + 1] - u[i] > 1e-100)) return false;
  return true;
}

NaturalSplines::NaturalSplines(const std::vector<double>& knots)
    : low_(knots.front()), range_(knots.back() - low_), u_(in_range(knots)), curvature_(curvature(u_)) {
  assert(can_be_knots(knots));
}

void NaturalSplines::fill(const Eigen::Ref<const Vector>& x, Eigen::Ref<Matrix> phi) const {
  std::vector<Place> places;
  for (const double v : x) places.push_back(place((v - low_) / range_, u_));
  for (Index j = 0; j < u_.size(); ++j)
    for (Index r = 0; r < x.size(); ++r) {
      const Place& s = places[static_cast<size_t>(r)];
      phi(r, j) = s.p * curvature_(s.i, j) + s.q * curvature_(s.i + 1, j);
    }
  for (Index r = 0; r < x.size(); ++r) {
    const Place& s = places[static_cast<size_t>(r)];
    phi(r, s.i) += s.a, phi(r, s.i + 1) += s.b;
  }
}

}  // namespace covary
