// Definitions of the templates of stream_machine.h.
#pragma once
#include "covary/select/stream_machine.h"

namespace covary {

template <class X>
StreamMachine<X>::StreamMachine(Kernel<X> kernel, Index kinds, const SvmOptions& svm, StreamOptions options)
    : kernel_(std::move(kernel)),
      kinds_(kinds),
      options_((check(options), options)),
      machines_((check(svm), svm)),
      threshold_(options.threshold()) {
  check_given(kernel_.parameters());
  check_kinds(kinds, options_.memory);
  options_.threads = threads_or_all(options_.threads);
}

template <class X>
Matrix StreamMachine<X>::decision(Batch<X> at) const {
  check_finite(at, "x");
  Matrix out(count(at), kinds_);
  for_blocks(count(at), options_.threads, [&](Range r) {
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
  return winners(decision(at));
}

template <class X>
Vector StreamMachine<X>::scores(Batch<X> x) {
  if (!threshold_.looks()) return Vector::Zero(count(x));
  scored_ += count(x);
  if (!machines_.any()) return Vector::Ones(count(x));
  return nearness(machines_, decision(x));
}

template <class X>
Offer StreamMachine<X>::offer(Batch<X> x) {
  check_turn(asked_.has_value(), false);
  check_one(count(x));
  check_finite(x, "x");
  const Offer out = threshold_.offer(scores(x)[0]);
  if (out.ask) asked_ = owned<X>(x);
  return out;
}

template <class X>
void StreamMachine<X>::tell(double kind) {
  check_turn(asked_.has_value(), true);
  check_kind(kind, kinds_);
  if (!classes_.empty()) check_columns(points(), Batch<X>(*asked_));
  make_room();
  x_ = joined<X>(points(), Batch<X>(*asked_));
  classes_.push_back(Index(kind));
  asked_.reset();
  Pool pool;
  pool.size = count(points());
  pool.among = [&](const std::vector<Index>& rows, const std::vector<Index>& columns) {
    const Points<X> a = pick(points(), rows), b = pick(points(), columns);
    return kernel_.cross(Batch<X>(a), Batch<X>(b));
  };
  machines_.train(pool, everyone(pool.size), classes_, kinds_);
}

template <class X>
void StreamMachine<X>::make_room() {
  if (std::ssize(classes_) < options_.memory) return;
  const Index i = least_needed(machines_, classes_, kinds_);
  x_ = pick(points(), all_but(std::ssize(classes_), i));
  classes_.erase(classes_.begin() + i);
  machines_.forget(i);
  ++dropped_;
}

template <class X>
void StreamMachine<X>::offer_many(Batch<X> x, const LabelOf& kind, const OfferSeen& seen) {
  check_turn(asked_.has_value(), false);
  check_finite(x, "x");
  offer_each(
      threshold_, count(x), [&](Range r) { return scores(slice(x, r)); },
      [&](Index i) {
        asked_ = owned<X>(slice(x, {i, 1}));
        tell(kind(i));
      },
      seen);
}

template <class X>
StreamSummary StreamMachine<X>::summary() const {
  return {.seen = threshold_.seen(),
          .asked = threshold_.asked(),
          .by_chance = threshold_.by_chance(),
          .scored = scored_,
          .kept = std::ssize(classes_),
          .dropped = dropped_,
          .rebuilt = 0,
          .threshold = threshold_.value()};
}

}  // namespace covary
