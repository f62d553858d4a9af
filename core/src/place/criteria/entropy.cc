// entropy: the place with the most uncertain reading.
#include <cmath>
#include <numbers>

#include "base/constants.h"
#include "covary/algebra/factor.h"
#include "place/shared.h"

namespace covary {
using namespace internal;
namespace {

double entropy_of(double variance) {
  return 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * variance);
}

/// The least entropy of a reading given all others: from its variance
/// given all others, 1 / (K + D)^-1_yy, or from its noise where n^3 would be too much. Unknown if a reading
/// may be certain.
double least_entropy(const Field& field, const Vector& noise, int threads) {
  constexpr Index affordable = 3000;
  double variance = noise.minCoeff();
  if (field.size <= affordable)
    if (const auto factor = factorize_regular(placing::gram_of(field), noise, threads))
      variance = std::max(variance, 1 / factor->inverse_diagonal(threads).maxCoeff());
  return variance > 0 ? entropy_of(variance) : -infinity;
}

/// H(A) is submodular. Less the least entropy for every sensor it is monotone; so for any B of j sensors
///   H(B) - j least <= H(A) - |A| least + the j largest of (gain - least).
class Entropy final : public Criterion {
 public:
  Entropy(Conditioned now, double least) : Criterion(std::move(now)), least_(least) {
    start_ = now_.sensors().size();
  }
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<Entropy>(*this); }

  Vector most(const Allowed& start) const override {
    if (least_ == -infinity) return placing::all_of(start, std::numeric_limits<double>::infinity());
    const double above = value() - double(now_.sensors().size() - start_) * lift(start);
    Vector out = start.most_by_number(gains().array() - lift(start)).array() + above;
    if (!start.is_bought())
      for (Index j = 0; j < out.size(); ++j) out[j] += double(j + 1) * least_;
    return out;
  }

  double most_beyond(const Allowed& rest, double) const override {
    if (rest.is_bought()) return value() + rest.most(gains());
    // Exactly so many more: with the least entropy subtracted no gain is negative.
    const double floor = least_ == -infinity ? std::min(0.0, gains().minCoeff()) : least_;
    return std::isfinite(floor) ? value() + double(rest.left()) * floor + rest.most(gains().array() - floor)
                                : value() + rest.most(gains());
  }
  double least() const override { return least_ == -infinity ? 0 : least_; }

 private:
  Vector computed_gains() const override {
    const Vector s = now_.reading_variance();
    return s.unaryExpr([](double v) { return v > 0 ? entropy_of(v) : -infinity; });
  }
  void added(Index, double) override {}
  /// Under a budget sets of several sizes compete, and only what makes gains positive may be taken off.
  double lift(const Allowed& start) const { return start.is_bought() ? std::min(0.0, least_) : least_; }
  double least_;
  size_t start_ = 0;
};

std::unique_ptr<Criterion> made_entropy(const PlacementProblem& problem, const Field& field,
                                        const CriterionOptions& o) {
  const Vector noise = placing::noise_of(problem);
  return std::make_unique<Entropy>(placing::standing(problem, field, o.threads),
                                   least_entropy(field, noise, o.threads));
}

}  // namespace

namespace criterion {

CriterionEntry entropy() {
  CriterionEntry e{"entropy", "log(2 pi e var(y | A)) / 2",
                   "the most uncertain reading; tends to the boundary; the only one for a million places",
                   "nats", made_entropy};
  e.certificate = "entropy is submodular, and monotone once the least entropy of a reading is subtracted";
  e.stops = false;
  return e;
}

}  // namespace criterion
}  // namespace covary
