#include "reports/domain_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "inputs/model_inputs.h"
#include "json_text.h"

namespace covary::cli {

std::string domain_csv(const DomainSuggestions& all, const FittedModel& model) {
  Table out;
  const auto n = static_cast<Index>(model->features.size());
  for (Index k = 0; k < n; ++k) out.columns.push_back(input_column(model, k, all.x));
  const auto numbers = [&](const char* name, const Vector& v) {
    Column c{.name = name};
    c.values.assign(v.begin(), v.end());
    out.columns.push_back(std::move(c));
  };
  numbers("mean", all.mean), numbers("sd", all.sd), numbers("score", all.score);
  Column reason{.name = "reason", .kind = Column::Kind::text};
  reason.texts = all.reasons;
  out.columns.push_back(std::move(reason));
  for (size_t i = static_cast<size_t>(n); i < out.columns.size(); ++i)
    while (std::count(model->features.begin(), model->features.end(), out.columns[i].name))
      out.columns[i].name += "_2";
  std::string text;
  write_csv(text, out);
  return text;
}

std::string domain_json(const DomainSuggestions& all, const FittedModel& model) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (Index i = 0; i < all.x.rows(); ++i) {
    nlohmann::ordered_json j{{"score", all.score[i]}, {"mean", all.mean[i]}, {"sd", all.sd[i]}};
    j["reason"] = all.reasons[static_cast<size_t>(i)];
    for (size_t k = 0; k < model->features.size(); ++k) {
      const Column c = input_column(model, Index(k), all.x.row(i));
      if (c.kind == Column::Kind::number)
        j["at"][c.name] = c.values[0];
      else
        j["at"][c.name] = c.texts[0];
    }
    out.push_back(std::move(j));
  }
  return json_text(out);
}

}  // namespace covary::cli
