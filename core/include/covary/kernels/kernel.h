// A kernel: an immutable value that gives the covariances of whole blocks of points, never of one pair.
//
// Any struct with the six verbs of KernelOver is a kernel; it needs no base class. Kernel<X> holds any of
// them by value. Parameters live on an unconstrained scale, theta: the logarithm of a positive one, as every
// shipped one is. A parameter that was not given is NaN until data suggests a start.
#pragma once
#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "covary/kernels/feature_map.h"
#include "covary/kernels/node.h"
#include "covary/kernels/prepared.h"

namespace covary {

class Random;

/// In kernels/split.h.
template <class X>
struct Split;

template <class K, class X>
concept KernelOver = requires(const K k, Batch<X> a, Batch<X> b, const Matrix w, const Vector t) {
  { k.cross(a, b) } -> std::convertible_to<Matrix>;        // n x m: K_ij = k(a_i, b_j)
  { k.diag(a) } -> std::convertible_to<Vector>;            // n: k(a_i, a_i)
  { k.pullback(a, b, w) } -> std::convertible_to<Vector>;  // p: sum_ij w_ij dK_ij/dtheta
  { k.theta() } -> std::convertible_to<Vector>;            // p: unconstrained parameters
  { k.with(t) } -> std::convertible_to<K>;                 // the same kernel at other parameters
}
&&(
    requires(const K k) {
      { k.text() } -> std::convertible_to<std::string>;  // parses back to an equal kernel
    } ||
    requires(const K k) {
      { k.node() } -> std::convertible_to<Expression>;  // the same as data, from which the text is printed
    });

/// Any kernel over X. Immutable, so copies share and threads need no locks.
///
/// Beyond the six verbs a kernel may have, and otherwise inherits a default for:
///   node()              its structure as data, see node.h    (default: a leaf with its text)
///   prepare(x)          its work for each point, done once   (default: x itself; see prepared.h)
///   parameters()        names, roles and values              (default: theta.1, theta.2, ...)
///   sized(x)            one length-scale per column of x     (default: itself)
///   start(x, variance)  theta suggested by the data          (default: theta())
///   amplified()         itself with a learnable variance     (default: variance * itself)
///   features(rng, m)    random features for sample paths     (default: none)
///   split(x)            explicit features, and the rest      (default: none, itself)
///   pullback_diag(a, w) sum_i w_i dk(a_i, a_i)/dtheta        (default: from small blocks)
/// and over rows of numbers
///   pullback_inputs(a, b, w)  |a| x d: sum_j w_ij dk(a_i, b_j)/da_ic    (default: central differences)
template <class X>
class Kernel {
  static_assert(IndexType<X>, "IndexedBy<X> lacks something that points of a process must have");

 public:
  template <class K>
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  requires(!std::same_as<K, Kernel> && KernelOver<K, X>) Kernel(K k)
      : self_(std::make_shared<const Held<K>>(std::move(k))) {}

  Matrix cross(Batch<X> a, Batch<X> b) const { return self_->cross(a, b); }
  Vector diag(Batch<X> a) const { return self_->diag(a); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const { return self_->pullback(a, b, w); }
  Vector theta() const { return self_->theta(); }
  Kernel with(const Vector& t) const { return self_->with(t); }
  std::string text() const { return self_->text(); }

  Expression node() const { return self_->node(); }
  /// Borrows the points, unless `owner` keeps them.
  Prepared<X> prepare(Batch<X> x, std::shared_ptr<const void> owner = {}) const {
    return self_->prepare(self_, x, std::move(owner));
  }
  std::vector<Parameter> parameters() const { return self_->parameters(); }
  Kernel sized(Batch<X> x) const { return self_->sized(x); }
  Vector start(Batch<X> x, double variance) const { return self_->start(x, variance); }
  Kernel amplified() const { return self_->amplified(*this); }
  FeatureMap<X> features(Random& rng, Index m) const { return self_->features(rng, m); }
  Split<X> split(Batch<X> x) const { return self_->split(*this, x); }
  Vector pullback_diag(Batch<X> a, const Vector& w) const { return prepare(a).pullback_diag(w); }

  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const requires std::same_as<X, Row> {
    return self_->pullback_inputs(a, b, w);
  }

  /// The kernel inside if it is a K, else null.
  template <class K>
  const K* as() const {
    const auto* held = dynamic_cast<const Held<K>*>(self_.get());
    return held ? &held->k : nullptr;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual Matrix cross(Batch<X>, Batch<X>) const = 0;
    virtual Vector diag(Batch<X>) const = 0;
    virtual Vector pullback(Batch<X>, Batch<X>, const Matrix&) const = 0;
    virtual Vector theta() const = 0;
    virtual Kernel with(const Vector&) const = 0;
    virtual std::string text() const = 0;
    virtual Expression node() const = 0;
    virtual Prepared<X> prepare(const std::shared_ptr<const Any>&, Batch<X>,
                                std::shared_ptr<const void>) const = 0;
    virtual std::vector<Parameter> parameters() const = 0;
    virtual Kernel sized(Batch<X>) const = 0;
    virtual Vector start(Batch<X>, double) const = 0;
    virtual Kernel amplified(const Kernel&) const = 0;
    virtual FeatureMap<X> features(Random&, Index) const = 0;
    virtual Split<X> split(const Kernel&, Batch<X>) const = 0;
    virtual Matrix pullback_inputs(Batch<X>, Batch<X>, const Matrix&) const = 0;
  };
  template <class K>
  struct Held;
  std::shared_ptr<const Any> self_;
};

namespace internal {
/// The parameters a kernel has if it does not name them: theta.1, theta.2, ...
std::vector<Parameter> unnamed_parameters(const Vector& theta);

/// sum_j w_ij dk(a_i, b_j)/da_ic by central differences of `cross`, one column at a time: 2 d blocks.
Matrix differences_in_inputs(const std::function<Matrix(Rows a)>& cross, Rows a, const Matrix& w);

/// variance * k, with the variance not given yet. In kernels/compose.h.
template <class X>
Kernel<X> with_variance(const Kernel<X>& k);
}  // namespace internal

template <class X>
template <class K>
struct Kernel<X>::Held final : Kernel<X>::Any {
  explicit Held(K held) : k(std::move(held)) {}
  Matrix cross(Batch<X> a, Batch<X> b) const override { return k.cross(a, b); }
  Vector diag(Batch<X> a) const override { return k.diag(a); }
  Vector pullback(Batch<X> a, Batch<X> b, const Matrix& w) const override { return k.pullback(a, b, w); }
  Vector theta() const override { return k.theta(); }
  Kernel with(const Vector& t) const override { return K(k.with(t)); }
  std::string text() const override {
    if constexpr (requires { k.text(); })
      return k.text();
    else
      return text_of(k.node());
  }
  Expression node() const override {
    if constexpr (requires { k.node(); })
      return k.node();
    else
      return internal::leaf_node(k.text(), parameters());
  }
  Prepared<X> prepare(const std::shared_ptr<const Any>& self, Batch<X> x,
                      std::shared_ptr<const void> owner) const override {
    const std::shared_ptr<const K> alive(self, &k);
    if constexpr (requires { k.prepare(x); })
      return {alive, k.prepare(x), count(x), std::move(owner)};
    else
      return {alive, x, count(x), std::move(owner)};
  }
  std::vector<Parameter> parameters() const override {
    if constexpr (requires { k.parameters(); }) return k.parameters();
    return internal::unnamed_parameters(k.theta());
  }
  Kernel sized(Batch<X> x) const override {
    if constexpr (requires { k.sized(x); }) return K(k.sized(x));
    return k;
  }
  Vector start(Batch<X> x, double variance) const override {
    if constexpr (requires { k.start(x, variance); }) return k.start(x, variance);
    return k.theta();
  }
  Kernel amplified(const Kernel& self) const override {
    if constexpr (requires { k.amplified(); }) return k.amplified();
    return internal::with_variance<X>(self);
  }
  FeatureMap<X> features(Random& rng, Index m) const override {
    if constexpr (requires { k.features(rng, m); }) return k.features(rng, m);
    return {};
  }
  Split<X> split(const Kernel& self, Batch<X> x) const override {
    if constexpr (requires { k.split(x); }) return k.split(x);
    return {self, {}, {}};
  }
  Matrix pullback_inputs(Batch<X> a, Batch<X> b, const Matrix& w) const override {
    if constexpr (requires { k.pullback_inputs(a, b, w); })
      return k.pullback_inputs(a, b, w);
    else if constexpr (std::same_as<X, Row>)
      return internal::differences_in_inputs([&](Rows moved) -> Matrix { return k.cross(moved, b); }, a, w);
    else
      return {};  // points without coordinates
  }
  K k;
};

}  // namespace covary

#include "covary/kernels/compose.h"
