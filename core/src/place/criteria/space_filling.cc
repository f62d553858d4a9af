// space-filling: the place farthest from all sensors so far; a baseline.
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/base/random.h"
#include "place/criteria/variance.h"

namespace covary {
using namespace internal;
namespace {

/// Farthest-first traversal: its largest distance from a place to the nearest sensor is at most twice the smallest
/// possible. Distances are the problem's, or those of the field: sqrt(var(f_i - f_j)).
class SpaceFilling final : public placing::Variance {
 public:
  SpaceFilling(const PlacementProblem& problem, const Field& field, int threads)
      : Variance(problem, field, threads), distance_(problem.distance), nearest_(field.size) {
    nearest_.setConstant(std::numeric_limits<double>::infinity());
    for (const Index i : problem.existing) approach(i);
    if (problem.existing.empty()) nearest_ = centrality();
  }
  std::unique_ptr<Criterion> clone() const override { return std::make_unique<SpaceFilling>(*this); }
  Vector scores() const override { return nearest_; }

 private:
  void added(Index place, double before) override {
    if (now_.sensors().size() == 1) nearest_.setConstant(std::numeric_limits<double>::infinity());
    Variance::added(place, before);
    approach(place);
  }
  void approach(Index place) { nearest_ = nearest_.cwiseMin(distances(place)); }

  /// The first stands in the middle: minus the mean squared distance to all, or to many of them.
  Vector centrality() const {
    Vector out = Vector::Zero(nearest_.size());
    for (const Index i : representatives(nearest_.size(), 1000)) out -= distances(i).cwiseAbs2();
    return out;
  }

  Vector distances(Index place) const {
    const Index n = nearest_.size();
    if (distance_) {
      Vector out(n);
      for (Index i = 0; i < n; ++i) out[i] = distance_(i, place);
      return out;
    }
    const Field& f = now_.field();
    const Vector squared =
        f.diagonal.array() + f.diagonal[place] - 2 * f.block({0, n}, {place}).col(0).array();
    return squared.cwiseMax(0).cwiseSqrt();
  }

  std::function<double(Index, Index)> distance_;
  Vector nearest_;
};

}  // namespace

namespace criterion {

CriterionEntry space_filling() {
  CriterionEntry e{
      "space-filling", "min_a |y - a|",
      "evenly spaced, without a model: a baseline; its value is that of variance", "variance",
      [](const PlacementProblem& p, const Field& f, const CriterionOptions& o) -> std::unique_ptr<Criterion> {
        return std::make_unique<SpaceFilling>(p, f, o.threads);
      }};
  e.certificate = placing::variance_certificate;
  e.stops = false, e.baseline = true;
  return e;
}

}  // namespace criterion
}  // namespace covary
