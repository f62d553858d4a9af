// Where to evaluate an expensive log likelihood, so that few evaluations give its posterior density: ask, tell.
//
//   PosteriorSearch search({{"a", -5, 5}, {"b", -5, 5}}, 60);
//   while (search.left() > 0) search.tell(log_likelihood(search.ask()));
//   PosteriorDensity p = search.density();
//
// The first parameters are quasi-random (a shifted Halton sequence). From then on a Gaussian process is fitted to
// log likelihood + log prior, and each next point is the best of some candidates by a query strategy: half of these
// are quasi-random over the ranges, half near the evaluated points of largest log density. One in five is the next
// quasi-random one whatever the strategy: the process may wrongly exclude another mode.
// Hyper-parameters are fitted again whenever the number of evaluations has grown by a tenth; between, they are kept.
//
// Log densities that lie D > tail below the largest are fitted as if they lay tail (1 + log(D / tail)) below it: there
// the density is nearly 0 anyway, and log likelihoods of minus thousands would dominate the fit.
//
// In many dimensions most of the ranges are tails, where a log density falls like a parabola: from three
// parameters on its trend is a second-degree polynomial, as soon as there are more evaluations than coefficients.
//
// A log likelihood of -infinity is allowed: the point is kept out of the regression, and what is nearer to it than to
// any possible point is not asked for any more and has density 0.
#pragma once
#include <functional>
#include <optional>

#include "covary/base/random.h"
#include "covary/design/posterior_density.h"

namespace covary {

struct PosteriorSearchOptions {
  std::string strategy = "expected-divergence";  // any for numbers
  std::string kernel = "se()";                   // of the log density
  std::string mean = "auto";  // its trend: "constant", from three parameters on "polynomial(degree=2)"
  double noise = 1e-6;        // variance of a log likelihood; NaN: fitted, for likelihoods that are simulated
  double tail = 30;           // below the largest by more, log densities are compressed; infinite: not
  Index start = 0;            // quasi-random points; 0: 5 for each parameter
  Index candidates = 1000;
  std::uint64_t seed = 1;
  int threads = 0;
};

class PosteriorSearch {
 public:
  /// Throws Problem::usage for a budget of 0 and for ranges without volume.
  PosteriorSearch(std::vector<ParameterPrior> prior, Index budget, PosteriorSearchOptions options = {});

  Index left() const { return budget_ - std::ssize(log_likelihoods_); }
  /// d: the next parameters; the same until told.
  Vector ask();
  /// Their log likelihood. Throws Problem::data for NaN and +infinity, naming the evaluation; then nothing has changed.
  void tell(double log_likelihood);
  /// The evaluated parameters (n x d) and their log likelihoods (n), in order.
  Matrix evaluated() const;
  Vector log_likelihoods() const;

  /// The process of the log joint density, compressed. Throws Problem::data with fewer than two finite log likelihoods.
  const FittedModel& model();
  /// On a grid for up to two parameters (401, 101 x 101 points), else on 10000 points of sampled_density.
  PosteriorDensity density(DensityOptions options = {});

 private:
  Vector chosen();
  Matrix candidates();
  std::vector<Index> possible(const Matrix& points);  // those that are not nearer to an impossible one

  std::vector<ParameterPrior> prior_;
  Index budget_;
  PosteriorSearchOptions options_;
  Random rng_;
  std::vector<Vector> asked_;
  std::vector<double> log_likelihoods_;
  std::optional<Vector> next_;
  std::optional<FittedModel> model_, latest_;  // given all values; at the latest fit
  Index fitted_ = 0;                           // finite values at the latest fit
  double top_ = 0;                             // the largest of them
  Index spread_ = 0;                           // quasi-random points so far
};

/// The whole search: `budget` calls of log_likelihood, then the density.
PosteriorDensity estimate_posterior(const std::function<double(const Vector&)>& log_likelihood,
                                    const std::vector<ParameterPrior>& prior, Index budget,
                                    const PosteriorSearchOptions& options = {},
                                    const DensityOptions& density = {});

}  // namespace covary
