// The log marginal likelihood and the leave-one-out score of a kernel on data, with their gradients.
//
//   L = log N(y; m, K + noise) = -1/2 r'alpha - 1/2 log|K + noise| - n/2 log 2 pi,  r = y - m, trend at its
//   estimate dL/dtheta = sum_ij G_ij dK_ij/dtheta,  G = (alpha alpha' - K^-1)/2
//
// One n x n matrix is all that is kept; the kernel's derivatives are contracted tile by tile (n^3 flops in
// all).
#pragma once
#include "covary/process.h"

namespace covary {

enum class Objective { evidence, leave_one_out };

/// What a set of parameters is worth.
struct Evaluation {
  double value =
      -std::numeric_limits<double>::infinity();  // log density; -infinity where K is not positive definite
  Vector gradient;                               // theta of the kernel, then log noise if it is learned
  double misfit = 0;                             // r'alpha, where it is known
};

/// The observations as the objective sees them.
struct Target {
  Merged data;
  Matrix basis;              // m x p of the trend
  bool learn_noise = false;  // then data.noise is 1/repeats, to be multiplied by the variance
};

/// Value, and gradient unless told not to, for the covariance `gram` and a learned noise variance. `work` is
/// scratch of the size of the data, kept by the caller between calls.
Evaluation evaluate(const Gram& gram, const Target& target, double noise_variance, Objective objective,
                    bool gradient, Matrix& work, int threads);

/// A kernel, trend and noise on data, as a function of theta = (kernel's theta, log noise if it is learned).
template <class X>
class Evidence {
 public:
  Evidence(Kernel<X> kernel, Mean<X> mean, const Noise& noise, Batch<X> x, const Vector& y,
           Objective objective = Objective::evidence);

  Index parameters() const { return kernel_.theta().size() + (target_.learn_noise ? 1 : 0); }
  Index size() const { return target_.data.y.size(); }  // rows after merging
  const Target& target() const { return target_; }
  Batch<X> points() const { return Batch<X>(x_); }
  /// `work` may be shared between calls that do not overlap.
  Evaluation at(const Vector& theta, Matrix& work, bool gradient = true, int threads = 1) const;

 private:
  Kernel<X> kernel_;
  Objective objective_;
  Points<X> x_;  // distinct
  Target target_;
};

template <class X>
Evidence<X>::Evidence(Kernel<X> kernel, Mean<X> mean, const Noise& noise, Batch<X> x, const Vector& y,
                      Objective objective)
    : kernel_(std::move(kernel)), objective_(objective) {
  check_sizes(count(x), y.size());
  std::vector<Index> alike = first_alike(x);
  const bool exact = noise.kind == Noise::Kind::given && noise.variance == 0;
  if (objective == Objective::leave_one_out && !exact)
    std::iota(alike.begin(), alike.end(), Index{0});  // one row at a time; exact repeats together
  target_.learn_noise = noise.kind == Noise::Kind::learned;
  const Vector variances = target_.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
  target_.data = merge(alike, y - mean.known_at(x), variances);
  x_ = pick(x, target_.data.rows);
  target_.basis = mean.centred_on(points()).basis_at(points());
}

template <class X>
Evaluation Evidence<X>::at(const Vector& theta, Matrix& work, bool gradient, int threads) const {
  const Index p = kernel_.theta().size();
  const double noise = target_.learn_noise ? std::exp(theta[p]) : 0;
  return evaluate(gram<X>(kernel_.with(theta.head(p)), points()), target_, noise, objective_, gradient, work,
                  threads);
}

extern template class Evidence<Row>;

}  // namespace covary
