// Definitions of the templates of editable.h: predictions.
#pragma once
#include <atomic>

#include "covary/process/editable.h"

namespace covary {

template <class X>
void EditableProcess<X>::check_trend(Index rows) const {
  if (rows == 0 && mean_.basis)
    throw Error(Problem::usage,
                "a trend with unknown coefficients has no finite variance before the first point: add one, "
                "or give the trend's coefficients");
}

template <class X>
Vector EditableProcess<X>::noise_of_new(Index m, Of of) const {
  if (of == Of::f) return Vector::Zero(m);
  return prior_.noise_of_new().variances(m);
}

template <class X>
const internal::EditableTrend& EditableProcess<X>::trend() const {
  std::call_once(lazy_->trended, [&] { lazy_->trend = covary::internal::trend(solution_); });
  return lazy_->trend;
}

template <class X>
const Vector& EditableProcess<X>::alpha() const {
  std::call_once(lazy_->weighted,
                 [&] { lazy_->alpha = solution_.factor.half_solve_transposed(trend().half); });
  return lazy_->alpha;
}

template <class X>
const internal::EditableSpread& EditableProcess<X>::spread() const {
  std::call_once(lazy_->spreaded, [&] { lazy_->spread = covary::internal::spread(solution_); });
  return lazy_->spread;
}

template <class X>
Vector EditableProcess<X>::mean(Batch<X> at) const {
  check_trend(size());
  internal::check_finite(at, "x");
  Vector out(count(at));
  internal::for_blocks(count(at), options_.threads, [&](Range r) {
    const Batch<X> p = slice(at, r);
    auto part = out.segment(r.first, r.count);
    part = mean_.known_at(p);
    if (size() == 0) return;
    part += cross(points(), p).transpose() * alpha();
    if (mean_.basis) part += mean_.basis_at(p)(Eigen::all, trend().kept) * trend().beta;
  });
  return out;
}

template <class X>
Marginals EditableProcess<X>::predict(Batch<X> at, Of of) const {
  Marginals out{mean(at), noise_of_new(count(at), of), 0};
  out.clamped = add_variance(at, out.variance);
  return out;
}

template <class X>
Vector EditableProcess<X>::variance(Batch<X> at, Of of) const {
  Vector out = noise_of_new(count(at), of);
  add_variance(at, out);
  return out;
}

template <class X>
Index EditableProcess<X>::add_variance(Batch<X> at, Vector& out) const {
  check_trend(size() + pending());
  internal::check_finite(at, "x");
  std::atomic<Index> clamped{0};
  internal::for_blocks(count(at), options_.threads, [&](Range r) {
    const Batch<X> p = slice(at, r);
    const Matrix h = covary::internal::half(solution_, spread(), with_all(p), 1);
    const auto [v, c] = covary::internal::variance(spread(), h, prior_.kernel().diag(p), mean_.basis_at(p));
    out.segment(r.first, r.count) += v;
    clamped += c;
  });
  return clamped;
}

template <class X>
Gaussian EditableProcess<X>::joint(Batch<X> at, Of of) const {
  const auto m = double(count(at));
  internal::check_memory(24 * m * m + 16 * m * double(size() + pending()),
                         "the joint covariance of " + std::to_string(count(at)) + " points");
  Vector means = mean(at);
  const Matrix h = covary::internal::half(solution_, spread(), with_all(at), options_.threads);
  return covary::internal::joint(spread(), std::move(means), h, prior_.kernel().cross(at, at),
                                 mean_.basis_at(at), noise_of_new(count(at), of), options_.threads);
}

template <class X>
double EditableProcess<X>::log_evidence() const {
  return size() ? trend().log_evidence : 0;
}

template <class X>
Process<X> EditableProcess<X>::process() const {
  if (size() == 0) return prior_;
  const Factor factor = solution_.factor.factor();
  DensePosterior<X> posterior(prior_.kernel(), prior_.trend(), points(), now_.y, now_.variances,
                              options_.threads, edits_.jitter > 0 ? nullptr : &factor);
  return Process<X>(prior_, {now_.x, now_.y, now_.variances}, std::move(posterior), prior_.noise());
}

template <class X>
Vector EditableProcess<X>::redundancy() const {
  return size() ? Vector(process().leave_one_out(options_.threads).variance - now_.variances) : Vector(0);
}

}  // namespace covary
