#include "verbs/place_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "covary/kernels/expression.h"
#include "covary/learn/parameter_draws.h"
#include "covary/place/history.h"
#include "covary/place/history_kernel.h"
#include "inputs/model_inputs.h"
#include "verbs/place_readings.h"
#include "words.h"

namespace covary::cli {
namespace {

/// The noise of readings, as a process takes it.
Noise noise_of(const Vector& variances, double least) {
  if ((variances.array() == variances[0]).all()) return Noise::of(variances[0]);
  return Noise::rows(variances.cwiseMax(least).cwiseSqrt());
}

/// Of a process: variances do not depend on what sensors will read.
auto sd_anywhere(const Process<Row>& process, double scale, double nugget, int threads) {
  return [=](const Matrix& at, const Matrix& sensors, const Vector& noise) -> Vector {
    const double unit = scale * scale;
    const Noise of_readings = noise_of((noise.array() + nugget) / unit, 1e-12);
    const Process<Row> given =
        sensors.rows() == 0
            ? process
            : process.condition(sensors, process.mean(sensors, threads), of_readings, threads);
    const Vector variance = unit * given.variance(at, Of::f, threads);
    return (variance.array() + nugget).max(0).sqrt();
  };
}

void check_all_given(const Kernel<Row>& kernel, const std::vector<std::string>& axes) {
  std::vector<std::string> missing;
  for (const Parameter& p : kernel.parameters())
    if (std::isnan(p.value)) missing.push_back(full_name(p, axes));
  if (missing.empty()) return;
  throw Error(
      Problem::usage,
      fmt::format("--kernel: {} not given: {}; without --history there is nothing to learn from, so "
                  "write all, as in '2 * matern52(lengthscale=3)', or give a --model",
                  missing.size() == 1 ? "a parameter is" : "parameters are", fmt::join(missing, ", ")));
}

FieldBelief from_kernel(const PlaceArguments& a, const Places& p) {
  const Kernel<Row> kernel = parse<Row>(a.kernel, p.axes);
  check_all_given(kernel, p.axes);
  FieldBelief out;
  out.fields = {field_of<Row>(kernel, p.x)};
  out.words = fmt::format("the kernel {}", kernel.text());
  out.sd = sd_anywhere(Process<Row>(kernel), 1, a.nugget, a.threads);
  return out;
}

FieldBelief from_covariance(const PlaceArguments& a, const Places& p, Messages& messages) {
  FieldBelief out;
  out.fields = {field_of(read_covariance(a, p, messages))};
  out.words = fmt::format("the covariances in {}", a.covariance);
  return out;
}

double chosen_shrinkage(const PlaceArguments& a) {
  if (a.shrink.empty()) return a.kernel.empty() ? 0 : std::nan("");
  if (a.shrink == "auto") return std::nan("");
  const std::optional<double> given = number_in(a.shrink);
  if (!given || !(*given >= 0 && *given <= 1))
    throw Error(Problem::usage,
                fmt::format("--shrink: expected auto or a number from 0 to 1, found '{}'", a.shrink));
  return *given;
}

/// The kernel that the readings themselves suggest, as covariances of the places.
Matrix learned_target(const PlaceArguments& a, const Places& p, const Matrix& readings, Messages& messages) {
  if (!p.x.allFinite())
    throw Error(Problem::data,
                "--kernel: every place needs coordinates, and those of --existing or "
                "--targets have none here");
  FitOptions o;
  o.seed = a.seed, o.threads = a.threads, o.columns = p.axes;
  o.progress = [&](const Progress& progress) {
    messages.progress(progress);
    return true;
  };
  const HistoryCovariance sample = sample_covariance(readings, p.names);
  const HistoryKernel<Row> learned = kernel_from_history<Row>(parse<Row>(a.kernel, p.axes), p.x,
                                                              sample.covariance, double(sample.times - 1), o);
  messages.notes(learned.summary.notes);
  messages.note(rounded_text(
      fmt::format("learned from the history: {} and a nugget of {}", learned.kernel.text(), learned.nugget)));
  Matrix target = learned.kernel.cross(p.x, p.x);
  target.diagonal().array() += learned.nugget;
  return target;
}

FieldBelief from_readings(const PlaceArguments& a, const Places& p, Messages& messages) {
  HistoryOptions o;
  o.shrinkage = chosen_shrinkage(a), o.nugget = a.nugget, o.names = p.names, o.threads = a.threads;
  o.may_be_singular = p.noise.size() > 0 && p.noise.minCoeff() > 0;
  if (!a.kernel.empty()) o.target = learned_target(a, p, p.history, messages);
  HistoryCovariance h;
  try {
    h = from_history(p.history, o);
  } catch (const Error& e) {
    const bool few = std::string(e.what()).find("give a shrinkage") != std::string::npos;
    throw Error(e.problem(), fmt::format("--history: {}{}", e.what(), few ? " (--shrink, --nugget)" : ""));
  }
  messages.notes(h.notes);
  if (h.singular && h.shrinkage == 0)
    messages.note(
        fmt::format("{} for {}: covariances this uncertain are better shrunk; --shrink auto "
                    "says how far",
                    counted(h.times, "time"), counted(p.size(), "place")));
  FieldBelief out;
  out.fields = {field_of(h.covariance)}, out.mean = h.mean;
  out.words = fmt::format("the covariances of {}", counted(h.times, "time"));
  if (h.shrinkage > 0)
    out.words += fmt::format(", {:.3g} of the way to {}", h.shrinkage,
                             a.kernel.empty() ? "their diagonal" : "the kernel");
  return out;
}

void add_field(FieldBelief& b, const Process<Row>& process, double scale, const Matrix& x, int threads) {
  b.fields.push_back(field_of(process, x, threads, scale));
}

FieldBelief from_models(const PlaceArguments& a, const Places& p, const std::vector<FittedModel>& models,
                        Messages& messages) {
  FieldBelief out;
  for (const FittedModel& m : models) {
    IgnoredColumns ignored(m);
    ignored.see(p.x);
    ignored.note(p.table.source, messages);
    const Process<Row>& process = gaussian_process(m, "place", a.threads);
    if (!m->request.transform.is_identity())
      messages.note(
          fmt::format("the field is {}, which the model is of", m->request.transform.of(m->target)));
    add_field(out, process, m->scale, p.x, a.threads);
    if (out.sd) continue;
    out.mean = m->scale * process.mean(p.x, a.threads);
    out.sd = sd_anywhere(process, m->scale, a.nugget, a.threads);
    if (m->noise.is_given()) out.noise = m->scale * m->scale * m->noise.variance;
    if (m->noise.per_row() && a.noise.empty())
      throw Error(Problem::usage,
                  "--noise is needed: this model has one noise for each row, and says "
                  "nothing of sensors to come");
    if (a.draws == 0) continue;
    const Vector y = m->latent_target();
    out.plain = out.fields.front();
    out.fields.clear();
    for (const Process<Row>& drawn : parameter_draws<Row>(process, m->x, y, a.draws, a.seed))
      add_field(out, drawn.condition(m->x, y, a.threads), m->scale, p.x, a.threads);
  }
  if (a.noise.empty())
    messages.note(
        fmt::format("a sensor's noise is that of the model, a variance of {} (--noise)", rounded(out.noise)));
  out.words = models.size() > 1 ? fmt::format("{} models, averaged", models.size())
              : a.draws > 0     ? fmt::format("{} draws of the model's parameters, averaged", a.draws)
                                : fmt::format("the model {}", a.models[0]);
  return out;
}

}  // namespace

std::vector<FittedModel> load_models(const PlaceArguments& a) {
  std::vector<FittedModel> out;
  for (const std::string& path : a.models) {
    out.push_back(load_model(path));
    if (out.back()->features != out[0]->features)
      throw Error(Problem::usage, fmt::format("--model: {} is over {}, {} over {}", path,
                                              fmt::join(out.back()->features, ", "), a.models[0],
                                              fmt::join(out[0]->features, ", ")));
  }
  return out;
}

FieldBelief belief_of(const PlaceArguments& a, const Places& p, const std::vector<FittedModel>& models,
                      Messages& messages) {
  if (p.axes.empty() && !a.kernel.empty())
    throw Error(Problem::usage,
                "--kernel needs the coordinates of the places: --coordinates says which "
                "columns they are");
  FieldBelief out = !models.empty()         ? from_models(a, p, models, messages)
                    : !a.history.empty()    ? from_readings(a, p, messages)
                    : !a.covariance.empty() ? from_covariance(a, p, messages)
                                            : from_kernel(a, p);
  if (out.plain.size == 0) out.plain = out.fields.front();
  out.plain = with_nugget(std::move(out.plain), a.nugget);
  for (Field& f : out.fields) f = with_nugget(std::move(f), a.nugget);
  return out;
}

}  // namespace covary::cli
