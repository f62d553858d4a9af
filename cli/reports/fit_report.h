// What fit found, for people and for machines.
#pragma once
#include <string>

#include "covary/model/fitted_model.h"

namespace covary::cli {

/// `saved_as`: the file it was kept in, or "".
std::string text_report(const FittedModel& model, const std::string& saved_as);
std::string json_report(const FittedModel& model);

}  // namespace covary::cli
