#include "covary/linear.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "blas.h"
#include "covary/error.h"
#include "covary/machine.h"
#include "covary/normal.h"
#include "decompositions.h"
#include "dual.h"
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

/// The prior as rows of a least-squares problem whose unit is the noise.
Triangle as_rows(const WeightPrior& prior, const NoisePrior& noise) {
  const double unit = noise.is_known() ? std::sqrt(noise.variance) : 1;
  Triangle t(prior.size());
  if (prior.factor.size() == 0) {
    t.r.diagonal() = unit * prior.sd.cwiseInverse();
    t.z = t.r * prior.mean;
    return t;
  }
  const Matrix root = prior.factor.triangularView<Eigen::Lower>().solve(
      Matrix(unit * Matrix::Identity(prior.size(), prior.size())));
  t = t.with(root, root * prior.mean);
  t.rest = 0;
  return t;
}

/// Whether these columns are independent.
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

}  // namespace

std::vector<Index> WeightPrior::flat_weights() const {
  std::vector<Index> out;
  for (Index j = 0; j < size(); ++j)
    if (is_flat(j)) out.push_back(j);
  return out;
}

std::vector<Index> WeightPrior::proper_weights() const {
  std::vector<Index> out;
  for (Index j = 0; j < size(); ++j)
    if (!is_flat(j)) out.push_back(j);
  return out;
}

WeightPrior WeightPrior::flat(Index n) { return {Vector::Zero(n), Vector::Constant(n, infinity), {}}; }

WeightPrior WeightPrior::isotropic(Index n, double variance) { return each(Vector::Constant(n, variance)); }

WeightPrior WeightPrior::each(const Vector& variances) {
  for (Index j = 0; j < variances.size(); ++j)
    if (!(variances[j] > 0))
      throw Error(Problem::usage,
                  fmt::format("the prior variance of weight {}: expected a positive number, found {}", j + 1,
                              variances[j]));
  return {Vector::Zero(variances.size()), variances.cwiseSqrt(), {}};
}

WeightPrior WeightPrior::full(Vector mean, const Matrix& covariance) {
  const Gaussian checked(mean, covariance);  // sizes, symmetry, no negative eigenvalue
  if (checked.rank() < checked.size()) {
    const Vector values = symmetric_eigen(covariance).values;
    throw Error(
        Problem::numerical,
        fmt::format("the prior covariance is not positive definite: its smallest eigenvalue is {:.3g}",
                    values[0]));
  }
  Matrix l = covariance;
  blas::cholesky(l, 1);
  return {std::move(mean), {}, l.triangularView<Eigen::Lower>()};
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
  Vector mean;             // N
  Triangle triangle{0};    // on the side of the weights
  Factor factor;           // of R'R, if the rank is full
  Matrix half, nothing;    // else N x rank: (R'R)^+ = half half'; and N x (N - rank): free directions,
  Vector lengths;          // in units of the columns of R, 1 for one that is 0
  double unexplained = 0;  // |R w - z|^2, then

  void solve_deficient(Undetermined undetermined);
};
Weights::Weights(const WeightPrior& prior, NoisePrior noise, Undetermined undetermined)
    : prior_(prior),
      noise_(noise),
      undetermined_(undetermined),
      rest_(2 * noise.rate),
      counted_(2 * noise.shape),
      answer_(std::make_shared<Answer>()) {}

// ------------------------------------------------------------------------------------------ conditioning

Weights Weights::condition(const Rows& phi, const Vector& y, const ConditionOptions& options) const {
  check_sizes(phi.rows(), y.size());
  check_finite(phi, "phi");
  Weights out = condition(row_blocks(phi), y, options);
  if (rows_ == 0 && options.forget == 1 && prior_.proper_weights().empty() && phi.size() <= refinable)
    out.refine(phi, y);
  return out;
}

namespace {

/// More weights with a prior than rows, and few enough others: then the functions are the cheaper side.
bool fewer_rows(const WeightPrior& prior, Index rows) {
  return std::ssize(prior.proper_weights()) > rows && std::ssize(prior.flat_weights()) < rows;
}

}  // namespace

Weights Weights::condition(const RowBlocks& phi, const Vector& y, const ConditionOptions& o) const {
  check_sizes(phi.rows, y.size());
  check_finite(y, "y");
  if (phi.columns != size())
    throw Error(Problem::usage, fmt::format("expected {} features, found {}", size(), phi.columns));
  if (!(o.forget > 0 && o.forget <= 1))
    throw Error(Problem::usage,
                fmt::format("forget: expected more than 0 and at most 1, found {}", o.forget));
  if (dual_)  // the rows so far again, on the side where more may follow
    return Weights(prior_, noise_, undetermined_)
        .condition(dual_->phi(), dual_->y(), {.side = Side::weights, .threads = o.threads})
        .condition(phi, y, o);
  if (o.side == Side::functions && (rows_ > 0 || o.forget < 1))
    throw Error(Problem::usage, "rows that come one after the other belong to the side of the weights");
  if (o.forget < 1) return forgetting(phi.at({0, phi.rows}), y, o.forget);
  const bool first = rows_ == 0 && o.by == ConditionOptions::By::automatic;
  if (o.side == Side::functions || (o.side == Side::automatic && first && fewer_rows(prior_, y.size())))
    return with_functions(phi.at({0, phi.rows}), y, threads_or_all(o.threads));
  return with_weights(phi, y, o);
}

Weights Weights::taken(Index rows) const {
  Weights out = *this;
  out.answer_ = std::make_shared<Answer>();
  out.rows_ += double(rows);
  out.counted_ += double(rows);
  return out;
}

Weights Weights::with_functions(const Rows& phi, const Vector& y, int threads) const {
  const std::vector<Index> flat = prior_.flat_weights();
  if (std::ssize(flat) >= y.size() || !full_rank(phi(Eigen::all, flat)))
    throw Error(Problem::usage,
                fmt::format("the side of the functions needs rows that determine the {} weights without a "
                            "prior: take the side of the weights",
                            flat.size()));
  Weights out = taken(y.size());
  const double unit = noise_.is_known() ? 1 / std::sqrt(noise_.variance) : 1;
  auto dual = std::make_shared<Dual>(prior_, unit, phi, y, threads);
  out.rest_ += dual->rest();
  out.dual_ = std::move(dual);
  out.how_ = "reflections";
  return out;
}

Weights Weights::with_weights(const RowBlocks& phi, const Vector& y, const ConditionOptions& o) const {
  check_memory(24 * double(size()) * double(size()), fmt::format("the covariance of {} weights", size()));
  Weights out = taken(y.size());
  if (rows_ == 0) out.place_shift(phi.at({0, std::min<Index>(phi.rows, 256)}));
  const RowBlocks rows = out.shifted(phi);
  using By = ConditionOptions::By;
  const bool few = 4 * y.size() <= size();
  Triangle start = rows_so_far();
  start.rest = rest_;
  const auto keep = [&out](Triangle t, std::string how) {
    out.rest_ = t.rest;
    out.triangle_ = std::make_shared<const Triangle>(std::move(t));
    out.how_ = std::move(how);
    return out;
  };
  if (o.by == By::normal_equations || (o.by == By::automatic && size() >= wide && !few)) {
    const double least = o.by == By::automatic ? trusted : 0;
    if (auto n = normal_equations(rows, y, start, least, threads_or_all(o.threads)))
      return keep(std::move(n->triangle),
                  fmt::format("normal equations, reciprocal condition {:.1e}", n->reciprocal_condition));
    if (o.by == By::normal_equations)
      throw Error(Problem::numerical, "the normal equations are singular: take reflections");
  }
  if (few) return keep(start.with(rows.at({0, phi.rows}), y), "rotations");
  return keep(covary::triangle(rows, y, start, o.threads), "reflections");
}

Weights Weights::forgetting(const Rows& phi, const Vector& y, double factor) const {
  Weights out = taken(0);
  if (rows_ == 0) out.place_shift(phi.topRows(1));
  Triangle t = rows_so_far();
  t.rest = rest_;
  for (Index i = 0; i < y.size(); ++i) {
    t = t.scaled(std::sqrt(factor)).with(out.shifted(phi.row(i)), y.segment(i, 1));
    out.rows_ = factor * out.rows_ + 1;
    out.counted_ = factor * out.counted_ + 1;
  }
  out.rest_ = t.rest;
  out.triangle_ = std::make_shared<const Triangle>(std::move(t));
  out.how_ = "rotations, forgetting";
  out.forgot_ = true;
  return out;
}

void Weights::place_shift(const Matrix& first_rows) {
  for (const Index j : prior_.flat_weights()) {
    const double value = first_rows(0, j);
    if (value == 0 || (first_rows.col(j).array() != value).any()) continue;
    level_ = j;
    shift_ = first_rows.colwise().mean() / value;
    shift_[j] = 0;
    return;
  }
}

Matrix Weights::shifted(const Rows& phi) const {
  return level_ < 0 ? Matrix(phi) : Matrix(phi - phi.col(level_) * shift_.transpose());
}

RowBlocks Weights::shifted(const RowBlocks& phi) const {
  if (level_ < 0) return phi;
  return {phi.rows, phi.columns, [phi, level = level_, shift = shift_](Range r) -> Matrix {
            Matrix rows = phi.at(r);
            rows -= (rows.col(level) * shift.transpose()).eval();
            return rows;
          }};
}

/// A triangle of shifted features as one, no longer triangular, of the features themselves.
Matrix Weights::unshifted(const Matrix& r) const {
  return level_ < 0 ? r : Matrix(r + r.col(level_) * shift_.transpose());
}

Triangle Weights::rows_so_far() const { return triangle_ ? *triangle_ : as_rows(prior_, noise_); }

void Weights::refine(const Rows& phi, const Vector& y) {
  if (rank() < size()) return;
  LeastSquares fine = refined_least_squares(phi, y);
  answer_->mean = std::move(fine.w);
  rest_ = 2 * noise_.rate + fine.rest;
  how_ += ", refined";
}

Weights least_squares(const Rows& phi, const Vector& y, Undetermined undetermined) {
  return Weights(WeightPrior::flat(phi.cols()), NoisePrior::unknown(), undetermined).condition(phi, y);
}

// ----------------------------------------------------------------------------------------------- answers

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
                fmt::format("{} of {} weights are not determined by the rows: {} of w free", left, n,
                            left == 1 ? "one direction is" : fmt::format("{} directions are", left)));
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
  return {m.mean, std::move(c)};
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
  if (!(noise_variance() >= 0)) throw Error(Problem::data, "no samples: too few rows to tell the noise");
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
  const double n = rows_, log_two_pi = std::log(2 * std::numbers::pi);
  const std::vector<Index> proper = prior_.proper_weights();
  const double fit = dual_ ? -dual_->half_log_determinant()
                           : half_log_determinant(as_rows(prior_, noise_).r, proper) -
                                 half_log_determinant(unshifted(triangle_->r), proper);
  if (noise_.is_known())
    return fit - 0.5 * (n * (log_two_pi + std::log(noise_.variance)) + rest() / noise_.variance);
  if (noise_.shape == 0) return fit - 0.5 * n * (log_two_pi + std::log(rest() / n) + 1);
  const double shape = noise_.shape + 0.5 * n, rate = 0.5 * rest();
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
      const double noise = noise_.is_known() ? noise_.variance : (rest() - off * off / left) / others;
      variance[i] = needed || !(others > 0) ? infinity : std::max(0.0, noise) / left;
    }
  });
  return scored(std::move(mean), std::move(variance), y, others > 0 ? others : infinity);
}

}  // namespace covary
