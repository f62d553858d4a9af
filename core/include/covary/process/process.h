// A Gaussian process: prior and posterior are the same thing with the same verbs.
//
//   Process<Row> prior(1.6 * se(1.0), zero_mean<Row>(), Noise::of(0.01));
//   Process<Row> posterior = prior.condition(x, y);
//   Marginals f = posterior.predict(at);                          // mean and variance; Of::y adds the noise
//   Matrix draws = posterior.sample(at, 20, seed);
//   auto later = posterior.condition(more_x, more_y);
//
// condition is exact; inference/inference.h has the other ways to a posterior. Immutable: copies share, and
// any number of threads may use one process at once.
#pragma once
#include <optional>

#include "covary/process/dense_posterior.h"
#include "covary/process/noise.h"

namespace covary {

/// Observations of a process.
template <class X>
struct Observations {
  Points<X> x;       // n
  Vector y;          // n
  Vector variances;  // n: the noise of each, as it was given
};

/// A draw from a process as a function. Immutable, like the process.
template <class X>
class Path {
 public:
  explicit Path(typename Posterior<X>::Function f) : f_(std::move(f)) {}
  Vector operator()(Batch<X> at) const { return f_(at); }

 private:
  typename Posterior<X>::Function f_;
};

template <class X>
class Process {
 public:
  explicit Process(Kernel<X> kernel, Mean<X> mean = {}, Noise noise = {});
  /// `prior` given observations, as some inference found it to be. `noise` is that of observations to come.
  Process(const Process& prior, Observations<X> data, Posterior<X> posterior, Noise noise);
  Process(const Process& prior, std::shared_ptr<const Observations<X>> data, Posterior<X> posterior,
          Noise noise);

  /// The process given observations y (n) at x. Repeated inputs are merged; conditioning again costs O(n^2) a
  /// row. With Noise::rows the noise belongs to the first call; later rows bring theirs with the second form.
  /// A prior is conditioned exactly, a posterior by the inference that made it.
  Process condition(Batch<X> x, const Vector& y, int threads = 0) const;
  Process condition(Batch<X> x, const Vector& y, const Noise& noise, int threads = 0) const;

  Vector mean(Batch<X> at, int threads = 0) const;                       // m
  Vector variance(Batch<X> at, Of of = Of::f, int threads = 0) const;    // m
  Marginals predict(Batch<X> at, Of of = Of::f, int threads = 0) const;  // in blocks: bounded memory
  Gaussian joint(Batch<X> at, Of of = Of::f, int threads = 0) const;     // of m components
  Matrix sample(Batch<X> at, Index draws, std::uint64_t seed, Of of = Of::f) const;  // m x draws
  /// One draw of f as a function, to be evaluated anywhere later. Approximate: the prior part is made of
  /// `features` random features (covariance error about 1/sqrt(features)); the pull of the data is exact.
  Path<X> path(std::uint64_t seed, Index features = 2048) const;

  const Kernel<X>& kernel() const { return kernel_; }
  const Noise& noise() const { return noise_; }
  const Mean<X>& trend() const { return mean_; }

  /// The noise of observations to come. Throws Problem::usage unless one variance is known for all.
  Noise noise_of_new() const;

  // What only a posterior has; on a prior these are empty or 0.
  const std::optional<Posterior<X>>& posterior() const { return posterior_; }
  Index size() const { return data_ ? data_->y.size() : 0; }  // observations
  Index distinct() const { return report().distinct; }        // after merging
  double log_evidence() const { return posterior_ ? posterior_->log_evidence() : 0; }
  Points<X> inputs() const { return data_ ? data_->x : Points<X>(); }   // n
  Vector observations() const { return data_ ? data_->y : Vector(0); }  // n
  Vector noise_variances() const;                                       // n: of each observation
  LeaveOneOut leave_one_out(int threads = 0) const;
  Vector coefficients() const { return trend_estimate().coefficients; }  // of the trend, in the user's units
  Matrix coefficient_covariance() const { return trend_estimate().covariance; }
  Conditioning conditioning() const { return report().conditioning; }
  InferenceReport report() const { return posterior_ ? posterior_->report() : InferenceReport{}; }
  /// Notes on the conditioning: merging, jitter, a noise of 0 that had to be estimated.
  std::vector<std::string> notes() const { return report().notes; }

 private:
  TrendEstimate trend_estimate() const { return posterior_ ? posterior_->trend() : TrendEstimate{}; }
  void check_proper() const;

  Kernel<X> kernel_;
  Mean<X> mean_;
  Noise noise_;
  std::shared_ptr<const Observations<X>> data_;
  std::optional<Posterior<X>> posterior_;
};

extern template class Process<Row>;

}  // namespace covary

#include "covary/process/process_impl.h"
