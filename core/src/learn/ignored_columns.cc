#include "covary/learn/ignored_columns.h"

namespace covary {

Model<Row> ignoring(const HeldColumns& held, const Model<Row>& model) {
  return {holding(held, model.kernel), holding(held, model.mean), model.noise};
}

}  // namespace covary
