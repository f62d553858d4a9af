#include "covary/gaussian.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <numbers>

#include "covary/error.h"
#include "covary/random.h"

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double eps = std::numeric_limits<double>::epsilon();
const double log_two_pi = std::log(2 * std::numbers::pi);

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

/// Those of 0, ..., n - 1 that are not in `some`. Throws for one that is out of range or named twice.
std::vector<Index> others(Index n, const std::vector<Index>& some) {
  std::vector<char> taken(static_cast<size_t>(n), 0);
  for (const Index i : some) {
    if (i < 0 || i >= n) throw Error(Problem::usage, fmt::format("component {}: expected 0 to {}", i, n - 1));
    if (taken[static_cast<size_t>(i)]++)
      throw Error(Problem::usage, fmt::format("component {} is named twice", i));
  }
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i)
    if (!taken[static_cast<size_t>(i)]) rest.push_back(i);
  return rest;
}

Matrix symmetric(const Matrix& m) { return 0.5 * (m + m.transpose()); }

Eigen::LLT<Matrix> positive(const Matrix& m, const char* what) {
  Eigen::LLT<Matrix> llt(m);
  const Vector d = llt.matrixLLT().diagonal();
  if (llt.info() != Eigen::Success || !(d.minCoeff() > 0) || !m.allFinite())
    throw Error(Problem::numerical, fmt::format("{} is not positive definite", what));
  return llt;
}

}  // namespace

Gaussian::Gaussian(Vector mean, Matrix covariance)
    : mean_(std::move(mean)), covariance_(std::move(covariance)) {
  check_parts(mean_, covariance_);
  covariance_ = symmetric(covariance_);
  take_root(4 * double(size()) * eps * covariance_.diagonal().cwiseAbs().maxCoeff());
}

Gaussian::Gaussian(Vector mean, const Matrix& covariance, double rounding)
    : mean_(std::move(mean)), covariance_(symmetric(covariance)) {
  take_root(rounding);
}

Gaussian::Gaussian(const Information& form) {
  const Eigen::LLT<Matrix> llt = positive(form.j, "the precision");
  *this = Gaussian(llt.solve(form.h), llt.solve(Matrix::Identity(form.j.rows(), form.j.cols())));
}

void Gaussian::take_root(double rounding) {
  const Eigen::LLT<Matrix> llt(covariance_);
  const Vector d = llt.matrixLLT().diagonal().array().square();
  if (llt.info() == Eigen::Success && d.minCoeff() > 100 * double(size()) * rounding) {
    root_ = llt.matrixL();
    return;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(covariance_);
  const Vector& values = eigen.eigenvalues();  // ascending
  if (values[0] < -1e3 * rounding)
    throw Error(
        Problem::numerical,
        fmt::format("the covariance is not positive semi-definite: it has the eigenvalue {:.6g}", values[0]));
  const Index none = (values.array() <= rounding).count(), r = size() - none;
  basis_ = eigen.eigenvectors().rightCols(r);
  scales_ = values.tail(r);
  root_ = basis_ * scales_.cwiseSqrt().asDiagonal();
  if (none > 0) covariance_ = root_ * root_.transpose();
}

Matrix Gaussian::whitened(const Matrix& d, double& off) const {
  off = 0;
  if (basis_.size() == 0 && root_.cols() == size()) return root_.triangularView<Eigen::Lower>().solve(d);
  if (root_.cols() == 0) {
    off = d.size() ? d.cwiseAbs().maxCoeff() : 0;
    return Matrix(0, d.cols());
  }
  const Matrix along = basis_.transpose() * d;
  off = d.size() ? (d - basis_ * along).cwiseAbs().maxCoeff() : 0;
  return scales_.cwiseSqrt().cwiseInverse().asDiagonal() * along;
}

double Gaussian::condition() const {
  if (rank() == 0) return 1;
  const Vector v = scales_.size() ? scales_ : Vector(root_.diagonal().array().square());
  return v.maxCoeff() / v.minCoeff();
}

double Gaussian::tolerance(const Vector& x) const {
  return 1e-8 * (std::sqrt(covariance_.diagonal().maxCoeff()) + x.cwiseAbs().maxCoeff() +
                 mean_.cwiseAbs().maxCoeff());
}

Information Gaussian::information() const {
  if (rank() < size())
    throw Error(Problem::numerical,
                fmt::format("no precision: {} of {} directions are certain", size() - rank(), size()));
  double off = 0;
  const Matrix half = whitened(Matrix::Identity(size(), size()), off);
  const Matrix j = half.transpose() * half;
  return {j * mean_, j};
}

Gaussian Gaussian::marginal(const std::vector<Index>& which) const {
  if (which.empty()) throw Error(Problem::usage, "a marginal needs at least one component");
  (void)others(size(), which);
  return {Vector(mean_(which)), Matrix(covariance_(which, which))};
}

Gaussian Gaussian::conditional(const std::vector<Index>& known, const Vector& values) const {
  const std::vector<Index> rest = others(size(), known);
  if (rest.empty()) throw Error(Problem::usage, "every component is known: nothing is left");
  if (values.size() != std::ssize(known) || !values.allFinite())
    throw Error(Problem::usage,
                fmt::format("expected {} finite values, found {}", known.size(), values.size()));
  if (known.empty()) return *this;
  const Gaussian a = marginal(known);
  const double level = 4 * double(size()) * eps * a.condition() * covariance_.diagonal().maxCoeff();
  double off = 0;
  const Vector z = a.whitened(values - a.mean(), off);
  if (off > a.tolerance(values))
    throw Error(Problem::data,
                fmt::format("these values are impossible: they lie {:.3g} off what has any variance", off));
  const Matrix w = a.whitened(covariance_(known, rest), off);  // S_ab is on the support of S_aa
  return {mean_(rest) + w.transpose() * z, covariance_(rest, rest) - w.transpose() * w, level};
}

Gaussian Gaussian::affine(const Matrix& a, const Vector& b) const {
  if (a.cols() != size() || a.rows() != b.size())
    throw Error(Problem::usage,
                fmt::format("A x + b: expected {} columns and as many rows as b, found {} x {} and {}",
                            size(), a.rows(), a.cols(), b.size()));
  return {a * mean_ + b, Matrix(a * covariance_ * a.transpose())};
}

Gaussian Gaussian::plus(const Matrix& noise) const {
  return {mean_, covariance_ + Gaussian(mean_, noise).covariance()};
}

double log_determinant(const Gaussian& g) {
  return g.scales_.size() ? g.scales_.array().log().sum() : 2 * g.root_.diagonal().array().log().sum();
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
  Matrix out = root_ * Random(seed).normal(rank(), draws);
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
  root.leftCols(rank()) = root_;
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
                "the two distributions are certain of different things: their product is 0");
  return {Gaussian(mean, joint).conditional(known, b.mean()), log_scale};
}

double divergence(const Gaussian& p, const Gaussian& q) {
  if (p.size() != q.size())
    throw Error(Problem::usage,
                fmt::format("a divergence needs equal sizes, found {} and {}", p.size(), q.size()));
  if (p.rank() != q.rank()) return infinity;
  double off = 0;
  const Matrix spread = q.whitened(p.root_, off);
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
  const double shared = Eigen::BDCSVD<Matrix>(p.root_.transpose() * q.root_).singularValues().sum();
  const double squared =
      (p.mean() - q.mean()).squaredNorm() + p.covariance().trace() + q.covariance().trace() - 2 * shared;
  return std::sqrt(std::max(0.0, squared));
}

Matrix schur_complement(const Matrix& m, const std::vector<Index>& eliminate) {
  const std::vector<Index> rest = others(m.rows(), eliminate);
  if (eliminate.empty()) return m;
  const Matrix ab = m(eliminate, rest);
  const Matrix half = positive(m(eliminate, eliminate), "the eliminated block").matrixL().solve(ab);
  return symmetric(m(rest, rest) - half.transpose() * half);
}

Matrix block_inverse(const Matrix& m, const std::vector<Index>& first) {
  const std::vector<Index> rest = others(m.rows(), first);
  const Matrix aa = m(first, first), ab = m(first, rest);
  const Eigen::LLT<Matrix> llt = positive(aa, "the first block");
  const Matrix solved = llt.solve(ab);  // M_aa^-1 M_ab
  const Matrix inverse_aa = llt.solve(Matrix::Identity(aa.rows(), aa.cols()));
  Matrix out(m.rows(), m.cols());
  if (rest.empty()) {
    out(first, first) = inverse_aa;
    return out;
  }
  const Matrix s = schur_complement(m, first);
  const Matrix bb = positive(s, "the Schur complement").solve(Matrix::Identity(s.rows(), s.cols()));
  out(rest, rest) = bb;
  out(first, rest) = -solved * bb;
  out(rest, first) = out(first, rest).transpose();
  out(first, first) = inverse_aa + solved * bb * solved.transpose();
  return out;
}

}  // namespace covary
