#include "covary/learn/reparametrized.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "algebra/blas.h"
#include "algebra/tiles.h"
#include "base/constants.h"
#include "base/simd/simd.h"
#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "covary/process/process_impl.h"
#include "process/gls.h"

namespace covary {
using namespace internal;
namespace {

void check_rows(const char* what, Index expected, Index found) {
  if (expected == found) return;
  throw Error(Problem::usage, fmt::format("{}: expected {} rows, found {}", what, expected, found));
}

void check_data(const ReparametrizedData& d) {
  check_rows("y", d.x.rows(), d.y.rows());
  check_rows("variances", d.x.rows(), d.variances.size());
}

/// k(x, at), and k'alpha: one product for each point and target, so that the bits do not depend on the block.
Matrix crossed(const ReparametrizedPosterior& p, const Rows& at) {
  const Prepared<Row> from = p.kernel.prepare(p.x), to = p.kernel.prepare(at);
  return tall_block(
      p.x.rows(), [&](Range r) { return slice(from, r).cross(to); }, at.rows());
}

Matrix means(const ReparametrizedPosterior& p, const Matrix& k) {
  Matrix out(k.cols(), p.alpha.cols());
  for (Index j = 0; j < k.cols(); ++j)
    for (Index t = 0; t < p.alpha.cols(); ++t)
      out(j, t) = simd::loops().dot(k.col(j).data(), p.alpha.col(t).data(), k.rows());
  return out;
}

/// Of each parameter that is the length-scale of inputs and nothing else: 300 times what is typical of them.
/// An input of a longer one hardly counts.
Vector flat_over(const Reparametrized& tied, const Rows& x) {
  const Matrix& map = tied.theta.map;
  std::vector<Parameter> places = tied.kernel.parameters();
  std::erase_if(places, [](const Parameter& p) { return p.fixed; });
  const Vector far = (tied.kernel.start(x, 1) - tied.theta.offset).array() + std::log(300.0);
  Vector flat = Vector::Constant(map.cols(), -infinity);
  for (Index j = 0; j < map.cols(); ++j) {
    for (Index i = 0; i < map.rows(); ++i) {
      if (map(i, j) == 0) continue;
      const Parameter& p = places[static_cast<size_t>(i)];
      const bool own = map(i, j) == 1 && (map.row(i).array() != 0).count() == 1;
      flat[j] = std::max(flat[j], own && p.role == Role::lengthscale && p.column >= 0 ? far[i] : infinity);
    }
    if (!std::isfinite(flat[j]) || (tied.noise.map.col(j).array() != 0).any()) flat[j] = infinity;
  }
  return flat;
}

}  // namespace

void internal::check_reparametrized(const Reparametrized& tied) {
  const Index q = tied.kernel.theta().size();
  check_rows("theta", q, tied.theta.offset.size());
  check_rows("theta", q, tied.theta.map.rows());
  check_rows("noise", tied.noise.offset.size(), tied.noise.map.rows());
  if (tied.theta.map.cols() != tied.noise.map.cols())
    throw Error(Problem::usage, fmt::format("noise: expected a map of {} parameters, found {}",
                                            tied.theta.map.cols(), tied.noise.map.cols()));
}

ReparametrizedEvidence::ReparametrizedEvidence(const Reparametrized& tied, const ReparametrizedData& data)
    : tied_(tied), data_(data) {
  check_data(data);
}

Evaluation ReparametrizedEvidence::at(const Vector& t, bool gradient, int threads) {
  const NormalEvidence::Slopes s = evidence_.at(
      gram<Row>(tied_.kernel_at(t), data_.x), (data_.variances.array() + tied_.noise_at(t)).matrix(),
      {data_.y, double(data_.y.cols()), Matrix(data_.x.rows(), 0), false}, gradient, threads);
  Evaluation out;
  out.gradient = Vector::Zero(gradient ? t.size() : 0);
  if (!std::isfinite(s.value)) return out;
  out.value = s.value;
  if (!gradient) return out;
  out.gradient = tied_.theta.map.transpose() * s.kernel;
  out.gradient += s.diagonal.sum() * (tied_.noise.map.transpose() * tied_.noise.at(t).array().exp().matrix());
  return out;
}

namespace {

/// The optimum that a descent from `start` reaches.
Minimum descended(const Reparametrized& tied, const ReparametrizedData& data, const Vector& start,
                  const Vector& lower, const Vector& upper, int threads, const std::function<bool()>& stop) {
  ReparametrizedEvidence evidence(tied, data);
  MinimizeOptions options;
  options.stop = stop;
  options.flat = flat_over(tied, data.x);
  return minimize(
      [&](const Vector& t) {
        const Evaluation e = evidence.at(t, true, threads);
        return std::pair<double, Vector>(-e.value, -e.gradient);
      },
      start, lower, upper, options);
}

/// The better of two, with the evaluations of both.
Minimum better(Minimum a, Minimum b) {
  const int evaluations = a.evaluations + b.evaluations;
  Minimum& best = b.value < a.value ? b : a;
  best.evaluations = evaluations;
  return std::move(best);
}

}  // namespace

Minimum internal::maximize(const Reparametrized& tied, const ReparametrizedData& data, const Vector& start,
                           const Vector& lower, const Vector& upper, int threads,
                           const std::function<bool()>& stop) {
  Minimum best = descended(tied, data, start, lower, upper, threads, stop);
  const std::vector<Index> rows = scattered_rows(data.x.rows());
  const bool all = std::ssize(rows) == data.x.rows();
  const Matrix x = pick(data.x, rows), y = pick(data.y, rows);
  const Vector variances = data.variances(rows);
  Minimum elsewhere;
  for (const Vector& t : period_starts(tied, {x, y, variances}, start, lower, upper, threads))
    elsewhere =
        better(std::move(elsewhere), descended(tied, {x, y, variances}, t, lower, upper, threads, stop));
  if (all) return better(std::move(best), std::move(elsewhere));
  if (elsewhere.x.size() == 0) return best;
  return better(std::move(best), descended(tied, data, elsewhere.x, lower, upper, threads, stop));
}

Matrix ReparametrizedPosterior::mean(const Rows& at, int threads) const {
  check_finite(at, "x");
  Matrix out(at.rows(), alpha.cols());
  for_blocks(at.rows(), threads_or_all(threads),
             [&](Range r) { out.middleRows(r.first, r.count) = means(*this, crossed(*this, slice(at, r))); });
  return out;
}

std::pair<Matrix, Vector> ReparametrizedPosterior::marginals(const Rows& at, int threads) const {
  check_finite(at, "x");
  std::pair<Matrix, Vector> out(Matrix(at.rows(), alpha.cols()), Vector(at.rows()));
  for_blocks(at.rows(), threads_or_all(threads), [&](Range r) {
    const auto points = slice(at, r);
    const Matrix k = crossed(*this, points);
    const Vector prior = kernel.diag(points);
    Vector left = remaining_variance(prior, factor.half_solve(k), Matrix(0, r.count));
    clamp_variances(left, prior, x.rows());
    out.first.middleRows(r.first, r.count) = means(*this, k);
    out.second.segment(r.first, r.count) = left.array() + noise;
  });
  return out;
}

std::pair<Matrix, Matrix> ReparametrizedPosterior::joint(const Rows& at, int threads) const {
  check_finite(at, "x");
  const auto m = double(at.rows());
  check_memory(24 * m * m + 16 * m * double(x.rows()),
               fmt::format("the joint covariance of {} points", at.rows()));
  const Matrix k = crossed(*this, at);
  Matrix left = remaining_covariance(kernel.cross(at, at), factor.half_solve(k, threads_or_all(threads)),
                                     Matrix(0, at.rows()), threads_or_all(threads));
  left.diagonal().array() += noise;
  return {means(*this, k), std::move(left)};
}

std::optional<ReparametrizedPosterior> internal::posterior(const Reparametrized& tied,
                                                           const ReparametrizedData& data, const Vector& t,
                                                           int threads) {
  check_data(data);
  const double noise = tied.noise_at(t);
  const Kernel<Row> kernel = tied.kernel_at(t);
  auto factor =
      factorize_plain(gram<Row>(kernel, data.x), (data.variances.array() + noise).matrix(), threads);
  if (!factor) return {};
  const Matrix alpha = factor->half_solve_transposed(factor->half_solve(data.y, threads), threads);
  return ReparametrizedPosterior{kernel, noise, data.x, std::move(*factor), alpha};
}

}  // namespace covary
