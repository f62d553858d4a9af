// covary check MODEL TEST.csv: scores on rows that the model was not fitted to.
#pragma once
#include "covary/model/marginalized.h"
#include "covary/table/table.h"
#include "output.h"
#include "reports/check_report.h"
#include "verbs/checks/check_model.h"

namespace covary::cli {

/// The rows of a held-out table that are scored.
struct HeldOut {
  std::string source;
  Matrix x;                            // m x d
  Vector y, noise_sd;                  // m; noise_sd none unless the model has one for each row
  std::vector<std::string> rows = {};  // what each is called
};

/// Finds the columns of the model by name. Throws Problem::data for a column that is not there, a gap, and a
/// target that the model's transform does not take.
HeldOut read_held_out(const std::string& path, const CsvOptions& csv, const std::string& missing,
                      const FittedModel& model, Messages& messages);

/// The same report as of leave-one-out, of the mixture if there is one.
CheckReport report(const HeldOut& test, const FittedModel& m, const std::optional<MarginalizedModel>& mixture,
                   int threads, Index worst, Messages& messages);

}  // namespace covary::cli
