#include "covary/linear/kernel_ridge.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "algebra/blas.h"
#include "algebra/decompositions.h"
#include "algebra/line_search.h"
#include "base/constants.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "linear/left_out.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index grid = 60;

/// The problem without its trend: F = Q1 R, Q = [Q1 Q2], Q2'K Q2 = U D U', V = Q2 U. For every penalty
///   P = V (D + penalty)^-1 V',  alpha = P y,  I - H = penalty P
struct Spectrum {
  LeftOut at;          // V (n x m), D, V'y
  Matrix level_cross;  // p x m: Q1'K V
  Vector level;        // p: Q1'y
  Matrix r;            // p x p upper
  double size = 0;     // of the largest eigenvalue, for bounds: never 0
};

void check_rows(Index n, Index p, bool chosen) {
  const Index least = p + (chosen ? 2 : 1);
  if (n < least)
    throw Error(Problem::data,
                fmt::format("kernel ridge with {} trend coefficients{} needs {} rows, found {}", p,
                            chosen ? " and a penalty to choose" : "", least, n));
  check_memory(32 * double(n) * double(n), fmt::format("the eigenvectors of a kernel matrix of {} rows", n));
}

/// F is n x p with independent columns.
Spectrum spectrum_of(Matrix k, const Vector& y, const Matrix& f, int threads) {
  const Index n = y.size(), p = f.cols(), m = n - p;
  const double largest_entry = k.cwiseAbs().maxCoeff();
  Spectrum s;
  k = (0.5 * (k + k.transpose())).eval();
  Vector z = y;
  const Reflections qr(f);
  if (p > 0) {  // Q'K Q, by columns and then by rows
    qr.turn(k);
    k.transposeInPlace();
    qr.turn(k);
    qr.turn(z);
    s.r = qr.r();
  }
  Matrix u = k.bottomRightCorner(m, m);
  const Matrix above = k.topRightCorner(p, m);
  k.resize(0, 0);
  Vector d = blas::eigenvectors(u, threads);
  const double nothing = 4 * double(n) * std::numeric_limits<double>::epsilon() * largest_entry;
  d = (d.array() > nothing).select(d, 0).eval();
  s.size = d[m - 1] > 0 ? d[m - 1] : (largest_entry > 0 ? largest_entry : 1);
  s.level = z.head(p);
  s.level_cross = above * u;
  Matrix v = Matrix::Zero(n, m);
  v.bottomRows(m) = u;
  qr.turn_back(v);
  s.at = LeftOut(std::move(v), std::move(d), u.transpose() * z.tail(m));
  return s;
}

/// n |alpha|^2 / (tr P)^2 for each penalty. O(m L)
Vector generalized(const Spectrum& s, const Vector& penalties) {
  Vector out(penalties.size());
  for (Index l = 0; l < out.size(); ++l) {
    const Eigen::ArrayXd inverse = (s.at.d.array() + penalties[l]).inverse();
    const double trace = inverse.sum();
    out[l] = double(s.at.v.rows()) * (s.at.c.array() * inverse).square().sum() / (trace * trace);
  }
  return out;
}

PenaltyCurve curve_at(const Spectrum& s, const Vector& penalties, int threads) {
  PenaltyCurve out{penalties, s.at.rmse(penalties, threads), generalized(s, penalties),
                   Vector(penalties.size())};
  const double fixed = double(s.at.v.rows() - s.at.v.cols());
  for (Index l = 0; l < penalties.size(); ++l)
    out.freedom[l] = fixed + (s.at.d.array() / (s.at.d.array() + penalties[l])).sum();
  return out;
}

/// The best of the grid, then the best between its neighbors.
void choose(const Spectrum& s, const KernelRidgeOptions& options, int threads, KernelRidgeFit& fit) {
  const double lower = options.lower * s.size, upper = options.upper * s.size;
  fit.curve = curve_at(s, log_spaced(lower, upper, grid), threads);
  const bool by_rows = options.by == KernelRidgeOptions::By::leave_one_out;
  fit.chosen_by = by_rows ? "leave-one-out" : "generalized cross-validation";
  const Vector& value = by_rows ? fit.curve.leave_one_out : fit.curve.generalized;
  Index best = 0;
  const double least = value.minCoeff(&best);
  if (value.maxCoeff() - least <= 1e-10 * value.maxCoeff()) {
    fit.penalty = upper;
    fit.notes.emplace_back("the penalty makes no difference: the kernel adds nothing to the trend here");
    return;
  }
  const auto at = [&](double penalty) {
    const Vector one = Vector::Constant(1, penalty);
    return by_rows ? s.at.rmse(one, threads)[0] : generalized(s, one)[0];
  };
  const Vector& penalties = fit.curve.penalty;
  fit.penalty = golden_section(at, penalties[std::max<Index>(0, best - 1)],
                               penalties[std::min<Index>(grid - 1, best + 1)]);
  if (at(fit.penalty) > least) fit.penalty = penalties[best];
  if (fit.penalty < 1.001 * lower) {
    fit.penalty = lower, fit.at_end = true;
    fit.notes.emplace_back("the penalty is the smallest tried: under this kernel the data look noise-free");
  } else if (fit.penalty > upper / 1.001) {
    fit.penalty = upper, fit.at_end = true;
    fit.notes.emplace_back("the penalty is the largest tried: this kernel explains nothing beyond the trend");
  }
}

/// alpha = P y and beta = R^-1 Q1'(y - K alpha), the columns left out of F at 0.
void solve(const Spectrum& s, const std::vector<Index>& kept, KernelRidgeFit& fit) {
  const Vector w = s.at.c.array() / (s.at.d.array() + fit.penalty);
  fit.coefficients = s.at.v * w;
  fit.variance = s.at.c.dot(w) / double(w.size());
  if (kept.empty()) return;
  const Vector beta = s.r.triangularView<Eigen::Upper>().solve(s.level - s.level_cross * w);
  for (size_t i = 0; i < kept.size(); ++i) fit.basis_coefficients[kept[i]] = beta[Index(i)];
}

/// With nothing but rounding left beside the trend every penalty is as good as any other.
void check_choice(const Spectrum& s, const Vector& y) {
  if (s.at.c.norm() <= 1e-13 * y.norm())
    throw Error(Problem::data,
                fmt::format("y: the trend explains all {} rows exactly: no residuals to choose a penalty "
                            "by; give one",
                            y.size()));
}

/// With the penalty given one Cholesky factor tells all: 2n^3/3 flops. Nothing if K is too singular for that.
std::optional<KernelRidgeFit> at_given(const Matrix& k, const Vector& y, const Matrix& basis, double penalty,
                                       int threads) {
  const Index n = y.size();
  const Gram entries{n,
                     [&](Range r, Range c) -> Matrix { return k.block(r.first, c.first, r.count, c.count); },
                     [&](Range r) -> Vector { return k.diagonal().segment(r.first, r.count); },
                     {}};
  const Vector penalties = Vector::Constant(n, penalty);
  std::optional<Factor> factor = factorize_regular(entries, penalties, threads);
  if (!factor || factor->conditioning().reciprocal_condition < 1e-12) return {};
  const Solution s = internal::solve(std::move(*factor), y, basis);
  KernelRidgeFit fit;
  fit.penalty = penalty, fit.chosen_by = "given";
  fit.coefficients = s.alpha;
  fit.basis_coefficients = Vector::Zero(basis.cols());
  for (size_t i = 0; i < s.kept.size(); ++i) fit.basis_coefficients[s.kept[i]] = s.beta[Index(i)];
  fit.variance = y.dot(s.alpha) / double(n - std::ssize(s.kept));
  std::vector<Index> itself(static_cast<size_t>(n));
  std::iota(itself.begin(), itself.end(), 0);
  const LeaveOneOut left = leave_one_out(s, merge(itself, y, penalties), y, penalties, threads);
  const Eigen::Array<bool, Eigen::Dynamic, 1> counts = left.variance.array() < infinity;
  const Vector p = counts.select(left.variance.array().inverse(), 0.0);  // diag P
  const Vector errors = counts.select(y - left.mean, 0.0);
  fit.leave_one_out = std::sqrt(errors.squaredNorm() / double(std::max<Index>(1, counts.count())));
  fit.freedom = double(n) - penalty * p.sum();
  fit.generalized = double(n) * s.alpha.squaredNorm() / (p.sum() * p.sum());
  if (counts.count() < n) fit.notes.push_back(uncounted_note(n, n - counts.count(), "the trend is"));
  return fit;
}

}  // namespace

void internal::check(const KernelRidgeOptions& options) {
  if (options.penalty && !(*options.penalty > 0 && std::isfinite(*options.penalty)))
    throw Error(Problem::usage,
                fmt::format("penalty: expected a positive number, found {}", *options.penalty));
  if (!(options.lower > 0 && options.lower < options.upper && std::isfinite(options.upper)))
    throw Error(Problem::usage, fmt::format("penalty: expected a range 0 < lower < upper, found {} to {}",
                                            options.lower, options.upper));
}

void internal::check_scale(const KernelRidgeFit& fit) {
  if (!(fit.variance >= 1e-100))
    throw Error(Problem::data, "y: the trend explains every row exactly: the process would have variance 0");
}

KernelRidgeFit kernel_ridge(Matrix k, const Vector& y, const Matrix& basis,
                            const KernelRidgeOptions& options) {
  const std::vector<Index> kept = independent_columns(basis);
  check_rows(y.size(), std::ssize(kept), !options.penalty);
  const int threads = threads_or_all(options.threads);
  if (options.penalty)
    if (auto fit = at_given(k, y, basis, *options.penalty, threads)) return *fit;
  const Spectrum s = spectrum_of(std::move(k), y, basis(Eigen::all, kept), threads);
  KernelRidgeFit fit;
  fit.basis_coefficients = Vector::Zero(basis.cols());
  if (options.penalty) {
    fit.penalty = *options.penalty, fit.chosen_by = "given";
  } else {
    check_choice(s, y);
    choose(s, options, threads, fit);
  }
  solve(s, kept, fit);
  const PenaltyCurve here = curve_at(s, Vector::Constant(1, fit.penalty), threads);
  fit.leave_one_out = here.leave_one_out[0], fit.generalized = here.generalized[0];
  fit.freedom = here.freedom[0];
  if (s.at.uncounted()) fit.notes.push_back(uncounted_note(y.size(), s.at.uncounted(), "the trend is"));
  return fit;
}

template struct KernelRidge<Row>;

}  // namespace covary
