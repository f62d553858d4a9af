// Definitions of the templates of classifier.h.
#pragma once
#include <algorithm>
#include <limits>

#include "covary/base/checks.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/kernels/common_offset.h"
#include "covary/svm/classifier.h"

namespace covary {

namespace internal {
/// Throws Problem::usage unless there is a label of 0 or more for each point.
void check_classes(Index points, const std::vector<Index>& label);
/// Throws Problem::usage unless `same`: item i of what `before` was trained on.
void check_first(bool same, const char* what, Index i);
void check_first_labels(const std::vector<Index>& before, const std::vector<Index>& label);
void check_same_kernel(const std::string& before, const std::string& now);

/// Whether each of the labels 0, 1, ..., the largest, occurs.
std::vector<bool> seen_classes(const std::vector<Index>& label);
/// 1 for the points of class c, -1 for the others.
Vector one_against_rest(const std::vector<Index>& label, Index c);
/// separate, begun with the weights of s but checked everywhere; it counts on.
Separator retrained(const KernelBlock& block, const Vector& y, const SvmOptions& options, const Separator& s);

Error no_machine(Index c, const std::vector<bool>& seen);
std::string unseen_note(Index c);
std::string gap_note(Index c, double gap, double tolerance);

/// k with its explicit features measured from their middle on x; k itself if it has none.
template <class X>
Kernel<X> centered_kernel(const Kernel<X>& k, Batch<X> x) {
  const Split<X> s = k.split(x);
  if (!s.off || !s.center.allFinite()) return k;
  const Kernel<X> off = Remainder<X>{s.off};
  return s.rest ? *s.rest + off : off;
}

template <class X>
KernelBlock kernel_block(Kernel<X> kernel, Batch<X> x) {
  return [kernel = std::move(kernel), x](const std::vector<Index>& rows, const std::vector<Index>& columns) {
    const Points<X> a = pick(x, rows), b = pick(x, columns);
    return kernel.cross(Batch<X>(a), Batch<X>(b));
  };
}

/// Throws Problem::usage unless the points `before` are the first of x, as far as points can be compared.
void check_first_columns(Index before, Index columns);
template <class X>
void check_first_points(Batch<X> before, Batch<X> x) {
  check_first_columns(dimensions(before), dimensions(x));
  if constexpr (requires { IndexedBy<X>::key(x, 0); })
    for (Index i = 0; i < count(before); ++i)
      check_first(IndexedBy<X>::key(before, i) == IndexedBy<X>::key(x, i), "points", i);
}
}  // namespace internal

template <class X>
Classifier<X>::Classifier(Kernel<X> kernel, Batch<X> x, std::vector<Index> label, const SvmOptions& options)
    : kernel_(std::move(kernel)),
      x_(Points<X>(join(x, slice(x, {0, 0})))),
      label_(std::move(label)),
      options_(options),
      seen_(internal::seen_classes(label_)),
      machines_(seen_.size()) {}

template <class X>
Classifier<X> Classifier<X>::train(const Kernel<X>& kernel, Batch<X> x, const std::vector<Index>& label,
                                   const SvmOptions& options, const Classifier* before) {
  internal::check(options);
  internal::check_given(kernel.parameters());
  internal::check_classes(count(x), label);
  internal::check_finite(x, "x");
  if (before) {
    internal::check_first_labels(before->label_, label);
    internal::check_first_points<X>(Batch<X>(before->x_), x);
    internal::check_same_kernel(before->kernel_.text(), kernel.text());
  }
  Classifier out(kernel, x, label, options);
  std::vector<Index> there;
  for (Index c = 0; c < out.classes(); ++c)
    if (out.seen(c)) there.push_back(c);
  if (there.size() == 1) return out;
  if (there.size() == 2) {
    Machine m = out.trained(there[1], before);
    out.machine_at(there[0]) = Machine{internal::negated(m.separator), m.kernel, m.support};
    out.machine_at(there[1]) = std::move(m);
  } else {
    for (const Index c : there) out.machine_at(c) = out.trained(c, before);
  }
  return out;
}

/// Trained once with all points in the middle; then again with the middle where the support is, until the
/// support stays the same. Near the separator kernel values are then small, and their differences accurate.
template <class X>
typename Classifier<X>::Machine Classifier<X>::trained(Index c, const Classifier* before) const {
  const Batch<X> x(x_);
  const Vector y = internal::one_against_rest(label_, c);
  const Machine* warm = before && before->has_machine(c) ? &before->held(c) : nullptr;
  Kernel<X> k = warm ? warm->kernel : internal::centered_kernel(kernel_, x);
  internal::Separator s =
      internal::separate(internal::kernel_block<X>(k, x), y, options_, warm ? &warm->separator : nullptr);
  if (warm && s.rounds == 0) return {std::move(s), warm->kernel, warm->support};
  const bool features = static_cast<bool>(kernel_.split(x).off);
  for (int pass = 0, same = 0; features && !same && pass < 4; ++pass) {
    const Points<X> support = pick(x, s.support);
    k = internal::centered_kernel(kernel_, Batch<X>(support));
    const internal::Separator from =
        std::exchange(s, internal::retrained(internal::kernel_block<X>(k, x), y, options_, s));
    same = s.support == from.support;
  }
  Points<X> support = pick(x, s.support);
  return {std::move(s), std::move(k), std::move(support)};
}

template <class X>
Matrix Classifier<X>::decision(Batch<X> at, int threads) const {
  internal::check_finite(at, "x");
  Matrix out = Matrix::Constant(count(at), classes(), -std::numeric_limits<double>::infinity());
  const Index seen = std::count(seen_.begin(), seen_.end(), true);
  internal::for_blocks(count(at), internal::threads_or_all(threads), [&](Range r) {
    Index other = -1;  // of two classes the first, once it is done
    for (Index c = 0; c < classes(); ++c) {
      if (!seen_[static_cast<size_t>(c)]) continue;
      auto column = out.col(c).segment(r.first, r.count);
      if (seen == 1) {
        column.setZero();
      } else if (seen == 2 && other >= 0) {
        column = -out.col(other).segment(r.first, r.count);
      } else {
        const Machine& m = held(other = c);
        column = covary::internal::decision(m.separator, m.kernel.cross(slice(at, r), Batch<X>(m.support)));
      }
    }
  });
  return out;
}

template <class X>
std::vector<Index> Classifier<X>::predict(Batch<X> at, int threads) const {
  const Matrix f = decision(at, threads);
  std::vector<Index> out(static_cast<size_t>(f.rows()));
  for (Index i = 0; i < f.rows(); ++i) f.row(i).maxCoeff(&out[static_cast<size_t>(i)]);
  return out;
}

template <class X>
const typename Classifier<X>::Machine& Classifier<X>::held(Index c) const {
  if (!has_machine(c)) throw internal::no_machine(c, seen_);
  return *machines_[static_cast<size_t>(c)];
}

template <class X>
std::vector<std::string> Classifier<X>::notes() const {
  std::vector<std::string> all;
  for (Index c = 0; c < classes(); ++c) {
    if (!seen(c)) all.push_back(internal::unseen_note(c));
    if (has_machine(c) && machine(c).gap > options_.tolerance)
      all.push_back(internal::gap_note(c, machine(c).gap, options_.tolerance));
  }
  return all;
}

}  // namespace covary
