// Length-scales and the scaled squared distances of blocks of rows, for all stationary kernels.
#pragma once
#include "covary/kernels/kernel.h"

namespace covary {

/// Either not given (size 0), one for all columns (size 1), or one for each column (size d).
struct Lengthscale {
  Vector values;

  static Lengthscale checked(const std::string& kernel, Vector values);  // throws unless positive and finite
  Lengthscale sized(Rows x) const;                                       // not given: d unknown ones
  Vector theta() const;                                                  // logarithms; NaN where unknown
  std::vector<Parameter> parameters() const;
  /// d: 1/lengthscale^2 for each column. Throws if there are neither 1 nor d of them.
  Vector weights(Index d) const;
  /// Logarithm of a typical distance along each column (times sqrt d), or overall when one serves all.
  Vector start(Rows x) const;
};

/// na x nb: s_ij = sum_k weight_k (a_ik - b_jk)^2.
Matrix squared_distances(Rows a, Rows b, const Vector& weights);

/// d: sum_ij h_ij (a_ik - b_jk)^2.
Vector weighted_squares(Rows a, Rows b, const Matrix& h);

/// na x d: sum_j h_ij (b_jk - a_ik). One product of na x nb by nb x (d + 1): 2 na nb d flops.
Matrix weighted_differences(Rows a, Rows b, const Matrix& h);

/// x <- exp(x), fast; and sin(pi x), log(1 + x). Each entry's bits do not depend on its place.
void exp_in_place(Eigen::Ref<Vector> x);
inline void exp_in_place(Matrix& x) { exp_in_place(Eigen::Map<Vector>(x.data(), x.size())); }
Matrix sin_pi(Matrix x);
Matrix log1p(Matrix x);

/// na x nb: (a_ik - b_jk)/unit for one column k.
Matrix differences(Rows a, Rows b, Index k, double unit);

/// A typical spread of each column: its standard deviation, or 1 for a constant column.
Vector column_spread(Rows x);

/// na x nb: sum_k weight_k a_ik b_jk, each entry summed in the same order whatever the block.
Matrix inner_products(Rows a, Rows b, const Vector& weights);

/// sqrt(2/m) cos(x frequencies' + phase), frequencies m x d: random Fourier features of a stationary kernel.
/// A row's bits do not depend on the block.
FeatureMap<Row> fourier_features(Matrix frequencies, Random& rng);

/// m features that `draw(d, rng)` makes when it is first seen that points have d columns; they are kept.
FeatureMap<Row> drawn_once(Index m, std::uint64_t seed,
                           std::function<FeatureMap<Row>(Index d, Random& rng)> draw);

}  // namespace covary
