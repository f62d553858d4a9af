#include "covary/learn/ignored_columns.h"

namespace covary {
using namespace internal;

Model<Row> internal::ignoring(const HeldColumns& held, const Model<Row>& model) {
  return {holding(held, model.kernel), holding(held, model.mean), model.noise};
}

}  // namespace covary
