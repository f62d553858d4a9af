// Definition of the template of fit.h.
#pragma once
#include "covary/learn/auto_inference.h"
#include "covary/learn/fit.h"
#include "covary/learn/summary_words.h"

namespace covary {

namespace internal {
/// Remarks on the columns of x, called `names`.
template <class B, class X = internal::index_of<B>>
std::vector<std::string> column_notes(const B& x, const std::vector<std::string>& names) {
  if constexpr (requires { IndexedBy<X>::notes(x, names); }) return IndexedBy<X>::notes(x, names);
  return {};
}
/// The note for points that are nearly uncorrelated under the kernel, or "".
std::string isolation_note(const Gram& gram);
void finish(Summary& summary, const Vector& y, const Scales& scales, const LeaveOneOut& loo,
            const Conditioning& c, Index parameters);

/// Throws a limit Error, before any time is spent, if so many bytes do not fit in memory.
void check_inference_fits(const std::string& inference, Index distinct, double bytes);

/// To options.progress, of 10 000 rows or more. Throws Problem::interrupted if that cancels.
void tell_phase(const FitOptions& options, const Summary& s, const std::string& phase, Index rows);

template <class X>
FitResult<X> fitted(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options) {
  return fit(model, x, y, options);
}
}  // namespace internal

template <class X>
FitResult<X> fit(const Model<X>& model, Batch<X> x, const Vector& y_user, const FitOptions& options) {
  internal::check_fit<X>(x, y_user, options);
  const internal::FitProblem<X> problem = internal::fit_problem<X>(model, x, y_user, options);
  const internal::Scales& scales = problem.scales;
  const Vector& y = problem.y;
  Summary summary;
  summary.notes = internal::column_notes(x, options.columns);
  summary.notes.insert(summary.notes.end(), problem.notes.begin(), problem.notes.end());
  const Inference<X> inference = parse_inference<X>(
      internal::resolve_inference<X>(model, problem, x, y_user, options, summary.considered));
  if (const std::string why = inference.refusal(Process<X>(model.kernel, model.mean), x); !why.empty())
    throw Error(Problem::usage, why);
  const Index d = internal::dimensions(x);
  const Index distinct = internal::distinct_rows(problem.alike);
  internal::check_inference_fits(inference.text(), distinct, inference.cost(distinct, d).bytes);
  if (!summary.considered.empty())
    summary.notes.push_back(internal::choice_note(summary.considered, internal::limits_of(options)));

  internal::Search search{problem.parameters, count(x), {}, {}, {}};
  search.flops = [&](Index rows) { return inference.cost(rows, d).flops; };
  search.variables = inference.cost(count(x), d).variables;
  search.neighborhood = [&](Index size) { return internal::neighborhood(x, size, options.seed); };
  search.objective = [&](const std::vector<Index>& rows) -> Objectives {
    const bool all = rows.empty();
    const Points<X> some = all ? Points<X>() : pick(x, rows);
    const Noise& noise = problem.noise;
    return inference.objective(Process<X>(problem.kernel, problem.mean, all ? noise : noise.of_rows(rows)),
                               all ? x : Batch<X>(some), all ? y : Vector(y(rows)), options.objective);
  };
  Vector theta = problem.theta, variables;  // of the model, of the inference
  if (!scales.constant) theta = internal::learn(search, options, summary, &variables);

  internal::tell_phase(options, summary, "conditioning on all rows", y.size());
  const Index p = problem.kernel.theta().size();
  const Kernel<X> kernel = problem.kernel.with(theta.head(p));
  const Noise noise = problem.noise.with(theta.tail(theta.size() - p)).known();
  const Process<X> process = condition(variables.size() ? inference.with_variables(variables) : inference,
                                       Process<X>(kernel, problem.mean, noise), x, y, options.threads);
  for (const Parameter& q : kernel.parameters())
    if (q.fixed)
      summary.parameters.push_back({full_name(q, options.columns), q.value, q.value, q.value, true});
  summary.kernel = kernel.text();
  summary.mean = model.mean.text;
  summary.noise_variance = noise.is_given() ? noise.variance : 0;
  summary.noise = internal::noise_words(noise, scales.target);
  summary.log_marginal_likelihood = process.log_evidence() - double(y.size()) * std::log(scales.target);
  summary.log_prior = internal::log_prior(problem.parameters, theta);
  const InferenceReport report = process.report();
  summary.distinct = report.distinct;
  summary.inference = inference.text();
  for (const std::string& note : report.notes) summary.notes.push_back(note);
  if (std::string note = internal::isolation_note(gram<X>(kernel, x)); !note.empty())
    summary.notes.push_back(std::move(note));
  internal::tell_phase(options, summary, "leaving each row out", y.size());
  internal::finish(summary, y, scales, process.leave_one_out(options.threads), report.conditioning,
                   theta.size());
  return {process, std::move(summary), scales.target};
}

extern template FitResult<Row> fit<Row>(const Model<Row>&, Batch<Row>, const Vector&, const FitOptions&);

}  // namespace covary
