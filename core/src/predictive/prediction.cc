#include "covary/predictive/prediction.h"

namespace covary {

Vector Prediction::at(double k) const {
  return transform.is_identity() ? Vector(mean + k * sd) : transform.inverse(Vector(location + k * scale));
}

Prediction untransformed(Prediction p, const Transform& g) {
  if (g.is_identity()) return p;
  p.transform = g, p.location = p.mean, p.scale = p.sd;
  for (Index i = 0; i < p.mean.size(); ++i) {
    const Transform::Moments y = g.moments(p.location[i], p.scale[i]);
    p.mean[i] = y.mean, p.sd[i] = y.sd;
  }
  return p;
}

}  // namespace covary
