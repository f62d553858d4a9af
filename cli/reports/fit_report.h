// The report of covary fit, as text and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "covary/model/fitted_model.h"

namespace covary::cli {

/// `saved_as`: the file it was kept in, or "".
std::string text_report(const FittedModel& model, const std::string& saved_as);
std::string json_report(const FittedModel& model);

/// What `auto` chooses from: time, memory, and why not. "" of none.
std::string inferences_table(const std::vector<InferenceEstimate>& all);
nlohmann::ordered_json inferences_json(const std::vector<InferenceEstimate>& all);

}  // namespace covary::cli
