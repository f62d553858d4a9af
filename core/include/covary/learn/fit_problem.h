// The data and the model of a fit as its search sees them: y in units in which squares do not overflow, the usable
// noise, the kernel with a variance for each term, and the parameters with bounds, priors and starts.
#pragma once
#include "covary/learn/model.h"

namespace covary::internal {

/// The data as the notes and the priors see them.
struct Scales {
  double target = 1;      // power of two that y was divided by
  double variance = 1;    // of y around its trend, after that
  bool constant = false;  // the trend explains y exactly
};
Scales scales_of(const Vector& y, const Matrix& basis);

/// The noise of y / scale; one of 0 is replaced, with a note, where repeated inputs have different
/// observations.
Noise usable_noise(const Noise& of_y, double scale, const std::vector<Index>& alike, const Vector& y,
                   std::vector<std::string>& notes);

/// The prior variance of f: that of y, but not negligible beside a known noise.
double signal_variance(double of_y, const Noise& noise);

/// The trend of y / scale.
template <class X>
Mean<X> rescaled(Mean<X> mean, double scale) {
  if (scale != 1 && mean.known)
    mean.known = [known = mean.known, scale](Batch<X> x) -> Vector { return known(x) / scale; };
  return mean;
}

template <class X>
struct FitProblem {
  Scales scales;
  Vector y;  // n, of y / scales.target, as mean and noise are
  Mean<X> mean;
  Noise noise;
  std::vector<Index> alike;  // n: the first row with the same input
  Index rows = 0;            // of the matrices of an exact fit: distinct inputs, or n where each counts
  Kernel<X> kernel;          // at the start
  std::vector<SearchParameter> parameters;  // of the kernel, then of the noise
  Vector theta;                             // where they start
  std::vector<std::string> notes = {};
};

/// O(n) but for the order of each column's values.
template <class X>
FitProblem<X> fit_problem(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options) {
  const Scales scales = scales_of(y - model.mean.known_at(x), model.mean.centered_on(x).basis_at(x));
  FitProblem<X> p{scales,
                  y / scales.target,
                  rescaled(model.mean, scales.target),
                  {},
                  first_alike(x),
                  0,
                  model.kernel.amplified().sized(x),
                  {},
                  {}};
  p.noise = usable_noise(model.noise, scales.target, p.alike, p.y, p.notes);
  const bool each = options.objective == ObjectiveKind::leave_one_out && !p.noise.is_exact();
  p.rows = each ? count(x) : distinct_rows(p.alike);
  const std::vector<Parameter> parameters = p.kernel.parameters();
  p.parameters = search_parameters(
      parameters, p.kernel.theta(), p.kernel.start(x, signal_variance(scales.variance, p.noise)),
      input_scales(x, p.y, parameters), dimensions(x), p.noise, scales.variance, options);
  p.theta = Vector(std::ssize(p.parameters));
  for (Index i = 0; i < p.theta.size(); ++i) p.theta[i] = p.parameters[static_cast<size_t>(i)].start;
  p.kernel = p.kernel.with(p.theta.head(p.kernel.theta().size()));
  return p;
}

}  // namespace covary::internal
