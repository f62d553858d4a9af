// max-variance: minimizes the largest variance.
#include "place/criteria/variance.h"

namespace covary {
namespace {

/// F(A) = max_t var f_t - max_t var(f_t | A). Often no single sensor lowers the largest variance: the sum
/// decides then.
class MaxVariance final : public placing::Variance {
 public:
  MaxVariance(const PlacementProblem& problem, const Field& field, int threads)
      : Variance(problem, field, threads),
        sum_(left().sum()),
        largest_(left().maxCoeff()),
        threads_(threads) {
    targets_ = (left().array() > 0).count();
  }
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<MaxVariance>(*this); }
  Vector ties() const override { return Variance::computed_gains(); }

  /// The largest is no less than the mean.
  Vector most(const Allowed& start) const override {
    Vector out = components_at_start(start);
    for (Index j = 0; j < out.size(); ++j)
      out[j] = largest_ - at_least(sum_ - out[j], targets_ - (start.is_bought() ? 0 : j + 1));
    return out;
  }
  double most_beyond(const Allowed& rest, double) const override {
    if (rest.left() == 0) return value();
    const double sum = left().sum() - most_explained(rest.left());
    return largest_ - at_least(sum, (left().array() > 0).count() - (rest.is_bought() ? 0 : rest.left()));
  }

 private:
  /// The largest of what is left, where its sum is known and the number of places that share it: those that
  /// get a sensor have no part.
  double at_least(double sum, Index others) const {
    const Index sharing = everywhere() ? others : targets_;
    return sharing > 0 ? std::max(0.0, sum) / double(sharing) : 0;
  }

  Vector computed_gains() const override {
    const Vector s = now_.reading_variance();
    const double before = left().size() ? left().maxCoeff() : 0;
    Vector out(s.size());
    placing::for_each_column(s.size(), 3 * left().size(), threads_, [&](Index i) {
      const double scale = s[i] > 0 ? 1 / s[i] : 0;
      const auto column = covariances().col(i);
      double after = 0;
      for (Index t = 0; t < column.size(); ++t)
        if (!everywhere() || t != i) after = std::max(after, left()[t] - scale * column[t] * column[t]);
      out[i] = before - after;
    });
    return out;
  }

  double sum_, largest_;
  Index targets_ = 0;
  int threads_;
};

}  // namespace

namespace criterion {

CriterionEntry max_variance() {
  CriterionEntry e{
      "max-variance", "max_t var(f_t | A) - max_t var(f_t | A, y)", "the smallest largest variance: minimax",
      "variance",
      [](const PlacementProblem& p, const Field& f, const CriterionOptions& o) -> std::unique_ptr<Criterion> {
        return std::make_unique<MaxVariance>(p, f, o.threads);
      }};
  e.certificate =
      "the largest variance is at least the mean, of which k readings explain at most k principal components";
  return e;
}

}  // namespace criterion
}  // namespace covary
