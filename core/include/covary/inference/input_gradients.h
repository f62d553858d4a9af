// Gradients of a posterior's mean and variance with respect to the input x, over rows of numbers.
//
// Exact and inducing posteriors are sums over n centers c (the distinct inputs, or the inducing points):
//
//   mean(x)         = known(x) + alpha' k(c, x) + beta' f(x)
//   cov(f(t), f(x)) = k(t, x) - lambda(t)' k(c, x) + q(t)' f(x)
//
// with lambda(t) the kriging weights (n) and q(t) the multipliers of the trend (p), so that
//
//   grad mean(x) = grad known + sum_j alpha_j grad k(x, c_j) + beta' grad f
//   grad var(x)  = grad k(x, x) - 2 sum_j lambda_j(x) grad k(x, c_j) + 2 q(x)' grad f
//
// n^2 + n d flops a point. The gradients of k(x, x) and of the trend are central differences of order six, exact for
// polynomials up to degree six. Where the kernel has a kink, as matern12 at a center, the gradient is that of the two sides' mean.
#pragma once
#include <memory>

#include "covary/process/process.h"

namespace covary {

/// m x d each: of the mean and of the variance of f at m rows.
struct InputGradients {
  Matrix mean, variance;
};

/// Throws Problem::usage for a posterior that is neither exact nor inducing, or a prior whose trend is unknown, and
/// Problem::numerical where the trend has no gradient.
InputGradients input_gradients(const Process<Row>& process, const Rows& at, int threads = 0);

namespace internal {

/// A process made ready for gradients at many rows: n^2 flops once, of an inducing posterior n m^2.
class PosteriorSlopes {
 public:
  explicit PosteriorSlopes(const Process<Row>& process);

  /// lambda (n x m) and q (p x m) of m rows.
  struct Weights {
    Matrix lambda, q;
  };
  Weights weights(const Rows& t) const;

  /// Mean and variance at one row and their gradients (d).
  struct Point {
    double mean = 0, variance = 0;
    Vector mean_slopes, variance_slopes;
  };
  Point point(const Rows& x) const;
  InputGradients gradients(const Rows& at) const;

  /// cov(f(t_i), f(x_j)): |t| x m. `of_t`: weights(t).
  Matrix covariance(const Rows& t, const Weights& of_t, const Rows& x) const;
  /// d: sum_i w_i grad cov(f(t_i), f(x)) at one row x.
  Vector covariance_slopes(const Rows& t, const Weights& of_t, const Rows& x, const Vector& w) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// 6 d rows around x and, from values there (6 d x c), their slopes at x (d x c): central differences of order six
/// with the step h_c (d) in column c.
Matrix difference_points(const Rows& x, const Vector& h);
Matrix difference_slopes(const Matrix& values, const Vector& h);
/// Steps for difference_points: a thousandth of each column's spread, as a power of two.
Vector difference_steps(const Rows& x);

}  // namespace internal

}  // namespace covary
