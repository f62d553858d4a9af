#include "inputs/marginalize.h"

#include <fmt/format.h>

#include "numbers.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr double long_seconds = 5;  // from this estimate on, a note announces it

}  // namespace

void add_marginalize(CLI::App& verb, MarginalizeArguments& a) {
  verb.add_option("--marginalize", a.draws,
                  "Average over this number of draws of the hyper-parameters (32 if no number follows): "
                  "mixture predictions, better calibrated for few rows")
      ->expected(0, 1)
      ->default_str("32")
      ->transform(whole(2, 10000))
      ->type_name("[DRAWS]");
}

std::optional<MarginalizedModel> marginalized(const MarginalizeArguments& a, const FittedModel& model,
                                              int threads, Messages& messages) {
  if (!a.draws) return {};
  MarginalizeOptions o{*a.draws, a.seed, threads};
  o.expected = [&](double seconds) {
    if (seconds > long_seconds)
      messages.note("averaging over the hyper-parameters takes about " + in_seconds(seconds));
  };
  o.progress = [&](double share) { messages.progress("averaging over the hyper-parameters", share); };
  MarginalizedModel out(model, o);
  messages.note(fmt::format("averaged over the hyper-parameters: {} distinct vectors of {} draws (seed {})",
                            out.models().size(), *a.draws, a.seed));
  return out;
}

}  // namespace covary::cli
