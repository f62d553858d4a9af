#include "covary/process/mean_function.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/error.h"
#include "covary/base/row_names.h"

namespace covary {
using namespace internal;
namespace {

[[noreturn]] void refuse(const RowFunction& f, const std::string& what) {
  throw Error(Problem::data, fmt::format("mean: the function {} gave {}", f.name, what));
}

void check(const RowFunction& f, const Vector& m, Index rows) {
  if (m.size() != rows)
    refuse(f, fmt::format("{} numbers for {} rows, expected one for each row", m.size(), rows));
  for (Index i = 0; i < rows; ++i)
    if (!std::isfinite(m[i]))
      refuse(f, fmt::format("{} for {} of {}, expected finite numbers", m[i], row_words(i), rows));
}

}  // namespace

Mean<Row> mean_of(const MeanFunction& f) {
  Mean<Row> m;
  m.text = f->name;
  m.known = [f](Rows x) -> Vector {
    if (x.rows() == 0) return Vector(0);
    Vector out = f->value(x);
    check(*f, out, x.rows());
    return out;
  };
  return m;
}

Mean<Row> mean_of(const MeanFunction& f, const std::string& text, const Schema& columns) {
  return f ? mean_of(f) : parse_mean(text, columns);
}

}  // namespace covary
