// A model ready to be asked, whatever it is: a process or a regression, in the units of y.
#pragma once
#include <variant>

#include "covary/linear/linear_regression.h"
#include "covary/predictive/prediction.h"
#include "covary/process/process.h"

namespace covary {

class Predictor {
 public:
  /// Of transform(y) / scale.
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  Predictor(Process<Row> process, double scale = 1, Transform transform = {})
      : model_(std::move(process)), scale_(scale), transform_(transform) {}
  // NOLINTNEXTLINE(google-explicit-constructor): meant to convert
  Predictor(Regression regression, double scale = 1, Transform transform = {})
      : model_(std::move(regression)), scale_(scale), transform_(transform) {}

  Prediction predict(const Rows& at, Of of = Of::f, int threads = 0) const;
  /// The mean alone: n flops for each row and column in the place of n^2, unless the target was transformed.
  Vector mean(const Rows& at, int threads = 0) const;
  /// Of a prior whose kernel is a function: throws Problem::numerical if that is no kernel on these points.
  /// Problem::usage of a transformed target: y is not jointly normal.
  Gaussian joint(const Rows& at, Of of = Of::f, int threads = 0) const;
  Matrix sample(const Rows& at, Index draws, std::uint64_t seed, Of of = Of::f) const;
  /// Of the observations it was made from: x and y, in the units of y.
  Prediction leave_one_out(const Rows& x, const Vector& y, int threads = 0) const;
  std::vector<std::string> notes() const;
  /// Of every prediction: infinite if they are normal.
  double freedom() const;

  /// What is inside, of transform(y) / scale; null if it is the other.
  const Process<Row>* process() const { return std::get_if<Process<Row>>(&model_); }
  const Regression* regression() const { return std::get_if<Regression>(&model_); }
  double scale() const { return scale_; }
  const Transform& transform() const { return transform_; }

 private:
  std::variant<Process<Row>, Regression> model_;
  double scale_;
  Transform transform_;
};

/// Of the trend of a process: the terms of its mean that were learned, in the units of y (of transform(y)).
/// None of weights.
std::vector<Coefficient> trend_coefficients(const Predictor& predictor);

}  // namespace covary
