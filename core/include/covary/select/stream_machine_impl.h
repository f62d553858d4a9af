// Definitions of the templates of stream_machine.h.
#pragma once
#include "covary/select/stream_machine.h"

namespace covary {

template <class X>
StreamMachine<X>::StreamMachine(Kernel<X> kernel, Index kinds, const SvmOptions& svm, StreamOptions options)
    : kernel_(std::move(kernel)),
      kinds_(kinds),
      options_((internal::check(options), options)),
      machines_((internal::check(svm), svm)),
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
  if (!machines_.any()) return Vector::Ones(count(x));
  return internal::nearness(machines_, decision(x));
}

template <class X>
Offer StreamMachine<X>::offer(Batch<X> x) {
  return turns_.offer(x, [this](Batch<X> at) { return scores(at); });
}

template <class X>
void StreamMachine<X>::tell(double kind) {
  internal::check_turn(turns_.asked.has_value(), true);
  internal::check_kind(kind, kinds_);
  if (!classes_.empty())
    internal::check_columns(internal::dimensions(points()), internal::dimensions(*turns_.asked));
  make_room();
  x_ = internal::joined<X>(points(), Batch<X>(*turns_.asked));
  classes_.push_back(Index(kind));
  turns_.asked.reset();
  Pool pool;
  pool.size = count(points());
  pool.among = [&](const std::vector<Index>& rows, const std::vector<Index>& columns) {
    const Points<X> a = pick(points(), rows), b = pick(points(), columns);
    return kernel_.cross(Batch<X>(a), Batch<X>(b));
  };
  machines_.train(pool, internal::all_indices(pool.size), classes_, kinds_);
}

template <class X>
void StreamMachine<X>::make_room() {
  if (std::ssize(classes_) < options_.memory) return;
  const Index i = internal::least_needed(machines_, classes_, kinds_);
  x_ = pick(points(), internal::all_but(std::ssize(classes_), i));
  classes_.erase(classes_.begin() + i);
  machines_.forget(i);
  ++turns_.dropped;
}

template <class X>
void StreamMachine<X>::offer_many(Batch<X> x, const internal::LabelOf& kind,
                                  const internal::OfferSeen& seen) {
  turns_.offer_many(
      x, [this](Batch<X> at) { return scores(at); }, [&](Index i) { tell(kind(i)); }, seen);
}

template <class X>
StreamSummary StreamMachine<X>::summary() const {
  return turns_.summary(std::ssize(classes_), 0);
}

}  // namespace covary
