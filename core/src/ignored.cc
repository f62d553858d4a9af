#include "covary/ignored.h"

#include <fmt/format.h>

#include "covary/expression.h"

namespace covary {

HeldColumns ignored_columns(const Asked& asked, const std::vector<std::string>& columns, const Rows& x) {
  if (asked.is_linear()) return constant_columns(x);
  if (asked.kernel.empty()) return {};
  return ignored_columns(parse(asked.kernel, columns, asked.functions).amplified(), x);
}

Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model) {
  return {holding(held, model.kernel), holding(held, model.mean), model.noise};
}

LinearModel ignoring(const HeldColumns& held, const LinearModel& model) {
  LinearModel out = model;
  if (!held.empty()) out.features = parse_features(model.features.text(), model.features.columns(), held);
  return out;
}

std::string constant_note(const std::string& name, bool ignored) {
  return fmt::format("column {} is constant: {}", name,
                     ignored ? "it is ignored" : "only the prior says how y depends on it");
}

}  // namespace covary
