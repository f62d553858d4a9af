// Kernels made of kernels, over any index type: + and * between them and numbers.
#pragma once
#include "covary/kernels/product.h"
#include "covary/kernels/sum.h"

namespace covary {

template <class X>
Kernel<X> operator+(const Kernel<X>& l, const Kernel<X>& r) {
  Sum<X> sum;
  internal::add_parts<Sum<X>>(l, sum.parts);
  internal::add_parts<Sum<X>>(r, sum.parts);
  return sum;
}

template <class X>
Kernel<X> operator*(const Kernel<X>& l, const Kernel<X>& r) {  // numbers are gathered in front
  if (const auto* c = l.template as<Constant<X>>(); c && !std::isnan(c->variance))
    return scaled(c->variance, r);
  if (const auto* c = r.template as<Constant<X>>(); c && !std::isnan(c->variance))
    return scaled(c->variance, l);
  const auto* sl = l.template as<Scaled<X>>();
  const auto* sr = r.template as<Scaled<X>>();
  if (sl) return scaled(sl->variance, sl->inner * r);
  if (sr) return scaled(sr->variance, l * sr->inner);
  Product<X> product;
  internal::add_parts<Product<X>>(l, product.parts);
  internal::add_parts<Product<X>>(r, product.parts);
  return product;
}

template <class X>
Kernel<X> operator*(double variance, const Kernel<X>& k) {
  return scaled(variance, k);
}
template <class X>
Kernel<X> operator*(const Kernel<X>& k, double variance) {
  return scaled(variance, k);
}
template <class X>
Kernel<X> operator+(const Kernel<X>& k, double variance) {
  internal::check_range("constant", "variance", variance);
  return k + Kernel<X>(Constant<X>{variance});
}
template <class X>
Kernel<X> operator+(double variance, const Kernel<X>& k) {
  internal::check_range("constant", "variance", variance);
  return Kernel<X>(Constant<X>{variance}) + k;
}

}  // namespace covary
