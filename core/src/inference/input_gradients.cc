#include "covary/inference/input_gradients.h"

#include <fmt/format.h>

#include <cmath>

#include "covary/base/checks.h"
#include "covary/base/parallel.h"
#include "covary/inference/inducing.h"
#include "covary/kernels/named_call.h"

namespace covary {
using namespace internal;

Vector internal::difference_steps(const Rows& x) {
  Vector h(x.cols());
  for (Index c = 0; c < h.size(); ++c) {
    const double mean = x.rows() ? x.col(c).mean() : 0;
    const double spread = x.rows() ? std::sqrt((x.col(c).array() - mean).square().mean()) : 0,
                 size = x.rows() ? x.col(c).cwiseAbs().maxCoeff() : 0;
    const double step = std::max(1e-3 * (spread > 0 ? spread : std::max(1.0, std::abs(mean))), 1e-12 * size);
    h[c] = std::exp2(std::round(std::log2(step)));
  }
  return h;
}

Matrix internal::difference_points(const Rows& x, const Vector& h) {
  constexpr double places[] = {-3, -2, -1, 1, 2, 3};
  Matrix out = x.row(0).replicate(6 * h.size(), 1);
  for (Index c = 0; c < h.size(); ++c)
    for (Index s = 0; s < 6; ++s) out(6 * c + s, c) += places[s] * h[c];
  return out;
}

/// (45 (f_1 - f_-1) - 9 (f_2 - f_-2) + f_3 - f_-3) / 60 h
Matrix internal::difference_slopes(const Matrix& values, const Vector& h) {
  Matrix out(h.size(), values.cols());
  for (Index c = 0; c < h.size(); ++c) {
    const auto f = values.middleRows(6 * c, 6);
    out.row(c) =
        (45 * (f.row(3) - f.row(2)) - 9 * (f.row(4) - f.row(1)) + (f.row(5) - f.row(0))) / (60 * h[c]);
  }
  return out;
}

struct internal::PosteriorSlopes::State {
  explicit State(const Process<Row>& p) : kernel(p.kernel()), mean(p.trend()) {}
  Kernel<Row> kernel;
  Mean<Row> mean;
  Matrix centers = {};           // n x d
  Vector alpha = {}, beta = {};  // n, p
  std::vector<Index> kept = {};  // p: those columns of the basis
  Vector steps = {};             // d: for the trend's differences
  Solution exact = {};           // of an exact posterior
  InducingSolution inducing = {};
  bool is_inducing = false;

  Matrix basis(const Rows& x) const { return mean.basis_at(x)(Eigen::all, kept); }
  /// Whether the trend has a gradient at all.
  bool slopes() const { return mean.known || (mean.basis && mean.text != "constant"); }
  Vector steps_at(const Rows& x) const { return steps.size() ? steps : difference_steps(x); }
  /// d: the gradient of k(x, x). Not through pullback_inputs, which kernels over counts have a kink for at equal
  /// points.
  Vector prior_slopes(const Rows& x) const {
    const Vector h = steps_at(x);
    return difference_slopes(kernel.diag(difference_points(x, h)), h).col(0);
  }
  /// d x (1 + p): the gradients of known and of the basis at a row.
  Matrix trend_slopes(const Rows& x) const {
    if (!slopes()) return Matrix::Zero(x.cols(), 1 + std::ssize(kept));
    const Vector h = steps_at(x);
    const Matrix around = difference_points(x, h);
    Matrix values(around.rows(), 1 + std::ssize(kept));
    values << mean.known_at(around), basis(around);
    if (!values.allFinite())
      throw Error(Problem::numerical,
                  fmt::format("the trend '{}' has no gradient: it is not finite near x", mean.text));
    return difference_slopes(values, h);
  }
};

namespace {

/// The exact posterior's algebra again from its factor: n^2 flops. One whose factor is of a part of the kernel
/// (common_offset.h) is factored as a whole.
Solution exact_solution(const Process<Row>& p, const PosteriorState& state, const MergedRows& merged,
                        const Matrix& x) {
  Factor factor = state.whole && state.factor.size() == x.rows()
                      ? state.factor
                      : factorize(gram(p.kernel().prepare(x)), merged.noise);
  return solve(std::move(factor), merged.y - p.trend().known_at(x), p.trend().basis_at(x));
}

/// "inducing(points=512)" -> the inference.
std::optional<Inducing> inducing_of(const Posterior<Row>& posterior) {
  if (!posterior.as<InducingPosterior<Row>>()) return {};
  const NamedCall call =
      read_call(posterior.report().inference, "inference", {{"inducing", {"points", "fixed"}}});
  return Inducing{call.arguments.integer("points", 512, 1, 20000),
                  call.arguments.integer("fixed", 0, 0, 1) == 1, posterior.variables()};
}

void check_ready(const Process<Row>& p) {
  check_given(p.kernel().parameters());
  if (!p.posterior() && p.trend().basis)
    throw Error(Problem::usage, "gradients: the trend of a prior is unknown: condition it on data first");
}

/// R^-1 R'^-1 (f - half_basis' half): p x m
Matrix multipliers(const Matrix& half_basis, const Matrix& r, const Matrix& half, const Matrix& basis) {
  if (r.cols() == 0) return Matrix(0, half.cols());
  Matrix q = basis.transpose() - half_basis.transpose() * half;
  r.transpose().triangularView<Eigen::Lower>().solveInPlace(q);
  r.triangularView<Eigen::Upper>().solveInPlace(q);
  return q;
}

}  // namespace

internal::PosteriorSlopes::PosteriorSlopes(const Process<Row>& p) {
  check_ready(p);
  const auto s = std::make_shared<State>(p);
  state_ = s;
  if (!p.posterior()) {
    return;  // no centers
  }
  const Matrix x = p.inputs();
  const MergedRows merged = merge(first_alike(Rows(x)), p.observations(), p.noise_variances());
  const Matrix distinct = pick(Rows(x), merged.rows);
  s->steps = difference_steps(distinct);
  if (p.posterior()->as<DensePosterior<Row>>()) {
    s->exact = exact_solution(p, *p.posterior()->state(), merged, distinct);
    s->centers = distinct, s->alpha = s->exact.alpha, s->beta = s->exact.beta, s->kept = s->exact.kept;
    return;
  }
  const std::optional<Inducing> how = inducing_of(*p.posterior());
  if (!how)
    throw Error(Problem::usage,
                fmt::format("gradients: the posterior of {} has none with respect to x; those "
                            "of exact and inducing inference do",
                            p.report().inference));
  s->centers = how->coordinates.size()
                   ? held_points(how->coordinates, x.cols())
                   : Matrix(pick(Rows(distinct), inducing_rows<Row>(p.kernel(), distinct, how->points, 1)));
  const auto solution =
      solve_inducing(low_rank<Row>(p.kernel(), s->centers, distinct), merged.y - p.trend().known_at(distinct),
                     merged.noise, p.trend().basis_at(distinct), 1);
  if (!solution) inducing_failed(s->centers.rows());
  s->inducing = *solution, s->is_inducing = true;
  s->alpha = solution->alpha, s->beta = solution->beta, s->kept = solution->kept;
}

/// Exact: lambda = L'^-1 (L^-1 k + L^-1 F q). Inducing, a = L^-1 k: lambda = L'^-1 (a - B^-1 a + L_B'^-1 H q) with
/// H = half_basis.
internal::PosteriorSlopes::Weights internal::PosteriorSlopes::weights(const Rows& t) const {
  const State& s = *state_;
  if (s.alpha.size() == 0) return {Matrix(0, t.rows()), Matrix(0, t.rows())};
  const Matrix k = s.kernel.cross(s.centers, t), basis = s.basis(t);
  Weights out;
  if (!s.is_inducing) {
    Matrix half = s.exact.factor.half_solve(k);
    out.q = multipliers(s.exact.half_basis, s.exact.r, half, basis);
    if (out.q.rows()) half += s.exact.half_basis * out.q;
    out.lambda = s.exact.factor.half_solve_transposed(half);
    return out;
  }
  const InducingSolution& g = s.inducing;
  const Matrix a = g.of_inducing.half_solve(k), c = g.of_rows.half_solve(a);
  out.q = multipliers(g.half_basis, g.r, c, basis);
  Matrix told = c;
  if (out.q.rows()) told -= g.half_basis * out.q;
  out.lambda = g.of_inducing.half_solve_transposed(a - g.of_rows.half_solve_transposed(told));
  return out;
}

internal::PosteriorSlopes::Point internal::PosteriorSlopes::point(const Rows& x) const {
  const State& s = *state_;
  const Matrix trend = s.trend_slopes(x);
  const Weights w = weights(x);
  Point out;
  out.mean = s.mean.known_at(x)[0], out.variance = s.kernel.diag(x)[0];
  out.mean_slopes = trend.col(0);
  out.variance_slopes = s.prior_slopes(x);
  if (s.alpha.size() == 0) return out;
  const Matrix k = s.kernel.cross(x, s.centers), basis = s.basis(x);
  out.mean += k.row(0).dot(s.alpha) + basis.row(0).dot(s.beta);
  out.variance += -k.row(0).dot(w.lambda.col(0)) + basis.row(0).dot(w.q.col(0));
  out.mean_slopes += s.kernel.pullback_inputs(x, s.centers, s.alpha.transpose()).row(0).transpose();
  out.mean_slopes += trend.rightCols(s.beta.size()) * s.beta;
  out.variance_slopes -= 2 * s.kernel.pullback_inputs(x, s.centers, w.lambda.transpose()).row(0).transpose();
  out.variance_slopes += 2 * trend.rightCols(s.beta.size()) * w.q.col(0);
  return out;
}

InputGradients internal::PosteriorSlopes::gradients(const Rows& at) const {
  const Index m = at.rows(), d = at.cols();
  InputGradients out{Matrix(m, d), Matrix(m, d)};
  for (Index i = 0; i < m; ++i) {
    const Point p = point(at.row(i));
    out.mean.row(i) = p.mean_slopes.transpose(), out.variance.row(i) = p.variance_slopes.transpose();
  }
  return out;
}

Matrix internal::PosteriorSlopes::covariance(const Rows& t, const Weights& of_t, const Rows& x) const {
  const State& s = *state_;
  Matrix out = s.kernel.cross(t, x);
  if (s.alpha.size() == 0) return out;
  out -= of_t.lambda.transpose() * s.kernel.cross(s.centers, x);
  if (of_t.q.rows()) out += of_t.q.transpose() * s.basis(x).transpose();
  return out;
}

Vector internal::PosteriorSlopes::covariance_slopes(const Rows& t, const Weights& of_t, const Rows& x,
                                                    const Vector& w) const {
  const State& s = *state_;
  Vector out = s.kernel.pullback_inputs(x, t, w.transpose()).row(0).transpose();
  if (s.alpha.size() == 0) return out;
  const Vector lambda = of_t.lambda * w;
  out -= s.kernel.pullback_inputs(x, s.centers, lambda.transpose()).row(0).transpose();
  if (of_t.q.rows()) out += s.trend_slopes(x).rightCols(of_t.q.rows()) * (of_t.q * w);
  return out;
}

InputGradients input_gradients(const Process<Row>& process, const Rows& at, int threads) {
  check_finite(at, "x");
  const internal::PosteriorSlopes slopes(process);
  InputGradients out{Matrix(at.rows(), at.cols()), Matrix(at.rows(), at.cols())};
  for_blocks(at.rows(), threads_or_all(threads), [&](Range r) {
    const InputGradients some = slopes.gradients(at.middleRows(r.first, r.count));
    out.mean.middleRows(r.first, r.count) = some.mean;
    out.variance.middleRows(r.first, r.count) = some.variance;
  });
  return out;
}

}  // namespace covary
