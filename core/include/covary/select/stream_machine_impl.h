// Definitions of the templates of stream_machine.h.
#pragma once
#include "covary/select/stream_machine.h"

namespace covary {

template <class X>
StreamMachine<X>::StreamMachine(Kernel<X> kernel, Index kinds, const SvmOptions& svm,
                                const StreamOptions& options)
    : rule_((internal::check_streams(options.strategy, true), internal::class_rule(options, svm))),
      kernel_(std::move(kernel)),
      kinds_(kinds),
      options_((internal::check(options), options)),
      machines_((internal::check(rule_.svm), rule_.svm)),
      turns_{Threshold(options.threshold())} {
  internal::check_given(kernel_.parameters());
  internal::check_kinds(kinds, options_.memory);
  options_.threads = internal::threads_or_all(options_.threads);
}

template <class X>
Matrix StreamMachine<X>::decision(Batch<X> at) const {
  internal::check_finite(at, "x");
  Matrix out(count(at), kinds_);
  internal::for_blocks(count(at), options_.threads, [&](Range r) {
    const Batch<X> part = slice(at, r);
    out.middleRows(r.first, r.count) =
        machines_.decision(r.count, [&](const std::vector<Index>& support) -> Matrix {
          const Points<X> rests = pick(points(), support);
          return kernel_.cross(Batch<X>(rests), part).transpose();  // columns have the same bits in any block
        });
  });
  return out;
}

template <class X>
std::vector<Index> StreamMachine<X>::predict(Batch<X> at) const {
  return internal::winners(decision(at));
}

template <class X>
Vector StreamMachine<X>::scores(Batch<X> x) {
  if (!turns_.threshold.looks()) return Vector::Zero(count(x));
  turns_.scored += count(x);
  if (rule_.asks == Asks::above && !machines_.any()) return Vector::Ones(count(x));
  if (rule_.asks == Asks::above) return internal::nearness(machines_, decision(x));
  if (classes_.empty()) return Vector::Ones(count(x));
  const Index n = std::ssize(classes_);
  const Points<X> all = internal::joined<X>(points(), x);
  const Pool pool = pool_over(Batch<X>(all));
  if (rule_.asks == Asks::by_probability) {
    const Vector w = Eigen::Map<const Vector>(weights_.data(), n);
    return internal::query_probabilities(pool, machines_, classes_, w, kinds_, rule_.svm,
                                         turns_.threshold.seen(), rule_.iwal, options_.threads);
  }
  internal::DisagreementRegion region(pool, rule_.region, options_.threads);
  region.tell(internal::all_indices(n), classes_, kinds_);
  Vector out(count(x));
  for (Index i = 0; i < out.size(); ++i) out[i] = region.contains(n + i);
  return out;
}

template <class X>
Pool StreamMachine<X>::pool_over(Batch<X> x) const {
  Pool out;
  static_cast<Covariances&>(out) = covariances(kernel_, x);
  return out;
}

template <class X>
Offer StreamMachine<X>::offer(Batch<X> x) {
  const Offer out = turns_.offer(x, [this](Batch<X> at) { return scores(at); });
  probability_ = out.probability;
  return out;
}

/// The labels so far and one more.
template <class X>
void StreamMachine<X>::check_not_empty(Batch<X> x, Index kind) const {
  if (rule_.asks != Asks::positive || classes_.empty()) return;
  const Points<X> all = internal::joined<X>(points(), x);
  std::vector<Index> classes = classes_, arrived = arrived_;
  classes.push_back(kind), arrived.push_back(std::max<Index>(1, turns_.threshold.seen()) - 1);
  internal::DisagreementRegion region(pool_over(Batch<X>(all)), rule_.region, options_.threads);
  try {
    region.tell(internal::all_indices(std::ssize(classes)), classes, kinds_);
  } catch (const EmptyVersionSpace& e) {
    throw internal::in_stream(e, arrived);
  }
}

template <class X>
void StreamMachine<X>::train() {
  const Pool pool = pool_over(points());
  const std::vector<Index> all = internal::all_indices(pool.size);
  if (rule_.asks == Asks::positive) return machines_.train_hard(pool, all, classes_, kinds_);
  Vector weights;
  if (rule_.asks == Asks::by_probability) weights = Eigen::Map<const Vector>(weights_.data(), pool.size);
  machines_.train(pool, all, classes_, kinds_, false, weights);
}

template <class X>
void StreamMachine<X>::tell(double kind) {
  internal::check_turn(turns_.asked.has_value(), true);
  internal::check_kind(kind, kinds_);
  if (!classes_.empty())
    internal::check_columns(internal::dimensions(points()), internal::dimensions(*turns_.asked));
  check_not_empty(Batch<X>(*turns_.asked), Index(kind));
  make_room();
  x_ = internal::joined<X>(points(), Batch<X>(*turns_.asked));
  classes_.push_back(Index(kind));
  arrived_.push_back(std::max<Index>(1, turns_.threshold.seen()) - 1);
  weights_.push_back(1 / probability_);
  turns_.asked.reset();
  train();
}

template <class X>
void StreamMachine<X>::make_room() {
  if (std::ssize(classes_) < options_.memory) return;
  const Index i = internal::least_needed(machines_, classes_, kinds_);
  x_ = pick(points(), internal::all_but(std::ssize(classes_), i));
  classes_.erase(classes_.begin() + i);
  arrived_.erase(arrived_.begin() + i);
  weights_.erase(weights_.begin() + i);
  machines_.forget(i);
  ++turns_.dropped;
}

template <class X>
void StreamMachine<X>::offer_many(Batch<X> x, const internal::LabelOf& kind,
                                  const internal::OfferSeen& seen) {
  turns_.offer_many(
      x, [this](Batch<X> at) { return scores(at); },
      [&](Index i, const Offer& offer) {
        probability_ = offer.probability;
        tell(kind(i));
      },
      seen);
}

template <class X>
StreamSummary StreamMachine<X>::summary() const {
  return turns_.summary(std::ssize(classes_), 0);
}

}  // namespace covary
