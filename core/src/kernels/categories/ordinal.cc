// k = matern52 of p_a - p_b: levels on a line, p_i = s_1 + ... + s_i.
#include <fmt/format.h>

#include "covary/kernels/categories/categories.h"
#include "covary/kernels/registry.h"
#include "kernels/categories/codes.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_ordinal_levels = 500;

struct Ordinal {
  Vector spacing;  // s_1, ..., s_m; empty: not given

  Matrix cross(Rows a, Rows b) const { return matern52(1.0).cross(positions(a), positions(b)); }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // dk/dlog s_i = s_i sum over points of dk/dp [s_i is a part of p]
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Matrix pa = positions(a), pb = positions(b);
    const Index m = spacing.size();
    Vector above =
        Vector::Zero(m + 1);  // of the points at position i; those beyond the last are counted there
    double beyond = 0;
    const auto add = [&](Rows x, const Vector& slopes) {
      const std::vector<Index> codes = codes_of("ordinal", x);
      for (Index i = 0; i < x.rows(); ++i) {
        const Index code = codes[size_t(i)];
        above[std::min(code, m)] += slopes[i];
        if (code > m) beyond += double(code - m) * slopes[i];
      }
    };
    add(a, matern52(1.0).pullback_inputs(pa, pb, w));
    add(b, matern52(1.0).pullback_inputs(pb, pa, w.transpose()));
    Vector g(m);
    double sum = 0;
    for (Index i = m; i >= 1; --i) sum += above[i], g[i - 1] = spacing[i - 1] * sum;
    g[m - 1] += spacing[m - 1] * beyond;
    return g;
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const { return Matrix::Zero(a.rows(), a.cols()); }
  Vector theta() const {
    if (spacing.size() == 0) return Vector::Constant(1, std::numeric_limits<double>::quiet_NaN());
    return spacing.array().log();
  }
  Ordinal with(const Vector& t) const { return {t.array().exp()}; }
  Expression node() const { return call_node("ordinal", parameters()); }
  std::vector<Parameter> parameters() const {
    if (spacing.size() == 0) return {{"spacing", Role::shape}};
    std::vector<Parameter> all(static_cast<size_t>(spacing.size()), {"spacing", Role::shape});
    for (size_t i = 0; i < all.size(); ++i)
      all[i].value = spacing[Index(i)], all[i].item = all.size() > 1 ? Index(i) : -1;
    return all;
  }
  Ordinal sized(Rows x) const {
    if (spacing.size() > 0) return *this;
    const Index steps = std::max<Index>(1, levels_of("ordinal", x, most_ordinal_levels) - 1);
    return {Vector::Constant(steps, std::numeric_limits<double>::quiet_NaN())};
  }
  /// Equal steps, as of a length-scale that is the standard deviation of the codes.
  Vector start(Rows x, double) const {
    return Vector::Constant(theta().size(), -std::log(column_spread(x).maxCoeff()));
  }
  FeatureMap<Row> features(Random& rng, Index m) const {
    const FeatureMap<Row> line = matern52(1.0).features(rng, m);
    return {m, [this_ = *this, line](Rows x) -> Matrix { return line(this_.positions(x)); }};
  }

 private:
  /// n x 1: the places of the levels on the line.
  Matrix positions(Rows x) const {
    check_given(parameters());
    const std::vector<Index> codes = codes_of("ordinal", x);
    const Index m = spacing.size();
    Vector p = Vector::Zero(m + 1);
    for (Index i = 1; i <= m; ++i) p[i] = p[i - 1] + spacing[i - 1];
    Matrix out(x.rows(), 1);
    for (Index i = 0; i < x.rows(); ++i) {
      const Index code = codes[size_t(i)];
      out(i, 0) = code <= m ? p[code] : p[m] + double(code - m) * spacing[m - 1];
    }
    return out;
  }
};

}  // namespace

Kernel<Row> ordinal(Vector spacing) {
  if (spacing.size() >= most_ordinal_levels)
    throw Error(Problem::limit,
                fmt::format("ordinal: at most {} levels, found {}", most_ordinal_levels, spacing.size() + 1));
  for (const double s : spacing) check_range("ordinal", "spacing", s);
  return Ordinal{std::move(spacing)};
}

namespace entries {

Entry<Row> ordinal() {
  return {"ordinal",
          "matern52 of p_i - p_j, p_i = s_1 + ... + s_i",
          "ordered categories, neighbors most alike",
          {"spacing"},
          [](const Arguments& a) { return covary::ordinal(a.vector("spacing")); },
          1,
          Nature::local,
          Reads::categories};
}

}  // namespace entries
}  // namespace covary
