#include "covary/design/field_prior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "covary/learn/parameter_draws.h"
#include "covary/place/history_kernel.h"

namespace covary {
using namespace internal;
namespace {

/// The noise of readings, as a process takes it.
Noise reading_noise(const Vector& variances) {
  if ((variances.array() == variances[0]).all()) return Noise::of(variances[0]);
  return Noise::rows(variances.cwiseMax(1e-12).cwiseSqrt());
}

/// sd(f(at) | readings of sensors) of a process of y / scale: variances do not depend on what they read.
auto sd_anywhere(const Process<Row>& process, double scale, const FieldOptions& o) {
  return [process, scale, nugget = o.nugget, threads = o.threads](const Matrix& at, const Matrix& sensors,
                                                                  const Vector& noise) -> Vector {
    const double unit = scale * scale;
    const Process<Row> given =
        sensors.rows() == 0 ? process
                            : process.condition(sensors, process.mean(sensors, threads),
                                                reading_noise((noise.array() + nugget) / unit), threads);
    return (unit * given.variance(at, Of::f, threads).array() + nugget).max(0).sqrt();
  };
}

FieldPrior prior_of(Field field, double nugget, std::string words) {
  FieldPrior out;
  out.plain = with_nugget(std::move(field), nugget);
  out.fields = {out.plain}, out.words = std::move(words);
  return out;
}

/// The posterior of a model at x.
Field field_of_model(const Process<Row>& process, double scale, const Matrix& x, const FieldOptions& o) {
  return with_nugget(field_of(process, x, o.threads, scale), o.nugget);
}

/// The same under draws of its parameters.
std::vector<Field> drawn_fields(const FittedModel& m, const Matrix& x, const FieldOptions& o) {
  const Vector y = m->latent_target();
  std::vector<Field> out;
  for (const Process<Row>& p : parameter_draws<Row>(m.process(o.threads), m->x, y, o.draws, o.seed))
    out.push_back(field_of_model(p.condition(m->x, y, o.threads), m->scale, x, o));
  return out;
}

void take_noise(FieldPrior& out, const FittedModel& m, const FieldOptions& o) {
  if (m->noise.is_given()) out.noise = m->scale * m->scale * m->noise.variance;
  if (o.noise_given) return;
  if (m->noise.per_row())
    throw Error(Problem::usage,
                "noise is needed: this model has one noise for each row and none for new sensors");
  out.notes.push_back(
      fmt::format("a sensor's noise is that of the model, a variance of {}", rounded(out.noise)));
}

void check_all_given(const Kernel<Row>& kernel, const std::vector<std::string>& columns) {
  std::vector<std::string> missing;
  for (const Parameter& p : kernel.parameters())
    if (std::isnan(p.value)) missing.push_back(full_name(p, columns));
  if (missing.empty()) return;
  throw Error(
      Problem::usage,
      fmt::format("kernel: {} {} not given, and without a history there is nothing to fit {} to: write "
                  "all, as in '2 * matern52(lengthscale=3)', or give a model",
                  fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are",
                  missing.size() == 1 ? "it" : "them"));
}

/// k(x, x) + nugget I (n x n), fitted to the sample covariance of the readings.
Matrix fitted_target(const Matrix& readings, const HistoryTarget& target,
                     const std::vector<std::string>& names, std::vector<std::string>& notes) {
  const HistoryCovariance sample = sample_covariance(readings, names);
  const HistoryKernel<Row> fitted = kernel_from_history<Row>(target.kernel, target.x, sample.covariance,
                                                             double(sample.times - 1), target.fit);
  notes = fitted.summary.notes;
  notes.push_back(rounded_text(
      fmt::format("learned from the history: {} and a nugget of {}", fitted.kernel.text(), fitted.nugget)));
  Matrix out = fitted.kernel.cross(target.x, target.x);
  out.diagonal().array() += fitted.nugget;
  return out;
}

std::string plural(Index n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

}  // namespace

FieldPrior field_prior(const std::vector<FittedModel>& models, const Matrix& x, const FieldOptions& o) {
  FieldPrior out;
  for (const FittedModel& m : models) {
    const Process<Row>& process = gaussian_process(m, "place", o.threads);
    if (!m->request.transform.is_identity())
      out.notes.push_back(
          fmt::format("the field is {}, the transformed target", m->request.transform.of(m->target)));
    out.fields.push_back(field_of_model(process, m->scale, x, o));
  }
  const FittedModel& first = models.front();
  const Process<Row>& process = first.process(o.threads);
  out.plain = out.fields.front();
  out.mean = first->scale * process.mean(x, o.threads);
  out.sd = sd_anywhere(process, first->scale, o);
  take_noise(out, first, o);
  if (o.draws > 0) out.fields = drawn_fields(first, x, o);
  out.words = models.size() > 1 ? fmt::format("{} models, averaged", models.size())
              : o.draws > 0     ? fmt::format("{} draws of the model's parameters, averaged", o.draws)
                                : "the model";
  return out;
}

FieldPrior field_prior(const Kernel<Row>& kernel, const Matrix& x, const std::vector<std::string>& columns,
                       const FieldOptions& o) {
  check_all_given(kernel, columns);
  FieldPrior out = prior_of(field_of<Row>(kernel, x), o.nugget, "the kernel " + kernel.text());
  out.sd = sd_anywhere(Process<Row>(kernel), 1, o);
  return out;
}

FieldPrior field_prior(Matrix covariance, const FieldOptions& o) {
  return prior_of(field_of(std::move(covariance)), o.nugget, "the covariances given");
}

FieldPrior history_prior(const Matrix& readings, HistoryOptions o,
                         const std::optional<HistoryTarget>& target) {
  std::vector<std::string> notes;
  if (target) o.target = fitted_target(readings, *target, o.names, notes);
  HistoryCovariance h = from_history(readings, o);
  notes.insert(notes.end(), h.notes.begin(), h.notes.end());
  if (h.singular && h.shrinkage == 0)
    notes.push_back(
        fmt::format("{} for {}: covariances this uncertain need shrinkage; shrinkage auto chooses it",
                    plural(h.times, "time"), plural(readings.cols(), "place")));
  std::string words = "the covariances of " + plural(h.times, "time");
  if (h.shrinkage > 0)
    words += fmt::format(", {:.3g} of the way to {}", h.shrinkage, target ? "the kernel" : "their diagonal");
  FieldPrior out = prior_of(field_of(std::move(h.covariance)), o.nugget, std::move(words));
  out.mean = std::move(h.mean), out.notes = std::move(notes);
  return out;
}

PlacementProblem problem_of(const FieldPrior& prior, PlacementProblem where) {
  where.fields = prior.fields;
  if (where.noise.size() == 0) where.noise = Vector::Constant(1, prior.noise);
  check(where);
  return where;
}

PlacementProblem internal::as_predicted(const FieldPrior& prior, PlacementProblem problem) {
  problem.fields = {prior.plain};
  return problem;
}

}  // namespace covary
