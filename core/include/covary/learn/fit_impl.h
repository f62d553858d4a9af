// Definition of the template of fit.h.
#pragma once
#include "covary/learn/fit.h"
#include "covary/learn/summary_words.h"

namespace covary {

namespace internal {
/// The data as the notes and the priors see them.
struct Scales {
  double target = 1;      // power of two that y was divided by
  double variance = 1;    // of y around its trend, after that
  bool constant = false;  // the trend explains y exactly
};
Scales scales_of(const Vector& y, const Matrix& basis);

/// Remarks on the columns of x, called `names`.
template <class B, class X = internal::index_of<B>>
std::vector<std::string> column_notes(const B& x, const std::vector<std::string>& names) {
  if constexpr (requires { IndexedBy<X>::notes(x, names); }) return IndexedBy<X>::notes(x, names);
  return {};
}
/// The note for points that are all but independent of each other under the kernel, or "".
std::string isolation_note(const Gram& gram);
void check_trainable(Index n, Index d);
void finish(Summary& summary, const Vector& y, const Scales& scales, const LeaveOneOut& loo,
            const Conditioning& c, Index parameters);

/// Throws a limit Error, before any time is spent, if what inference takes does not fit in memory.
void check_inference_fits(const std::vector<Index>& alike, double bytes);

/// The noise of y / scale; one of 0 is replaced, with a note, where repeated inputs have different
/// observations.
Noise usable_noise(const Noise& of_y, double scale, const std::vector<Index>& alike, const Vector& y,
                   std::vector<std::string>& notes);

/// What f may vary by: as y does, and a known noise does not drown it.
double signal_variance(double of_y, const Noise& noise);

/// The trend of y / scale.
template <class X>
Mean<X> rescaled(Mean<X> mean, double scale) {
  if (scale != 1 && mean.known)
    mean.known = [known = mean.known, scale](Batch<X> x) -> Vector { return known(x) / scale; };
  return mean;
}
}  // namespace internal

template <class X>
FitResult<X> fit(const Model<X>& model, Batch<X> x, const Vector& y_user, const FitOptions& options) {
  internal::check_sizes(count(x), y_user.size());
  internal::check_trainable(count(x), internal::dimensions(x));
  internal::check_finite(x, "x");
  internal::check_finite(y_user, "y");
  Summary summary;
  summary.notes = internal::column_notes(x, options.columns);
  const internal::Scales scales =
      internal::scales_of(y_user - model.mean.known_at(x), model.mean.centered_on(x).basis_at(x));
  const Vector y = y_user / scales.target;
  const Mean<X> mean = internal::rescaled(model.mean, scales.target);
  const std::vector<Index> alike = internal::first_alike(x);
  const Inference<X> inference = parse_inference<X>(options.inference);
  if (const std::string why = inference.refusal(Process<X>(model.kernel, model.mean), x); !why.empty())
    throw Error(Problem::usage, why);
  internal::check_inference_fits(
      alike, inference.cost(internal::distinct_rows(alike), internal::dimensions(x)).bytes);
  Noise noise = internal::usable_noise(model.noise, scales.target, alike, y, summary.notes);

  Kernel<X> kernel = model.kernel.amplified().sized(x);
  const std::vector<internal::SearchParameter> parameters = internal::search_parameters(
      kernel.parameters(), kernel.theta(), kernel.start(x, internal::signal_variance(scales.variance, noise)),
      internal::input_scales(x, y, kernel.parameters()), internal::dimensions(x), noise, scales.variance,
      options);
  Vector theta(std::ssize(parameters));
  for (Index i = 0; i < theta.size(); ++i) theta[i] = parameters[static_cast<size_t>(i)].start;
  const Index p = kernel.theta().size();
  kernel = kernel.with(theta.head(p));

  internal::Search search{parameters, count(x), {}, {}, {}};
  search.flops = [&](Index rows) { return inference.cost(rows, internal::dimensions(x)).flops; };
  search.variables = inference.cost(count(x), internal::dimensions(x)).variables;
  search.neighborhood = [&](Index size) { return internal::neighborhood(x, size, options.seed); };
  search.objective = [&](const std::vector<Index>& rows) -> Objectives {
    const bool all = rows.empty();
    const Points<X> some = all ? Points<X>() : pick(x, rows);
    return inference.objective(Process<X>(kernel, mean, all ? noise : noise.of_rows(rows)),
                               all ? x : Batch<X>(some), all ? y : Vector(y(rows)), options.objective);
  };
  Vector variables;  // of the inference
  if (!scales.constant) theta = internal::learn(search, options, summary, &variables);

  kernel = kernel.with(theta.head(p));
  noise = noise.with(theta.tail(theta.size() - p)).known();
  const Process<X> process = condition(variables.size() ? inference.with_variables(variables) : inference,
                                       Process<X>(kernel, mean, noise), x, y, options.threads);
  for (const Parameter& q : kernel.parameters())
    if (q.fixed)
      summary.parameters.push_back({full_name(q, options.columns), q.value, q.value, q.value, true});
  summary.kernel = kernel.text();
  summary.mean = model.mean.text;
  summary.noise_variance = noise.is_given() ? noise.variance : 0;
  summary.noise = internal::noise_words(noise, scales.target);
  summary.log_marginal_likelihood = process.log_evidence() - double(y.size()) * std::log(scales.target);
  summary.log_prior = internal::log_prior(parameters, theta);
  const InferenceReport report = process.report();
  summary.distinct = report.distinct;
  summary.inference = inference.text();
  for (const std::string& note : report.notes) summary.notes.push_back(note);
  if (std::string note = internal::isolation_note(gram<X>(kernel, x)); !note.empty())
    summary.notes.push_back(std::move(note));
  internal::finish(summary, y, scales, process.leave_one_out(options.threads), report.conditioning,
                   theta.size());
  return {process, std::move(summary), scales.target};
}

extern template FitResult<Row> fit<Row>(const Model<Row>&, Batch<Row>, const Vector&, const FitOptions&);

}  // namespace covary
