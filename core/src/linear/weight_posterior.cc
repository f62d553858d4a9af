#include "linear/weight_posterior.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "base/constants.h"
#include "base/simd/simd.h"
#include "covary/base/error.h"
#include "covary/gaussian/univariate.h"
#include "linear/function_space.h"

namespace covary {
using namespace internal;
namespace {

/// log |det| of the best R for these columns of a triangle: of the Cholesky factor of their block of R'R.
double half_log_determinant(const Matrix& r, const std::vector<Index>& columns) {
  if (columns.empty()) return 0;
  if (std::ssize(columns) == r.cols() || r.isDiagonal(0)) return r.diagonal()(columns).array().log().sum();
  Matrix some = r(Eigen::all, columns);
  blas::reflect(some, 1);
  return some.diagonal().array().abs().log().sum();
}

}  // namespace

bool full_rank(Matrix columns) {
  for (Index j = 0; j < columns.cols(); ++j) {
    const double length = columns.col(j).stableNorm();
    if (!(length > 0)) return false;
    columns.col(j) /= length;
  }
  if (columns.cols() <= 1) return true;
  Eigen::ColPivHouseholderQR<Matrix> qr(columns);
  qr.setThreshold(16 * double(columns.cols()) * eps);
  return qr.rank() == columns.cols();
}

const Weights::Answer& Weights::answer() const {
  std::call_once(answer_->once, [this] {
    Answer& a = *answer_;
    a.rank = size();
    if (dual_) {
      a.mean = dual_->mean();
      return;
    }
    a.triangle = rows_so_far();
    const Triangle& t = a.triangle;
    // Weights with a prior are kept apart by it: only flat ones can be entangled.
    if (!full_rank(t.r(Eigen::all, prior_.flat_weights()))) {
      a.triangle = Triangle(size()).with(unshifted(t.r), t.z);
      return a.solve_deficient(undetermined_);
    }
    a.factor = Factor::of(t.r.transpose());
    a.mean = t.r.triangularView<Eigen::Upper>().solve(t.z);
    if (level_ >= 0) a.mean[level_] -= shift_.dot(a.mean);
  });
  return *answer_;
}

void Weights::Answer::solve_deficient(Undetermined undetermined) {
  lengths = triangle.r.colwise().norm();
  for (double& v : lengths)
    if (!(v > 0)) v = 1;
  const Index n = triangle.columns();
  Matrix scaled = triangle.r * lengths.cwiseInverse().asDiagonal();
  const auto [u, s, v_scaled] = blas::singular(scaled, 1);
  rank = (s.array() > 16 * double(n) * eps * s[0]).count();
  const Index left = n - rank;
  if (undetermined == Undetermined::error)
    throw Error(Problem::data,
                fmt::format("{} of {} weights are not determined by the rows (rank {})", left, n, rank));
  const Matrix v = lengths.cwiseInverse().asDiagonal() * v_scaled;
  half = v.leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal();
  nothing = v.rightCols(left);
  mean = half * (u.leftCols(rank).transpose() * triangle.z);
  unexplained = triangle.rest + (triangle.r * mean - triangle.z).squaredNorm();
  const Matrix q = Reflections(nothing).q();
  mean -= q * (q.transpose() * mean);  // the smallest w in the user's own units
}

Index Weights::rank() const { return answer().rank; }
Vector Weights::mean() const { return answer().mean; }

double Weights::freedom() const {
  if (noise_.is_known()) return infinity;
  const Index determined = std::ssize(prior_.flat_weights()) - (size() - rank());
  return std::max(0.0, counted_ - double(determined));
}

double Weights::rest() const { return rest_ + answer().unexplained; }

double Weights::noise_variance() const {
  if (noise_.is_known()) return noise_.variance;
  return freedom() > 0 ? rest() / freedom() : nan;
}

Matrix Weights::half(const Rows& phi) const {
  const Answer& a = answer();
  if (dual_) return dual_->half(phi);
  return a.rank == size() ? a.factor.half_solve(shifted(phi).transpose())
                          : Matrix((phi * a.half).transpose());
}

Marginals Weights::unit_predict(const Rows& phi) const {
  const Answer& a = answer();
  Marginals out{Vector::Zero(phi.rows()), Vector(phi.rows()), 0};
  for (Index j = 0; j < size(); ++j) out.mean += a.mean[j] * phi.col(j);
  const Matrix u = half(phi);
  for (Index i = 0; i < u.cols(); ++i)
    out.variance[i] = simd::loops().dot(u.col(i).data(), u.col(i).data(), u.rows());
  for (Index i = 0; a.rank < size() && i < phi.rows(); ++i)
    if ((phi.row(i) * a.nothing).norm() > 1e-9 * phi.row(i).transpose().cwiseQuotient(a.lengths).norm())
      out.variance[i] = infinity;
  return out;
}

Marginals Weights::predict(const Rows& phi, Of of) const {
  if (phi.cols() != size())
    throw Error(Problem::usage, fmt::format("expected {} features, found {}", size(), phi.cols()));
  Marginals out = unit_predict(phi);
  if (of == Of::y) out.variance.array() += 1;
  out.variance *= noise_variance();
  return out;
}

std::vector<Index> Weights::undetermined() const {
  const Answer& a = answer();
  std::vector<Index> out;
  for (Index j = 0; a.rank < size() && j < size(); ++j)
    if (a.nothing.row(j).norm() * a.lengths[j] > 1e-9) out.push_back(j);
  return out;
}

bool Weights::determines(const std::vector<Index>& which) const {
  const std::vector<Index> free = undetermined();
  return std::none_of(which.begin(), which.end(),
                      [&](Index j) { return std::binary_search(free.begin(), free.end(), j); });
}

Matrix Weights::covariance() const {
  const Matrix u = half(Matrix::Identity(size(), size()));
  Matrix c = noise_variance() * (u.transpose() * u);
  for (const Index j : undetermined()) c.row(j).setConstant(nan), c.col(j).setConstant(nan);
  for (const Index j : undetermined()) c(j, j) = infinity;
  return c;
}

Vector Weights::sd() const { return predict(Matrix::Identity(size(), size())).sd(); }

Matrix Weights::intervals(double percent) const {
  const double q = freedom() > 0 ? interval_quantile(percent, freedom()) : infinity;
  Matrix out(size(), 2);
  out << mean() - q * sd(), mean() + q * sd();
  return out;
}

double Weights::log_volume() const {
  if (rank() < size()) return infinity;
  const double unit = 0.5 * double(size()) * std::log(noise_variance());
  if (!dual_) return unit - answer().triangle.r.diagonal().array().log().sum();
  Matrix u = half(Matrix::Identity(size(), size()));
  blas::reflect(u, 1);
  return unit + u.diagonal().array().abs().log().sum();
}

Gaussian Weights::joint(const Rows& phi, Of of) const {
  const Marginals m = predict(phi, of);
  if (!m.variance.allFinite())
    throw Error(Problem::data, "no joint distribution: the rows do not determine the weights it depends on");
  const Matrix u = half(phi);
  Matrix c = noise_variance() * (u.transpose() * u);
  if (of == Of::y) c.diagonal().array() += noise_variance();
  return {m.mean, c};
}

Gaussian Weights::marginal(const std::vector<Index>& which) const {
  return joint(Matrix::Identity(size(), size())(which, Eigen::all));
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
  if (!(noise_variance() >= 0))
    throw Error(Problem::data, "no samples: too few rows to estimate the noise variance");
  Draws out{dual_ ? dual_->sample(rng, draws)
                  : Matrix(a.triangle.r.triangularView<Eigen::Upper>().solve(rng.normal(size(), draws))),
            Vector(draws)};
  if (!dual_ && level_ >= 0) out.w.row(level_) -= shift_.transpose() * out.w;
  for (Index k = 0; k < draws; ++k) {
    out.noise[k] = noise_.is_known() ? noise_.variance : 0.5 * rest() / rng.gamma(0.5 * freedom());
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
  const double n = rows_;
  const std::vector<Index> proper = prior_.proper_weights();
  const double fit = dual_ ? -dual_->half_log_determinant()
                           : half_log_determinant(as_rows(prior_, noise_).r, proper) -
                                 half_log_determinant(unshifted(triangle_->r), proper);
  if (noise_.is_known())
    return fit - 0.5 * (n * (log_two_pi + std::log(noise_.variance)) + rest() / noise_.variance);
  if (noise_.shape == 0) return fit - 0.5 * n * (log_two_pi + std::log(rest() / n) + 1);
  const double shape = noise_.shape + 0.5 * n, rate = 0.5 * rest();
  return fit - 0.5 * n * log_two_pi + log_gamma(shape) - log_gamma(noise_.shape) +
         noise_.shape * std::log(noise_.rate) - shape * std::log(rate);
}

/// All rows but one.
static RowBlocks without(const RowBlocks& phi, Index row) {
  return {phi.rows - 1, phi.columns, [&phi, row](Range r) -> Matrix {
            if (r.end() <= row) return phi.at(r);
            if (r.first >= row) return phi.at({r.first + 1, r.count});
            Matrix out(r.count, phi.columns);
            const Index before = row - r.first;
            out.topRows(before) = phi.at({r.first, before});
            out.bottomRows(r.count - before) = phi.at({row + 1, r.count - before});
            return out;
          }};
}

/// Row `row` of phi from all others, on which the prior is conditioned anew.
static Marginals from_others(const Weights& prior, Side side, const RowBlocks& phi, const Vector& y,
                             Index row, int threads) {
  const Vector others = concat(y.head(row), y.tail(y.size() - row - 1));
  const ConditionOptions options{.side = side, .threads = threads};
  const RowBlocks rest = without(phi, row);
  const bool small = rest.rows * rest.columns <= 1'000'000;  // then least squares are refined
  const Weights w = small ? prior.condition(rest.at({0, rest.rows}), others, options)
                          : prior.condition(rest, others, options);
  return w.predict(phi.at({row, 1}), Of::y);
}

// With h = |phi_i R^-1|^2 and e_i = y_i - phi_i w, both from all rows:
//   y_i - mean_-i = e_i/(1 - h),  rest_-i = rest - e_i^2/(1 - h),  variance_-i = noise_-i/(1 - h)
// Where one row makes nearly all of the rest, the second is a difference of equals and so is the mean: that
// row is left out in earnest. No more rows than there are weights can be so.
LeaveOneOut Weights::leave_one_out(const RowBlocks& phi, const Vector& y, int threads) const {
  constexpr double cancels = 1e-6;  // share of the rest that the others leave
  Vector mean(y.size()), variance(y.size());
  std::vector<char> again(static_cast<size_t>(y.size()), 0);
  const double others = freedom() - 1, all = rest();
  for_row_blocks(phi, threads, [&](Range r, const Matrix& rows) {
    const Marginals m = unit_predict(rows);
    for (Index k = 0; k < r.count; ++k) {
      const Index i = r.first + k;
      const double left = 1 - m.variance[k], off = y[i] - m.mean[k];
      const bool needed = !(left > 1e-11);  // without it the weights are not determined
      mean[i] = needed ? nan : y[i] - off / left;
      const double rest_of_others = all - off * (off / left);
      const double noise = noise_.is_known() ? noise_.variance : rest_of_others / others;
      variance[i] = needed || !(others > 0) ? infinity : std::max(0.0, noise) / left;
      again[static_cast<size_t>(i)] = !needed && others > 0 && !forgot_ && rest_of_others < cancels * all;
    }
  });
  for (Index i = 0; i < y.size(); ++i) {
    if (!again[static_cast<size_t>(i)]) continue;
    const Marginals m = from_others(Weights(prior_, noise_, undetermined_),
                                    dual_ ? Side::functions : Side::weights, phi, y, i, threads);
    mean[i] = m.mean[0], variance[i] = m.variance[0];
  }
  return scored(std::move(mean), std::move(variance), y, others > 0 ? others : infinity);
}

}  // namespace covary
