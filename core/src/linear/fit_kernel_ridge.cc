#include "covary/linear/fit_kernel_ridge.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/runtime.h"
#include "covary/kernels/held.h"
#include "covary/learn/summary_words.h"

namespace covary {
using namespace internal;
namespace {

std::string penalty_words(const KernelRidgeOptions& ridge, const KernelRidgeFit& found) {
  const std::string by = ridge.penalty ? "given" : "by " + found.chosen_by;
  return fmt::format("penalty {:.6g} ({}), {:.4g} effective degrees of freedom", found.penalty, by,
                     found.freedom);
}

/// The summary of a ridge regression and its process; y is divided by `scale`.
void describe(Summary& s, const KernelRidgeOptions& ridge, const KernelRidgeFit& found,
              const Process<Row>& process, double scale) {
  s.model = "kernel-ridge";
  s.kernel = process.kernel().text();
  s.noise_variance = process.noise().variance, s.noise = noise_words(process.noise(), scale);
  s.parameters.push_back({"penalty", found.penalty, 0, std::numeric_limits<double>::infinity(),
                          ridge.penalty.has_value(), found.at_end, false, false});
  s.log_marginal_likelihood = process.log_evidence() - double(process.size()) * std::log(scale);
  s.freedom = found.freedom;
  s.how = penalty_words(ridge, found);
  for (const std::string& note : found.notes) s.notes.push_back(note);
}

/// The kernel as it is: nothing to search for.
FitResult<Row> fit_as_it_is(const Model<Row>& model, const Rows& x, const Vector& y_user,
                            const KernelRidgeOptions& ridge, const FitOptions& options) {
  check_sizes(x.rows(), y_user.size());
  check_trainable(x.rows(), x.cols());
  check_finite(x, "x");
  check_finite(y_user, "y");
  const Scales scales = scales_of(y_user - model.mean.known_at(x), model.mean.centered_on(x).basis_at(x));
  const Vector y = y_user / scales.target;
  const Kernel<Row> kernel = model.kernel.sized(x);
  const KernelRidge<Row> found = kernel_ridge<Row>(kernel, x, y, ridge, rescaled(model.mean, scales.target));
  Process<Row> process = process_of(found, options.threads);
  Summary s;
  s.notes = column_notes(x, options.columns);
  for (const Parameter& q : kernel.parameters())
    s.parameters.push_back({full_name(q, options.columns), q.value, q.value, q.value, true});
  s.mean = model.mean.text, s.distinct = process.distinct(), s.stopped = "nothing to learn";
  for (const std::string& note : process.notes()) s.notes.push_back(note);
  if (std::string note = isolation_note(gram<Row>(kernel, x)); !note.empty()) s.notes.push_back(note);
  describe(s, ridge, found, process, scales.target);
  finish(s, y, scales, process.leave_one_out(options.threads), process.conditioning(), 1);
  return {std::move(process), std::move(s), scales.target};
}

}  // namespace

FitResult<Row> fit_kernel_ridge(const Model<Row>& model, const Rows& x, const Vector& y_user,
                                const KernelRidgeOptions& asked, const FitOptions& options) {
  KernelRidgeOptions ridge = asked;
  ridge.threads = options.threads;
  if (model.kernel.theta().size() == 0) return fit_as_it_is(model, x, y_user, ridge, options);
  FitOptions learning = options;
  learning.objective = ObjectiveKind::leave_one_out, learning.inference = Exact().text();
  FitResult<Row> fitted = fit(Model<Row>{model.kernel, model.mean, Noise::learn()}, x, y_user, learning);
  const Vector y = y_user / fitted.scale;
  const HeldColumns held = held_columns(fitted.process.kernel());
  const KernelRidge<Row> found = kernel_ridge<Row>(without_held(fitted.process.kernel()), x, y, ridge,
                                                   rescaled(model.mean, fitted.scale));
  Process<Row> process = process_of(found, options.threads);
  if (!held.empty())
    process = Process<Row>(holding(held, process.kernel()), process.trend(), process.noise())
                  .condition(x, y, options.threads);
  const LeaveOneOut loo = process.leave_one_out(options.threads);

  Summary& s = fitted.summary;
  std::erase_if(s.parameters, [](const FittedParameter& p) { return p.role == Role::noise; });
  describe(s, ridge, found, process, fitted.scale);
  const double variance = (y.array() - y.mean()).square().mean();
  s.loo_rmse = loo.rmse * fitted.scale, s.loo_nlpd = loo.nlpd + std::log(fitted.scale);
  s.loo_skill = variance > 0 ? 1 - loo.rmse * loo.rmse / variance : 0;
  return {std::move(process), std::move(s), fitted.scale};
}

}  // namespace covary
