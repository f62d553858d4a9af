#include "covary/predictive/student_t.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/constants.h"

namespace covary {
using namespace internal;

static_assert(PredictiveFamily<StudentT>);

Vector StudentT::standardized(const Vector& y) const {
  Vector z = (y - location).cwiseQuotient(scale);
  for (Index i = 0; i < z.size(); ++i)
    if (scale[i] == 0 && y[i] == location[i]) z[i] = 0;
  return z;
}

Vector StudentT::cdf(const Vector& y) const {
  return standardized(y).unaryExpr([this](double z) { return student_cdf(z, freedom); });
}

Vector StudentT::quantile(double p) const { return at(student_quantile(p, freedom)); }

Vector StudentT::log_density(const Vector& y) const {
  Vector out = standardized(y);
  for (Index i = 0; i < out.size(); ++i) {
    const double z = out[i], log_scale = std::log(scale[i]);
    out[i] = std::isinf(z)         ? -infinity
             : std::isinf(freedom) ? -(log_scale + 0.5 * z * z + 0.5 * std::log(2 * std::numbers::pi))
                                   : student_log_density(z, freedom) - log_scale;
  }
  return out;
}

Vector StudentT::crps(const Vector& y) const {
  Vector out = y - location;
  for (Index i = 0; i < out.size(); ++i)
    out[i] = scale[i] == 0 ? std::abs(out[i]) : scale[i] * student_crps(out[i] / scale[i], freedom);
  return out;
}

StudentT StudentT::picked(const std::vector<Index>& which) const {
  return {location(which), scale(which), freedom};
}

StudentT StudentT::joined(const StudentT& more) const {
  return {concat(location, more.location), concat(scale, more.scale), std::min(freedom, more.freedom)};
}

std::string StudentT::text() const {
  return std::isinf(freedom) ? "normal" : fmt::format("a t of freedom {:.3g}", freedom);
}

}  // namespace covary
