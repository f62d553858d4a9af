// A kernel times a variance.
#pragma once
#include "covary/kernels/parts.h"

namespace covary {

/// k(x, z) = variance * inner(x, z).
template <class X>
struct Scaled {
  double variance;
  Kernel<X> inner;
  Prepared<X> prepare(Batch<X> x) const { return inner.prepare(x); }
  Matrix cross(const Prepared<X>& a, const Prepared<X>& b) const {
    Matrix k = a.cross(b);
    k *= variance;
    return k;
  }
  Vector diag(const Prepared<X>& a) const { return variance * a.diag(); }
  Vector pullback(const Prepared<X>& a, const Prepared<X>& b, const Matrix& w) const {
    const double dv = variance * w.cwiseProduct(a.cross(b)).sum();
    return internal::concat(Vector::Constant(1, dv), a.pullback(b, variance * w));
  }
  Matrix cross(Batch<X> a, Batch<X> b) const { return cross(prepare(a), prepare(b)); }
  Vector diag(Batch<X> a) const { return diag(prepare(a)); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
    return pullback(prepare(a), prepare(b), w);
  }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return variance * inner.pullback_inputs(a, b, w);
  }
  Vector theta() const { return internal::concat(Vector::Constant(1, std::log(variance)), inner.theta()); }
  Scaled with(const Vector& t) const { return {std::exp(t[0]), inner.with(t.tail(t.size() - 1))}; }
  Expression node() const { return internal::parts_node(Expression::Kind::scaled, {inner.node()}, variance); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all{{"variance", Role::variance, variance}};
    for (Parameter& p : inner.parameters()) all.push_back(std::move(p));
    return all;
  }
  Scaled sized(Batch<X> x) const { return {variance, inner.sized(x)}; }
  Vector start(Batch<X> x, double v) const {
    const Vector t = inner.start(x, v);
    const double size = inner.with(t).diag(x).mean();
    return internal::concat(Vector::Constant(1, std::log(size > 0 ? v / size : v)), t);
  }
  Kernel<X> amplified() const { return *this; }
  FeatureMap<X> features(Random& rng, Index m) const {
    FeatureMap<X> f = inner.features(rng, m);
    if (!f) return {};
    return internal::scaled_features(variance, f);
  }
  Split<X> split(Batch<X> x) const {
    Split<X> s = inner.split(x);
    if (!s.off) return {*this, {}, {}};
    if (s.rest) s.rest = Scaled{variance, *s.rest};
    return {s.rest, std::sqrt(variance) * s.center, internal::scaled_features(variance, s.off)};
  }
};

namespace internal {
/// k with a variance of its own to learn.
template <class X>
Kernel<X> with_variance(const Kernel<X>& k) {
  return Scaled<X>{std::numeric_limits<double>::quiet_NaN(), k};
}
}  // namespace internal

/// variance * k; a variance that k has in front is multiplied.
template <class X>
Kernel<X> scaled(double variance, const Kernel<X>& k) {
  internal::check_range("scaling", "variance", variance);
  if (const auto* s = k.template as<Scaled<X>>()) return Scaled<X>{variance * s->variance, s->inner};
  if (const auto* c = k.template as<Constant<X>>()) return Constant<X>{variance * c->variance};
  return Scaled<X>{variance, k};
}

}  // namespace covary
