// The posterior density of the parameters of an expensive likelihood, by a Gaussian process of its logarithm.
//
// A process f of the log likelihood was fitted to the few values that are known [kandasamy2015]. With the log prior,
// at points x_1, ..., x_m that each stand for a volume w_i (the cells of a grid, or points drawn from a density q with
// w_i = 1/(m q(x_i))):
//
//   l_i = E f(x_i) + log prior(x_i)       log evidence  log Z = log sum_i w_i exp(l_i)
//   density_i = exp(l_i)/Z                mass_i = w_i density_i
//
// Estimates are those of the process's mean. Their intervals come from joint draws of f at up to 1000 of the points:
// for each draw log Z and every expectation are computed again, and an interval holds `percent` of them. Where the
// process is uncertain an estimate can lie outside of it, on the low side for log Z: more likelihoods are needed.
//
// A log likelihood of -infinity is a probability of zero. The process cannot hold one: such parameters are given as
// `impossible`, and a point that is nearer to one of them than to any row of the model (in units of the ranges) has
// density 0.
//
//   PosteriorDensity p = grid_density(model, prior, 101);
//   p.log_evidence().value, p.mean(), p.covariance(), p.sample(1000, seed)
#pragma once
#include "covary/design/parameter_prior.h"
#include "covary/model/fitted_model.h"

namespace covary {

struct DensityOptions {
  bool joint = false;                // the model is of log likelihood + log prior: no prior is added
  Matrix impossible = Matrix(0, 0);  // q x d: parameters whose log likelihood is -infinity
  Index draws = 200;                 // of f, for the intervals
  double percent = 95;
  std::uint64_t seed = 1;
  int threads = 0;
};

/// An estimate, and its interval under the process.
struct IntervalEstimate {
  double value = 0, lower = 0, upper = 0;
};

class PosteriorDensity {
 public:
  /// At points (m x d) that stand for volumes exp(log_volume) (m). `step` (d): points are the middles of cells of that
  /// size, which samples are drawn from; empty: they are the points themselves. O(m n^2), and k^3/3 + k^2 (n + draws)
  /// for the draws at k points. Throws Problem::usage for a linear model or a transformed target, Problem::numerical if
  /// every point has density 0.
  PosteriorDensity(const FittedModel& model, std::vector<ParameterPrior> prior, Matrix points,
                   Vector log_volume, Vector step, const DensityOptions& options = {});

  const std::vector<ParameterPrior>& prior() const { return prior_; }
  const Matrix& points() const { return points_; }        // m x d
  const Vector& log_joint() const { return log_joint_; }  // m: l; -infinity where the density is 0
  const Vector& sd() const { return sd_; }                // m: of f
  Vector density() const;                                 // m
  const Vector& mass() const { return mass_; }            // m: sums to 1
  /// m: the density for f that many sds from its mean, log Z as it is.
  Vector density_at(double sds) const;
  bool on_grid() const { return step_.size() > 0; }
  double percent() const { return options_.percent; }

  IntervalEstimate log_evidence() const;
  /// E g from g at the points (m).
  IntervalEstimate expectation(const Vector& values) const;
  Vector mean() const;                                       // d
  Matrix covariance() const;                                 // d x d
  std::vector<IntervalEstimate> means() const, sds() const;  // d
  /// count x d, points drawn with their mass, uniform over their cell of a grid.
  Matrix sample(Index count, std::uint64_t seed) const;
  /// 1/sum mass^2: so many points of equal mass would be as informative.
  double effective_points() const;
  /// Warnings: mass on the border of a range, few points with mass, wide intervals.
  std::vector<std::string> notes() const;

 private:
  void draw(const FittedModel& model);
  Vector draws_of(const Vector& values) const;
  IntervalEstimate estimate(double value, const Vector& draws) const;

  std::vector<ParameterPrior> prior_;
  DensityOptions options_;
  Matrix points_;
  Vector step_, log_joint_, log_volume_, sd_, mass_;
  double log_evidence_ = 0;
  std::vector<Index> drawn_;  // k: the points of the draws
  Vector share_;              // k: of the mass, that each stands for
  Matrix tilt_;       // k x draws: mass of draw over mass of the estimate, not normalized, over exp(top)
  Vector log_ratio_;  // draws: log Z of the draw - log Z
};

/// On a grid with `count` points along every parameter that is not held, ends included (the trapezoidal rule): up to a
/// million points.
PosteriorDensity grid_density(const FittedModel& model, const std::vector<ParameterPrior>& prior,
                              const std::vector<Index>& count, const DensityOptions& options = {});

/// On about `count` points drawn from the estimate by adaptive importance sampling: for more than three parameters.
PosteriorDensity sampled_density(const FittedModel& model, const std::vector<ParameterPrior>& prior,
                                 Index count, const DensityOptions& options = {});

namespace internal {
/// m: whether a point is nearer to an impossible one than to any possible one, with columns in units of `ranges` (d; 0:
/// the column does not count). Ties are impossible. m (n + q) d flops.
std::vector<bool> beyond_barrier(const Rows& points, const Rows& possible, const Rows& impossible,
                                 const Vector& ranges);
/// d: from the least to the largest value of each column.
Vector ranges_of(const Rows& x);
}  // namespace internal

}  // namespace covary
