// jaccard, minmax and intersection of columns of nonnegative numbers: fingerprints, counts, compositions.
#include <fmt/format.h>

#include <cmath>

#include "covary/kernels/sets/sets.h"
#include "kernels/sets/set_measure.h"

namespace covary {
using namespace internal;

SparseRows SetMeasure::rows(Rows x) const {
  std::vector<std::vector<SparseRows::Weight>> all(static_cast<size_t>(x.rows()));
  for (Index k = 0; k < x.cols(); ++k) {
    const Key key = number_key(static_cast<std::uint64_t>(k));
    for (Index i = 0; i < x.rows(); ++i) {
      const double value = x(i, k);
      if (!(value >= 0))
        throw Error(Problem::data,
                    fmt::format("{}: row {}, column {}: expected a number of 0 or more, found {}",
                                node().name, i + 1, k + 1, value));
      if (value > 0) all[static_cast<size_t>(i)].push_back({key, kind == Kind::jaccard ? 1 : value});
    }
  }
  return SparseRows(all);
}

/// With s = sum_c min(a_c, b_c), u = sum a, v = sum b and below_c = 1 where a_c < b_c, else 0:
///   ds/da_c = below_c,  du/da_c = 1
///   minmax, m = u + v - s:            dk = (ds (m + s) - s du)/m^2
///   intersection, normalized:         dk = ds/sqrt(u v) - s du/(2 u sqrt(u v));  nothing where u or v is 0
/// 3 na nb d flops.
Matrix SetMeasure::pullback_inputs(Rows a, Rows b, const Matrix& w) const {
  Matrix out = Matrix::Zero(a.rows(), a.cols());
  if (kind == Kind::jaccard) return out;
  const SparseRows x = rows(a), z = rows(b);
  const Matrix s = minima(x, z);
  const Vector u = x.totals(), v = z.totals();
  for (Index j = 0; j < b.rows(); ++j)
    for (Index i = 0; i < a.rows(); ++i) {
      double of_s = 1, of_u = 0;
      if (kind == Kind::minmax) {
        const double m = u[i] + v[j] - s(i, j);
        of_s = m > 0 ? (m + s(i, j)) / (m * m) : 0, of_u = m > 0 ? -s(i, j) / (m * m) : 0;
      } else if (normalized) {
        const double size = std::sqrt(u[i] * v[j]);
        of_s = size > 0 ? 1 / size : 0, of_u = size > 0 ? -s(i, j) / (2 * u[i] * size) : 0;
      }
      for (Index c = 0; c < a.cols(); ++c) out(i, c) += w(i, j) * ((a(i, c) < b(j, c) ? of_s : 0) + of_u);
    }
  return out;
}

namespace {
using ColumnKernel = SparseKernel<Row, SetMeasure>;
}

template <>
Kernel<Row> jaccard<Row>() {
  return ColumnKernel{{SetMeasure::Kind::jaccard}};
}
template <>
Kernel<Row> minmax<Row>() {
  return ColumnKernel{{SetMeasure::Kind::minmax}};
}
template <>
Kernel<Row> intersection<Row>(bool normalized) {
  return ColumnKernel{{SetMeasure::Kind::intersection, normalized}};
}

namespace entries {

Entry<Row> jaccard() {
  return {"jaccard",
          "|A and B|/|A or B|, the columns that are not 0",
          "binary fingerprints: columns of 0 and 1 (Tanimoto)",
          {},
          [](const Arguments&) { return covary::jaccard<Row>(); }};
}
Entry<Row> minmax() {
  return {"minmax",
          "sum min(x, z)/sum max(x, z)",
          "count fingerprints: columns of nonnegative numbers (weighted Tanimoto)",
          {},
          [](const Arguments&) { return covary::minmax<Row>(); }};
}
Entry<Row> intersection() {
  return {"intersection",
          "sum min(x, z); normalized: /sqrt(sum x sum z)",
          "histograms and compositions: columns of nonnegative numbers",
          {"normalized"},
          [](const Arguments& a) { return covary::intersection<Row>(normalized_in(a)); },
          0,
          Nature::local,
          Reads::numbers,
          {"normalized"}};
}

}  // namespace entries
}  // namespace covary
