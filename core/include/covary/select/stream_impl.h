// Definitions of the templates of stream.h.
#pragma once
#include "covary/select/stream.h"

namespace covary {

template <class X>
Stream<X>::Stream(const Process<X>& process, StreamOptions options)
    : options_((check(options), options)),
      prior_(process.kernel(), process.trend(), process.noise()),
      model_(process, {.threads = options.threads}),
      threshold_(options.threshold()) {
  check_kept(model_.size(), options_.memory);
}

template <class X>
Vector Stream<X>::scores(Batch<X> x) {
  if (!threshold_.looks()) return Vector::Zero(count(x));
  scored_ += count(x);
  const Vector variance = model_.size() ? model_.variance(x) : prior_.kernel().diag(x);
  return variance.cwiseSqrt();
}

template <class X>
Offer Stream<X>::offer(Batch<X> x) {
  check_turn(asked_.has_value(), false);
  check_one(count(x));
  check_finite(x, "x");
  const Offer out = threshold_.offer(scores(x)[0]);
  if (out.ask) asked_ = owned<X>(x);
  return out;
}

template <class X>
void Stream<X>::tell(double y) {
  check_turn(asked_.has_value(), true);
  check_target("tell", y);
  const Batch<X> x(*asked_);
  const bool exact = prior_.noise().kind == Noise::Kind::given && prior_.noise().variance == 0;
  if (!(exact && model_.size() && model_.variance(x)[0] == 0)) {
    make_room();
    model_.add(x, Vector::Constant(1, y));
  }
  asked_.reset();
}

template <class X>
void Stream<X>::make_room() {
  if (model_.size() < options_.memory) return;
  if (options_.forget == Forget::oldest) {
    model_.remove(0);
  } else {
    if (leaving_.empty()) {
      const Index q = std::max<Index>(1, model_.size() / 16);
      leaving_ = most_redundant(model_.precision(), model_.variances(), q);
      std::reverse(leaving_.begin(), leaving_.end());
    }
    const Index i = leaving_.back();
    model_.remove(i);
    leaving_.pop_back();
    for (Index& j : leaving_) j -= j > i;
  }
  ++dropped_;
}

template <class X>
void Stream<X>::offer_many(Batch<X> x, const LabelOf& label, const OfferSeen& seen) {
  check_turn(asked_.has_value(), false);
  check_finite(x, "x");
  offer_each(
      threshold_, count(x), [&](Range r) { return scores(slice(x, r)); },
      [&](Index i) {
        asked_ = owned<X>(slice(x, {i, 1}));
        tell(label(i));
      },
      seen);
}

template <class X>
void Stream<X>::relearn(const Process<X>& process) {
  const Process<X> prior(process.kernel(), process.trend(), process.noise());
  Growing<X> fresh(prior, {.threads = options_.threads});
  if (model_.size()) fresh.add(model_.points(), model_.targets());
  rebuilt_ += 1 + model_.edits().rebuilt;
  prior_ = prior;
  model_ = std::move(fresh);
  leaving_.clear();
}

template <class X>
StreamSummary Stream<X>::summary() const {
  return {.seen = threshold_.seen(),
          .asked = threshold_.asked(),
          .by_chance = threshold_.by_chance(),
          .scored = scored_,
          .kept = model_.size(),
          .dropped = dropped_,
          .rebuilt = rebuilt_ + model_.edits().rebuilt,
          .threshold = threshold_.value()};
}

}  // namespace covary
