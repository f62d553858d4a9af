// Suggestions in a domain, as a table and as JSON.
#pragma once
#include "covary/design/suggest_over.h"

namespace covary::cli {

/// A line for each point: the columns of the model, then mean, sd, score and reason.
std::string domain_csv(const DomainSuggestions& all, const FittedModel& model);
std::string domain_json(const DomainSuggestions& all, const FittedModel& model);

}  // namespace covary::cli
