// Sums of kernels.
#pragma once
#include "covary/kernels/fixed.h"
#include "covary/kernels/scaled.h"

namespace covary {

/// k(x, z) = sum of the parts.
template <class X>
struct Sum : internal::Parts<X> {
  using typename internal::Parts<X>::Prepare;
  Matrix cross(const Prepare& a, const Prepare& b) const;
  Vector diag(const Prepare& a) const;
  Vector pullback(const Prepare& a, const Prepare& b, const Matrix& w) const;
  Matrix cross(Batch<X> a, Batch<X> b) const { return cross(this->prepare(a), this->prepare(b)); }
  Vector diag(Batch<X> a) const { return diag(this->prepare(a)); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
    return pullback(this->prepare(a), this->prepare(b), w);
  }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    Matrix all = this->parts[0].pullback_inputs(a, b, w);
    for (size_t i = 1; i < this->parts.size(); ++i) all += this->parts[i].pullback_inputs(a, b, w);
    return all;
  }
  Sum with(const Vector& t) const { return {{this->parts_with(t)}}; }
  Expression node() const { return this->node_as(Expression::Kind::sum); }
  Sum sized(Batch<X> x) const { return {{this->parts_sized(x)}}; }
  Kernel<X> amplified() const;
  FeatureMap<X> features(Random& rng, Index m) const;
  Split<X> split(Batch<X> x) const;
};

template <class X>
Matrix Sum<X>::cross(const Prepare& a, const Prepare& b) const {
  Matrix k = a[0].cross(b[0]);
  for (size_t i = 1; i < this->parts.size(); ++i) k += a[i].cross(b[i]);
  return k;
}

template <class X>
Vector Sum<X>::diag(const Prepare& a) const {
  Vector k = a[0].diag();
  for (size_t i = 1; i < this->parts.size(); ++i) k += a[i].diag();
  return k;
}

template <class X>
Vector Sum<X>::pullback(const Prepare& a, const Prepare& b, const Matrix& w) const {
  Vector all(0);
  for (size_t i = 0; i < this->parts.size(); ++i) all = internal::concat(all, a[i].pullback(b[i], w));
  return all;
}

namespace internal {
/// True for fixed(periodic(...)): a kernel that is kept, without a number in front inside the brackets.
template <class X>
bool lacks_variance(const Kernel<X>& k) {
  const auto* f = k.template as<Fixed<X>>();
  return f && !f->inner.template as<Sum<X>>() &&
         f->inner.amplified().theta().size() > f->inner.theta().size();
}
}  // namespace internal

template <class X>
Kernel<X> Sum<X>::amplified() const {  // a kept term beside learned ones has its variance to learn
  bool learned = false;
  for (const Kernel<X>& k : this->parts) learned = learned || !k.template as<Fixed<X>>();
  Sum out;
  for (const Kernel<X>& k : this->parts)
    out.parts.push_back(learned && internal::lacks_variance(k) ? internal::with_variance<X>(k)
                                                               : k.amplified());
  return out;
}

template <class X>
FeatureMap<X> Sum<X>::features(Random& rng, Index m) const {  // side by side: m for each part
  std::vector<FeatureMap<X>> maps;
  for (const Kernel<X>& k : this->parts) {
    maps.push_back(k.features(rng, m));
    if (!maps.back()) return {};
  }
  return internal::side_by_side(std::move(maps));
}

template <class X>
Split<X> Sum<X>::split(Batch<X> x) const {
  Sum rest;
  Split<X> all;
  std::vector<FeatureMap<X>> off;
  for (const Kernel<X>& k : this->parts) {
    Split<X> s = k.split(x);
    if (s.rest) rest.parts.push_back(std::move(*s.rest));
    if (!s.off) continue;
    all.center = internal::concat(all.center, s.center);
    off.push_back(std::move(s.off));
  }
  if (off.empty()) return {*this, {}, {}};
  if (!rest.parts.empty()) all.rest = rest;
  all.off = internal::side_by_side(std::move(off));
  return all;
}

}  // namespace covary
