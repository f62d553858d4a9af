// k = prod_k (1 if a_k = b_k, else c_k): one correlation of different levels for each column.
#include <fmt/format.h>

#include <algorithm>

#include "covary/kernels/categories/categories.h"
#include "covary/kernels/registry.h"
#include "kernels/categories/codes.h"

namespace covary {
using namespace internal;
namespace {

constexpr double least_correlation = 1e-9, most_correlation = 1 - 1e-9;  // so that theta stays finite

struct Category {
  Vector correlation;  // empty: not given

  Matrix cross(Rows a, Rows b) const {
    const Vector c = checked(a.cols());
    Matrix k = Matrix::Ones(a.rows(), b.rows());
    for (Index d = 0; d < a.cols(); ++d)
      for (Index j = 0; j < b.rows(); ++j)
        k.col(j).array() *=
            (a.col(d).array() == b(j, d)).select(1.0, Eigen::ArrayXd::Constant(a.rows(), c[d]));
    return k;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // dk/dlogit c_d = (1 - c_d) k where a_d and b_d differ
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Vector c = checked(a.cols());
    const Matrix kw = cross(a, b).cwiseProduct(w);
    Vector g = Vector::Zero(a.cols());
    for (Index d = 0; d < a.cols(); ++d) {
      for (Index j = 0; j < b.rows(); ++j)
        g[d] += (a.col(d).array() == b(j, d)).select(0.0, kw.col(j).array()).sum();
      g[d] *= 1 - c[d];
    }
    return correlation.size() == 1 ? Vector::Constant(1, g.sum()) : g;
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const { return Matrix::Zero(a.rows(), a.cols()); }
  Vector theta() const {
    if (correlation.size() == 0) return Vector::Constant(1, std::numeric_limits<double>::quiet_NaN());
    return correlation.unaryExpr([](double c) { return to_theta(Scale::logit, c); });
  }
  Category with(const Vector& t) const {
    return {t.unaryExpr([](double u) {
      return std::clamp(from_theta(Scale::logit, u), least_correlation, most_correlation);
    })};
  }
  Expression node() const { return call_node("category", parameters()); }
  std::vector<Parameter> parameters() const {
    Parameter p{"correlation"};
    p.scale = Scale::logit;
    if (correlation.size() == 0) return {p};
    std::vector<Parameter> all(static_cast<size_t>(correlation.size()), p);
    for (size_t k = 0; k < all.size(); ++k) {
      all[k].value = correlation[Index(k)];
      if (all.size() > 1) all[k].column = Index(k);
    }
    return all;
  }
  Category sized(Rows x) const {
    if (correlation.size() > 0) return *this;
    return {Vector::Constant(x.cols(), std::numeric_limits<double>::quiet_NaN())};
  }
  Vector start(Rows, double) const { return Vector::Zero(theta().size()); }  // 0.5
  // phi_m = prod_d (sqrt(c_d) u_dm + sqrt(1 - c_d) v_dm(code)) / sqrt(M), u and v standard normal: u is the same for
  // all codes, v is independent for each
  FeatureMap<Row> features(Random& rng, Index m) const {
    return {m, [this_ = *this, seed = rng.fork(), m](Rows x) -> Matrix {
              const Vector c = this_.checked(x.cols());
              Matrix phi = Matrix::Constant(x.rows(), m, 1 / std::sqrt(double(m)));
              for (Index d = 0; d < x.cols(); ++d) {
                const std::uint64_t own = seed + std::uint64_t(d);
                const Vector u = code_draws(own, -1, m) * std::sqrt(c[d]);
                const std::vector<Index> codes = codes_of("category", x.col(d));
                for (Index i = 0; i < x.rows(); ++i)
                  phi.row(i).array() *=
                      (u + std::sqrt(1 - c[d]) * code_draws(own, codes[size_t(i)], m)).transpose().array();
              }
              return phi;
            }};
  }

 private:
  /// d: the correlation of each column. Throws unless there are 1 or d of them.
  Vector checked(Index d) const {
    if (correlation.size() == 0 || correlation.hasNaN()) check_given(parameters());
    if (correlation.size() != 1 && correlation.size() != d)
      throw Error(Problem::usage,
                  fmt::format("category: {} correlations were given for {} columns", correlation.size(), d));
    return correlation.size() == 1 ? Vector::Constant(d, correlation[0]) : correlation;
  }
};

}  // namespace

Kernel<Row> category(Vector correlation) {
  for (const double c : correlation)
    if (!std::isnan(c) || correlation.size() == 1)
      check_range("category", "correlation", c, least_correlation, most_correlation);
  return Category{std::move(correlation)};
}

namespace entries {

Entry<Row> category() {
  return {"category",
          "1 where equal, else correlation",
          "categories, all alike",
          {"correlation"},
          [](const Arguments& a) { return covary::category(a.vector("correlation")); },
          0,
          Nature::other,
          Reads::categories};
}

}  // namespace entries
}  // namespace covary
