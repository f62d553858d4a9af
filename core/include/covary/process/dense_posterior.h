// The exact posterior, by one Cholesky factor of the covariance of the observations: n^3/3 flops, n^2 doubles.
//
// Repeated inputs are merged first (repeats.h), and the common offset of the kernel becomes a column
// of the basis (common_offset.h); solution.h has the algebra.
#pragma once
#include <optional>

#include "covary/kernels/common_offset.h"
#include "covary/kernels/kernel_gram.h"
#include "covary/kernels/on_device.h"
#include "covary/process/posterior.h"

namespace covary {

template <class X>
class DensePosterior {
 public:
  /// Given y (n) at x with these noise variances (n). `known`: the factor of their covariance, which counts
  /// only if no rows are merged. `place`: where it is factored; null: here.
  DensePosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                 const Vector& variances, int threads, const Factor* known = nullptr,
                 std::shared_ptr<const internal::Place> place = {});

  /// The same from the state of a posterior of the same data: n^2 flops.
  DensePosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                 const Vector& variances, int threads, const PosteriorState& state);

  Vector mean(Batch<X> at, int threads) const;
  Marginals marginals(Batch<X> at, int threads) const;  // in blocks: bounded memory
  Gaussian joint(Batch<X> at, int threads) const;
  double log_evidence() const { return data_->log_evidence; }  // the trend at its estimate
  InferenceReport report() const;

  LeaveOneOut leave_one_out(int threads) const;
  TrendEstimate trend() const;
  /// O(n^2) for each new row whose input is new.
  DensePosterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const;
  typename Posterior<X>::Function pathwise(const typename Posterior<X>::Function& draw, Random& rng) const;
  const Mean<X>& basis_mean() const { return data_->mean; }
  PosteriorState state() const { return {data_->solution.factor, !data_->kernel.along}; }

 private:
  struct Data {
    Data(Kernel<X> k, Mean<X> m, internal::CommonOffset<X> s)
        : whole(std::move(k)), mean(std::move(m)), kernel(std::move(s)) {}
    Kernel<X> whole;                   // the kernel as given
    Mean<X> mean;                      // in a basis centered on the inputs
    internal::CommonOffset<X> kernel;  // as a column that all points share, and the rest
    Points<X> x, distinct;             // all observations, and their distinct inputs
    Prepared<X> prepared;              // these, by kernel.rest
    Vector y, variances;               // n
    Vector given;                      // n: the variances as given; 0 where `estimated` took its place
    double estimated = 0;              // noise that had to be estimated from repeats although none was given
    internal::MergedRows merged;
    internal::Solution solution;
    double log_evidence = 0;
    std::vector<std::string> notes;
    std::shared_ptr<const internal::Place> place;

    /// What predictions at these points are computed from where the factor is; null: from blocks made here.
    std::shared_ptr<const internal::ProgramOnPoints> program(Batch<X> points) const {
      return solution.factor.remote() ? internal::program_at<X>(place, kernel.rest, points) : nullptr;
    }
    Batch<X> at() const { return Batch<X>(distinct); }
    internal::Gram gram() const {  // of the distinct inputs
      internal::Gram all = covary::gram(prepared);
      all.place = place, all.program = internal::program_at<X>(place, kernel.rest, at());
      return all;
    }
    /// What the dense algebra sees as the basis: what points share is its first column, with its level left
    /// to the trend if that has one.
    Matrix basis(Batch<X> points) const;  // m x p
    double absorbed() const { return mean.level && kernel.along ? kernel.level : 0; }
    Prepared<X> ready(Batch<X> points) const { return kernel.rest.prepare(points); }
    Matrix cross(const Prepared<X>& points) const;  // n x m, in tiles
  };
  explicit DensePosterior(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  /// Merges, factors and solves; `before` is what it grows from.
  static std::shared_ptr<const Data> solved(Data data, const Data* before, const PosteriorState* known,
                                            int threads);
  static Factor factorized(Data& data, const Data* before, int threads);

  std::shared_ptr<const Data> data_;
};

extern template class DensePosterior<Row>;

}  // namespace covary

#include "covary/process/dense_posterior_impl.h"
