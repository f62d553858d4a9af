// Fitted models for the tests of experimental design, made without a search.
#pragma once
#include "covary/model/fitted_model.h"
#include "support.h"

namespace covary::test {

/// A Gaussian process given 12 rows of two columns, "a" and "b"; y is a smooth function times `scale`.
inline FittedModel small_model(const Noise& noise = Noise::of(0.05), const std::string& requested = "learn",
                               double scale = 1) {
  ModelRecord r;
  r.request.kernel = "se()", r.request.noise = requested;
  r.features = {"a", "b"}, r.x = random_points(1, 12, 2), r.y = scale * random_targets(2, r.x);
  r.kernel = "2 * se(lengthscale=[0.7, 1.3])", r.noise = noise, r.scale = scale;
  return FittedModel(std::move(r));
}

/// A linear model of the same rows.
inline FittedModel small_linear_model() {
  Request request;
  request.model = "linear", request.noise = "learn";
  const Matrix x = random_points(1, 12, 2);
  return fit(request, {x, random_targets(2, x), {"a", "b"}});
}

}  // namespace covary::test
