#include "covary/linear.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "blas.h"
#include "covary/error.h"
#include "normal_equations.h"
#include "parallel.h"
#include "refine.h"
#include "simd/simd.h"

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index wide = 200;       // columns from which the normal equations are tried
constexpr Index refinable = 1e6;  // entries of Phi up to which least squares are refined
constexpr double trusted = 1e-6;  // reciprocal condition of normal equations

/// log |det| of the best R for these columns of a triangle: of the Cholesky factor of their block of R'R.
double half_log_determinant(const Matrix& r, const std::vector<Index>& columns) {
  if (columns.empty()) return 0;
  if (std::ssize(columns) == r.cols() || r.isDiagonal(0)) return r.diagonal()(columns).array().log().sum();
  Matrix some = r(Eigen::all, columns);
  blas::reflect(some, 1);
  return some.diagonal().array().abs().log().sum();
}

std::vector<Index> where(const std::vector<bool>& flags, bool value) {
  std::vector<Index> out;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == value) out.push_back(static_cast<Index>(i));
  return out;
}

/// The prior as rows of a least-squares problem whose unit is the noise.
Triangle as_rows(const WeightPrior& prior, const NoisePrior& noise) {
  const Matrix root = (noise.is_known() ? std::sqrt(noise.variance) : 1.0) * prior.root;
  Triangle t(prior.size());
  if (root.isDiagonal(0)) {
    t.r = root.cwiseAbs();
    t.z = t.r * prior.mean;
  } else {
    t = t.with(root, root * prior.mean);
  }
  t.rest = noise.is_known() ? 0 : 2 * noise.rate;
  return t;
}

void check_variance(double v, Index column) {
  if (!(v > 0))
    throw Error(
        Problem::usage,
        fmt::format("the prior variance of weight {}: expected a positive number, found {}", column + 1, v));
}

}  // namespace

WeightPrior WeightPrior::flat(Index n) { return {Vector::Zero(n), Matrix::Zero(n, n)}; }

WeightPrior WeightPrior::isotropic(Index n, double variance) { return each(Vector::Constant(n, variance)); }

WeightPrior WeightPrior::each(const Vector& variances) {
  WeightPrior p = flat(variances.size());
  for (Index j = 0; j < variances.size(); ++j) {
    check_variance(variances[j], j);
    p.root(j, j) = 1 / std::sqrt(variances[j]);
  }
  return p;
}

WeightPrior WeightPrior::full(Vector mean, const Matrix& covariance) {
  const Gaussian checked(mean, covariance);  // sizes, symmetry, no negative eigenvalue
  if (checked.rank() < checked.size()) {
    const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(covariance).eigenvalues();
    throw Error(
        Problem::numerical,
        fmt::format("the prior covariance is not positive definite: its smallest eigenvalue is {:.3g}",
                    values[0]));
  }
  const Matrix l = Eigen::LLT<Matrix>(covariance).matrixL();
  return {std::move(mean),
          l.triangularView<Eigen::Lower>().solve(Matrix::Identity(covariance.rows(), covariance.rows()))};
}

std::vector<bool> WeightPrior::is_flat() const {
  std::vector<bool> out;
  for (Index j = 0; j < size(); ++j) out.push_back(root.col(j).isZero(0));
  return out;
}

NoisePrior NoisePrior::known(double variance) {
  if (!(variance > 0) || !std::isfinite(variance))
    throw Error(Problem::usage,
                fmt::format("the noise variance of weights must be positive, found {}", variance));
  return {variance, 0, 0};
}

NoisePrior NoisePrior::gamma(double shape, double rate) {
  if (!(shape > 0) || !(rate > 0) || !std::isfinite(shape) || !std::isfinite(rate))
    throw Error(Problem::usage,
                fmt::format("the gamma prior of 1/noise: expected a positive shape and rate, found {} and {}",
                            shape, rate));
  return {0, shape, rate};
}

/// The triangle, solved.
struct Weights::Answer {
  std::once_flag once;
  Index rank = 0;
  Vector mean;     // N
  Factor factor;   // of R'R, if the rank is full
  Vector lengths;  // of the columns of R; 1 for one that is 0
  Matrix half;     // else N x rank: (R'R)^+ = half half'
  Matrix nothing;  // and N x (N - rank): directions of which nothing is known, in units of `lengths`
};

Weights::Weights(const WeightPrior& prior, NoisePrior noise, Undetermined undetermined)
    : prior_(prior),
      noise_(noise),
      undetermined_(undetermined),
      triangle_(as_rows(prior, noise)),
      counted_(2 * noise.shape),
      how_("the prior"),
      answer_(std::make_shared<Answer>()) {}

// ------------------------------------------------------------------------------------------ conditioning

Weights Weights::condition(const Rows& phi, const Vector& y, const ConditionOptions& options) const {
  check_sizes(phi.rows(), y.size());
  check_finite(phi, "phi");
  Weights out = condition(row_blocks(phi), y, options);
  if (rows_ == 0 && prior_.root.isZero(0) && options.forget == 1 && phi.size() <= refinable)
    out.refine(phi, y);
  return out;
}

Weights Weights::condition(const RowBlocks& phi, const Vector& y, const ConditionOptions& o) const {
  check_sizes(phi.rows, y.size());
  check_finite(y, "y");
  if (phi.columns != size())
    throw Error(Problem::usage, fmt::format("expected {} features, found {}", size(), phi.columns));
  if (!(o.forget > 0 && o.forget <= 1))
    throw Error(Problem::usage,
                fmt::format("forget: expected more than 0 and at most 1, found {}", o.forget));
  if (o.forget < 1) return forgetting(phi.at({0, phi.rows}), y, o.forget);
  Weights out = *this;
  out.answer_ = std::make_shared<Answer>();
  out.rows_ += double(y.size());
  out.counted_ += double(y.size());
  using By = ConditionOptions::By;
  if (o.by == By::normal_equations || (o.by == By::automatic && size() >= wide && 4 * y.size() > size())) {
    const double least = o.by == By::automatic ? trusted : 0;
    if (auto n = normal_equations(phi, y, triangle_, least, threads_or_all(o.threads))) {
      out.triangle_ = std::move(n->triangle);
      out.how_ = fmt::format("normal equations, reciprocal condition {:.1e}", n->reciprocal_condition);
      return out;
    }
    if (o.by == By::normal_equations)
      throw Error(Problem::numerical, "the normal equations are singular: take reflections");
  }
  const bool few = 4 * y.size() <= size();
  out.triangle_ =
      few ? triangle_.with(phi.at({0, phi.rows}), y) : covary::triangle(phi, y, triangle_, o.threads);
  out.how_ = few ? "rotations" : "reflections";
  return out;
}

Weights Weights::forgetting(const Rows& phi, const Vector& y, double factor) const {
  Weights out = *this;
  out.answer_ = std::make_shared<Answer>();
  out.how_ = "rotations, forgetting";
  out.forgot_ = true;
  for (Index i = 0; i < y.size(); ++i) {
    out.triangle_ = out.triangle_.scaled(std::sqrt(factor)).with(phi.row(i), y.segment(i, 1));
    out.rows_ = factor * out.rows_ + 1;
    out.counted_ = factor * out.counted_ + 1;
  }
  return out;
}

void Weights::refine(const Rows& phi, const Vector& y) {
  if (rank() < size()) return;
  LeastSquares fine = refined_least_squares(phi, y);
  answer_->mean = std::move(fine.w);
  triangle_.rest = 2 * noise_.rate + fine.rest;
  how_ += ", refined";
}

Weights least_squares(const Rows& phi, const Vector& y, Undetermined undetermined) {
  return Weights(WeightPrior::flat(phi.cols()), NoisePrior::unknown(), undetermined).condition(phi, y);
}

// ----------------------------------------------------------------------------------------------- answers

namespace {

/// Whether the flat columns of R are independent: the others are kept apart by their prior.
bool full_rank(const Matrix& r, const std::vector<Index>& flat, const Vector& lengths) {
  if (flat.empty()) return true;
  Matrix some = r(Eigen::all, flat);
  for (size_t i = 0; i < flat.size(); ++i) {
    if (some.col(Index(i)).isZero(0)) return false;
    some.col(Index(i)) /= lengths[flat[i]];
  }
  Eigen::ColPivHouseholderQR<Matrix> qr(some);
  qr.setThreshold(16 * double(r.rows()) * eps);
  return qr.rank() == some.cols();
}

}  // namespace

const Weights::Answer& Weights::answer() const {
  std::call_once(answer_->once, [this] {
    Answer& a = *answer_;
    a.lengths = triangle_.r.colwise().norm();
    for (double& v : a.lengths)
      if (!(v > 0)) v = 1;
    if (full_rank(triangle_.r, where(prior_.is_flat(), true), a.lengths)) {
      a.rank = size();
      a.factor = Factor::of(triangle_.r.transpose());
      a.mean = triangle_.r.triangularView<Eigen::Upper>().solve(triangle_.z);
      return;
    }
    const Matrix scaled = triangle_.r * a.lengths.cwiseInverse().asDiagonal();
    const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vector& s = svd.singularValues();
    a.rank = (s.array() > 16 * double(size()) * eps * s[0]).count();
    const Index left = size() - a.rank;
    if (undetermined_ == Undetermined::error)
      throw Error(Problem::data,
                  fmt::format("{} of {} weights are not determined by the rows: {} directions of w are free",
                              left, size(), left));
    const Matrix v = a.lengths.cwiseInverse().asDiagonal() * svd.matrixV();
    a.half = v.leftCols(a.rank) * s.head(a.rank).cwiseInverse().asDiagonal();
    a.nothing = v.rightCols(left);
    a.mean = a.half * (svd.matrixU().leftCols(a.rank).transpose() * triangle_.z);
    const Matrix q = Eigen::HouseholderQR<Matrix>(a.nothing).householderQ() * Matrix::Identity(size(), left);
    a.mean -= q * (q.transpose() * a.mean);  // the smallest w in the user's own units
  });
  return *answer_;
}

Index Weights::rank() const { return answer().rank; }
Vector Weights::mean() const { return answer().mean; }

double Weights::freedom() const {
  if (noise_.is_known()) return infinity;
  const Index flat = std::ssize(where(prior_.is_flat(), true));
  return std::max(0.0, counted_ - double(flat - (size() - rank())));
}

double Weights::noise_variance() const {
  if (noise_.is_known()) return noise_.variance;
  return freedom() > 0 ? triangle_.rest / freedom() : nan;
}

double Weights::scale() const { return noise_variance(); }

Marginals Weights::unit_predict(const Rows& phi) const {
  const Answer& a = answer();
  Marginals out{Vector::Zero(phi.rows()), Vector::Zero(phi.rows()), 0};
  for (Index j = 0; j < size(); ++j) out.mean += a.mean[j] * phi.col(j);
  if (a.rank == size()) {
    const Matrix u = a.factor.half_solve(phi.transpose());
    for (Index i = 0; i < u.cols(); ++i)
      out.variance[i] = simd::loops().dot(u.col(i).data(), u.col(i).data(), u.rows());
    return out;
  }
  for (Index i = 0; i < phi.rows(); ++i) {
    const Vector scaled = phi.row(i).transpose().cwiseQuotient(a.lengths);
    const double unknown = (phi.row(i) * a.nothing).norm();
    out.variance[i] = unknown > 1e-9 * scaled.norm() ? infinity : (phi.row(i) * a.half).squaredNorm();
  }
  return out;
}

Marginals Weights::predict(const Rows& phi, Of of) const {
  if (phi.cols() != size())
    throw Error(Problem::usage, fmt::format("expected {} features, found {}", size(), phi.cols()));
  Marginals out = unit_predict(phi);
  if (of == Of::y) out.variance.array() += 1;
  out.variance *= scale();
  return out;
}

std::vector<Index> Weights::undetermined() const {
  const Answer& a = answer();
  std::vector<Index> out;
  for (Index j = 0; a.rank < size() && j < size(); ++j)
    if (a.nothing.row(j).norm() * a.lengths[j] > 1e-9) out.push_back(j);
  return out;
}

Matrix Weights::covariance() const {
  const Answer& a = answer();
  if (a.rank == size()) {
    const Matrix half = a.factor.half_solve(Matrix::Identity(size(), size()));
    return scale() * (half.transpose() * half);
  }
  Matrix c = scale() * (a.half * a.half.transpose());
  for (const Index j : undetermined()) c.row(j).setConstant(nan), c.col(j).setConstant(nan);
  for (const Index j : undetermined()) c(j, j) = infinity;
  return c;
}

Vector Weights::sd() const { return predict(Matrix::Identity(size(), size())).sd(); }

double Weights::log_volume() const {
  if (rank() < size()) return infinity;
  return 0.5 * double(size()) * std::log(scale()) - triangle_.r.diagonal().array().log().sum();
}

Gaussian Weights::joint(const Rows& phi, Of of) const {
  const Marginals m = predict(phi, of);
  if (!m.variance.allFinite())
    throw Error(Problem::data, "no joint distribution: the rows do not determine the weights it depends on");
  const Answer& a = answer();
  const Matrix u =
      a.rank == size() ? a.factor.half_solve(phi.transpose()) : Matrix((phi * a.half).transpose());
  Matrix c = scale() * (u.transpose() * u);
  if (of == Of::y) c.diagonal().array() += scale();
  return {m.mean, std::move(c)};
}

struct Weights::Draws {
  Matrix w;      // N x draws
  Vector noise;  // draws: its variance
};

Weights::Draws Weights::draw(Random& rng, Index draws) const {
  const Answer& a = answer();
  if (a.rank < size())
    throw Error(Problem::data,
                fmt::format("no samples: {} of {} directions of the weights are not determined",
                            size() - a.rank, size()));
  if (!(scale() >= 0)) throw Error(Problem::data, "no samples: too few rows to tell the noise");
  Draws out{triangle_.r.triangularView<Eigen::Upper>().solve(rng.normal(size(), draws)), Vector(draws)};
  for (Index k = 0; k < draws; ++k) {
    out.noise[k] = noise_.is_known() ? noise_.variance : 0.5 * triangle_.rest / rng.gamma(0.5 * freedom());
    out.w.col(k) = a.mean + std::sqrt(out.noise[k]) * out.w.col(k);
  }
  return out;
}

Matrix Weights::sample(Index draws, std::uint64_t seed) const {
  Random rng(seed);
  return draw(rng, draws).w;
}

Matrix Weights::sample(const Rows& phi, Index draws, std::uint64_t seed, Of of) const {
  Random rng(seed);
  const Draws d = draw(rng, draws);
  Matrix out = phi * d.w;
  if (of == Of::y) out += rng.normal(phi.rows(), draws) * d.noise.cwiseSqrt().asDiagonal();
  return out;
}

double Weights::log_evidence() const {
  if (forgot_) return nan;
  if (rows_ == 0) return 0;
  const std::vector<Index> proper = where(prior_.is_flat(), false);
  const double n = rows_, log_two_pi = std::log(2 * std::numbers::pi);
  const double fit =
      half_log_determinant(as_rows(prior_, noise_).r, proper) - half_log_determinant(triangle_.r, proper);
  if (noise_.is_known())
    return fit - 0.5 * (n * (log_two_pi + std::log(noise_.variance)) + triangle_.rest / noise_.variance);
  if (noise_.shape == 0) return fit - 0.5 * n * (log_two_pi + std::log(triangle_.rest / n) + 1);
  const double shape = noise_.shape + 0.5 * n, rate = 0.5 * triangle_.rest;
  return fit - 0.5 * n * log_two_pi + std::lgamma(shape) - std::lgamma(noise_.shape) +
         noise_.shape * std::log(noise_.rate) - shape * std::log(rate);
}

LeaveOneOut Weights::leave_one_out(const RowBlocks& phi, const Vector& y, int threads) const {
  Vector mean(y.size()), variance(y.size());
  const double others = freedom() - 1;
  for_row_blocks(phi, threads, [&](Range r, const Matrix& rows) {
    const Marginals m = unit_predict(rows);
    for (Index k = 0; k < r.count; ++k) {
      const Index i = r.first + k;
      const double left = 1 - m.variance[k], off = y[i] - m.mean[k];
      const bool needed = !(left > 1e-11);  // without it the weights are not determined
      mean[i] = needed ? nan : y[i] - off / left;
      const double noise = noise_.is_known() ? noise_.variance : (triangle_.rest - off * off / left) / others;
      variance[i] = needed || !(others > 0) ? infinity : std::max(0.0, noise) / left;
    }
  });
  return scored(std::move(mean), std::move(variance), y);
}

}  // namespace covary
