#include "covary/kernels/held.h"

#include <algorithm>

namespace covary {
using namespace internal;
namespace {

struct Holding {
  HeldColumns held;
  Kernel<Row> inner;

  Matrix cross(Rows a, Rows b) const { return inner.cross(with_held(a, held), with_held(b, held)); }
  Vector diag(Rows a) const { return inner.diag(with_held(a, held)); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    return inner.pullback(with_held(a, held), with_held(b, held), w);
  }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    Matrix out = inner.pullback_inputs(with_held(a, held), with_held(b, held), w);
    for (const HeldColumn& h : held)
      if (h.column < out.cols()) out.col(h.column).setZero();
    return out;
  }
  Vector theta() const { return inner.theta(); }
  Holding with(const Vector& t) const { return {held, inner.with(t)}; }
  Expression node() const { return inner.node(); }
  Prepared<Row> prepare(Rows x) const {
    const auto some = std::make_shared<const Matrix>(with_held(x, held));
    return inner.prepare(*some, some);
  }
  Matrix cross(const Prepared<Row>& a, const Prepared<Row>& b) const { return a.cross(b); }
  Vector diag(const Prepared<Row>& a) const { return a.diag(); }
  Vector pullback(const Prepared<Row>& a, const Prepared<Row>& b, const Matrix& w) const {
    return a.pullback(b, w);
  }
  std::vector<Parameter> parameters() const { return inner.parameters(); }
  Holding sized(Rows x) const { return {held, inner.sized(with_held(x, held))}; }
  Vector start(Rows x, double variance) const { return inner.start(with_held(x, held), variance); }
  Kernel<Row> amplified() const { return Holding{held, inner.amplified()}; }
  FeatureMap<Row> features(Random& rng, Index m) const {
    const FeatureMap<Row> f = inner.features(rng, m);
    if (!f) return {};
    return seeing(f);
  }
  Split<Row> split(Rows x) const {
    Split<Row> s = inner.split(with_held(x, held));
    if (!s.off) return {*this, {}, {}};
    if (s.rest) s.rest = Holding{held, *s.rest};
    return {s.rest, s.center, seeing(s.off)};
  }

 private:
  FeatureMap<Row> seeing(const FeatureMap<Row>& f) const {
    return {f.columns, [held = held, f](Rows x) -> Matrix { return f(with_held(x, held)); }};
  }
};

}  // namespace

Matrix internal::with_held(const Rows& x, const HeldColumns& held) {
  Matrix out = x;
  for (const auto& [column, value] : held)
    if (column < out.cols()) out.col(column).setConstant(value);
  return out;
}

std::vector<std::string> internal::names_of(const HeldColumns& held,
                                            const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  for (const HeldColumn& h : held) out.push_back(columns[static_cast<size_t>(h.column)]);
  return out;
}

Kernel<Row> internal::holding(const HeldColumns& held, const Kernel<Row>& k) {
  if (held.empty()) return k;
  return Holding{held, k};
}

HeldColumns internal::held_columns(const Kernel<Row>& k) {
  const auto* h = k.as<Holding>();
  return h ? h->held : HeldColumns{};
}

Kernel<Row> internal::without_held(const Kernel<Row>& k) {
  const auto* h = k.as<Holding>();
  return h ? h->inner : k;
}

HeldColumns internal::constant_columns(const Rows& x) {
  HeldColumns out;
  for (Index k = 0; k < x.cols() && x.rows() > 1; ++k)
    if ((x.col(k).array() == x(0, k)).all()) out.push_back({k, x(0, k)});
  return std::ssize(out) == x.cols() ? HeldColumns{} : out;
}

HeldColumns internal::ignored_columns(const Kernel<Row>& k, const Rows& x) {
  HeldColumns out = constant_columns(x);
  if (out.empty()) return out;
  if (k.theta().size() == 0) return {};
  for (const Parameter& p : k.parameters())
    if (p.fixed) std::erase_if(out, [&](const HeldColumn& h) { return h.column == p.column; });
  return out;
}

}  // namespace covary
