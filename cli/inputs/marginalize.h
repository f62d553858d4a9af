// --marginalize [DRAWS]: predictions averaged over the hyper-parameters.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>

#include "covary/model/marginalized.h"
#include "output.h"

namespace covary::cli {

struct MarginalizeArguments {
  std::optional<Index> draws;  // none: plug-in
  std::uint64_t seed = 1;
};

/// Without --seed, which some verbs have anyway.
void add_marginalize(CLI::App& verb, MarginalizeArguments& a);

/// The mixture if it was requested, with notes on its run time and its number of parameter vectors.
std::optional<MarginalizedModel> marginalized(const MarginalizeArguments& a, const FittedModel& model,
                                              int threads, Messages& messages);

}  // namespace covary::cli
