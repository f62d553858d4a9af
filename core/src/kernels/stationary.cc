#include "covary/kernels/stationary.h"

#include "covary/kernels/registry.h"
#include "kernels/profiles.h"

namespace covary {
using namespace internal;
namespace {

/// k = f(s).
template <class Profile>
struct Stationary {
  Lengthscale lengthscale;

  Matrix cross(Rows a, Rows b) const {
    Matrix s = squared_distances(a, b, lengthscale.weights(a.cols()));
    in_pieces(s, Profile::value);
    return s;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // dk/dlog l_k = -2 f'(s) (a_k - b_k)^2 / l_k^2, contracted with w
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Vector weights = lengthscale.weights(a.cols());
    Matrix h = squared_distances(a, b, weights);
    if (lengthscale.values.size() == 1) {
      const Matrix s = h;
      in_pieces(h, Profile::slope);
      return Vector::Constant(1, (h.array() * s.array() * w.array()).sum());
    }
    in_pieces(h, Profile::slope);
    h.array() *= w.array();
    return weights.cwiseProduct(weighted_squares(a, b, h));
  }
  // dk/da_ic = 2 f'(s) (a_ic - b_jc)/l_c^2
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {
    const Vector weights = lengthscale.weights(a.cols());
    Matrix h = squared_distances(a, b, weights);
    in_pieces(h, Profile::slope);
    h.array() *= w.array();
    return weighted_differences(a, b, h) * weights.asDiagonal();
  }
  Vector theta() const { return lengthscale.theta(); }
  Stationary with(const Vector& t) const { return {{t.array().exp()}}; }
  Expression node() const { return call_node(std::string(Profile::name), parameters()); }
  std::vector<Parameter> parameters() const { return lengthscale.parameters(); }
  Stationary sized(Rows x) const { return {lengthscale.sized(x)}; }
  Vector start(Rows x, double) const { return lengthscale.start(x); }
  FeatureMap<Row> features(Random& rng, Index m) const {
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index d, Random& draws) {
      const Vector scale = this_.lengthscale.weights(d).cwiseSqrt();
      Matrix w = draws.normal(m, d) * scale.asDiagonal();
      for (Index i = 0; i < m; ++i) w.row(i) *= Profile::spread(draws);
      return fourier_features(std::move(w), draws);
    });
  }
};

/// k = (1 + s/(2 alpha))^-alpha: a mixture of se kernels over length-scales.
struct RationalQuadratic {
  Lengthscale lengthscale;
  double alpha;

  Matrix cross(Rows a, Rows b) const {
    Matrix s = squared_distances(a, b, weights(a.cols()));
    s = -alpha * log1p(s / (2 * alpha)).array();
    exp_in_place(s);
    return s;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Vector weight = weights(a.cols());
    const Matrix s = squared_distances(a, b, weight);
    const Matrix u = s.array() / (2 * alpha), logs = log1p(u);
    Matrix k = -alpha * logs;
    exp_in_place(k);
    Matrix h = k.array() / (1 + u.array()) * w.array();  // -2 f'(s) = (1 + u)^(-alpha - 1)
    // dk/dlog alpha = alpha k (u/(1 + u) - log(1 + u))
    const double d_alpha =
        alpha * (k.array() * w.array() * (u.array() / (1 + u.array()) - logs.array())).sum();
    Vector g(theta().size());
    if (lengthscale.values.size() == 1)
      g[0] = h.cwiseProduct(s).sum();
    else
      g.head(g.size() - 1) = weight.cwiseProduct(weighted_squares(a, b, h));
    g[g.size() - 1] = d_alpha;
    return g;
  }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {  // -2 f'(s) = (1 + u)^(-alpha - 1)
    const Vector weight = weights(a.cols());
    Matrix h = squared_distances(a, b, weight);
    h = -(alpha + 1) * log1p(h / (2 * alpha));
    exp_in_place(h);
    h.array() *= w.array();
    return weighted_differences(a, b, h) * weight.asDiagonal();
  }
  Vector theta() const { return concat(lengthscale.theta(), Vector::Constant(1, std::log(alpha))); }
  RationalQuadratic with(const Vector& t) const {
    const Index n = t.size() - 1;
    return {{t.head(n).array().exp()}, std::exp(t[n])};
  }
  Expression node() const { return call_node("rational_quadratic", parameters()); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = lengthscale.parameters();
    all.push_back({"alpha", Role::shape, alpha});
    return all;
  }
  RationalQuadratic sized(Rows x) const { return {lengthscale.sized(x), alpha}; }
  Vector start(Rows x, double) const { return concat(lengthscale.start(x), Vector::Zero(1)); }
  FeatureMap<Row> features(Random& rng, Index m) const {
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index d, Random& draws) {
      Matrix w = draws.normal(m, d) * this_.weights(d).cwiseSqrt().asDiagonal();
      for (Index i = 0; i < m; ++i) w.row(i) *= std::sqrt(draws.gamma(this_.alpha) / this_.alpha);
      return fourier_features(std::move(w), draws);
    });
  }

 private:
  Vector weights(Index d) const {
    check_given(parameters());
    return lengthscale.weights(d);
  }
};

template <class Profile>
Kernel<Row> stationary(Vector lengthscale) {
  return Stationary<Profile>{Lengthscale::checked(std::string(Profile::name), std::move(lengthscale))};
}

template <class Profile>
Entry<Row> stationary_entry(std::string formula, std::string about) {
  return {std::string(Profile::name),
          std::move(formula),
          std::move(about),
          {"lengthscale"},
          [](const Arguments& a) { return stationary<Profile>(a.vector("lengthscale")); }};
}

}  // namespace

Kernel<Row> se(Vector l) { return stationary<SquaredExponential>(std::move(l)); }
Kernel<Row> matern12(Vector l) { return stationary<Matern12>(std::move(l)); }
Kernel<Row> matern32(Vector l) { return stationary<Matern32>(std::move(l)); }
Kernel<Row> matern52(Vector l) { return stationary<Matern52>(std::move(l)); }
Kernel<Row> rational_quadratic(Vector l, double alpha) {
  if (!std::isnan(alpha)) check_range("rational_quadratic", "alpha", alpha, 1e-6, 1e6);
  return RationalQuadratic{Lengthscale::checked("rational_quadratic", std::move(l)), alpha};
}

namespace entries {

Entry<Row> se() { return stationary_entry<SquaredExponential>("exp(-r^2/2)", "very smooth functions"); }
Entry<Row> matern12() { return stationary_entry<Matern12>("exp(-r)", "rough, continuous functions"); }
Entry<Row> matern32() {
  return stationary_entry<Matern32>("(1 + sqrt3 r) exp(-sqrt3 r)", "functions with one derivative");
}
Entry<Row> matern52() {
  return stationary_entry<Matern52>("(1 + sqrt5 r + 5r^2/3) exp(-sqrt5 r)", "functions with two derivatives");
}
Entry<Row> rational_quadratic() {
  return {"rational_quadratic",
          "(1 + r^2/(2 alpha))^-alpha",
          "smooth functions of many length-scales at once",
          {"lengthscale", "alpha"},
          [](const Arguments& a) {
            return covary::rational_quadratic(a.vector("lengthscale"), a.number("alpha"));
          }};
}

}  // namespace entries
}  // namespace covary
