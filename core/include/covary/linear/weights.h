// Bayesian linear regression in weight space: the posterior of the weights w in y = Phi w + e.
//
//   Weights prior(WeightPrior::isotropic(3, 10.0), NoisePrior::known(0.25));
//   Weights posterior = prior.condition(phi, y);                 // again Weights: further rows may follow
//   posterior.mean(), posterior.sd(), posterior.predict(phi_new, Of::y)
//   Weights line = least_squares(phi, y);                        // nothing known before: w flat, noise
//   unknown
//
// Kept as a triangle: noise * precision of w = R'R, R w = z. Flat weights (an improper prior) and rows one at
// a time are no special cases. For fewer rows than weights the same results come from function space, at the
// cost of the rows (Woodbury identity). With the noise unknown, the prior is conjugate: w given the noise is
// normal with a covariance in units of the noise variance, 1/noise is gamma, and predictions are Student's t.
#pragma once
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "covary/algebra/qr_triangle.h"
#include "covary/gaussian/gaussian.h"
#include "covary/process/process.h"

namespace covary {

class Dual;

/// w ~ N(mean, covariance). In units of y, or with the noise variance as unit if that is unknown.
struct WeightPrior {
  Vector mean;    // N
  Vector sd;      // N: the covariance is diagonal; infinity: flat, nothing is known of that weight
  Matrix factor;  // or N x N lower: covariance = factor factor'

  Index size() const { return mean.size(); }
  bool is_flat(Index weight) const { return factor.size() == 0 && std::isinf(sd[weight]); }
  std::vector<Index> flat_weights() const;
  std::vector<Index> proper_weights() const;

  static WeightPrior flat(Index n);
  static WeightPrior isotropic(Index n, double variance);
  /// One variance for each weight; infinity: flat.
  static WeightPrior each(const Vector& variances);
  /// Throws Problem::numerical, with the eigenvalue that shows it, unless the covariance is positive
  /// definite.
  static WeightPrior full(Vector mean, const Matrix& covariance);
};

/// The prior of the variance of e: a known value, or 1/variance ~ Gamma(shape, rate); 0 and 0: improper.
struct NoisePrior {
  double variance = 0;  // 0: unknown
  double shape = 0, rate = 0;

  static NoisePrior known(double variance);
  static NoisePrior unknown() { return {}; }
  static NoisePrior gamma(double shape, double rate);
  bool is_known() const { return variance > 0; }
};

/// The treatment of directions of w that neither prior nor rows determine.
enum class Undetermined {
  minimum_norm,  // the smallest w of all that fit; predictions that depend on them have infinite variance
  error          // Problem::data
};

/// Weights: O(n N^2). Functions: O(n^2 (N + n)), for rows that come all at once.
enum class Side { automatic, weights, functions };

struct ConditionOptions {
  double forget = 1;            // each row multiplies the weight of all before it, the prior too, by this
  Side side = Side::automatic;  // the cheaper one
  enum class By {
    automatic,
    reflections,
    normal_equations
  } by = By::automatic;  // the algorithm in weight space
  int threads = 0;       // 0: all
};

class Weights {
 public:
  explicit Weights(const WeightPrior& prior, NoisePrior noise = NoisePrior::unknown(),
                   Undetermined undetermined = Undetermined::minimum_norm);

  /// Given rows Phi (n x N) and y (n). 2 n N^2 flops by reflections; n N^2 by the normal equations, which are
  /// taken (By::automatic) from 200 weights on, if the reciprocal condition of the scaled matrix is above
  /// 1e-6. Few rows, or forgetting, by rotations: O(N^2) each. In function space, with more
  /// weights that have a prior than rows. how() says which it was.
  Weights condition(const Rows& phi, const Vector& y, const ConditionOptions& options = {}) const;
  /// The same for rows that are made when they are wanted.
  Weights condition(const internal::RowBlocks& phi, const Vector& y,
                    const ConditionOptions& options = {}) const;

  Index size() const { return prior_.size(); }  // N
  double rows() const { return rows_; }         // number of rows; with forgetting, their total weight
  Index rank() const;                           // directions of w that are determined
  std::vector<Index> undetermined() const;      // the weights that are not
  bool determines(const std::vector<Index>& which) const;  // whether all of these are
  const std::string& how() const { return how_; }          // the algorithm: "reflections, refined"

  double noise_variance() const;  // known, or its estimate; NaN if the rows are too few
  double freedom() const;         // of Student's t; infinity if the noise is known
  Vector mean() const;            // N: also the most probable w
  Matrix covariance() const;      // N x N; of Student's: the squared scale. Infinite where not determined
  Vector sd() const;              // N: roots of its diagonal
  Matrix intervals(double percent) const;  // N x 2: where each weight lies with so many percent
  /// Of the weights `which`, in that order, given the noise at its estimate. Throws Problem::data unless they
  /// are determined.
  Gaussian marginal(const std::vector<Index>& which) const;
  /// 1/2 log |covariance|: the log volume of the credible region of w. It contracts as rows arrive.
  double log_volume() const;

  Marginals predict(const Rows& phi, Of of = Of::f) const;  // of Student's: the squared scale
  Gaussian joint(const Rows& phi, Of of = Of::f) const;     // given the noise at its estimate
  Matrix sample(Index draws, std::uint64_t seed) const;     // N x draws, of w; the noise drawn too if unknown
  Matrix sample(const Rows& phi, Index draws, std::uint64_t seed, Of of) const;  // m x draws, of lines

  /// log p(y); flat weights and an unknown noise at their estimates, as in the evidence of a
  /// process. NaN after forgetting.
  double log_evidence() const;
  /// Of the rows it was conditioned on, in closed form: n N^2 flops.
  LeaveOneOut leave_one_out(const internal::RowBlocks& phi, const Vector& y, int threads = 0) const;

  const WeightPrior& prior() const { return prior_; }
  bool on_side_of_functions() const { return dual_ != nullptr; }

 private:
  struct Answer;
  struct Draws;
  const Answer& answer() const;
  internal::Triangle rows_so_far() const;
  void refine(const Rows& phi, const Vector& y);
  Weights forgetting(const Rows& phi, const Vector& y, double factor) const;
  Weights with_functions(const Rows& phi, const Vector& y, int threads) const;
  Weights with_weights(const internal::RowBlocks& phi, const Vector& y,
                       const ConditionOptions& options) const;
  Weights taken(Index rows) const;
  void place_shift(const Matrix& first_rows);
  Matrix shifted(const Rows& phi) const;
  internal::RowBlocks shifted(const internal::RowBlocks& phi) const;
  Matrix unshifted(const Matrix& r) const;
  double rest() const;                            // residual sum of squares of the best w, plus 2 rate
  Matrix half(const Rows& phi) const;             // columns with the covariances of phi w as inner products
  Marginals unit_predict(const Rows& phi) const;  // for a noise of 1
  Draws draw(Random& rng, Index draws) const;     // of w and the noise

  WeightPrior prior_;
  NoisePrior noise_;
  Undetermined undetermined_;
  std::shared_ptr<const internal::Triangle>
      triangle_;                      // of prior and rows in units of the noise; none before any
  std::shared_ptr<const Dual> dual_;  // or this
  // A constant feature without a prior takes up the offset of the others: the triangle is that of
  // phi_j - shift_j phi_level, whose weights are those of phi but for the level's. No digits go to offsets.
  Index level_ = -1;
  Vector shift_;                   // N
  double rest_ = 0;                // of the triangle, or the dual
  double rows_ = 0, counted_ = 0;  // counted: 2 shape + rows
  bool forgot_ = false;
  std::string how_ = "the prior";
  std::shared_ptr<Answer> answer_;  // found when it is first asked for
};

/// The least squares: every weight flat, the noise unknown. To full accuracy: refined with residuals of twice
/// the precision if Phi has up to a million entries.
Weights least_squares(const Rows& phi, const Vector& y,
                      Undetermined undetermined = Undetermined::minimum_norm);

}  // namespace covary
