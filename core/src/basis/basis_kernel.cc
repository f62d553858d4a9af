#include "covary/basis/basis_kernel.h"

#include <fmt/format.h>

#include "base/simd/simd.h"
#include "covary/kernels/split.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

/// phi of some of the points.
struct BasisValues {
  std::shared_ptr<const Matrix> phi;  // N x n: a point is a column
  Range points;
  const double* of(Index i) const { return phi->data() + (points.first + i) * phi->rows(); }
  friend BasisValues slice(const BasisValues& x, Range r) {
    return {x.phi, {x.points.first + r.first, r.count}};
  }
};

struct Explicit {
  Features phi;
  Vector variances;  // N, or none: all 1
  double variance;

  BasisValues prepare(Rows x) const { return {std::make_shared<const Matrix>(columns(x)), {0, x.rows()}}; }
  Matrix cross(const BasisValues& a,
               const BasisValues& b) const {  // in an order of sums that depends on N alone
    Matrix k(a.points.count, b.points.count);
    for (Index j = 0; j < k.cols(); ++j)
      for (Index i = 0; i < k.rows(); ++i) k(i, j) = inner(a, i, b, j);
    return k;
  }
  Vector diag(const BasisValues& a) const {
    Vector k(a.points.count);
    for (Index i = 0; i < k.size(); ++i) k[i] = inner(a, i, a, i);
    return k;
  }
  Vector pullback(const BasisValues& a, const BasisValues& b,
                  const Matrix& w) const {  // dk/dlog variance = k
    return Vector::Constant(1, w.cwiseProduct(cross(a, b)).sum());
  }
  Matrix cross(Rows a, Rows b) const { return cross(prepare(a), prepare(b)); }
  Vector diag(Rows a) const { return diag(prepare(a)); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return pullback(prepare(a), prepare(b), w); }
  Vector theta() const { return Vector::Constant(1, std::log(variance)); }
  Explicit with(const Vector& t) const { return {phi, variances, std::exp(t[0])}; }
  Expression node() const {
    Expression e = call_node("features", parameters());
    e.text = phi.text();
    if (variances.size()) e.arguments.push_back({"variances", {variances.begin(), variances.end()}, true});
    return e;
  }
  std::vector<Parameter> parameters() const { return {{"variance", Role::variance, variance}}; }
  Explicit sized(Rows x) const { return {phi.placed(x), variances, variance}; }
  Vector start(Rows x, double v) const {
    const double size = Explicit{phi.placed(x), variances, 1}.diag(x).mean();
    return Vector::Constant(1, std::log(size > 0 ? v / size : v));
  }
  Kernel<Row> amplified() const { return *this; }
  Split<Row> split(Rows x) const {
    const double sd = std::sqrt(variance);
    const Vector center = sd * columns(x).rowwise().mean();
    return {{}, center, {phi.size(), [this_ = *this, sd, center](Rows z) -> Matrix {
                           return ((sd * this_.columns(z)).colwise() - center).transpose();
                         }}};
  }
  FeatureMap<Row> features(Random& rng, Index m) const {  // phi.w, w normal: exact in covariance
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index, Random& draws) {
      const Matrix w = draws.normal(this_.phi.size(), m).transpose();
      const Vector sd = Vector::Constant(w.cols(), std::sqrt(this_.variance / double(m)));
      return FeatureMap<Row>{m, [this_, w, sd](Rows x) -> Matrix {
                               return inner_products(this_.columns(x).transpose(), w, sd);
                             }};
    });
  }

 private:
  /// N x n: sqrt(variances_j) phi_j(x_i).
  Matrix columns(Rows x) const {
    check_given(parameters());
    Matrix p = phi(x, -1).transpose();
    if (variances.size()) p = variances.cwiseSqrt().asDiagonal() * p;
    return p;
  }
  double inner(const BasisValues& a, Index i, const BasisValues& b, Index j) const {
    return variance * simd::loops().dot(a.of(i), b.of(j), a.phi->rows());
  }
};

}  // namespace

Kernel<Row> internal::kernel_of(Features features, Vector variances, double variance) {
  if (variances.size() && variances.size() != features.size())
    throw Error(Problem::usage, fmt::format("features: {} variances were given for {} features",
                                            variances.size(), features.size()));
  for (const double v : variances) check_range("features", "variances", v);
  if (!std::isnan(variance)) check_range("features", "variance", variance);
  return Explicit{std::move(features), std::move(variances), variance};
}

namespace entries {
Combinator<Row> features();
Combinator<Row> features() {
  return {"features",
          "sum_j variances_j phi_j(x) phi_j(z)",
          "a weighted sum of basis functions: features(\"x, x^2\"), see --basis",
          {Form::text},
          {"variance", "variances"},
          [](const Call<Row>& c) {
            const Arguments& a = c.arguments;
            return kernel_of(parse_features(c.text, c.all.names()), a.vector("variances"),
                             a.number("variance"));
          }};
}
}  // namespace entries

}  // namespace covary
