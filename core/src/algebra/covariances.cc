#include "covary/algebra/covariances.h"

#include <memory>

namespace covary {

Covariances internal::covariances_of(Matrix matrix) {
  auto k = std::make_shared<const Matrix>(std::move(matrix));
  return {
      k->rows(), k->diagonal(),
      [k](Range r, const std::vector<Index>& c) -> Matrix { return (*k)(Eigen::seqN(r.first, r.count), c); },
      [k](const std::vector<Index>& r, const std::vector<Index>& c) -> Matrix { return (*k)(r, c); }};
}

Matrix internal::among(const Covariances& k, const std::vector<Index>& rows,
                       const std::vector<Index>& columns) {
  if (k.among) return k.among(rows, columns);
  Matrix out(std::ssize(rows), std::ssize(columns));
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = k.block({rows[static_cast<size_t>(i)], 1}, columns);
  return out;
}

}  // namespace covary
