// Products of kernels.
#pragma once
#include "covary/kernels/fixed.h"
#include "covary/kernels/scaled.h"

namespace covary {

/// k(x, z) = product of the parts. The product rule acts on the weights of the pullback.
template <class X>
struct Product : internal::Parts<X> {
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
    Matrix all = Matrix::Zero(a.rows(), a.cols());
    for_factors(this->prepare(a), this->prepare(b), w,
                [&](size_t i, const Matrix& others) { all += this->parts[i].pullback_inputs(a, b, others); });
    return all;
  }
  Product with(const Vector& t) const { return {{this->parts_with(t)}}; }
  Expression node() const { return this->node_as(Expression::Kind::product); }
  Product sized(Batch<X> x) const { return {{this->parts_sized(x)}}; }
  Kernel<X> amplified() const;
  FeatureMap<X> features(Random& rng, Index m) const;
  Split<X> split(Batch<X> x) const;

 private:
  /// fn(i, w times the product of all parts but i), part after part.
  template <class Fn>
  void for_factors(const Prepare& a, const Prepare& b, const Matrix& w, const Fn& fn) const;
};

template <class X>
Matrix Product<X>::cross(const Prepare& a, const Prepare& b) const {
  Matrix k = a[0].cross(b[0]);
  for (size_t i = 1; i < this->parts.size(); ++i) k.array() *= a[i].cross(b[i]).array();
  return k;
}

template <class X>
Vector Product<X>::diag(const Prepare& a) const {
  Vector k = a[0].diag();
  for (size_t i = 1; i < this->parts.size(); ++i) k.array() *= a[i].diag().array();
  return k;
}

template <class X>
template <class Fn>
void Product<X>::for_factors(const Prepare& a, const Prepare& b, const Matrix& w, const Fn& fn) const {
  const size_t n = this->parts.size();
  std::vector<Matrix> after(n);  // after[i] = w times the product of the parts i + 1, ..., n - 1
  after[n - 1] = w;
  for (size_t i = n - 1; i > 0; --i) after[i - 1] = after[i].cwiseProduct(a[i].cross(b[i]));
  Matrix before;
  for (size_t i = 0; i < n; ++i) {
    fn(i, i == 0 ? after[0] : Matrix(before.cwiseProduct(after[i])));
    if (i + 1 == n) break;
    const Matrix k = a[i].cross(b[i]);
    before = i == 0 ? k : Matrix(before.cwiseProduct(k));
  }
}

template <class X>
Vector Product<X>::pullback(const Prepare& a, const Prepare& b, const Matrix& w) const {
  Vector all(0);
  for_factors(a, b, w, [&](size_t i, const Matrix& others) {
    all = internal::concat(all, a[i].pullback(b[i], others));
  });
  return all;
}

template <class X>
Kernel<X> Product<X>::amplified() const {
  for (const Kernel<X>& k : this->parts) {  // fixed(2.5) * se(), constant() * se(): the scale is there
    const std::vector<Parameter> p = k.parameters();
    const bool is_sum = k.node().kind == Expression::Kind::sum;
    if (p.size() == 1 && p[0].role == Role::variance && !is_sum) return *this;
  }
  return internal::with_variance<X>(*this);
}

template <class X>
FeatureMap<X> Product<X>::features(Random& rng, Index m) const {  // independent draws multiply
  FeatureMap<X> all = this->parts[0].features(rng, m);
  for (size_t i = 1; i < this->parts.size() && all; ++i) {
    const FeatureMap<X> f = all, g = this->parts[i].features(rng, m);
    if (!g) return {};
    if (f.columns % m || g.columns % m) return {};
    constexpr Index most = 1'000'000;  // sums times sums times sums: more would be of no use
    if (f.columns / m > most / g.columns) return {};
    // each is a row of sums of m features; every sum of one meets every sum of the other
    const Index columns = f.columns / m * g.columns;
    all = {columns, [f, g, m, columns](Batch<X> x) -> Matrix {
             const Matrix a = f(x), b = std::sqrt(double(m)) * g(x);
             Matrix out(count(x), columns);
             for (Index u = 0, at = 0; u < a.cols(); u += m)
               for (Index v = 0; v < b.cols(); v += m, at += m)
                 out.middleCols(at, m) = a.middleCols(u, m).cwiseProduct(b.middleCols(v, m));
             return out;
           }};
  }
  return all;
}

template <class X>
Split<X> Product<X>::split(Batch<X> x) const {  // of a number and one kernel; else nothing is shared
  double variance = 1;
  const Kernel<X>* only = nullptr;
  for (const Kernel<X>& k : this->parts) {
    const double v = internal::constant_of(k);
    if (std::isnan(v) && only) return {*this, {}, {}};
    if (std::isnan(v))
      only = &k;
    else
      variance *= v;
  }
  return only ? Scaled<X>{variance, *only}.split(x) : Constant<X>{variance}.split(x);
}

}  // namespace covary
