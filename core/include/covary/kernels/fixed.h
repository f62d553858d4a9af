// A kernel whose parameters are kept.
#pragma once
#include "covary/kernels/constant.h"

namespace covary {

/// The kernel inside, with nothing to learn.
template <class X>
struct Fixed {
  Kernel<X> inner;
  Matrix cross(Batch<X> a, Batch<X> b) const { return inner.cross(a, b); }
  Vector diag(Batch<X> a) const { return inner.diag(a); }
  Vector pullback(Batch<X>, Batch<X>, const Matrix&) const { return Vector(0); }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return inner.pullback_inputs(a, b, w);
  }
  Vector theta() const { return Vector(0); }
  Fixed with(const Vector&) const { return *this; }
  Expression node() const { return internal::combined_node("fixed", inner.node()); }
  Prepared<X> prepare(Batch<X> x) const { return inner.prepare(x); }
  Matrix cross(const Prepared<X>& a, const Prepared<X>& b) const { return a.cross(b); }
  Vector diag(const Prepared<X>& a) const { return a.diag(); }
  Vector pullback(const Prepared<X>&, const Prepared<X>&, const Matrix&) const { return Vector(0); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = inner.parameters();
    for (Parameter& p : all) p.fixed = true;
    return all;
  }
  Kernel<X> amplified() const { return *this; }
  FeatureMap<X> features(Random& rng, Index m) const { return inner.features(rng, m); }
  Split<X> split(Batch<X> x) const { return inner.split(x); }
};

/// Keeps every parameter of k at its value. Throws if one was not given.
template <class X>
Kernel<X> fixed(Kernel<X> k) {
  internal::check_given(k.parameters());
  return Fixed<X>{std::move(k)};
}

namespace internal {
/// The variance of k if it is a number, fixed(...) or not; else NaN.
template <class X>
double constant_of(const Kernel<X>& k) {
  if (const auto* f = k.template as<Fixed<X>>()) return constant_of(f->inner);
  const auto* c = k.template as<Constant<X>>();
  return c ? c->variance : std::numeric_limits<double>::quiet_NaN();
}
}  // namespace internal

}  // namespace covary
