// Kernels made of kernels, over any index type: constant, scaled, sum, product, fixed.
#pragma once
#include <cmath>
#include <memory>

#include "covary/base/error.h"
#include "covary/base/random.h"
#include "covary/kernels/kernel.h"
#include "covary/kernels/split.h"

namespace covary {

/// Shortest decimal form that reads back to the same double.
std::string number_text(double value);

/// Throws a usage Error unless lower <= value <= upper.
void check_range(const std::string& kernel, const std::string& parameter, double value, double lower = 1e-100,
                 double upper = 1e100);

/// `parameters` with `prefix` before each path.
std::vector<Parameter> prefixed(const std::string& prefix, std::vector<Parameter> parameters);

/// k(x, z) = variance.
template <class X>
struct Constant {
  double variance = std::numeric_limits<double>::quiet_NaN();
  Matrix cross(Batch<X> a, Batch<X> b) const { return Matrix::Constant(count(a), count(b), variance); }
  Vector diag(Batch<X> a) const { return Vector::Constant(count(a), variance); }
  Vector pullback(Batch<X>, Batch<X>, const Matrix& w) const {
    return Vector::Constant(1, variance * w.sum());
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const requires std::same_as<X, Row> {
    return Matrix::Zero(a.rows(), a.cols());
  }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  Constant with(const Vector& t) const { return {std::exp(t[0])}; }
  std::string text() const { return std::isnan(variance) ? "constant()" : number_text(variance); }
  std::vector<Parameter> parameters() const { return {{"variance", Role::variance, variance}}; }
  Vector start(Batch<X>, double v) const { return Vector::Constant(1, std::log(v)); }
  Kernel<X> amplified() const { return *this; }
  FeatureMap<X> features(Random&, Index m) const {
    return {m, [sd = std::sqrt(variance / double(m)), m](Batch<X> x) -> Matrix {
              return Matrix::Constant(count(x), m, sd);
            }};
  }
  Split<X> split(Batch<X>) const {
    const auto none = [](Batch<X> x) -> Matrix { return Matrix::Zero(count(x), 1); };
    return {{}, Vector::Constant(1, std::sqrt(variance)), {1, none}};
  }
};

/// k(x, z) = variance * inner(x, z).
template <class X>
struct Scaled {
  double variance;
  Kernel<X> inner;
  Matrix cross(Batch<X> a, Batch<X> b) const {
    Matrix k = inner.cross(a, b);
    k *= variance;
    return k;
  }
  Vector diag(Batch<X> a) const { return variance * inner.diag(a); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
    const double dv = variance * w.cwiseProduct(inner.cross(a, b)).sum();
    return concat(Vector::Constant(1, dv), inner.pullback(a, b, variance * w));
  }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return variance * inner.pullback_inputs(a, b, w);
  }
  Vector theta() const { return concat(Vector::Constant(1, std::log(variance)), inner.theta()); }
  Scaled with(const Vector& t) const { return {std::exp(t[0]), inner.with(t.tail(t.size() - 1))}; }
  std::string text() const;
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all{{"variance", Role::variance, variance}};
    for (Parameter& p : inner.parameters()) all.push_back(std::move(p));
    return all;
  }
  Scaled sized(Batch<X> x) const { return {variance, inner.sized(x)}; }
  Vector start(Batch<X> x, double v) const {
    const Vector t = inner.start(x, v);
    const double size = inner.with(t).diag(x).mean();
    return concat(Vector::Constant(1, std::log(size > 0 ? v / size : v)), t);
  }
  Kernel<X> amplified() const { return *this; }
  FeatureMap<X> features(Random& rng, Index m) const {
    FeatureMap<X> f = inner.features(rng, m);
    if (!f) return {};
    return scaled_features(variance, f);
  }
  Split<X> split(Batch<X> x) const {
    Split<X> s = inner.split(x);
    if (!s.off) return {*this, {}, {}};
    if (s.rest) s.rest = Scaled{variance, *s.rest};
    return {s.rest, std::sqrt(variance) * s.center, scaled_features(variance, s.off)};
  }
};

/// What sums and products share: a list of kernels whose parameters stand one after the other.
template <class X>
struct Parts {
  std::vector<Kernel<X>> parts;
  Vector theta() const;
  std::vector<Kernel<X>> parts_with(const Vector& t) const;
  std::vector<Parameter> parameters() const;
  std::vector<Kernel<X>> parts_sized(Batch<X> x) const;
  Vector start(Batch<X> x, double variance) const;
};

/// k(x, z) = sum of the parts.
template <class X>
struct Sum : Parts<X> {
  Matrix cross(Batch<X> a, Batch<X> b) const;
  Vector diag(Batch<X> a) const;
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const;
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    Matrix all = this->parts[0].pullback_inputs(a, b, w);
    for (size_t i = 1; i < this->parts.size(); ++i) all += this->parts[i].pullback_inputs(a, b, w);
    return all;
  }
  Sum with(const Vector& t) const { return {{this->parts_with(t)}}; }
  std::string text() const;
  Sum sized(Batch<X> x) const { return {{this->parts_sized(x)}}; }
  Kernel<X> amplified() const;
  FeatureMap<X> features(Random& rng, Index m) const;
  Split<X> split(Batch<X> x) const;
};

/// k(x, z) = product of the parts. The product rule acts on the weights of the pullback.
template <class X>
struct Product : Parts<X> {
  Matrix cross(Batch<X> a, Batch<X> b) const;
  Vector diag(Batch<X> a) const;
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const;
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    Matrix all = Matrix::Zero(a.rows(), a.cols());
    for_factors(a, b, w,
                [&](const Kernel<X>& k, const Matrix& others) { all += k.pullback_inputs(a, b, others); });
    return all;
  }
  Product with(const Vector& t) const { return {{this->parts_with(t)}}; }
  std::string text() const;
  Product sized(Batch<X> x) const { return {{this->parts_sized(x)}}; }
  Kernel<X> amplified() const;
  FeatureMap<X> features(Random& rng, Index m) const;
  Split<X> split(Batch<X> x) const;

 private:
  /// fn(part, w times the product of all other parts), part after part.
  template <class Fn>
  void for_factors(Batch<X> a, Batch<X> b, const Matrix& w, const Fn& fn) const;
};

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
  std::string text() const { return "fixed(" + inner.text() + ")"; }
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
  check_given(k.parameters());
  return Fixed<X>{std::move(k)};
}

template <class X>
Kernel<X> scaled(double variance, const Kernel<X>& k);
template <class X>
Kernel<X> operator+(const Kernel<X>& l, const Kernel<X>& r);
template <class X>
Kernel<X> operator*(const Kernel<X>& l, const Kernel<X>& r);
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
  check_range("constant", "variance", variance);
  return k + Kernel<X>(Constant<X>{variance});
}
template <class X>
Kernel<X> operator+(double variance, const Kernel<X>& k) {
  check_range("constant", "variance", variance);
  return Kernel<X>(Constant<X>{variance}) + k;
}

// ---------------------------------------------------------------------------------------------------------

/// `text` in brackets if it would otherwise bind wrongly inside a product.
template <class X>
std::string as_factor(const Kernel<X>& k) {
  return k.template as<Sum<X>>() ? "(" + k.text() + ")" : k.text();
}

template <class X>
std::string Scaled<X>::text() const {
  return std::isnan(variance) ? inner.text() : number_text(variance) + " * " + as_factor(inner);
}

template <class X>
Vector Parts<X>::theta() const {
  Vector all(0);
  for (const Kernel<X>& k : parts) all = concat(all, k.theta());
  return all;
}

template <class X>
std::vector<Kernel<X>> Parts<X>::parts_with(const Vector& t) const {
  std::vector<Kernel<X>> out;
  Index at = 0;
  for (const Kernel<X>& k : parts) {
    const Index n = k.theta().size();
    out.push_back(k.with(t.segment(at, n)));
    at += n;
  }
  return out;
}

template <class X>
std::vector<Parameter> Parts<X>::parameters() const {
  std::vector<Parameter> all;
  for (size_t i = 0; i < parts.size(); ++i)
    for (Parameter& p : prefixed(std::to_string(i + 1) + ".", parts[i].parameters()))
      all.push_back(std::move(p));
  return all;
}

template <class X>
std::vector<Kernel<X>> Parts<X>::parts_sized(Batch<X> x) const {
  std::vector<Kernel<X>> out;
  for (const Kernel<X>& k : parts) out.push_back(k.sized(x));
  return out;
}

template <class X>
Vector Parts<X>::start(Batch<X> x, double variance) const {
  Vector all(0);
  for (const Kernel<X>& k : parts) all = concat(all, k.start(x, variance));
  return all;
}

template <class X>
Matrix Sum<X>::cross(Batch<X> a, Batch<X> b) const {
  Matrix k = this->parts[0].cross(a, b);
  for (size_t i = 1; i < this->parts.size(); ++i) k += this->parts[i].cross(a, b);
  return k;
}

template <class X>
Vector Sum<X>::diag(Batch<X> a) const {
  Vector k = this->parts[0].diag(a);
  for (size_t i = 1; i < this->parts.size(); ++i) k += this->parts[i].diag(a);
  return k;
}

template <class X>
Vector Sum<X>::pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
  Vector all(0);
  for (const Kernel<X>& k : this->parts) all = concat(all, k.pullback(a, b, w));
  return all;
}

template <class X>
std::string Sum<X>::text() const {
  std::string s = this->parts[0].text();
  for (size_t i = 1; i < this->parts.size(); ++i) s += " + " + this->parts[i].text();
  return s;
}

/// True for fixed(periodic(...)): a kernel that is kept, without a number in front inside the brackets.
template <class X>
bool lacks_variance(const Kernel<X>& k) {
  const auto* f = k.template as<Fixed<X>>();
  return f && !f->inner.template as<Sum<X>>() &&
         f->inner.amplified().theta().size() > f->inner.theta().size();
}

template <class X>
Kernel<X> Sum<X>::amplified() const {  // a kept term beside learned ones has its variance to learn
  bool learned = false;
  for (const Kernel<X>& k : this->parts) learned = learned || !k.template as<Fixed<X>>();
  Sum out;
  for (const Kernel<X>& k : this->parts)
    out.parts.push_back(learned && lacks_variance(k) ? with_variance<X>(k) : k.amplified());
  return out;
}

template <class X>
FeatureMap<X> Sum<X>::features(Random& rng, Index m) const {  // side by side: m for each part
  std::vector<FeatureMap<X>> maps;
  for (const Kernel<X>& k : this->parts) {
    maps.push_back(k.features(rng, m));
    if (!maps.back()) return {};
  }
  return side_by_side(std::move(maps));
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
    all.center = concat(all.center, s.center);
    off.push_back(std::move(s.off));
  }
  if (off.empty()) return {*this, {}, {}};
  if (!rest.parts.empty()) all.rest = rest;
  all.off = side_by_side(std::move(off));
  return all;
}

template <class X>
Matrix Product<X>::cross(Batch<X> a, Batch<X> b) const {
  Matrix k = this->parts[0].cross(a, b);
  for (size_t i = 1; i < this->parts.size(); ++i) k.array() *= this->parts[i].cross(a, b).array();
  return k;
}

template <class X>
Vector Product<X>::diag(Batch<X> a) const {
  Vector k = this->parts[0].diag(a);
  for (size_t i = 1; i < this->parts.size(); ++i) k.array() *= this->parts[i].diag(a).array();
  return k;
}

template <class X>
template <class Fn>
void Product<X>::for_factors(Batch<X> a, Batch<X> b, const Matrix& w, const Fn& fn) const {
  const size_t n = this->parts.size();
  std::vector<Matrix> after(n);  // after[i] = w times the product of the parts i + 1, ..., n - 1
  after[n - 1] = w;
  for (size_t i = n - 1; i > 0; --i) after[i - 1] = after[i].cwiseProduct(this->parts[i].cross(a, b));
  Matrix before;
  for (size_t i = 0; i < n; ++i) {
    fn(this->parts[i], i == 0 ? after[0] : Matrix(before.cwiseProduct(after[i])));
    if (i + 1 == n) break;
    const Matrix k = this->parts[i].cross(a, b);
    before = i == 0 ? k : Matrix(before.cwiseProduct(k));
  }
}

template <class X>
Vector Product<X>::pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
  Vector all(0);
  for_factors(a, b, w,
              [&](const Kernel<X>& k, const Matrix& others) { all = concat(all, k.pullback(a, b, others)); });
  return all;
}

template <class X>
std::string Product<X>::text() const {
  std::string s = as_factor(this->parts[0]);
  for (size_t i = 1; i < this->parts.size(); ++i) s += " * " + as_factor(this->parts[i]);
  return s;
}

template <class X>
Kernel<X> Product<X>::amplified() const {
  for (const Kernel<X>& k : this->parts) {  // fixed(2.5) * se(), constant() * se(): the scale is there
    const std::vector<Parameter> p = k.parameters();
    if (p.size() == 1 && p[0].path == "variance" && p[0].role == Role::variance) return *this;
  }
  return with_variance<X>(*this);
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

/// The variance of k if it is a number, fixed(...) or not; else NaN.
template <class X>
double constant_of(const Kernel<X>& k) {
  if (const auto* f = k.template as<Fixed<X>>()) return constant_of(f->inner);
  const auto* c = k.template as<Constant<X>>();
  return c ? c->variance : std::numeric_limits<double>::quiet_NaN();
}

template <class X>
Split<X> Product<X>::split(Batch<X> x) const {  // of a number and one kernel; else nothing is shared
  double variance = 1;
  const Kernel<X>* only = nullptr;
  for (const Kernel<X>& k : this->parts) {
    const double v = constant_of(k);
    if (std::isnan(v) && only) return {*this, {}, {}};
    if (std::isnan(v))
      only = &k;
    else
      variance *= v;
  }
  return only ? Scaled<X>{variance, *only}.split(x) : Constant<X>{variance}.split(x);
}

template <class X>
Kernel<X> with_variance(const Kernel<X>& k) {
  return Scaled<X>{std::numeric_limits<double>::quiet_NaN(), k};
}

template <class X>
Kernel<X> scaled(double variance, const Kernel<X>& k) {
  check_range("scaling", "variance", variance);
  if (const auto* s = k.template as<Scaled<X>>()) return Scaled<X>{variance * s->variance, s->inner};
  if (const auto* c = k.template as<Constant<X>>()) return Constant<X>{variance * c->variance};
  return Scaled<X>{variance, k};
}

/// The parts of k if it is a P (Sum or Product), else k alone, added to `parts`.
template <class P, class X>
void add_parts(const Kernel<X>& k, std::vector<Kernel<X>>& parts) {
  if (const auto* p = k.template as<P>())
    parts.insert(parts.end(), p->parts.begin(), p->parts.end());
  else
    parts.push_back(k);
}

template <class X>
Kernel<X> operator+(const Kernel<X>& l, const Kernel<X>& r) {
  Sum<X> sum;
  add_parts<Sum<X>>(l, sum.parts);
  add_parts<Sum<X>>(r, sum.parts);
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
  add_parts<Product<X>>(l, product.parts);
  add_parts<Product<X>>(r, product.parts);
  return product;
}

}  // namespace covary
