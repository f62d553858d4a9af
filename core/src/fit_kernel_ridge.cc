#include "covary/fit_kernel_ridge.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/machine.h"

namespace covary {
Fitted<Row> fit_kernel_ridge(const Model<Row>& model, const Rows& x, const Vector& y_user,
                             const KernelRidgeOptions& ridge, const FitOptions& options) {
  FitOptions learning = options;
  learning.objective = Objective::leave_one_out;
  Fitted<Row> fitted = fit(Model<Row>{model.kernel, model.mean, Noise::learn()}, x, y_user, learning);
  const Kernel<Row> sized = model.kernel.sized(x);  // kept as it is where it leaves nothing open
  const Kernel<Row> kernel = sized.theta().size() == 0 ? sized : fitted.process.kernel();
  const Vector y = y_user / fitted.scale;
  const KernelRidge<Row> found = kernel_ridge<Row>(kernel, x, y, ridge, rescaled(model.mean, fitted.scale));
  Process<Row> process = process_of(found);
  const LeaveOneOut loo = process.leave_one_out(options.threads);

  Summary& s = fitted.summary;
  s.model = "kernel-ridge";
  s.kernel = process.kernel().text();
  s.noise_variance = process.noise().variance;
  std::erase_if(s.parameters, [](const LearnedParameter& p) { return p.name == "noise"; });
  s.parameters.push_back({"penalty", found.penalty, 0, std::numeric_limits<double>::infinity(),
                          ridge.penalty.has_value(), found.at_end, false, false});
  s.log_marginal_likelihood = process.log_evidence() - double(y.size()) * std::log(fitted.scale);
  const double variance = (y.array() - y.mean()).square().mean();
  s.loo_rmse = loo.rmse * fitted.scale, s.loo_nlpd = loo.nlpd + std::log(fitted.scale);
  s.loo_skill = variance > 0 ? 1 - loo.rmse * loo.rmse / variance : 0;
  s.freedom = found.freedom;
  const std::string by = ridge.penalty ? "given" : "by " + found.chosen_by;
  s.how = fmt::format("penalty {:.6g} ({}), {:.4g} effective degrees of freedom", found.penalty, by,
                      found.freedom);
  for (const std::string& note : found.notes) s.notes.push_back(note);
  return {std::move(process), std::move(s), fitted.scale};
}

}  // namespace covary
