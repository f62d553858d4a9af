// Definitions of the templates of inducing.h: the bound as an objective, and the posterior.
#pragma once
#include "covary/algebra/pivoted_columns.h"
#include "covary/base/runtime.h"
#include "covary/inference/inducing.h"
#include "covary/inference/inducing_bound.h"
#include "covary/kernels/kernel_gram.h"
#include "covary/process/posterior_parts.h"

namespace covary {
namespace internal {

template <class X>
LowRank low_rank(const Kernel<X>& k, Batch<X> z, Batch<X> x, bool moved = false) {
  const Prepared<X> pz = k.prepare(z), px = k.prepare(x);
  LowRank out{count(z),
              count(x),
              [pz] { return pz.cross(pz); },
              [pz, px](Range r) { return pz.cross(slice(px, r)); },
              [px](Range r) { return slice(px, r).diag(); },
              [pz](const Matrix& w) { return pz.pullback(pz, w); },
              [pz, px](Range r, const Matrix& w) { return pz.pullback(slice(px, r), w); },
              [px](Range r, const Vector& w) { return slice(px, r).pullback_diag(w); }};
  if constexpr (std::same_as<X, Row>)
    if (moved) {
      out.inputs_inducing = [k, z](const Matrix& w) -> Matrix { return 2 * k.pullback_inputs(z, z, w); };
      out.inputs_cross = [k, z, x](Range r, const Matrix& w) -> Matrix {
        return k.pullback_inputs(z, slice(x, r), w);
      };
    }
  return out;
}

/// m of the rows of x by pivoted columns of their covariance; from at most 20 m of the rows where there are more.
Index rows_looked_at(Index n, Index m);
template <class X>
std::vector<Index> inducing_rows(const Kernel<X>& kernel, Batch<X> x, Index m, int threads) {
  const Index n = count(x), looked_at = rows_looked_at(n, m);
  std::vector<Index> rows = looked_at < n ? Random(1).subset(n, looked_at) : internal::all_indices(n);
  const Points<X> some = pick(x, rows);
  const Batch<X> at(some);
  const Covariances k = covariances<X>(kernel, at);
  const internal::PivotedColumns chosen =
      internal::pivoted_columns({k.size, k.diagonal, k.block}, m, 1e-10, threads);
  std::vector<Index> out;
  for (const Index i : chosen.rows) out.push_back(rows[static_cast<size_t>(i)]);
  return out;
}

/// The points of an inference that holds their coordinates: m x d. Throws if these are no rows of d numbers.
Matrix held_points(const Vector& coordinates, Index columns);
Vector coordinates_of(const Rows& z);

/// m centers of the rows of x, in units of the kernel's length-scales, and these units: where Z begins.
Variables inducing_start(const std::vector<Parameter>& kernel, const Rows& x, Index m, int threads);

/// The bound as a function of theta. The inducing points are chosen once, for the theta of the first
/// evaluation.
template <class X>
class InducingBound final : public Objective {
 public:
  InducingBound(const Inducing& how, const Process<X>& prior, Batch<X> x, const Vector& y) {
    const Noise& noise = prior.noise();
    Data d{how, prior.kernel(), {}, noise.is_learned(), {}, {}};
    const Vector variances = d.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
    check_inducing_noise(variances);
    d.merged = internal::merge(internal::first_alike(x), y - prior.trend().known_at(x), variances);
    d.x = pick(x, d.merged.rows);
    d.basis = prior.trend().centered_on(Batch<X>(d.x)).basis_at(Batch<X>(d.x));
    data_ = std::make_shared<const Data>(std::move(d));
  }

  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override {
    const Batch<X> x(data_->x);
    if (!z_) z_ = pick(x, inducing_rows<X>(kernel(theta), x, data_->how.points, threads));
    return evaluated(theta, Batch<X>(*z_), false, gradient, threads);
  }

  internal::Variables variables(const Vector& theta, int threads) override {
    if constexpr (std::same_as<X, Row>)
      if (!data_->how.fixed && data_->how.points < data_->x.rows()) return start(theta, threads);
    return {};
  }

  Evaluation joint(const Vector& theta, const Vector& variables, bool gradient, int threads) override {
    if constexpr (std::same_as<X, Row>)
      return evaluated(theta, held_points(variables, data_->x.cols()), true, gradient, threads);
    else
      return at(theta, gradient, threads);
  }

 private:
  struct Data {
    Inducing how;
    Kernel<X> kernel;
    Points<X> x;  // distinct inputs
    bool learn_noise;
    internal::MergedRows merged;
    Matrix basis;
  };
  /// Centers of the inputs or pivoted rows, whichever has the greater bound. Two values of it.
  Variables start(const Vector& theta, int threads) const {
    const Matrix& x = data_->x;
    internal::Variables out = inducing_start(kernel(theta).parameters(), x, data_->how.points, threads);
    const Matrix rows = pick(x, inducing_rows<X>(kernel(theta), x, data_->how.points, threads)),
                 centers = held_points(out.values, x.cols());
    if (rows.rows() < centers.rows() || evaluated(theta, rows, false, false, threads).value >
                                            evaluated(theta, centers, false, false, threads).value)
      out = {coordinates_of(rows), Vector(out.units.head(rows.size()))};
    return out;
  }
  Kernel<X> kernel(const Vector& theta) const {
    return data_->kernel.with(theta.head(data_->kernel.theta().size()));
  }
  Evaluation evaluated(const Vector& theta, Batch<X> z, bool moved, bool gradient, int threads) const {
    const Data& d = *data_;
    const Index p = d.kernel.theta().size();
    const double variance = d.learn_noise ? std::exp(theta[p]) : 1;
    const BoundSlopes s = inducing_bound(low_rank<X>(kernel(theta), z, Batch<X>(d.x), moved), d.merged.y,
                                         variance * d.merged.noise, d.basis, gradient, threads);
    const internal::MergedRows& m = d.merged;
    Evaluation out{s.value + (d.learn_noise ? m.constant_at(variance) : m.constant), s.kernel, 0};
    out.misfit = s.misfit + (d.learn_noise ? m.within / variance : 0);
    if (!gradient || s.kernel.size() != p) return std::isfinite(out.value) ? out : Evaluation{};
    if (d.learn_noise)
      out.gradient = internal::concat(
          s.kernel, Vector::Constant(1, s.log_noise + 0.5 * (m.within / variance - double(m.merged()))));
    if (moved) out.gradient = internal::concat(out.gradient, coordinates_of(s.inputs));
    return std::isfinite(out.value) && out.gradient.allFinite() ? out : Evaluation{};
  }
  std::shared_ptr<const Data> data_;
  std::optional<Points<X>> z_;  // the inducing points
};
extern template class InducingBound<Row>;

template <class X>
class InducingPosterior {
 public:
  InducingPosterior(Inducing how, const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                    const Vector& variances, int threads);

  Vector mean(Batch<X> at, int threads) const;
  Marginals marginals(Batch<X> at, int threads) const;
  Gaussian joint(Batch<X> at, int threads) const;
  double log_evidence() const { return data_->solution.bound + data_->merged.constant; }
  InferenceReport report() const;
  LeaveOneOut leave_one_out(int threads) const;
  TrendEstimate trend() const;
  /// Computed anew: n m^2 flops. Points that a fit has moved stay; rows are chosen again.
  InducingPosterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const {
    return {data_->how,
            data_->kernel,
            data_->given_mean,
            join(Batch<X>(data_->x), x),
            internal::concat(data_->y, y),
            internal::concat(data_->variances, variances),
            threads};
  }
  typename Posterior<X>::Function pathwise(const typename Posterior<X>::Function& draw, Random& rng) const;
  const Mean<X>& basis_mean() const { return data_->mean; }
  Vector variables() const { return data_->how.coordinates; }

 private:
  struct Data {
    Inducing how;
    Kernel<X> kernel;
    Mean<X> given_mean, mean;
    Points<X> x;  // n
    Vector y, variances;
    internal::MergedRows merged;
    Points<X> distinct, z;
    InducingSolution solution;
    Prepared<X> prepared;  // z
  };
  Prepared<X> ready(Batch<X> at) const { return data_->kernel.prepare(at); }
  Matrix cross(const Prepared<X>& at) const { return data_->prepared.cross(at); }
  Matrix basis(Batch<X> at) const { return data_->mean.basis_at(at); }
  std::shared_ptr<const Data> data_;
};
extern template class InducingPosterior<Row>;

/// Notes on what was approximated: `chosen` points for so many distinct inputs.
std::string inducing_note(Index chosen, Index distinct, bool moved);

template <class X>
InducingPosterior<X>::InducingPosterior(Inducing how, const Kernel<X>& kernel, const Mean<X>& mean,
                                        Batch<X> x, const Vector& y, const Vector& variances, int threads) {
  check_inducing_noise(variances);
  Data d{std::move(how),
         kernel,
         mean,
         mean,
         Points<X>(join(x, slice(x, {0, 0}))),
         y,
         variances,
         {},
         {},
         {},
         {},
         {}};
  d.merged = internal::merge(internal::first_alike(x), y, variances);
  d.distinct = pick(x, d.merged.rows);
  const Batch<X> at(d.distinct);
  d.mean = mean.centered_on(at);
  if constexpr (std::same_as<X, Row>)
    if (d.how.coordinates.size()) d.z = held_points(d.how.coordinates, x.cols());
  if (d.how.coordinates.size() == 0) d.z = pick(at, inducing_rows<X>(kernel, at, d.how.points, threads));
  auto solution = solve_inducing(low_rank<X>(kernel, Batch<X>(d.z), at), d.merged.y - d.mean.known_at(at),
                                 d.merged.noise, d.mean.basis_at(at), threads);
  if (!solution) inducing_failed(count(Batch<X>(d.z)));
  d.solution = std::move(*solution);
  const auto data = std::make_shared<Data>(std::move(d));
  data->prepared = kernel.prepare(Batch<X>(data->z));
  data_ = data;
}

template <class X>
Vector InducingPosterior<X>::mean(Batch<X> points, int threads) const {
  return mean_by_blocks<X>(data_->mean, points, threads, [&](Batch<X> p) {
    return predict_mean(data_->solution, cross(ready(p)), basis(p));
  });
}

template <class X>
Marginals InducingPosterior<X>::marginals(Batch<X> points, int threads) const {
  return marginals_by_blocks<X>(data_->mean, points, threads, 0, [&](Batch<X> p) {
    const Prepared<X> to = ready(p);
    return predict(data_->solution, cross(to), to.diag(), basis(p));
  });
}

template <class X>
Gaussian InducingPosterior<X>::joint(Batch<X> points, int threads) const {
  const auto m = double(count(points));
  internal::check_memory(24 * m * m, "the joint covariance of " + std::to_string(count(points)) + " points");
  const Prepared<X> to = ready(points);
  return predict_joint(data_->solution, cross(to), to.cross(to), basis(points), data_->mean.known_at(points),
                       threads);
}

template <class X>
InferenceReport InducingPosterior<X>::report() const {
  const Index chosen = count(Batch<X>(data_->z));
  InferenceReport out;
  out.inference = data_->how.text();
  out.distinct = data_->merged.y.size();
  out.approximate = out.lower_bound = chosen < out.distinct || data_->how.coordinates.size();
  out.conditioning.jitter = data_->solution.jitter;
  if (const Index merged = data_->merged.merged())
    out.notes.push_back(std::to_string(merged) + " rows merged: " + std::to_string(data_->y.size()) +
                        " observations at " + std::to_string(out.distinct) + " distinct inputs");
  if (out.approximate)
    out.notes.push_back(inducing_note(chosen, out.distinct, data_->how.coordinates.size() > 0));
  return out;
}

template <class X>
LeaveOneOut InducingPosterior<X>::leave_one_out(int threads) const {
  const Batch<X> at(data_->distinct);
  return leave_one_out_about<X>(data_->mean, Batch<X>(data_->x), data_->merged, data_->y,
                                [&](const internal::MergedRows& merged, const Vector& y) {
                                  return internal::leave_one_out(
                                      data_->solution, low_rank<X>(data_->kernel, Batch<X>(data_->z), at),
                                      merged, basis(at), y, data_->variances, threads);
                                });
}

template <class X>
TrendEstimate InducingPosterior<X>::trend() const {
  const InducingSolution& s = data_->solution;
  return trend_of_kept(data_->mean, data_->mean.basis_at(slice(Batch<X>(data_->distinct), {0, 0})).cols(),
                       s.kept, s.beta, s.r);
}

/// A draw of the values at Z and of the trend, whitened: v ~ N(w, B^-1); the prior's draw there is replaced.
template <class X>
typename Posterior<X>::Function InducingPosterior<X>::pathwise(const typename Posterior<X>::Function& draw,
                                                               Random& rng) const {
  const InducingSolution& s = data_->solution;
  Vector beta = s.beta;
  if (beta.size())
    beta += s.r.template triangularView<Eigen::Upper>().solve(Vector(rng.normal(beta.size(), 1)));
  const Vector half = s.half_targets - s.half_basis * beta + Vector(rng.normal(s.w.size(), 1));
  const Matrix v =
      s.of_rows.half_solve_transposed(half) - s.of_inducing.half_solve(Matrix(draw(Batch<X>(data_->z))));
  const Vector alpha = s.of_inducing.half_solve_transposed(v);
  return [this_ = *this, alpha, beta](Batch<X> at) -> Vector {
    return this_.cross(this_.ready(at)).transpose() * alpha +
           this_.basis(at)(Eigen::all, this_.data_->solution.kept) * beta;
  };
}

/// Throws Problem::usage unless the evidence is what is maximized.
void check_inducing_objective(const Inducing& how, ObjectiveKind kind);

}  // namespace internal

template <class X>
Posterior<X> Inducing::condition(const Process<X>& prior, Batch<X> x, const Vector& y,
                                 const Vector& variances, int threads) const {
  return internal::InducingPosterior<X>(*this, prior.kernel(), prior.trend(), x, y, variances, threads);
}

template <class X>
Objectives Inducing::objective(const Process<X>& prior, Batch<X> x, const Vector& y,
                               ObjectiveKind kind) const {
  internal::check_inducing_objective(*this, kind);
  if (count(x) <= points) {  // the same, sooner
    const Evidence<X> e(prior.kernel(), prior.trend(), prior.noise(), x, y, kind);
    return [e] { return std::make_unique<Evidence<X>>(e); };
  }
  const internal::InducingBound<X> bound(*this, prior, x, y);
  return [bound] { return std::make_unique<internal::InducingBound<X>>(bound); };
}

}  // namespace covary
