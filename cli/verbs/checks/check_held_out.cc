#include "verbs/checks/check_held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "covary/base/error.h"
#include "covary/evaluate/cross_validation.h"
#include "inputs/model_inputs.h"
#include "inputs/model_options.h"
#include "inputs/tables.h"
#include "words.h"

namespace covary::cli {
namespace {

[[noreturn]] void no_column(const Table& table, const std::string& name, const std::string& why) {
  const std::string hint =
      name.size() > 1 ? internal::did_you_mean(name, table.names()) : "";  // of one letter, all are near
  throw Error(Problem::data, fmt::format("{} has no column '{}', {}{}", table.source, name, why,
                                         hint.empty() ? "; it has " + listed(table.names()) : hint));
}

/// The column of sds that the model's noise came from, or "".
std::string noise_column(const FittedModel& m) {
  constexpr std::string_view prefix = "column:";
  return m->noise.per_row() && m->request.noise.starts_with(prefix) ? m->request.noise.substr(prefix.size())
                                                                    : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> described(const FittedModel& m) {
  std::vector<std::pair<std::string, std::string>> out{{"kernel", m->kernel}, {"mean", m->mean}};
  if (m->weights)
    out = {{"model", m->summary.model},
           {"basis", m->request.basis.empty() ? m->weights->features.text() : m->request.basis}};
  if (!m->weights && m->request.inference != Exact().text())
    out.emplace_back("inference", m->request.inference);
  if (!m->request.transform.is_identity()) out.emplace_back("fitted_as", m->request.transform.of(m->target));
  return out;
}

std::string label_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

HeldOut read_held_out(const std::string& path, const CsvOptions& csv, const std::string& missing,
                      const FittedModel& m, Messages& messages) {
  const Table table = read_csv_file(path, csv);
  messages.notes(table.notes);
  for (const std::string& name : m->features)
    if (table.find(name) == nullptr) no_column(table, name, "which the model needs");
  std::vector<std::string> used = internal::required_columns(internal::schema_of(m->request, m->features));
  if (table.find(m->target) == nullptr)
    no_column(table, m->target, "what the model predicts: scores need the observed values");
  used.push_back(m->target);
  const std::string noise = noise_column(m);
  if (!noise.empty() && table.find(noise) == nullptr)
    no_column(table, noise, "the sds of the noise, one for each row of the model");
  if (!noise.empty()) used.push_back(noise);
  const std::vector<Index> rows = rows_in_use(table, used, missing);
  if (const Index dropped = table.rows() - std::ssize(rows); dropped > 0)
    messages.note(fmt::format("{} dropped: a value is missing", counted(dropped, "row")));
  HeldOut out{
      table.source, model_inputs(table, m, rows), internal::numbers(table, {m->target}, rows).col(0), {}};
  if (!noise.empty()) out.noise_sd = internal::numbers(table, {noise}, rows).col(0);
  check_domain({m->target, m->request.transform}, table, rows, out.y);
  for (const Index i : rows) out.rows.push_back(fmt::format("line {}", table.lines.line(i)));
  return out;
}

CheckReport report(const HeldOut& t, const FittedModel& m, const std::optional<MarginalizedModel>& mixture,
                   int threads, Index worst, Messages& messages) {
  if (const Index common = internal::rows_in_common(m, t.x, t.y); common > 0)
    messages.note(fmt::format("{} of {} were in the data of the fit: their scores flatter the model", common,
                              counted(t.y.size(), "held-out row")));
  const Prediction p = mixture ? internal::held_out(*mixture, t.x, t.noise_sd, threads)
                               : held_out(m, t.x, t.noise_sd, threads);
  for (Index i = 0; i < p.mean.size(); ++i)
    if (!std::isfinite(p.mean[i]) || !std::isfinite(p.sd[i]))
      throw Error(Problem::numerical, fmt::format("{}, {}: the prediction is not a finite number", t.source,
                                                  t.rows[static_cast<size_t>(i)]));
  return {m->target,
          described(m),
          "held-out rows of " + t.source + (mixture ? ", hyper-parameters averaged out" : ""),
          t.y,
          p,
          t.rows,
          score(p, t.y),
          Calibration(p, t.y),
          worst};
}

}  // namespace covary::cli
