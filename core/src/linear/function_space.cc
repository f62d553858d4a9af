#include "linear/function_space.h"

#include <Eigen/Householder>

#include "algebra/blas.h"
#include "algebra/decompositions.h"

namespace covary {
namespace {

/// [C'; I] = Q R for C' (p x k), as blas::reflect leaves it.
struct Stacked {
  Matrix packed;       // (p + k) x k
  Vector reflections;  // k
  Matrix r() const { return packed.topRows(packed.cols()).triangularView<Eigen::Upper>(); }
};
Stacked stacked_qr(const Matrix& c_transposed, int threads) {
  const Index k = c_transposed.cols();
  Stacked s{Matrix(c_transposed.rows() + k, k), {}};
  s.packed << c_transposed, Matrix::Identity(k, k);
  s.reflections = blas::reflect(s.packed, threads);
  return s;
}

double half_log(const Matrix& r) { return r.diagonal().array().abs().log().sum(); }

}  // namespace

Matrix Dual::spread(const Matrix& u) const {
  return factor_.size() ? Matrix(factor_ * u) : Matrix(sd_.asDiagonal() * u);
}
Matrix Dual::gathered(const Matrix& a) const {
  return factor_.size() ? Matrix(factor_.transpose() * a) : Matrix(sd_.asDiagonal() * a);
}

Dual::Dual(const WeightPrior& prior, double scale, const Rows& phi, const Vector& y, int threads)
    : phi_(phi), y_(y), proper_(prior.proper_weights()), flat_(prior.flat_weights()), mean_(prior.mean) {
  if (prior.factor.size())
    factor_ = scale * prior.factor;
  else
    sd_ = scale * prior.sd(proper_);
  const Index q = std::ssize(flat_), k = phi.rows() - q;
  const Reflections qr(phi(Eigen::all, flat_));
  flat_r_ = qr.r();
  Matrix turned = phi(Eigen::all, proper_);  // what F explains above, the rest below
  Vector observed = y - phi * prior.mean;
  qr.turn(turned);
  qr.turn(observed);
  centers_ = flat_r_.triangularView<Eigen::Upper>().solve(turned.topRows(q));
  Stacked s = stacked_qr(gathered(turned.bottomRows(k).transpose()), threads);
  const Matrix r = s.r();
  reflections_ = std::move(s.packed), reflected_ = std::move(s.reflections);
  const Vector z = r.transpose().triangularView<Eigen::Lower>().solve(observed.tail(k));
  rest_ = z.squaredNorm();
  Matrix explained = Matrix::Zero(proper_count() + k, 1);
  explained.topRows(k) = z;
  turn_back(explained);
  const Vector w = spread(explained.topRows(proper_count()));
  mean_(proper_) += w;
  mean_(flat_) += flat_r_.triangularView<Eigen::Upper>().solve(observed.head(q)) - centers_ * w;
  refine(prior.mean);
  half_log_determinant_ =
      half_log(q == 0 ? r : stacked_qr(gathered(phi(Eigen::all, proper_).transpose()), threads).r());
}

void Dual::turn(Matrix& a) const {
  a.applyOnTheLeft(Eigen::householderSequence(reflections_, reflected_).transpose());
}
void Dual::turn_back(Matrix& a) const {
  a.applyOnTheLeft(Eigen::householderSequence(reflections_, reflected_));
}

/// Of [B'phi'; 0] what lies in the p directions that Q leaves over, and the flat weights below.
Matrix Dual::half(const Rows& phi) const {
  const Index p = proper_count(), q = std::ssize(flat_);
  const Matrix left = phi(Eigen::all, proper_) - phi(Eigen::all, flat_) * centers_;
  Matrix turned = Matrix::Zero(reflections_.rows(), phi.rows());
  turned.topRows(p) = gathered(left.transpose());
  turn(turned);
  Matrix out(p + q, phi.rows());
  out << turned.bottomRows(p),
      flat_r_.transpose().triangularView<Eigen::Lower>().solve(phi(Eigen::all, flat_).transpose());
  return out;
}

Matrix Dual::sample(Random& rng, Index draws) const {
  const Index p = proper_count(), k = reflections_.cols();
  Matrix u(p + k, draws);
  u << rng.normal(p, draws), rng.normal(k, draws);
  turn(u);
  Matrix directions(p + flat_r_.rows(), draws);
  directions << u.bottomRows(p), rng.normal(flat_r_.rows(), draws);
  return half_transposed(directions);
}

/// H'b for H = half(I): with standard normal b draws of w, with b = H g its covariance times g.
Matrix Dual::half_transposed(const Matrix& b) const {
  const Index p = proper_count(), k = reflections_.cols(), q = std::ssize(flat_);
  Matrix u = Matrix::Zero(p + k, b.cols());
  u.bottomRows(p) = b.topRows(p);
  turn_back(u);
  const Matrix proper = spread(u.topRows(p));
  Matrix out(mean_.size(), b.cols());
  out(proper_, Eigen::all) = proper;
  out(flat_, Eigen::all) = flat_r_.triangularView<Eigen::Upper>().solve(b.bottomRows(q)) - centers_ * proper;
  return out;
}

/// One step of Newton's from the mean, whose digits a wide prior takes: by the covariance times the gradient
/// Phi'(y - Phi w) - B^-2 (w - m0).
void Dual::refine(const Vector& before) {
  if (factor_.size()) return;
  Vector gradient = phi_.transpose() * (y_ - phi_ * mean_);
  for (Index j = 0; j < proper_count(); ++j) {
    const Index w = proper_[static_cast<size_t>(j)];
    gradient[w] -= (mean_[w] - before[w]) / sd_[j] / sd_[j];
  }
  mean_ += half_transposed(half(gradient.transpose()));
}

}  // namespace covary
