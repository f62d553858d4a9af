// A trend m(x) = f(x) that is a function of the program: n numbers for n rows, without parameters.
#pragma once
#include <memory>

#include "covary/process/mean.h"

namespace covary {

struct RowFunction {
  std::string name;
  std::function<Vector(const Rows&)> value;  // n x d -> n
  std::shared_ptr<const void> source = {};   // what it was made from
};
using MeanFunction = std::shared_ptr<const RowFunction>;

/// f as a trend. Throws a data Error unless f returns one finite number for each row.
Mean<Row> mean_of(const MeanFunction& f);

/// The function if there is one, else parse_mean (mean.h) of the text.
Mean<Row> mean_of(const MeanFunction& f, const std::string& text, const Schema& columns = {});

}  // namespace covary
