#include "covary/kernels/periodic.h"

#include <numbers>

#include "covary/kernels/registry.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

struct Periodic {
  Lengthscale lengthscale;
  double period;

  Matrix cross(Rows a, Rows b) const {
    const Vector weight = weights(a.cols());
    Matrix s = Matrix::Zero(a.rows(), b.rows());
    for (Index k = 0; k < a.cols(); ++k)
      s.array() -= 2 * weight[k] * sin_pi(differences(a, b, k, period)).array().square();
    exp_in_place(s);
    return s;
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  // with phi = pi u, u = (x - z)/period:  dk/dlog l_k = 4 k sin^2(phi_k)/l_k^2,
  //                                       dk/dlog period = 2 k sum_k phi_k sin(2 phi_k)/l_k^2
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const Matrix kw = cross(a, b).cwiseProduct(w);
    const Vector weight = weights(a.cols());
    Vector d_length(a.cols());
    double d_period = 0;
    for (Index k = 0; k < a.cols(); ++k) {
      const Matrix u = differences(a, b, k, period);
      d_length[k] = 4 * weight[k] * kw.cwiseProduct(sin_pi(u).cwiseAbs2()).sum();
      d_period += 2 * weight[k] * std::numbers::pi * kw.cwiseProduct(u).cwiseProduct(sin_pi(2 * u)).sum();
    }
    const bool shared = lengthscale.values.size() == 1;
    return concat(shared ? Vector::Constant(1, d_length.sum()) : d_length, Vector::Constant(1, d_period));
  }
  Matrix pullback_inputs(Rows a, Rows b,
                         const Matrix& w) const {  // dk/da_ic = -2 pi k sin(2 phi_c)/(p l_c^2)
    const Matrix kw = cross(a, b).cwiseProduct(w);
    const Vector weight = weights(a.cols());
    Matrix out(a.rows(), a.cols());
    for (Index c = 0; c < a.cols(); ++c)
      out.col(c) = -2 * std::numbers::pi / period * weight[c] *
                   kw.cwiseProduct(sin_pi(2 * differences(a, b, c, period))).rowwise().sum();
    return out;
  }
  Vector theta() const { return concat(lengthscale.theta(), Vector::Constant(1, std::log(period))); }
  Periodic with(const Vector& t) const {
    const Index n = t.size() - 1;
    return {{t.head(n).array().exp()}, std::exp(t[n])};
  }
  Expression node() const { return call_node("periodic", parameters()); }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all = lengthscale.parameters();
    for (Parameter& p : all) p.role = Role::shape;  // no unit
    all.push_back({"period", Role::period, period});
    return all;
  }
  Periodic sized(Rows x) const { return {lengthscale.sized(x), period}; }
  Vector start(Rows x, double) const {
    return concat(Vector::Zero(theta().size() - 1),
                  Vector::Constant(1, std::log(column_spread(x).maxCoeff())));
  }
  // A product over columns; each is a Fourier series: harmonic j with weight I_j(1/l^2) exp(-1/l^2)
  FeatureMap<Row> features(Random& rng, Index m) const {
    return drawn_once(m, rng.fork(), [this_ = *this, m](Index d, Random& draws) {
      const Vector weight = this_.weights(d);
      Matrix w(m, d);
      for (Index k = 0; k < d; ++k) w.col(k) = this_.harmonics(weight[k], m, draws);
      return fourier_features(2 * std::numbers::pi / this_.period * w, draws);
    });
  }

 private:
  Vector weights(Index d) const {
    check_given(parameters());
    return lengthscale.weights(d);
  }
  /// m draws of a signed harmonic j with probability exp(-z) I_j(z), by inverting its cumulative weights;
  /// where there are too many harmonics for that, of the normal of variance z that they tend to, off by 1/z.
  static Vector harmonics(double z, Index m, Random& rng) {
    constexpr double most = 1e8;
    Vector out(m);
    if (z > most) {
      for (double& h : out) h = std::round(std::sqrt(z) * rng.normal());
      return out;
    }
    const Vector weights = bessel_weights(z);
    for (double& h : out) {
      double u = rng.uniform() - weights[0];
      Index j = 0;
      while (u > 0 && j + 1 < weights.size()) u -= weights[++j];
      h = rng.uniform() < 0.5 ? -double(j) : double(j);
    }
    return out;
  }
  /// Of |harmonic| 0, 1, ...: exp(-z) I_0(z), 2 exp(-z) I_1(z), ..., as far as they are above 1e-17. Their
  /// ratios r_j = I_j/I_(j-1) = 1/(2 j/z + r_(j+1)) are stable from above, and all weights add up to 1.
  static Vector bessel_weights(double z) {
    const auto last = static_cast<Index>(9 * std::sqrt(z) + 20);
    Vector w = Vector::Zero(last + 1);
    double ratio = 0;
    for (Index j = last; j >= 1; --j) w[j] = ratio = 1 / (2 * double(j) / z + ratio);
    w[0] = 1;
    for (Index j = 1; j <= last; ++j) w[j] *= w[j - 1];
    w.tail(last) *= 2;
    return w / w.sum();
  }
};

}  // namespace

Kernel<Row> periodic(double period, Vector lengthscale) {
  if (!std::isnan(period)) check_range("periodic", "period", period);
  return Periodic{Lengthscale::checked("periodic", std::move(lengthscale)), period};
}

namespace entries {

Entry<Row> periodic() {
  return {"periodic",
          "exp(-2 sum sin^2(pi (x - z)/period)/lengthscale^2)",
          "functions that repeat exactly",
          {"lengthscale", "period"},
          [](const Arguments& a) { return covary::periodic(a.number("period"), a.vector("lengthscale")); },
          0,
          Nature::repeating};
}

}  // namespace entries
}  // namespace covary
