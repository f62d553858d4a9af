// random: the random baseline.
#include "covary/base/random.h"

#include "place/criteria/variance.h"

namespace covary {
namespace {

class Lot final : public placing::Variance {
 public:
  Lot(const PlacementProblem& problem, const Field& field, const CriterionOptions& o)
      : Variance(problem, field, o.threads), lots_(problem.size()) {
    Random random(o.seed);
    for (double& lot : lots_) lot = random.uniform();
  }
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<Lot>(*this); }
  Vector scores() const override { return lots_; }

 private:
  Vector lots_;
};

}  // namespace

namespace criterion {

CriterionEntry random() {
  CriterionEntry e{
      "random", "random baseline", "a baseline; its value is that of variance", "variance",
      [](const PlacementProblem& p, const Field& f, const CriterionOptions& o) -> std::unique_ptr<Criterion> {
        return std::make_unique<Lot>(p, f, o);
      }};
  e.certificate = placing::variance_certificate;
  e.stops = false, e.baseline = true;
  return e;
}

}  // namespace criterion
}  // namespace covary
