#include "covary/gaussian/gaussian.h"

#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "base/constants.h"
#include "covary/base/random.h"
#include "gaussian/indices.h"

namespace covary {
namespace {

void check_parts(const Vector& mean, const Matrix& covariance) {
  if (covariance.rows() != mean.size() || covariance.cols() != mean.size())
    throw Error(Problem::usage,
                fmt::format("a mean of {} components needs a covariance of {} x {}, found {} x {}",
                            mean.size(), mean.size(), mean.size(), covariance.rows(), covariance.cols()));
  if (mean.size() == 0) throw Error(Problem::usage, "a distribution needs at least one component");
  if (!mean.allFinite() || !covariance.allFinite())
    throw Error(Problem::usage, "the mean and the covariance must be finite");
  const double off = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
  if (off > 1e-10 * covariance.cwiseAbs().maxCoeff())
    throw Error(Problem::numerical,
                fmt::format("the covariance is not symmetric: entries differ by {:.3g}", off));
}

}  // namespace

/// covariance = factor factor', n x r: a Cholesky factor, or basis sqrt(scales) if it is near singular.
struct Gaussian::Root {
  std::once_flag once;
  Matrix factor;
  Matrix basis;   // n x r: orthonormal, of the support; empty for a Cholesky factor
  Vector scales;  // r: eigenvalues; empty for a Cholesky factor

  /// Regular if no pivot is near `rounding`, nor near the rounding of its own variance, whatever its units.
  bool take_cholesky(const Matrix& covariance, double rounding) {
    const double n = double(covariance.rows());
    factor = covariance;
    if (blas::cholesky(factor, 1) != 0) return false;
    const Eigen::ArrayXd pivots = factor.diagonal().array().square();
    const Eigen::ArrayXd levels = (4 * n * eps * covariance.diagonal().array()).max(rounding);
    if ((pivots <= 100 * n * levels).any()) return false;
    factor = factor.triangularView<Eigen::Lower>().toDenseMatrix();
    return true;
  }

  /// Eigenvalues up to `level` count as 0.
  void take_eigenvectors(const Matrix& covariance, double level) {
    const auto [values, vectors] = symmetric_eigen(covariance);
    if (values[0] < -1e3 * level)
      throw Error(Problem::numerical,
                  fmt::format("the covariance is not positive semi-definite: it has the eigenvalue {:.6g}",
                              values[0]));
    const Index r = values.size() - (values.array() <= level).count();
    basis = vectors.rightCols(r);
    scales = values.tail(r);
    factor = basis * scales.cwiseSqrt().asDiagonal();
  }

  /// (factor^+)' w
  Matrix back(const Matrix& w) const {
    if (basis.size()) return basis * (scales.cwiseSqrt().cwiseInverse().asDiagonal() * w);
    if (factor.cols() == 0) return Matrix::Zero(factor.rows(), w.cols());
    return half_solved_transposed(factor, w);
  }
};

Gaussian::Gaussian(Vector mean, Matrix covariance, double rounding)
    : mean_(std::move(mean)),
      covariance_(std::move(covariance)),
      rounding_(rounding),
      root_(std::make_shared<Root>()) {}

Gaussian::Gaussian(Vector mean, const Matrix& covariance) {
  check_parts(mean, covariance);
  *this = Gaussian(std::move(mean), symmetric(covariance), 0).settled();
}

Gaussian::Gaussian(const CanonicalForm& form) {
  check_form(form);
  const Matrix l = positive(form.j, "the precision");
  *this = Gaussian(solved(l, form.h), solved(l, Matrix::Identity(form.j.rows(), form.j.cols())));
}

double Gaussian::level() const {
  const double largest = size() ? covariance_.diagonal().cwiseAbs().maxCoeff() : 0;
  return std::max(rounding_, 4 * double(size()) * eps * largest);
}

const Gaussian::Root& Gaussian::root() const {
  std::call_once(root_->once, [&] {
    if (!root_->take_cholesky(covariance_, rounding_)) root_->take_eigenvectors(covariance_, level());
  });
  return *root_;
}

Index Gaussian::rank() const { return root().factor.cols(); }

Gaussian Gaussian::settled() && {
  if (rank() < size()) covariance_ = root().factor * root().factor.transpose();
  return std::move(*this);
}

Matrix Gaussian::whitened(const Matrix& d, double& off) const {
  const Root& r = root();
  off = 0;
  if (r.basis.size() == 0 && rank() == size()) return half_solved(r.factor, d);
  if (rank() == 0) {
    off = d.size() ? d.cwiseAbs().maxCoeff() : 0;
    return Matrix(0, d.cols());
  }
  const Matrix along = r.basis.transpose() * d;
  off = d.size() ? (d - r.basis * along).cwiseAbs().maxCoeff() : 0;
  return r.scales.cwiseSqrt().cwiseInverse().asDiagonal() * along;
}

double Gaussian::tolerance(const Vector& x) const {
  return 1e-8 * (std::sqrt(covariance_.diagonal().maxCoeff()) + x.cwiseAbs().maxCoeff() +
                 mean_.cwiseAbs().maxCoeff());
}

CanonicalForm Gaussian::information() const {
  if (rank() < size())
    throw Error(
        Problem::numerical,
        fmt::format("the covariance is singular (rank {} of {}): no precision matrix", rank(), size()));
  double off = 0;
  const Matrix half = whitened(Matrix::Identity(size(), size()), off);
  const Matrix j = half.transpose() * half;
  return {j * mean_, j};
}

Gaussian Gaussian::marginal(const std::vector<Index>& which) const {
  if (which.empty()) throw Error(Problem::usage, "a marginal needs at least one component");
  (void)others(size(), which);
  return {Vector(mean_(which)), Matrix(covariance_(which, which)), rounding_};
}

Gaussian Gaussian::conditional(const std::vector<Index>& known, const Vector& values) const {
  const std::vector<Index> rest = left_of(size(), known, values);
  if (known.empty()) return *this;
  const Gaussian a = marginal(known);
  double off = 0;
  const Vector z = a.whitened(values - a.mean(), off);
  if (off > a.tolerance(values))
    throw Error(Problem::data,
                fmt::format("these values are impossible: they lie {:.3g} off the support", off));
  const Matrix w = a.whitened(covariance_(known, rest), off);  // S_ab is on the support of S_aa
  // An error E of the covariance moves the difference by X'E X and more, X = S_aa^+ S_ab.
  const double rounding = level() * (1 + a.root().back(w).squaredNorm());
  return Gaussian(mean_(rest) + w.transpose() * z, symmetric(covariance_(rest, rest) - w.transpose() * w),
                  rounding)
      .settled();
}

Gaussian Gaussian::affine(const Matrix& a, const Vector& b) const {
  if (a.cols() != size() || a.rows() != b.size())
    throw Error(Problem::usage,
                fmt::format("A x + b: expected {} columns and as many rows as b, found {} x {} and {}",
                            size(), a.rows(), a.cols(), b.size()));
  if (!a.allFinite() || !b.allFinite()) throw Error(Problem::usage, "A x + b: A and b must be finite");
  return Gaussian(a * mean_ + b, symmetric(a * covariance_ * a.transpose()), rounding_ * a.squaredNorm())
      .settled();
}

Gaussian Gaussian::plus(const Matrix& noise) const {
  return Gaussian(mean_, covariance_ + Gaussian(mean_, noise).covariance(), rounding_).settled();
}

double internal::log_determinant(const Gaussian& g) {
  const Gaussian::Root& r = g.root();
  return r.scales.size() ? r.scales.array().log().sum() : 2 * r.factor.diagonal().array().log().sum();
}

double Gaussian::log_density(const Vector& x) const {
  if (x.size() != size())
    throw Error(Problem::usage, fmt::format("expected {} components, found {}", size(), x.size()));
  double off = 0;
  const Vector z = whitened(x - mean_, off);
  if (off > tolerance(x)) return -infinity;
  return -0.5 * (z.squaredNorm() + log_determinant(*this) + double(rank()) * log_two_pi);
}

double Gaussian::entropy() const {
  if (rank() < size()) return -infinity;
  return 0.5 * (log_determinant(*this) + double(size()) * (log_two_pi + 1));
}

double Gaussian::mutual_information(const std::vector<Index>& a, const std::vector<Index>& b) const {
  std::vector<Index> both = a;
  both.insert(both.end(), b.begin(), b.end());
  (void)others(size(), both);
  const Gaussian first = marginal(a), second = marginal(b), joint = marginal(both);
  if (joint.rank() < first.rank() + second.rank()) return infinity;
  return std::max(0.0, 0.5 * (log_determinant(first) + log_determinant(second) - log_determinant(joint)));
}

Matrix Gaussian::sample(Index draws, std::uint64_t seed) const {
  Matrix out = root().factor * Random(seed).normal(rank(), draws);
  out.colwise() += mean_;
  return out;
}

Matrix Gaussian::ellipse(double percent, Index count) const {
  if (size() != 2)
    throw Error(Problem::usage, fmt::format("an ellipse has two components, this has {}", size()));
  if (!(percent > 0 && percent < 100) || count < 4)
    throw Error(Problem::usage,
                fmt::format("an ellipse of {} % by {} points: expected 0 to 100 % and 4 points or more",
                            percent, count));
  const double radius = std::sqrt(-2 * std::log1p(-percent / 100));
  Matrix root = Matrix::Zero(2, 2);
  root.leftCols(rank()) = this->root().factor;
  Matrix out(2, count);
  for (Index k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * double(k % (count - 1)) / double(count - 1);
    out.col(k) = mean_ + radius * root * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  return out;
}

DensityProduct product(const Gaussian& a, const Gaussian& b) {
  if (a.size() != b.size())
    throw Error(Problem::usage,
                fmt::format("a product needs equal sizes, found {} and {}", a.size(), b.size()));
  const Index n = a.size();
  // Both are seen as observations of one x: (x, x + e) with x ~ a, e ~ N(0, S_b), and x + e = m_b.
  Vector mean(2 * n);
  mean << a.mean(), a.mean();
  Matrix joint(2 * n, 2 * n);
  joint << a.covariance(), a.covariance(), a.covariance(), a.covariance() + b.covariance();
  std::vector<Index> known;
  for (Index i = n; i < 2 * n; ++i) known.push_back(i);
  const double log_scale = Gaussian(a.mean(), a.covariance() + b.covariance()).log_density(b.mean());
  if (log_scale == -infinity)
    throw Error(Problem::numerical,
                "the supports of the two distributions do not intersect: their product is 0");
  return {Gaussian(mean, joint).conditional(known, b.mean()), log_scale};
}

double divergence(const Gaussian& p, const Gaussian& q) {
  if (p.size() != q.size())
    throw Error(Problem::usage,
                fmt::format("a divergence needs equal sizes, found {} and {}", p.size(), q.size()));
  if (p.rank() != q.rank()) return infinity;
  double off = 0;
  const Matrix spread = q.whitened(p.root().factor, off);
  if (off > q.tolerance(p.mean())) return infinity;
  const Vector shift = q.whitened(p.mean() - q.mean(), off);
  if (off > q.tolerance(p.mean())) return infinity;
  const double k = double(p.rank());
  return std::max(
      0.0, 0.5 * (spread.squaredNorm() + shift.squaredNorm() - k + log_determinant(q) - log_determinant(p)));
}

double wasserstein(const Gaussian& p, const Gaussian& q) {
  if (p.size() != q.size())
    throw Error(Problem::usage,
                fmt::format("a distance needs equal sizes, found {} and {}", p.size(), q.size()));
  // tr (S_q^1/2 S_p S_q^1/2)^1/2 is the sum of the singular values of root_p' root_q.
  Matrix roots = p.root().factor.transpose() * q.root().factor;
  const double shared = blas::singular(roots, 1).s.sum();
  const double squared =
      (p.mean() - q.mean()).squaredNorm() + p.covariance().trace() + q.covariance().trace() - 2 * shared;
  return std::sqrt(std::max(0.0, squared));
}

}  // namespace covary
