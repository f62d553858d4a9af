#include "dual.h"

#include "blas.h"
#include "decompositions.h"

namespace covary {
namespace {

/// [C'; I] = Q R for C' (p x k): Q is (p + k) x k.
struct Stacked {
  Matrix q, r;
};
Stacked stacked_qr(const Matrix& c_transposed, bool wants_q, int threads) {
  const Index k = c_transposed.cols();
  Stacked s{Matrix(c_transposed.rows() + k, k), {}};
  s.q << c_transposed, Matrix::Identity(k, k);
  const Vector reflections = blas::reflect(s.q, threads);
  s.r = s.q.topRows(k).triangularView<Eigen::Upper>();
  if (wants_q) blas::form_orthogonal(s.q, reflections, threads);
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
  centres_ = flat_r_.triangularView<Eigen::Upper>().solve(turned.topRows(q));
  const Stacked s = stacked_qr(gathered(turned.bottomRows(k).transpose()), true, threads);
  q1_ = s.q.topRows(turned.cols());
  q2_ = s.q.bottomRows(k);
  const Vector z = s.r.transpose().triangularView<Eigen::Lower>().solve(observed.tail(k));
  rest_ = z.squaredNorm();
  const Vector w = spread(q1_ * z);
  mean_(proper_) += w;
  mean_(flat_) += flat_r_.triangularView<Eigen::Upper>().solve(observed.head(q)) - centres_ * w;
  half_log_determinant_ =
      half_log(q == 0 ? s.r : stacked_qr(gathered(phi(Eigen::all, proper_).transpose()), false, threads).r);
}

Matrix Dual::half(const Rows& phi) const {
  const Matrix left = phi(Eigen::all, proper_) - phi(Eigen::all, flat_) * centres_;
  const Matrix u = gathered(left.transpose()), a = q1_.transpose() * u;
  Matrix out(u.rows() + a.rows() + flat_r_.rows(), phi.rows());
  out << u - q1_ * a, q2_ * a,
      flat_r_.transpose().triangularView<Eigen::Lower>().solve(phi(Eigen::all, flat_).transpose());
  return out;
}

Matrix Dual::sample(Random& rng, Index draws) const {
  const Matrix u = rng.normal(q1_.rows(), draws), e = rng.normal(q2_.rows(), draws);
  const Matrix proper = spread(u - q1_ * (q1_.transpose() * u + q2_.transpose() * e));
  Matrix out(mean_.size(), draws);
  out(proper_, Eigen::all) = proper;
  out(flat_, Eigen::all) =
      flat_r_.triangularView<Eigen::Upper>().solve(rng.normal(flat_r_.rows(), draws)) - centres_ * proper;
  return out;
}

}  // namespace covary
