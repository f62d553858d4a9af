#include "covary/design/suggest.h"

#include <fmt/format.h>

#include "covary/design/constraint.h"

namespace covary {
using namespace internal;

namespace {

/// Among the candidates that satisfy the conditions.
Suggestions feasible_suggestions(const FittedModel& model, const Rows& candidates, SuggestOptions options) {
  const std::vector<Constraint> all = constraints_of(options.where, model->features);
  const std::vector<Index> rows = feasible_rows(all, candidates);
  if (rows.empty()) nothing_feasible(all, candidates.rows(), "candidates");
  options.where.clear();
  if (options.selector.cost.size() == candidates.rows())
    options.selector.cost = Vector(options.selector.cost(rows));
  if (options.name)
    options.name = [rows, name = options.name](Index i) { return name(rows[static_cast<size_t>(i)]); };
  const Matrix some = candidates(rows, Eigen::all);
  Suggestions out = suggest(model, some, options);
  for (Choice& c : out.choices) c.candidate = rows[static_cast<size_t>(c.candidate)];
  return out;
}

}  // namespace

Suggestions suggest(const FittedModel& model, const Rows& candidates, const SuggestOptions& options) {
  if (!options.where.empty()) return feasible_suggestions(model, candidates, options);
  CandidatePool pool(model, candidates, options.strategy, options.selector);
  if (options.count > pool.size())
    throw Error(Problem::data,
                fmt::format("{} candidates were asked for, the pool has {}", options.count, pool.size()));
  Suggestions out;
  const auto note = [&](const std::vector<std::string>& more) {
    out.notes.insert(out.notes.end(), more.begin(), more.end());
  };
  if (!model->request.transform.is_identity())
    note({fmt::format("sds and scores are of {}, the transformed target",
                      model->request.transform.of(model->target))});
  note(pool.coverage(options.selector.seed, options.name));
  note(pool.bias());
  if (options.stop_sd > 0)
    note({forecast_words(pool.forecast(options.stop_sd), options.stop_sd, options.unit)});
  const Vector sd = pool.sd();
  out.choices = pool.suggest(options.count);
  out.sd.resize(std::ssize(out.choices));
  for (Index i = 0; i < out.sd.size(); ++i) out.sd[i] = sd[out.choices[static_cast<size_t>(i)].candidate];
  return out;
}

}  // namespace covary
