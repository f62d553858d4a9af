// Inference `auto`: the inference that a fit uses, chosen from cost estimates before the fit.
//
//   exact()        up to 3000 distinct rows, and beyond while its fit is estimated to end within --max-seconds (600 s if
//                  there is no limit) and within the memory that is free
//   state_space()  where it takes the process: O(n)
//   otherwise      the approximation, vecchia(neighbors=30) or inducing(points=512), that fits and predicts better:
//                  both are conditioned on the same rows, with the hyper-parameters of an exact fit to 1000 of them, and
//                  the log density of rows that were held out, with variances that fit them, decides; vecchia in up to 3
//                  columns
//
// Times are those of one evaluation on 1500 rows, scaled by InferenceCost. The Summary holds all estimates.
#pragma once
#include <cmath>

#include "covary/base/parallel.h"
#include "covary/learn/cost_estimate.h"
#include "covary/learn/fit_problem.h"

namespace covary::internal {

constexpr Index always_exact = 3000;         // distinct rows
constexpr double default_fit_seconds = 600;  // of exact(), without FitOptions::max_seconds
constexpr Index few_columns = 3;
constexpr Index timed_rows = 1500, sampled_rows = 1000, compared_rows = 50000, held_out_rows = 1000;

/// The limits of a fit.
struct FitLimits {
  double seconds = default_fit_seconds, bytes = std::numeric_limits<double>::infinity();
};
FitLimits limits_of(const FitOptions& options);

/// The place of the one to use: the first that is not approximate and within both limits; else state_space() within the
/// memory; else of the approximations within both limits the one that predicts best, by less than 0.01 nats a row the first;
/// else the quickest within the memory. Throws Problem::limit, with the least memory, if there is none.
size_t choose_inference(const std::vector<InferenceEstimate>& all, const FitLimits& limits);

/// Whether the approximations have to be compared to choose one: the places of those within both limits.
std::vector<size_t> to_compare(const std::vector<InferenceEstimate>& all, const FitLimits& limits);

/// "inference auto: vecchia(neighbors=30), about 12 s and 45 MB; exact() about 12 h and 3.2 GB (limits 600 s, 3 GB); ..."
std::string choice_note(const std::vector<InferenceEstimate>& all, const FitLimits& limits);

/// So many of the distinct rows, ascending.
std::vector<Index> some_distinct(const std::vector<Index>& alike, Index size, std::uint64_t seed);

/// The rows of `all` (ascending) in two parts: others, and at most `tested` (half of all) that are held out.
struct Divided {
  std::vector<Index> train, test;
};
Divided divided(const std::vector<Index>& all, Index tested, std::uint64_t seed);

/// The options of a quick exact fit by which approximations are compared.
FitOptions of_comparison(const FitOptions& options);

/// Mean log density of y (m) under N(f, s (variance of f + noise)), s the factor that maximizes it, as a fit
/// would.
///   -1/2 (log 2 pi + mean log v + log mean (y - f)^2/v + 1)
double calibrated_log_density(const Marginals& f, const Vector& noise, const Vector& y);

void check_trainable(Index n, Index d);

/// fit() (fit.h)
template <class X>
FitResult<X> fitted(const Model<X>& model, Batch<X> x, const Vector& y, const FitOptions& options);

/// Throws what a fit would, before any work, for data and options that it does not take.
template <class X>
void check_fit(Batch<X> x, const Vector& y, const FitOptions& options) {
  check_sizes(count(x), y.size());
  check_trainable(count(x), dimensions(x));
  check_finite(x, "x");
  check_finite(y, "y");
  if (options.inference != automatic_inference) (void)parse_inference<X>(options.inference);
}

/// What `auto` chooses from, in order of preference.
template <class X>
std::vector<std::string> automatic_inferences() {
  std::vector<std::string> out;
  for (const char* name : {"exact", "state_space", "vecchia", "inducing"})
    for (const InferenceEntry<X>& e : inferences<X>())
      if (e.name == name) out.push_back(parse_inference<X>(name).text());
  return out;
}

/// Seconds of one value and gradient on these rows. A little noise ensures that a factor exists.
template <class X>
double evaluation_seconds(const Inference<X>& inference, const FitProblem<X>& p, Batch<X> x,
                          const std::vector<Index>& rows, const FitOptions& options) {
  const Points<X> some = pick(x, rows);
  const Noise noise = p.noise.is_exact() ? Noise::of(1e-4 * p.scales.variance) : p.noise.of_rows(rows);
  const auto objective = inference.objective(Process<X>(p.kernel, p.mean, noise), Batch<X>(some),
                                             Vector(p.y(rows)), options.objective)();
  const int threads = std::ssize(rows) <= 300 ? 1 : threads_or_all(options.threads);
  return least_seconds(3, [&] { (void)objective->at(p.theta, true, threads); });
}

/// Why an inference cannot fit this; "" if it can. Its objective is tried too, on some of the rows.
template <class X>
std::string refusal_of(const Inference<X>& inference, const FitProblem<X>& p, Batch<X> x,
                       const std::vector<Index>& rows, const FitOptions& options) {
  if (std::string why = inference.refusal(Process<X>(p.kernel, p.mean, p.noise), x); !why.empty()) return why;
  try {
    const Points<X> some = pick(x, rows);
    (void)inference.objective(Process<X>(p.kernel, p.mean, p.noise.of_rows(rows)), Batch<X>(some),
                              Vector(p.y(rows)), options.objective);
  } catch (const Error& e) {
    if (e.problem() != Problem::usage) throw;
    return e.what();
  }
  return "";
}

/// The estimated cost of a fit by this inference.
template <class X>
InferenceEstimate estimated(const std::string& text, const FitProblem<X>& p, Batch<X> x,
                            const FitOptions& options, Effort* effort = nullptr) {
  const Inference<X> inference = parse_inference<X>(text);
  const std::vector<Index> rows = some_distinct(p.alike, timed_rows, options.seed);
  InferenceEstimate out{inference.text(), !text.starts_with("exact") && !text.starts_with("state_space"),
                        refusal_of<X>(inference, p, x, rows, options)};
  if (!out.refusal.empty()) return out;
  const Effort e =
      estimated_effort({p.rows, dimensions(x), std::ssize(rows),
                        evaluation_seconds<X>(inference, p, x, rows, options), p.kernel.parameters(),
                        !p.parameters.empty(), [&](Index n) { return inference.cost(n, dimensions(x)); }},
                       options);
  out.seconds = e.seconds, out.bytes = e.bytes;
  if (effort) *effort = e;
  return out;
}

/// Fills in held_out of some: the mean log density of rows given others, with the hyper-parameters of an exact fit to a few.
template <class X>
void compare_held_out(std::vector<InferenceEstimate>& all, const std::vector<size_t>& which,
                      const Model<X>& model, Batch<X> x, const Vector& y_user, const FitOptions& options) {
  const auto [train, test] = divided(Random(options.seed).subset(count(x), compared_rows + held_out_rows),
                                     held_out_rows, options.seed);
  const std::vector<Index> few = divided(train, sampled_rows, options.seed).test;
  const Points<X> some = pick(x, few), known = pick(x, train), asked = pick(x, test);
  const FitResult<X> found = fitted<X>({model.kernel, model.mean, model.noise.of_rows(few)}, Batch<X>(some),
                                       Vector(y_user(few)), of_comparison(options));
  const Vector y = y_user / found.scale;
  const Noise noise = model.noise.per_row() ? model.noise.rescaled(found.scale) : found.process.noise();
  const Process<X> prior(found.process.kernel(), found.process.trend(), noise.of_rows(train));
  for (const size_t i : which) {
    const Process<X> posterior = condition(parse_inference<X>(all[i].inference), prior, Batch<X>(known),
                                           Vector(y(train)), options.threads);
    const Marginals f = posterior.predict(Batch<X>(asked), Of::f, options.threads);
    all[i].held_out = calibrated_log_density(f, noise.of_rows(test).variances(std::ssize(test)), y(test)) -
                      std::log(found.scale);
  }
}

/// The inference of a fit: as typed, or what `auto` stands for. `considered` is filled in where there was a choice, and
/// where `always` says so.
template <class X>
std::string resolve_inference(const Model<X>& model, const FitProblem<X>& p, Batch<X> x, const Vector& y_user,
                              const FitOptions& options, std::vector<InferenceEstimate>& considered,
                              bool always = false) {
  const bool open = options.inference == automatic_inference, few = p.rows <= always_exact;
  std::string given = open ? Exact().text() : parse_inference<X>(options.inference).text();
  if (!always && (!open || few)) return given;
  FitOptions unlimited = options;
  unlimited.max_seconds = std::numeric_limits<double>::infinity();
  for (const std::string& text : automatic_inferences<X>())
    considered.push_back(estimated<X>(text, p, x, unlimited));
  if (!open || few) {
    for (InferenceEstimate& e : considered) e.chosen = e.inference == given;
    return given;
  }
  const FitLimits limits = limits_of(options);
  if (const std::vector<size_t> which = to_compare(considered, limits);
      which.size() > 1 && dimensions(x) > few_columns)
    compare_held_out<X>(considered, which, model, x, y_user, options);
  InferenceEstimate& chosen = considered[choose_inference(considered, limits)];
  chosen.chosen = true;
  return chosen.inference;
}

}  // namespace covary::internal
