// The common base of sums and products of kernels.
#pragma once
#include "covary/kernels/constant.h"

namespace covary {

namespace internal {

/// Points as each of some kernels works with them.
template <class X>
struct PreparedParts {
  std::vector<Prepared<X>> parts;
  const Prepared<X>& operator[](size_t i) const { return parts[i]; }
  friend PreparedParts slice(PreparedParts x, Range r) {
    for (Prepared<X>& p : x.parts) p = slice(std::move(p), r);
    return x;
  }
};

}  // namespace internal

namespace internal {
/// The base of sums and products: a list of kernels with their parameters one after the other.
template <class X>
struct Parts {
  using Prepare = internal::PreparedParts<X>;
  std::vector<Kernel<X>> parts;
  Prepare prepare(Batch<X> x) const {
    Prepare all;
    for (const Kernel<X>& k : parts) all.parts.push_back(k.prepare(x));
    return all;
  }
  Expression node_as(Expression::Kind kind) const {
    std::vector<Expression> all;
    for (const Kernel<X>& k : parts) all.push_back(k.node());
    return parts_node(kind, std::move(all));
  }
  Vector theta() const;
  std::vector<Kernel<X>> parts_with(const Vector& t) const;
  std::vector<Parameter> parameters() const;
  std::vector<Kernel<X>> parts_sized(Batch<X> x) const;
  Vector start(Batch<X> x, double variance) const;
};

template <class X>
Vector Parts<X>::theta() const {
  Vector all(0);
  for (const Kernel<X>& k : parts) all = concat(all, k.theta());
  return all;
}
}  // namespace internal

template <class X>
std::vector<Kernel<X>> internal::Parts<X>::parts_with(const Vector& t) const {
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
std::vector<Parameter> internal::Parts<X>::parameters() const {
  std::vector<Parameter> all;
  for (size_t i = 0; i < parts.size(); ++i)
    for (Parameter& p : internal::prefixed(std::to_string(i + 1) + ".", parts[i].parameters()))
      all.push_back(std::move(p));
  return all;
}

template <class X>
std::vector<Kernel<X>> internal::Parts<X>::parts_sized(Batch<X> x) const {
  std::vector<Kernel<X>> out;
  for (const Kernel<X>& k : parts) out.push_back(k.sized(x));
  return out;
}

namespace internal {
template <class X>
Vector Parts<X>::start(Batch<X> x, double variance) const {
  Vector all(0);
  for (const Kernel<X>& k : parts) all = concat(all, k.start(x, variance));
  return all;
}

/// The parts of k if it is a P (Sum or Product), else k alone, added to `parts`.
template <class P, class X>
void add_parts(const Kernel<X>& k, std::vector<Kernel<X>>& parts) {
  if (const auto* p = k.template as<P>())
    parts.insert(parts.end(), p->parts.begin(), p->parts.end());
  else
    parts.push_back(k);
}
}  // namespace internal

}  // namespace covary
