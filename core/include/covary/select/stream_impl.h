// Definitions of the templates of stream.h.
#pragma once
#include "covary/select/stream.h"

namespace covary {

namespace internal {
template <class X>
Offer StreamTurns<X>::offer(Batch<X> x, const Scores& scores) {
  check_turn(asked.has_value(), false);
  check_one(count(x));
  check_finite(x, "x");
  const Offer out = threshold.offer(scores(x)[0]);
  if (out.ask) asked = owned<X>(x);
  return out;
}

template <class X>
void StreamTurns<X>::offer_many(Batch<X> x, const Scores& scores, const OfferSeen& told,
                                const OfferSeen& seen) {
  check_turn(asked.has_value(), false);
  check_finite(x, "x");
  offer_each(
      threshold, count(x), [&](Range r) { return scores(slice(x, r)); },
      [&](Index i, const Offer& offer) {
        asked = owned<X>(slice(x, {i, 1}));
        told(i, offer);
      },
      seen);
}

template <class X>
StreamSummary StreamTurns<X>::summary(Index kept, Index rebuilt) const {
  return {.seen = threshold.seen(),
          .asked = threshold.asked(),
          .by_chance = threshold.by_chance(),
          .scored = scored,
          .kept = kept,
          .dropped = dropped,
          .rebuilt = rebuilt,
          .threshold = threshold.value()};
}
}  // namespace internal

template <class X>
Stream<X>::Stream(const Process<X>& process, StreamOptions options)
    : options_((internal::check(options), internal::check_streams(options.strategy, false), options)),
      prior_(process.kernel(), process.trend(), process.noise()),
      model_(process, {.threads = options.threads}),
      turns_{Threshold(options.threshold())} {
  internal::check_kept(model_.size(), options_.memory);
}

template <class X>
Vector Stream<X>::scores(Batch<X> x) {
  if (!turns_.threshold.looks()) return Vector::Zero(count(x));
  turns_.scored += count(x);
  const Vector variance = model_.size() ? model_.variance(x) : prior_.kernel().diag(x);
  return variance.cwiseSqrt();
}

template <class X>
Offer Stream<X>::offer(Batch<X> x) {
  return turns_.offer(x, [this](Batch<X> at) { return scores(at); });
}

template <class X>
void Stream<X>::tell(double y) {
  internal::check_turn(turns_.asked.has_value(), true);
  internal::check_target("tell", y);
  const Batch<X> x(*turns_.asked);
  const bool exact = prior_.noise().is_exact();
  if (!(exact && model_.size() && model_.variance(x)[0] == 0)) {
    make_room();
    model_.add(x, Vector::Constant(1, y));
  }
  turns_.asked.reset();
}

template <class X>
void Stream<X>::make_room() {
  if (model_.size() < options_.memory) return;
  if (options_.forget == Forget::oldest) {
    model_.remove(0);
  } else {
    if (leaving_.empty()) {
      const Index q = std::max<Index>(1, model_.size() / 16);
      leaving_ = internal::most_redundant(model_.precision(), model_.variances(), q);
      std::reverse(leaving_.begin(), leaving_.end());
    }
    const Index i = leaving_.back();
    model_.remove(i);
    leaving_.pop_back();
    for (Index& j : leaving_) j -= j > i;
  }
  ++turns_.dropped;
}

template <class X>
void Stream<X>::offer_many(Batch<X> x, const internal::LabelOf& label, const internal::OfferSeen& seen) {
  turns_.offer_many(
      x, [this](Batch<X> at) { return scores(at); }, [&](Index i, const Offer&) { tell(label(i)); }, seen);
}

template <class X>
void Stream<X>::relearn(const Process<X>& process) {
  const Process<X> prior(process.kernel(), process.trend(), process.noise());
  EditableProcess<X> fresh(prior, {.threads = options_.threads});
  if (model_.size()) fresh.add(model_.points(), model_.targets());
  rebuilt_ += 1 + model_.edits().rebuilt;
  prior_ = prior;
  model_ = std::move(fresh);
  leaving_.clear();
}

template <class X>
StreamSummary Stream<X>::summary() const {
  return turns_.summary(model_.size(), rebuilt_ + model_.edits().rebuilt);
}

}  // namespace covary
