#include "covary/kernels/linear.h"

#include "covary/kernels/registry.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

/// Root mean square of each column, 1 where it is 0.
Vector root_mean_square(Rows x) {
  Vector r(x.cols());
  for (Index k = 0; k < x.cols(); ++k) {
    r[k] = x.rows() ? x.col(k).stableNorm() / std::sqrt(double(x.rows())) : 0;
    r[k] = r[k] > 0 ? std::clamp(r[k], 1e-45, 1e45) : 1;
  }
  return r;
}

struct Linear {
  Lengthscale lengthscale;

  Matrix cross(Rows a, Rows b) const { return inner_products(a, b, lengthscale.weights(a.cols())); }
  Vector diag(Rows a) const {
    const Vector weights = lengthscale.weights(a.cols());
    Vector s = Vector::Zero(a.rows());
    for (Index k = 0; k < a.cols(); ++k) s.array() += (weights[k] * a.col(k).array()) * a.col(k).array();
    return s;
  }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {  // dk/dlog l_k = -2 a_k b_k / l_k^2
    const Vector each = (a.transpose() * w * b).diagonal();
    const Vector g = -2 * lengthscale.weights(a.cols()).cwiseProduct(each);
    return lengthscale.values.size() == 1 ? Vector::Constant(1, g.sum()) : g;
  }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {  // dk/da_ic = b_jc/l_c^2
    return w * b * lengthscale.weights(a.cols()).asDiagonal();
  }
  Vector theta() const { return lengthscale.theta(); }
  Linear with(const Vector& t) const { return {{t.array().exp()}}; }
  Expression node() const { return call_node("linear", parameters()); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = lengthscale.parameters();
    for (Parameter& p : all) p.role = Role::scale;  // they say how steep lines are, not how far points see
    return all;
  }
  Linear sized(Rows x) const { return {lengthscale.sized(x)}; }
  Vector start(Rows x, double variance) const {
    const Vector l = root_mean_square(x) * std::sqrt(double(x.cols()) / variance);
    return lengthscale.values.size() == 1
               ? Vector::Constant(1, std::log(l.norm() / std::sqrt(double(x.cols()))))
               : Vector(l.array().log());
  }
  Kernel<Row> amplified() const { return *this; }         // its length-scales already say how large it is
  FeatureMap<Row> features(Random& rng, Index m) const {  // x.w, w normal: exact in covariance
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index d, Random& draws) {
      const Matrix w = draws.normal(d, m).transpose() / std::sqrt(double(m));
      const Vector scale = this_.lengthscale.weights(d).cwiseSqrt();
      return FeatureMap<Row>{m, [w, scale](Rows x) -> Matrix { return inner_products(x, w, scale); }};
    });
  }
  Split<Row> split(Rows x) const {
    const Vector scale = lengthscale.weights(x.cols()).cwiseSqrt(), center = x.colwise().mean();
    const auto off = [scale, center](Rows z) -> Matrix {
      return (z.rowwise() - center.transpose()) * scale.asDiagonal();
    };
    return {{}, center.cwiseProduct(scale), {x.cols(), off}};
  }
};

struct Polynomial {
  int degree;
  double offset;

  Matrix cross(Rows a, Rows b) const { return power(base(a, b), degree); }
  Vector diag(Rows a) const {
    check_given(parameters());
    return power(a.rowwise().squaredNorm().array() + offset, degree);
  }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {  // dk/dlog offset
    return Vector::Constant(1, degree * offset * power(base(a, b), degree - 1).cwiseProduct(w).sum());
  }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {  // dk/da_ic = degree base^(degree-1) b_jc
    return degree * (power(base(a, b), degree - 1).cwiseProduct(w) * b);
  }
  Vector theta() const { return Vector::Constant(1, std::log(offset)); }
  Polynomial with(const Vector& t) const { return {degree, std::exp(t[0])}; }
  Expression node() const { return call_node("polynomial", parameters(), {{"degree", {double(degree)}}}); }
  std::vector<Parameter> parameters() const { return {{"offset", Role::scale, offset}}; }
  Vector start(Rows x, double) const {
    return Vector::Constant(1, std::log(root_mean_square(x).squaredNorm()));
  }
  FeatureMap<Row> features(Random& rng, Index m) const {  // a product of `degree` independent linear draws
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index d, Random& draws) {
      std::vector<Matrix> w;  // m x (d + 1) each: the last column meets the offset
      for (int i = 0; i < this_.degree; ++i) {
        w.emplace_back(m, d + 1);
        w.back().leftCols(d) = draws.normal(d, m).transpose();
        w.back().col(d) = draws.normal(m, 1) * std::sqrt(this_.offset);
      }
      return FeatureMap<Row>{m, [w, m, d](Rows x) -> Matrix {
                               Matrix all = Matrix::Constant(x.rows(), m, 1 / std::sqrt(double(m)));
                               for (const Matrix& u : w)
                                 all.array() *= inner_products(x, u.leftCols(d), Vector::Ones(d)).array() +
                                                u.col(d).transpose().replicate(x.rows(), 1).array();
                               return all;
                             }};
    });
  }

 private:
  Matrix base(Rows a, Rows b) const {
    check_given(parameters());
    return inner_products(a, b, Vector::Ones(a.cols())).array() + offset;
  }
  static Matrix power(const Matrix& x, int n) {
    Matrix p = Matrix::Ones(x.rows(), x.cols());
    for (int i = 0; i < n; ++i) p.array() *= x.array();
    return p;
  }
};

}  // namespace

Kernel<Row> linear(Vector lengthscale) {
  return Linear{Lengthscale::checked("linear", std::move(lengthscale))};
}

Kernel<Row> polynomial(int degree, double offset) {
  check_range("polynomial", "degree", degree, 1, 20);
  if (!std::isnan(offset)) check_range("polynomial", "offset", offset);
  return Polynomial{degree, offset};
}

namespace entries {

Entry<Row> linear() {
  return {"linear",
          "x.z",
          "straight lines through the origin",
          {"lengthscale"},
          [](const Arguments& a) { return covary::linear(a.vector("lengthscale")); },
          0,
          Nature::growing};
}

Entry<Row> polynomial() {
  return {"polynomial",
          "(offset + x.z)^degree",
          "polynomials with all interactions",
          {"degree", "offset"},
          [](const Arguments& a) {
            return covary::polynomial(a.integer("degree", 2, 1, 20), a.number("offset"));
          },
          0,
          Nature::growing};
}

}  // namespace entries
}  // namespace covary
