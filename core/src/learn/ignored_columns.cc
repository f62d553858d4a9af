#include "covary/learn/ignored_columns.h"

#include <fmt/format.h>

namespace covary {

Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model) {
  return {holding(held, model.kernel), holding(held, model.mean), model.noise};
}

std::string constant_note(const std::string& name, bool ignored) {
  return fmt::format("column {} is constant: {}", name,
                     ignored ? "it is ignored" : "only the prior says how y depends on it");
}

}  // namespace covary
