// Definitions of the templates of inducing.h.
#pragma once
#include <atomic>

#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "covary/inference/inducing.h"

namespace covary {

/// Throws Problem::numerical: no factor of the covariance of the inducing points.
[[noreturn]] void inducing_failed(Index points);

template <class X>
InducingPosterior<X>::InducingPosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x,
                                        const Vector& y, const Vector& variances, Index points, int threads) {
  check_inducing_noise(variances);
  Data d{kernel, mean, mean, Points<X>(join(x, slice(x, {0, 0}))), y, variances, points, {}, {}, {}, {}};
  d.merged = merge(first_alike(x), y, variances);
  d.distinct = pick(x, d.merged.rows);
  const Batch<X> at(d.distinct);
  d.mean = mean.centred_on(at);
  d.z = pick(at, inducing_rows<X>(kernel, at, points, threads));
  auto solution = solve_inducing(low_rank<X>(kernel, Batch<X>(d.z), at), d.merged.y - d.mean.known_at(at),
                                 d.merged.noise, d.mean.basis_at(at), threads);
  if (!solution) inducing_failed(count(Batch<X>(d.z)));
  d.solution = std::move(*solution);
  d.solution.of_inducing = Factor::of(d.solution.l), d.solution.of_rows = Factor::of(d.solution.lb);
  data_ = std::make_shared<const Data>(std::move(d));
}

template <class X>
Vector InducingPosterior<X>::mean(Batch<X> points, int threads) const {
  Vector out(count(points));
  for_blocks(count(points), threads, [&](Range r) {
    const Batch<X> p = slice(points, r);
    out.segment(r.first, r.count) =
        data_->mean.known_at(p) + predict_mean(data_->solution, cross(p), basis(p));
  });
  return out;
}

template <class X>
Marginals InducingPosterior<X>::marginals(Batch<X> points, int threads) const {
  Marginals out{Vector(count(points)), Vector(count(points)), 0};
  std::atomic<Index> clamped{0};
  for_blocks(count(points), threads, [&](Range r) {
    const Batch<X> p = slice(points, r);
    const Marginals m = predict(data_->solution, cross(p), data_->kernel.diag(p), basis(p));
    out.mean.segment(r.first, r.count) = m.mean + data_->mean.known_at(p);
    out.variance.segment(r.first, r.count) = m.variance;
    clamped += m.clamped;
  });
  out.clamped = clamped;
  return out;
}

template <class X>
Gaussian InducingPosterior<X>::joint(Batch<X> points, int threads) const {
  const auto m = double(count(points));
  check_memory(24 * m * m, "the joint covariance of " + std::to_string(count(points)) + " points");
  return predict_joint(data_->solution, cross(points), data_->kernel.cross(points, points), basis(points),
                       data_->mean.known_at(points), threads);
}

template <class X>
InferenceReport InducingPosterior<X>::report() const {
  const Index chosen = count(Batch<X>(data_->z));
  InferenceReport out;
  out.inference = Inducing{data_->points}.text();
  out.distinct = data_->merged.y.size();
  out.approximate = chosen < out.distinct;
  out.conditioning.jitter = data_->solution.jitter;
  if (const Index merged = data_->merged.merged())
    out.notes.push_back(std::to_string(merged) + " rows merged: " + std::to_string(data_->y.size()) +
                        " observations at " + std::to_string(out.distinct) + " distinct inputs");
  if (out.approximate)
    out.notes.push_back("approximate: " + std::to_string(chosen) + " of " + std::to_string(out.distinct) +
                        " inputs are inducing points; the log marginal likelihood is a lower bound");
  return out;
}

template <class X>
LeaveOneOut InducingPosterior<X>::leave_one_out(int threads) const {
  const Batch<X> at(data_->distinct);
  const Vector known = data_->mean.known_at(Batch<X>(data_->x));
  Merged centred = data_->merged;
  for (size_t g = 0; g < centred.rows.size(); ++g) centred.y[Index(g)] -= known[centred.rows[g]];
  LeaveOneOut out = covary::leave_one_out(data_->solution, low_rank<X>(data_->kernel, Batch<X>(data_->z), at),
                                          centred, basis(at), data_->y - known, data_->variances, threads);
  out.mean += known;
  return out;
}

template <class X>
TrendEstimate InducingPosterior<X>::trend() const {
  const InducingSolution& s = data_->solution;
  const Index all = data_->mean.basis_at(slice(Batch<X>(data_->distinct), {0, 0})).cols();
  Vector beta = Vector::Zero(all);
  Matrix half = Matrix::Zero(all, s.beta.size());
  const Matrix inverse =
      s.r.template triangularView<Eigen::Upper>().solve(Matrix::Identity(s.r.rows(), s.r.rows()));
  for (size_t i = 0; i < s.kept.size(); ++i)
    beta[s.kept[i]] = s.beta[Index(i)], half.row(s.kept[i]) = inverse.row(Index(i));
  const Matrix& to_user = data_->mean.to_user;
  if (to_user.size()) beta = (to_user * beta).eval(), half = (to_user * half).eval();
  return {beta, half * half.transpose()};
}

/// A draw of the values at Z and of the trend, whitened: v ~ N(w, B^-1); the prior's draw there is replaced.
template <class X>
typename Posterior<X>::Function InducingPosterior<X>::pathwise(const typename Posterior<X>::Function& draw,
                                                               Random& rng) const {
  const InducingSolution& s = data_->solution;
  const auto solved = [](const Matrix& l, Vector b, bool transposed) -> Vector {
    if (transposed) return l.transpose().template triangularView<Eigen::Upper>().solve(b);
    return l.template triangularView<Eigen::Lower>().solve(b);
  };
  Vector beta = s.beta;
  if (beta.size())
    beta += s.r.template triangularView<Eigen::Upper>().solve(Vector(rng.normal(beta.size(), 1)));
  const Vector v =
      solved(s.lb, s.half_targets - s.half_basis * beta + Vector(rng.normal(s.w.size(), 1)), true) -
      solved(s.l, draw(Batch<X>(data_->z)), false);
  const Vector alpha = solved(s.l, v, true);
  return [this_ = *this, alpha, beta](Batch<X> at) -> Vector {
    return this_.cross(at).transpose() * alpha +
           this_.basis(at)(Eigen::all, this_.data_->solution.kept) * beta;
  };
}

}  // namespace covary
