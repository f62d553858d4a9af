#include "inference/state_space/state_decay.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "kernels/distance.h"

namespace covary::internal {
namespace {

using Complex = std::complex<double>;
using ComplexMatrix = Eigen::MatrixXcd;
using ComplexVector = Eigen::VectorXcd;

/// exp(-w^2/2) ~ 1/sum_{k<=m} (w^2/2)^k/k!: a spectral density whose poles -sqrt(-2 v_j) are had from the roots v_j of a
/// polynomial. States are f and its derivatives, each in units of its standard deviation; F = V diag(poles) V^-1.
struct RationalExponential {
  Matrix f, p;
  ComplexVector poles, driven;  // driven: V^-1 L sqrt(q)
  ComplexMatrix v, inverse;
  double error = 0;

  explicit RationalExponential(Index m) {
    Matrix companion = Matrix::Zero(m, m);  // of sum v^k m!/k!
    double coefficient = 1;
    for (Index k = m - 1; k >= 0; --k) {
      coefficient *= double(k + 1);
      companion(k, m - 1) = -coefficient;
      if (k > 0) companion(k, k - 1) = 1;
    }
    const ComplexVector roots = Eigen::EigenSolver<Matrix>(companion, false).eigenvalues();
    poles.resize(m);
    for (Index j = 0; j < m; ++j) {
      poles[j] = std::sqrt(-2.0 * roots[j]);
      if (poles[j].real() > 0) poles[j] = -poles[j];
    }
    v.resize(m, m);
    for (Index j = 0; j < m; ++j)
      for (Index i = 0; i < m; ++i) v(i, j) = i == 0 ? Complex(1) : v(i - 1, j) * poles[j];
    scale();
    const ComplexMatrix drift = v * poles.asDiagonal() * inverse;
    f = drift.real();
    for (const double x : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0})
      error = std::max(error, std::abs((at(x) * p)(0, 0) - std::exp(-0.5 * x * x)));
  }

  Matrix at(double x) const { return (v * (poles * x).array().exp().matrix().asDiagonal() * inverse).real(); }

  /// Positive semi-definite at any step: Gauss's rule of 16 points on [0, min(x, 1)], and what a longer step adds.
  Matrix noise(double x) const {
    static constexpr std::array<double, 8> nodes{0.0950125098376374, 0.2816035507792589, 0.4580167776572274,
                                                 0.6178762444026438, 0.7554044083550030, 0.8656312023878318,
                                                 0.9445750230732326, 0.9894009349916499},
        weights{0.1894506104550685, 0.1826034150449236, 0.1691565193950025, 0.1495959888165767,
                0.1246289712555339, 0.0951585116824928, 0.0622535239386479, 0.0271524594117541};
    if (x > 1) {
      const Matrix a = at(x);
      return p - a * p * a.transpose();
    }
    Matrix out = Matrix::Zero(p.rows(), p.cols());
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const double side : {-1.0, 1.0}) {
        const double u = 0.5 * x * (1 + side * nodes[i]);
        const Vector b = (v * ((poles * u).array().exp() * driven.array()).matrix()).real();
        out.noalias() += 0.5 * x * weights[i] * b * b.transpose();
      }
    return out;
  }

 private:
  /// P_ij = -sum_kl v_ik c_k conj(c_l v_jl)/(p_k + conj(p_l)), c = V^-1 L.
  void scale() {
    const Index m = poles.size();
    ComplexVector last = ComplexVector::Zero(m);
    last[m - 1] = 1;
    driven = v.fullPivLu().solve(last);
    ComplexMatrix modes(m, m);
    for (Index k = 0; k < m; ++k)
      for (Index l = 0; l < m; ++l)
        modes(k, l) = -driven[k] * std::conj(driven[l]) / (poles[k] + std::conj(poles[l]));
    p = (v * modes * v.adjoint()).real();
    const Vector unit = p.diagonal().cwiseSqrt().cwiseInverse();
    driven *= unit[0];
    p = unit.asDiagonal() * p * unit.asDiagonal();
    p = (0.5 * (p + p.transpose())).eval();
    v = ((unit / unit[0]).asDiagonal() * v).eval();
    inverse = v.fullPivLu().inverse();
  }
};

const RationalExponential& squared_exponential(Index order) {
  static const std::vector<RationalExponential> all = [] {
    std::vector<RationalExponential> made;
    for (Index m = 1; m <= most_se_order; ++m) made.emplace_back(m);
    return made;
  }();
  return all[static_cast<size_t>(order - 1)];
}

/// (d/dx + 1)^d f = w: F of f, f', ... in units of 1/rate.
Matrix matern_drift(Index d) {
  if (d == 1) return Matrix::Constant(1, 1, -1);
  if (d == 2) return (Matrix(2, 2) << 0, 1, -1, -2).finished();
  return (Matrix(3, 3) << 0, 1, 0, 0, 0, 1, -1, -3, -3).finished();
}

Matrix matern_stationary(Index d) {
  if (d == 1) return Matrix::Ones(1, 1);
  if (d == 2) return Matrix::Identity(2, 2);
  return (Matrix(3, 3) << 1, 0, -1.0 / 3, 0, 1.0 / 3, 0, -1.0 / 3, 0, 1).finished();
}

Matrix drift_of(const StateDecay& k) {
  return k.matern ? matern_drift(k.order) : squared_exponential(k.order).f;
}
Matrix stationary_of(const StateDecay& k) {
  return k.matern ? matern_stationary(k.order) : squared_exponential(k.order).p;
}

/// gamma_k = int_0^x u^k exp(-2u) du, k = 0, ..., most, of m numbers x, given e = exp(-2x): row k of `out`.
/// x <= 1: the series x^(k+1) e (1/(k+1)) (1 + 2x/(k+2) (1 + 2x/(k+3) (...))) of the last, and the others from it by
/// gamma_{k-1} = (2 gamma_k + x^k e)/k. x > 1: upwards.
void incomplete_gammas(const double* x, const double* e, Index m, Index most, double* out) {
  constexpr double small = 0.25;
  constexpr Index few = 13, many = 22;  // terms that leave rounding up to `small`, and up to 1
  double* last = out + most * m;
  for (Index i = 0; i < m; ++i) last[i] = 1;
  for (Index j = few; j >= 1; --j) {
    const double factor = 2 / double(most + 1 + j);
    for (Index i = 0; i < m; ++i) last[i] = 1 + factor * x[i] * last[i];
  }
  for (Index i = 0; i < m; ++i) {
    if (x[i] <= small || x[i] > 1) continue;
    last[i] = 1;
    for (Index j = many; j >= 1; --j) last[i] = 1 + 2 / double(most + 1 + j) * x[i] * last[i];
  }
  for (Index i = 0; i < m; ++i) {
    const double u = x[i];
    if (u > 1) {
      double gamma = 0.5 * (1 - e[i]), power = 1;
      out[i] = gamma;
      for (Index k = 1; k <= most; ++k) {
        power *= u;
        out[k * m + i] = gamma = 0.5 * (double(k) * gamma - power * e[i]);
      }
      continue;
    }
    std::array<double, 6> powers{1};  // of u
    for (Index k = 1; k <= most + 1; ++k)
      powers[static_cast<size_t>(k)] = powers[static_cast<size_t>(k - 1)] * u;
    double gamma = last[i] * powers[static_cast<size_t>(most + 1)] * e[i] / double(most + 1);
    out[most * m + i] = gamma;
    for (Index k = most; k >= 1; --k)
      out[(k - 1) * m + i] = gamma = (2 * gamma + powers[static_cast<size_t>(k)] * e[i]) / double(k);
  }
}

/// A and Q of a Matern process of order d at m numbers x.
void matern_transitions(Index d, Vector x, double* a, double* q) {
  const Index m = x.size();
  Vector e = -x;
  exp_in_place(e);
  const Vector squares = e.cwiseAbs2();
  Matrix gamma(m, 2 * d - 1);
  incomplete_gammas(x.data(), squares.data(), m, 2 * d - 2, gamma.data());
  for (Index i = 0; i < m; ++i) {
    const double u = x[i], w = e[i];
    const auto g = [&](Index k) { return gamma(i, k); };
    if (d == 1) {
      a[i] = w, q[i] = 2 * g(0);
    } else if (d == 2) {
      double *to = a + 4 * i, *noise = q + 4 * i;
      to[0] = w * (1 + u), to[1] = -w * u, to[2] = w * u, to[3] = w * (1 - u);
      noise[0] = 4 * g(2), noise[1] = noise[2] = 4 * (g(1) - g(2)), noise[3] = 4 * (g(0) - 2 * g(1) + g(2));
    } else {
      double *to = a + 9 * i, *noise = q + 9 * i;
      const double h = 0.5 * u * u, c = 16.0 / 3;
      to[0] = w * (1 + u + h), to[3] = w * (u + 2 * h), to[6] = w * h;
      to[1] = -w * h, to[4] = w * (1 + u - 2 * h), to[7] = w * (u - h);
      to[2] = w * (h - u), to[5] = w * (2 * h - 3 * u), to[8] = w * (1 - 2 * u + h);
      noise[0] = c * 0.25 * g(4);
      noise[1] = noise[3] = c * (0.5 * g(3) - 0.25 * g(4));
      noise[2] = noise[6] = c * (0.5 * g(2) - g(3) + 0.25 * g(4));
      noise[4] = c * (g(2) - g(3) + 0.25 * g(4));
      noise[5] = noise[7] = c * (g(1) - 2.5 * g(2) + 1.5 * g(3) - 0.25 * g(4));
      noise[8] = c * (g(0) - 4 * g(1) + 5 * g(2) - 2 * g(3) + 0.25 * g(4));
    }
  }
}

void decay_transitions(const StateDecay& k, const double* dt, Index m, double* a, double* q) {
  const Vector x = (k.rate * Eigen::Map<const Vector>(dt, m)).cwiseMin(farthest_step);
  if (k.matern) return matern_transitions(k.order, x, a, q);
  const RationalExponential& se = squared_exponential(k.order);
  for (Index i = 0; i < m; ++i) {
    Eigen::Map<Matrix>(a + i * k.order * k.order, k.order, k.order) = se.at(x[i]);
    Eigen::Map<Matrix>(q + i * k.order * k.order, k.order, k.order) = se.noise(x[i]);
  }
}

Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      out.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  return out;
}

}  // namespace

double StateTerm::fastest() const {
  double most = 0;
  for (const StateDecay& k : decays) most = std::max(most, k.rate);
  return most;
}

double se_error(Index order) { return squared_exponential(order).error; }

Matrix stationary(const StateTerm& term) {
  Matrix p = Matrix::Ones(1, 1);
  for (const StateDecay& k : term.decays) p = kronecker(p, stationary_of(k));
  return p;
}

Matrix drift(const StateTerm& term, size_t k) {
  Matrix f = Matrix::Ones(1, 1);
  for (size_t i = 0; i < term.decays.size(); ++i) {
    const StateDecay& d = term.decays[i];
    f = kronecker(f, i == k ? Matrix(d.rate * drift_of(d)) : Matrix(Matrix::Identity(d.order, d.order)));
  }
  return f;
}

/// Of two independent factors A = A_1 (x) A_2 and Q = Q_1 (x) P_2 + (P_1 - Q_1) (x) Q_2: nothing cancels.
void transitions(const StateTerm& term, const double* dt, Index m, double* a, double* q) {
  if (term.decays.size() == 1) return decay_transitions(term.decays[0], dt, m, a, q);
  const Index size = term.d * term.d;
  std::vector<Matrix> as(static_cast<size_t>(m), Matrix::Ones(1, 1)),
      qs(static_cast<size_t>(m), Matrix::Zero(1, 1));
  Matrix p = Matrix::Ones(1, 1);
  for (const StateDecay& k : term.decays) {
    const Matrix own = stationary_of(k);
    Matrix ak(k.order * k.order, m), qk(k.order * k.order, m);
    decay_transitions(k, dt, m, ak.data(), qk.data());
    for (Index i = 0; i < m; ++i) {
      Matrix &all = as[static_cast<size_t>(i)], &noise = qs[static_cast<size_t>(i)];
      const Matrix a2 = Eigen::Map<const Matrix>(ak.col(i).data(), k.order, k.order),
                   q2 = Eigen::Map<const Matrix>(qk.col(i).data(), k.order, k.order);
      noise = kronecker(noise, own) + kronecker(p - noise, q2);
      all = kronecker(all, a2);
    }
    p = kronecker(p, own);
  }
  for (Index i = 0; i < m; ++i) {
    Eigen::Map<Matrix>(a + i * size, term.d, term.d) = as[static_cast<size_t>(i)];
    Eigen::Map<Matrix>(q + i * size, term.d, term.d) = qs[static_cast<size_t>(i)];
  }
}

}  // namespace covary::internal
