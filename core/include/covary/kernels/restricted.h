// A kernel some of whose parameters are kept or have a range of their own:
//
//   periodic(period=fixed(365.25))   se(lengthscale=0.1..10)   se(lengthscale=[fixed(1), 2 in 0.5..4])
#pragma once
#include "covary/kernels/registry.h"

namespace covary::internal {
/// The arguments that give more than the value of a parameter. Throws a usage Error for a range of something
/// that is not learned.
std::vector<Argument> restrictions(const Arguments& given, const Expression& call,
                                   const std::vector<Parameter>& parameters);
/// The parameters with these limits; which of them are fitted; the call with the limits.
std::vector<Parameter> limited(std::vector<Parameter> parameters, const std::vector<Argument>& limits);
std::vector<Index> learned_of(const std::vector<Parameter>& parameters, const std::vector<Argument>& limits);
Expression limited_node(Expression call, std::vector<Parameter> limited);

template <class X>
struct Restricted {
  Kernel<X> inner;
  std::vector<Argument> limits;

  Matrix cross(Batch<X> a, Batch<X> b) const { return inner.cross(a, b); }
  Vector diag(Batch<X> a) const { return inner.diag(a); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const {
    return inner.pullback(a, b, w)(learned());
  }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return inner.pullback_inputs(a, b, w);
  }
  Prepared<X> prepare(Batch<X> x) const { return inner.prepare(x); }
  Matrix cross(const Prepared<X>& a, const Prepared<X>& b) const { return a.cross(b); }
  Vector diag(const Prepared<X>& a) const { return a.diag(); }
  Vector pullback(const Prepared<X>& a, const Prepared<X>& b, const Matrix& w) const {
    return a.pullback(b, w)(learned());
  }
  Vector theta() const { return inner.theta()(learned()); }
  Restricted with(const Vector& t) const {
    Vector all = inner.theta();
    all(learned()) = t;
    return {inner.with(all), limits};
  }
  Expression node() const { return limited_node(inner.node(), parameters()); }
  std::vector<Parameter> parameters() const { return limited(inner.parameters(), limits); }
  Restricted sized(Batch<X> x) const { return {inner.sized(x), limits}; }
  Vector start(Batch<X> x, double variance) const { return inner.start(x, variance)(learned()); }
  Kernel<X> amplified() const {
    const bool has_variance = inner.amplified().theta().size() == inner.theta().size();
    return has_variance ? Kernel<X>(*this) : with_variance<X>(*this);
  }
  FeatureMap<X> features(Random& rng, Index m) const { return inner.features(rng, m); }
  Split<X> split(Batch<X> x) const { return inner.split(x); }

 private:
  std::vector<Index> learned() const { return learned_of(inner.parameters(), limits); }
};

/// The kernel that a call made, its parameters restricted by the arguments; `inner` itself if they restrict
/// nothing. Throws a usage Error for a range of something that is not learned.
template <class X>
Kernel<X> restricted(const Kernel<X>& inner, const Arguments& arguments) {
  std::vector<Argument> limits = internal::restrictions(arguments, inner.node(), inner.parameters());
  if (limits.empty()) return inner;
  return internal::Restricted<X>{inner, std::move(limits)};
}

}  // namespace covary::internal
