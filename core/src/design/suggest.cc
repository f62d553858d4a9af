#include "covary/design/suggest.h"

#include <fmt/format.h>

namespace covary {
using namespace internal;

Suggestions suggest(const FittedModel& model, const Rows& candidates, const SuggestOptions& options) {
  CandidatePool pool(model, candidates, options.strategy, options.selector);
  if (options.count > pool.size())
    throw Error(Problem::data,
                fmt::format("{} candidates were asked for, the pool has {}", options.count, pool.size()));
  Suggestions out;
  const auto note = [&](const std::vector<std::string>& more) {
    out.notes.insert(out.notes.end(), more.begin(), more.end());
  };
  if (!model->request.transform.is_identity())
    note({fmt::format("sds and scores are of {}, which the model is of",
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
