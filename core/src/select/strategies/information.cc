// information: what a label tells of the rest of the pool [krause2008].
#include <fmt/format.h>

#include <cmath>

#include "algebra/blas.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// gain(x) = 1/2 log (var(y | labels) / var(y | rest)), the noise of a label in both; var(f | rest) =
/// 1/P_xx, P the precision of those without a label. Taking one out of the rest is conditioning P on it.
struct CanonicalForm {
  Index most;
  Index generation = -1, seen = 0, left = 0;
  std::vector<Index> some = {};   // of the candidates without a label
  std::vector<Index> place = {};  // of a candidate among them, or -1
  ConditionalCovariance rest =
      ConditionalCovariance();  // their precision (r x r) without those labelled since
  Vector latest = {};

  void begin(const PoolPosterior& belief) {
    const Pool& pool = belief.pool();
    some = select::unlabelled(belief, most);
    left = std::ssize(some);
    place.assign(static_cast<size_t>(pool.size), -1);
    for (size_t i = 0; i < some.size(); ++i) place[static_cast<size_t>(some[i])] = Index(i);
    Matrix precision = pool.among(some, some);
    precision.diagonal() *= 1 + 1e-6;  // exact repeats would have no precision
    if (blas::cholesky(precision, belief.threads()) != 0)
      throw Error(Problem::numerical, "information: the covariance of the pool is not positive definite");
    blas::inverse_from_cholesky(precision, belief.threads());
    precision.triangularView<Eigen::StrictlyUpper>() = precision.transpose();
    rest = ConditionalCovariance(covariances_of(std::move(precision)));
    generation = belief.generation(), seen = std::ssize(belief.order());
  }
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (generation != belief.generation() || std::ssize(place) != belief.pool().size) begin(belief);
    for (; seen < std::ssize(belief.order()); ++seen) {
      Index& i = place[static_cast<size_t>(belief.order()[static_cast<size_t>(seen)])];
      if (i < 0) continue;
      rest.condition_on(i, 0);
      --left, i = -1;
    }
    if (left == 0) begin(belief);
    const Vector variance = belief.variance();
    latest = Vector::Zero(variance.size());
    for (size_t i = 0; i < some.size(); ++i) {
      const Index x = some[i];
      const double p = place[static_cast<size_t>(x)] < 0 ? 0 : rest.remaining()[Index(i)];
      const double noise = belief.pool().noise[x];
      const double gain = p > 0 ? 0.5 * std::log((variance[x] + noise) / (1 / p + noise)) : 0;
      if (gain > 0) latest[x] = gain;
    }
    return latest;
  }
  std::string reason(const StrategyInput&, Index i) const {
    return fmt::format("tells {:.3g} nats about the other candidates", latest[i]);
  }
};

int reference_rows(const Arguments& a) { return a.integer("reference", 1500, 2, 20000); }

}  // namespace

StrategyEntry information() {
  StrategyEntry e{"information",
                  "1/2 log (var(y | labels) / var(y | other candidates))",
                  "mutual information with the other candidates without a label; among 1500 of more",
                  {"reference"},
                  [](const Arguments& a) { return Strategy(CanonicalForm{reference_rows(a)}); }};
  e.reference = "krause2008";
  e.bytes = [](const Arguments& a, Index m) {
    const double r = double(std::min<Index>(reference_rows(a), m));
    return 24 * r * r;
  };
  return e;
}

}  // namespace covary::strategy
