#include "covary/kernel_ridge.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "blas.h"
#include "covary/machine.h"
#include "line_search.h"
#include "parallel.h"

namespace covary {
namespace {

using By = KernelRidgeOptions::By;
constexpr Index grid = 60;

/// The problem without its trend: F = Q1 R, Q = [Q1 Q2], Q2'K Q2 = U D U', V = Q2 U. For every penalty
///   P = V (D + penalty)^-1 V',  alpha = P y,  I - H = penalty P,  so  y_i - (y_i from the others) = alpha_i
///   / P_ii.
struct Spectrum {
  Matrix v, squares;   // n x m, m = n - p, and its squared entries
  Vector d, c;         // m: eigenvalues, V'y
  Matrix level_cross;  // p x m: Q1'K V
  Vector level;        // p: Q1'y
  Matrix r;            // p x p upper
  Vector counted;      // n: 1, or 0 for a row without which the trend cannot be told
  double size = 0;     // of the largest eigenvalue, for bounds: never 0
  Index rows() const { return v.rows(); }
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
  Eigen::HouseholderQR<Matrix> qr(f);
  if (p > 0) {
    k.applyOnTheLeft(qr.householderQ().adjoint());
    k.applyOnTheRight(qr.householderQ());
    z.applyOnTheLeft(qr.householderQ().adjoint());
    s.r = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
  }
  Matrix u = k.bottomRightCorner(m, m);
  const Matrix above = k.topRightCorner(p, m);
  k.resize(0, 0);
  s.d = blas::eigenvectors(u, threads);
  const double nothing = 4 * double(n) * std::numeric_limits<double>::epsilon() * largest_entry;
  s.d = (s.d.array() > nothing).select(s.d, 0);
  s.size = s.d[m - 1] > 0 ? s.d[m - 1] : (largest_entry > 0 ? largest_entry : 1);
  s.level = z.head(p);
  s.level_cross = above * u;
  s.c = u.transpose() * z.tail(m);
  s.v = Matrix::Zero(n, m);
  s.v.bottomRows(m) = u;
  if (p > 0) s.v.applyOnTheLeft(qr.householderQ());
  s.squares = s.v.cwiseAbs2();
  s.counted = (s.squares.rowwise().sum().array() > 1e-11).cast<double>();
  return s;
}

/// Everything about these penalties: 4 n m L flops.
PenaltyCurve curve_at(const Spectrum& s, const Vector& penalties, int threads) {
  const Index n = s.rows(), m = s.d.size(), count = penalties.size();
  Matrix inverse(m, count), scaled(m, count), alpha(n, count), diagonal(n, count);
  for (Index l = 0; l < count; ++l) inverse.col(l) = (s.d.array() + penalties[l]).inverse();
  scaled = s.c.asDiagonal() * inverse;
  blas::multiply(1, s.v, scaled, 0, alpha, threads);
  blas::multiply(1, s.squares, inverse, 0, diagonal, threads);
  PenaltyCurve out{penalties, Vector(count), Vector(count), Vector(count)};
  for (Index l = 0; l < count; ++l) {
    const Vector left_out =
        (s.counted.array() > 0).select(alpha.col(l).array() / diagonal.col(l).array(), 0.0);
    out.leave_one_out[l] = std::sqrt(left_out.squaredNorm() / std::max(1.0, s.counted.sum()));
    const double trace = inverse.col(l).sum();  // of P
    out.generalised[l] = double(n) * alpha.col(l).squaredNorm() / (trace * trace);
    out.freedom[l] = double(n - m) + (s.d.array() * inverse.col(l).array()).sum();
  }
  return out;
}

const Vector& values(const PenaltyCurve& curve, By by) {
  return by == By::generalised ? curve.generalised : curve.leave_one_out;
}

/// The best of the grid, then the best between its neighbours.
void choose(const Spectrum& s, const KernelRidgeOptions& options, int threads, KernelRidgeFit& fit) {
  const double lower = options.lower * s.size, upper = options.upper * s.size;
  fit.curve = curve_at(s, log_spaced(lower, upper, grid), threads);
  fit.chosen_by = options.by == By::generalised ? "generalised cross-validation" : "leave-one-out";
  const Vector& value = values(fit.curve, options.by);
  Index best = 0;
  const double least = value.minCoeff(&best);
  if (value.maxCoeff() - least <= 1e-10 * value.maxCoeff()) {
    fit.penalty = upper;
    fit.notes.emplace_back("the penalty makes no difference: the kernel adds nothing to the trend here");
    return;
  }
  const auto at = [&](double penalty) {
    return values(curve_at(s, Vector::Constant(1, penalty), threads), options.by)[0];
  };
  const Vector& penalties = fit.curve.penalty;
  fit.penalty = golden_section(at, penalties[std::max<Index>(0, best - 1)],
                               penalties[std::min<Index>(grid - 1, best + 1)]);
  if (at(fit.penalty) > least) fit.penalty = penalties[best];
  if (fit.penalty < 1.001 * lower) {
    fit.penalty = lower, fit.at_end = true;
    fit.notes.emplace_back("the penalty is the smallest tried: to this kernel the data has no noise");
  } else if (fit.penalty > upper / 1.001) {
    fit.penalty = upper, fit.at_end = true;
    fit.notes.emplace_back("the penalty is the largest tried: this kernel explains nothing beyond the trend");
  }
}

/// alpha = P y and beta = R^-1 Q1'(y - K alpha), the columns left out of F at 0.
void solve(const Spectrum& s, const std::vector<Index>& kept, KernelRidgeFit& fit) {
  const Vector w = s.c.array() / (s.d.array() + fit.penalty);
  fit.coefficients = s.v * w;
  fit.variance = s.c.dot(w) / double(s.d.size());
  if (kept.empty()) return;
  const Vector beta = s.r.triangularView<Eigen::Upper>().solve(s.level - s.level_cross * w);
  for (size_t i = 0; i < kept.size(); ++i) fit.basis_coefficients[kept[i]] = beta[Index(i)];
}

/// With nothing but rounding left beside the trend every penalty is as good as any other.
void check_choice(const Spectrum& s, const Vector& y) {
  if (s.c.norm() <= 1e-14 * y.norm())
    throw Error(Problem::data,
                fmt::format("y: the trend explains all {} rows: nothing is left to choose a penalty by; give "
                            "one",
                            y.size()));
}

void note_uncounted(const Spectrum& s, KernelRidgeFit& fit) {
  const Index needed = s.rows() - Index(s.counted.sum());
  if (needed > 0)
    fit.notes.push_back(
        fmt::format("leave-one-out is over {} rows: without any one of the other {} the trend cannot be told",
                    s.rows() - needed, needed));
}

}  // namespace

void check(const KernelRidgeOptions& options) {
  if (options.penalty && !(*options.penalty > 0 && std::isfinite(*options.penalty)))
    throw Error(Problem::usage,
                fmt::format("penalty: expected a positive number, found {}", *options.penalty));
  if (!(options.lower > 0 && options.lower < options.upper && std::isfinite(options.upper)))
    throw Error(Problem::usage, fmt::format("penalty: expected a range 0 < lower < upper, found {} to {}",
                                            options.lower, options.upper));
}

void check_scale(const KernelRidgeFit& fit) {
  if (!(fit.variance >= 1e-100))
    throw Error(Problem::data, "y: the trend explains every row: no process has this mean and a variance");
}

KernelRidgeFit kernel_ridge(Matrix k, const Vector& y, const Matrix& basis,
                            const KernelRidgeOptions& options) {
  const std::vector<Index> kept = independent_columns(basis);
  check_rows(y.size(), std::ssize(kept), !options.penalty);
  const int threads = threads_or_all(options.threads);
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
  fit.leave_one_out = here.leave_one_out[0], fit.generalised = here.generalised[0];
  fit.freedom = here.freedom[0];
  note_uncounted(s, fit);
  return fit;
}

template struct KernelRidge<Row>;

}  // namespace covary
