// Points with the work that a kernel does for each of them done: once for a batch, not once for each tile.
//
// prepare(x) of a kernel gives the points in the form it works with: counts of substrings, some of the columns,
// values of basis functions. What it gives is cut by slice(points, range), as vectors of any type are; its cross,
// diag and pullback take those pieces too:
//
//   std::vector<Counts> prepare(std::span<const std::string> x) const;
//   Matrix cross(std::span<const Counts> a, std::span<const Counts> b) const;      and diag, pullback
//
// The bits must be those of the points themselves.
#pragma once
#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "covary/base/types.h"

namespace covary {

/// A range of prepared points. Immutable; copies and slices share the work.
template <class X>
class Prepared {
 public:
  Prepared() = default;
  /// By kernel.prepare(x): `count` points. `owner` keeps what `points` borrow.
  template <class K, class P>
  Prepared(std::shared_ptr<const K> kernel, P points, Index count, std::shared_ptr<const void> owner)
      : self_(std::make_shared<const By<K, P>>(std::move(kernel), std::move(points), std::move(owner))),
        range_{0, count} {}

  Index count() const { return range_.count; }
  /// n x m: k(x_i, z_j), z prepared by the same kernel.
  Matrix cross(const Prepared& z) const { return self_->cross(range_, *z.self_, z.range_); }
  Vector diag() const { return self_->diag(range_); }
  /// p: sum_ij w_ij dk(x_i, z_j)/dtheta.
  Vector pullback(const Prepared& z, const Matrix& w) const {
    return self_->pullback(range_, *z.self_, z.range_, w);
  }
  /// p: sum_i w_i dk(x_i, x_i)/dtheta.
  Vector pullback_diag(const Vector& w) const { return self_->pullback_diag(range_, w); }

  explicit operator bool() const { return self_ != nullptr; }
  friend Prepared slice(Prepared x, Range r) {
    x.range_ = {x.range_.first + r.first, r.count};
    return x;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual Matrix cross(Range, const Any&, Range) const = 0;
    virtual Vector diag(Range) const = 0;
    virtual Vector pullback(Range, const Any&, Range, const Matrix&) const = 0;
    virtual Vector pullback_diag(Range, const Vector&) const = 0;
  };
  template <class K, class P>
  struct By;
  std::shared_ptr<const Any> self_;
  Range range_;
};

template <class X>
template <class K, class P>
struct Prepared<X>::By final : Prepared<X>::Any {
  By(std::shared_ptr<const K> k, P x, std::shared_ptr<const void> o)
      : kernel(std::move(k)), points(std::move(x)), owner(std::move(o)) {}
  Matrix cross(Range r, const Any& z, Range c) const override {
    return kernel->cross(slice(points, r), slice(same(z).points, c));
  }
  Vector diag(Range r) const override { return kernel->diag(slice(points, r)); }
  Vector pullback(Range r, const Any& z, Range c, const Matrix& w) const override {
    return kernel->pullback(slice(points, r), slice(same(z).points, c), w);
  }
  Vector pullback_diag(Range r, const Vector& w) const override {
    if constexpr (requires { kernel->pullback_diag(slice(points, r), w); })
      return kernel->pullback_diag(slice(points, r), w);
    Vector sum = Vector::Zero(kernel->theta().size());
    constexpr Index side = 16;
    for (Index i = 0; i < w.size(); i += side) {
      const Range some{r.first + i, std::min(side, w.size() - i)};
      sum += kernel->pullback(slice(points, some), slice(points, some),
                              Matrix(w.segment(i, some.count).asDiagonal()));
    }
    return sum;
  }
  static const By& same(const Any& z) {
    assert(dynamic_cast<const By*>(&z) && "prepared by another kernel");
    return static_cast<const By&>(z);
  }
  std::shared_ptr<const K> kernel;
  P points;
  std::shared_ptr<const void> owner;
};

}  // namespace covary
