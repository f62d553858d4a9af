// The part of a kernel that all points share (a common offset), and the rest.
//
// Inputs far from 0 make k(x, z) = phi(x).phi(z) large and nearly the same for all points: the differences are
// lost to rounding. With c the direction of a center of the features,
//
//   phi = c b + rho,  b = c.phi,  rho orthogonal to c:  k(x, z) = b(x) b(z) + rho(x).rho(z)
//
// b becomes a column with a coefficient ~ N(0, 1) of its own, and rho is small. This is exact for any c.
#pragma once
#include "covary/kernels/split.h"

namespace covary::internal {

/// k(x, z) = rest(x, z) + b(x) b(z), b(x) = level + along(x). Nothing is shared if `along` is empty.
template <class X>
struct CommonOffset {
  Kernel<X> rest;
  double level = 0;
  FeatureMap<X> along;  // n x 1
};

/// na x nb: sum_k a_ik b_jk, each entry summed in the same order whatever the block.
Matrix inner_products(const Rows& a, const Rows& b);

/// n: c.f for each row f, in the same way.
Vector along(const Matrix& f, const Vector& c);

/// The features of points, n x q, and of some of them.
struct SomeFeatures {
  Rows rows;
};
struct AllFeatures {
  Matrix rows;
  friend SomeFeatures slice(const AllFeatures& x, Range r) { return {x.rows.middleRows(r.first, r.count)}; }
};

/// k(x, z) = features(x).features(z), with nothing to learn.
template <class X>
struct Remainder {
  using Some = internal::SomeFeatures;
  FeatureMap<X> features;
  internal::AllFeatures prepare(Batch<X> x) const { return {features(x)}; }
  Matrix cross(const Some& a, const Some& b) const { return inner_products(a.rows, b.rows); }
  Vector diag(const Some& a) const {
    const Rows& f = a.rows;
    Vector s = Vector::Zero(f.rows());
    for (Index k = 0; k < f.cols(); ++k) s.array() += f.col(k).array().square();
    return s;
  }
  Vector pullback(const Some&, const Some&, const Matrix&) const { return Vector(0); }
  Matrix cross(Batch<X> a, Batch<X> b) const {
    const Matrix fa = features(a), fb = features(b);
    return inner_products(fa, fb);
  }
  Vector diag(Batch<X> a) const {
    const Matrix f = features(a);
    return diag(Some{f});
  }
  Vector pullback(Batch<X>, Batch<X>, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  Remainder with(const Vector&) const { return *this; }
  std::string text() const { return "what is left of a kernel"; }
};

/// The shared part of k on x: its features along their center. None if the center is 0.
template <class X>
CommonOffset<X> shared_part(const Kernel<X>& k, Batch<X> x) {
  const Split<X> s = k.split(x);
  const double size = s.off ? s.center.stableNorm() : 0;
  if (!(size > 0 && std::isfinite(size))) return {k, 0, {}};
  const Vector c = s.center / size;
  const auto left = [c, off = s.off](Batch<X> z) -> Matrix {  // rho
    Matrix f = off(z);
    const Vector b = along(f, c);
    for (Index j = 0; j < f.cols(); ++j) f.col(j) -= c[j] * b;
    return f;
  };
  const Kernel<X> remainder = Remainder<X>{{c.size(), left}};
  return {s.rest ? *s.rest + remainder : remainder, size, {1, [c, off = s.off](Batch<X> z) -> Matrix {
                                                             return along(off(z), c);
                                                           }}};
}

}  // namespace covary::internal
