// A zero-mean process in parameters of the caller's choosing: some share a value, some are part of the noise, and
// several targets are fitted at once. A kernel that includes noise (as in other packages) becomes one of these.
//
//   theta of the kernel = theta.offset + theta.map t,   noise = sum exp(noise.offset + noise.map t)
//   L(t) = sum over the columns of y of log N(y_j; 0, K + diag(noise + variances))
//
// Nothing is merged, scaled or raised: a covariance that is not positive definite has the value -infinity.
#pragma once
#include <optional>

#include "covary/inference/evidence.h"
#include "covary/learn/minimize.h"

namespace covary::internal {

/// offset + map t: q values from p parameters.
struct Affine {
  Vector offset;  // q
  Matrix map;     // q x p
  Vector at(const Vector& t) const { return offset + map * t; }
};

/// A kernel and a noise in other parameters.
struct Reparametrized {
  Kernel<Row> kernel;
  Affine theta;  // the kernel's theta
  Affine noise;  // logarithms of the parts of the noise variance; of no rows: none
  Kernel<Row> kernel_at(const Vector& t) const { return kernel.with(theta.at(t)); }
  double noise_at(const Vector& t) const { return noise.at(t).array().exp().sum(); }
};

/// Throws Problem::usage unless the sizes of the maps fit each other and the kernel.
void check_reparametrized(const Reparametrized& tied);

/// n observations of each of m targets, borrowed.
struct ReparametrizedData {
  Rows x;                   // n x d
  const Matrix& y;          // n x m
  const Vector& variances;  // n: known noise
};

/// L as a function of t; its gradient is 0 where L is -infinity. n^3 flops with the gradient. Borrows both.
class ReparametrizedEvidence final : public Objective {
 public:
  ReparametrizedEvidence(const Reparametrized& tied, const ReparametrizedData& data);
  Evaluation at(const Vector& t, bool gradient = true, int threads = 1) override;

 private:
  const Reparametrized& tied_;
  ReparametrizedData data_;
  NormalEvidence evidence_;
};

/// Some rows of n, at most 120, at irregular distances: the same ones each time.
std::vector<Index> scattered_rows(Index n);

/// Of a kernel with a period to learn: starts at the periods where L is greatest on these few rows, the other
/// parameters as in `start` or with longer length-scales. Else none.
std::vector<Vector> period_starts(const Reparametrized& tied, const ReparametrizedData& data,
                                  const Vector& start, const Vector& lower, const Vector& upper, int threads);

/// The t of the greatest L in lower <= t <= upper, from `start` and, on a few rows first, from period_starts;
/// Minimum::value is -L. `stop` is asked before every evaluation.
Minimum maximize(const Reparametrized& tied, const ReparametrizedData& data, const Vector& start,
                 const Vector& lower, const Vector& upper, int threads,
                 const std::function<bool()>& stop = {});

/// Kernel, noise and points with the factor of their covariance.
struct ReparametrizedPosterior {
  Kernel<Row> kernel;
  double noise = 0;  // of observations to come
  Matrix x;          // n x d
  Factor factor;     // of K + diag(noise + variances)
  Matrix alpha;      // n x m: K^-1 y

  Matrix mean(const Rows& at, int threads = 0) const;  // of each target: points x m
  /// Means, and the variance that every target has there; with the noise. In blocks: bounded memory.
  std::pair<Matrix, Vector> marginals(const Rows& at, int threads = 0) const;
  /// Means, and the covariance of the points: with the noise.
  std::pair<Matrix, Matrix> joint(const Rows& at, int threads = 0) const;
};

/// Nothing if the covariance is not positive definite.
std::optional<ReparametrizedPosterior> posterior(const Reparametrized& tied, const ReparametrizedData& data,
                                                 const Vector& t, int threads);

}  // namespace covary::internal
