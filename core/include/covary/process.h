// A Gaussian process: prior and posterior are the same thing with the same verbs.
//
//   Process<Row> prior(1.6 * se(1.0), zero_mean<Row>(), Noise::of(0.01));
//   Process<Row> posterior = prior.condition(x, y);
//   auto [mean, variance, clamped] = posterior.predict(at);       // of f; Of::y adds the noise
//   Matrix draws = posterior.sample(at, 20, seed);
//   auto later = posterior.condition(more_x, more_y);
//
// Immutable: copies share, and any number of threads may use one process at once.
#pragma once
#include "covary/error.h"
#include "covary/mean.h"
#include "covary/random.h"
#include "covary/shared_part.h"
#include "covary/solution.h"

namespace covary {

/// f is the function, y an observation of it (f plus noise).
enum class Of { f, y };

template <class X>
class Path;
template <class X>
class Growing;

template <class X>
class Process {
 public:
  explicit Process(Kernel<X> kernel, Mean<X> mean = {}, Noise noise = {});

  /// The process given observations y (n) at x. Repeated inputs are merged; conditioning again costs O(n^2) a
  /// row. With Noise::rows the noise belongs to the first call; later rows bring theirs with the second form.
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

  // What only a posterior has; on a prior these are empty or 0.
  Index size() const { return data_ ? data_->y.size() : 0; }               // observations
  Index distinct() const { return data_ ? data_->merged.y.size() : 0; }    // after merging
  double log_evidence() const { return data_ ? data_->log_evidence : 0; }  // log p(y), trend at its estimate
  Points<X> inputs() const { return data_ ? data_->x : Points<X>(); }      // n
  Vector observations() const { return data_ ? data_->y : Vector(0); }     // n
  Vector noise_variances() const { return data_ ? data_->variances : Vector(0); }  // n: of each observation
  LeaveOneOut leave_one_out(int threads = 0) const;
  Vector coefficients() const;  // of the trend's terms, in the user's units
  Matrix coefficient_covariance() const;
  Conditioning conditioning() const { return data_ ? data_->solution.factor.conditioning() : Conditioning{}; }
  /// What was done that the caller may want to know: merging, jitter, a noise of 0 that could not be.
  std::vector<std::string> notes() const { return data_ ? data_->notes : std::vector<std::string>{}; }

 private:
  friend class Path<X>;
  friend class Growing<X>;
  struct Data {
    explicit Data(Shared<X> s) : kernel(std::move(s)) {}
    Shared<X> kernel;       // as a column that all points share, and the rest
    Points<X> x, distinct;  // all observations, and their distinct inputs
    Vector y, variances;    // n
    Vector given;           // n: the variances as given; 0 where `estimated` took its place
    double estimated = 0;   // noise that had to be estimated from repeats although none was given
    Merged merged;
    Solution solution;
    double log_evidence = 0;
    std::vector<std::string> notes;
  };
  Batch<X> at() const { return Batch<X>(data_->distinct); }
  /// What the dense algebra sees as the kernel and as the basis: what points share is the latter's first
  /// column, with its level left to the trend if that has one.
  const Kernel<X>& rest() const { return data_ ? data_->kernel.rest : kernel_; }
  Matrix basis(Batch<X> points) const;  // m x p
  double absorbed() const { return mean_.level && data_->kernel.along ? data_->kernel.level : 0; }
  Matrix cross(Batch<X> points) const;  // n x m, in tiles
  Factor factorised(Data& data, int threads) const;
  /// Given the variance of each observation, and the factor of their covariance if that is known (it counts
  /// only if no rows are merged); `noise` is that of observations to come.
  Process conditioned(Batch<X> x, const Vector& y, const Vector& variances, const Noise& noise,
                      const Factor* known, int threads) const;
  void check_proper() const;
  void add_noise(Eigen::Ref<Vector> variance, Of of) const;

  Kernel<X> kernel_;
  Mean<X> mean_;
  Noise noise_;
  std::shared_ptr<const Data> data_;
};

/// A draw from a process as a function. Immutable, like the process.
template <class X>
class Path {
 public:
  Vector operator()(Batch<X> at) const;

 private:
  friend class Process<X>;
  Path(Process<X> process, FeatureMap<X> features, Vector weights)
      : process_(std::move(process)), features_(std::move(features)), weights_(std::move(weights)) {}
  Process<X> process_;
  FeatureMap<X> features_;
  Vector weights_;       // of the features
  Vector alpha_, beta_;  // of the data's correction
};

extern template class Process<Row>;
extern template class Path<Row>;

}  // namespace covary

#include "covary/process_impl.h"
