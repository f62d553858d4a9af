#include "verbs/place_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "command.h"
#include "covary/base/error.h"
#include "covary/kernels/function.h"
#include "covary/model/model_file.h"
#include "inputs/model_inputs.h"
#include "verbs/place_readings.h"

namespace covary::cli {
namespace {

FieldOptions field_options(const PlaceArguments& a) {
  return {.nugget = a.nugget,
          .draws = a.draws,
          .noise_given = !a.noise.empty(),
          .seed = a.seed,
          .threads = a.threads};
}

FieldPrior from_covariance(const PlaceArguments& a, const Places& p, Messages& messages) {
  FieldPrior out = field_prior(read_covariance(a, p, messages), field_options(a));
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

/// The kernel that is fitted to the readings, with progress.
HistoryTarget target_of(const PlaceArguments& a, const Places& p, Messages& messages) {
  if (!p.x.allFinite())
    throw Error(Problem::data,
                "--kernel: every place needs coordinates, and those of --existing or "
                "--targets have none here");
  HistoryTarget out{parse(a.kernel, p.schema), p.x};
  out.fit.seed = a.seed, out.fit.threads = a.threads, out.fit.columns = p.axes;
  out.fit.progress = [&](const Progress& progress) {
    messages.progress(progress);
    return true;
  };
  return out;
}

FieldPrior from_readings(const PlaceArguments& a, const Places& p, Messages& messages) {
  const Vector& noise = p.where.noise;
  HistoryOptions o;
  o.shrinkage = chosen_shrinkage(a), o.nugget = a.nugget, o.names = p.where.names, o.threads = a.threads;
  o.may_be_singular = noise.size() > 0 && noise.minCoeff() > 0;
  std::optional<HistoryTarget> target;
  if (!a.kernel.empty()) target = target_of(a, p, messages);
  try {
    return history_prior(p.history, o, target);
  } catch (const Error& e) {
    if (e.problem() != Problem::data) throw;
    const bool few = std::string(e.what()).find("give a shrinkage") != std::string::npos;
    throw Error(e.problem(), fmt::format("--history: {}{}", e.what(), few ? " (--shrink, --nugget)" : ""));
  }
}

FieldPrior from_models(const PlaceArguments& a, const Places& p, const std::vector<FittedModel>& models,
                       Messages& messages) {
  for (const FittedModel& m : models) {
    IgnoredColumns ignored(m);
    ignored.see(p.x);
    ignored.note(p.table.source, messages);
  }
  FieldPrior out = field_prior(models, p.x, field_options(a));
  if (models.size() == 1 && a.draws == 0) out.words += " " + a.models[0];
  return out;
}

}  // namespace

std::vector<FittedModel> load_models(const PlaceArguments& a) {
  std::vector<FittedModel> out;
  for (const std::string& path : a.models) {
    out.push_back(internal::on_device(load_model(path), a.device));
    if (out.back()->features != out[0]->features)
      throw Error(Problem::usage, fmt::format("--model: {} is over {}, {} over {}", path,
                                              fmt::join(out.back()->features, ", "), a.models[0],
                                              fmt::join(out[0]->features, ", ")));
    if (out.size() > 1 && (out[0]->request.schema.size() > 0 || out.back()->request.schema.size() > 0))
      throw Error(Problem::usage,
                  "--model: several models go together where their columns are numbers alone");
  }
  return out;
}

FieldPrior prior_of(const PlaceArguments& a, const Places& p, const std::vector<FittedModel>& models,
                    Messages& messages) {
  if (p.axes.empty() && !a.kernel.empty())
    throw Error(Problem::usage,
                "--kernel needs the coordinates of the places: --coordinates says which "
                "columns they are");
  FieldPrior out = !models.empty()      ? from_models(a, p, models, messages)
                   : !a.history.empty() ? from_readings(a, p, messages)
                   : !a.covariance.empty()
                       ? from_covariance(a, p, messages)
                       : field_prior(parse(a.kernel, p.schema), p.x, p.axes, field_options(a));
  messages.notes(out.notes);
  return out;
}

}  // namespace covary::cli
