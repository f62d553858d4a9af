// Definitions of the templates of dense_posterior.h.
#pragma once

#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "covary/process/dense_posterior.h"
#include "covary/process/posterior_parts.h"

namespace covary {

namespace internal {
/// Notes on a conditioned process; `rows` are those of the distinct inputs.
std::vector<std::string> conditioning_notes(const MergedRows& merged, const Conditioning& c);

/// A noise of 0 at repeated inputs whose observations differ: estimated from the repeats instead, with a
/// note.
/// Returns the estimate, or 0 where none was needed.
double mend_zero_noise(MergedRows& merged, Vector& variances, const Vector& y,
                       const std::vector<Index>& alike, std::vector<std::string>& notes);

/// The same of observations that are all without noise: 0 where repeats agree.
double noise_of_repeats(const std::vector<Index>& alike, const Vector& y, std::vector<std::string>& notes);
}  // namespace internal

template <class X>
DensePosterior<X>::DensePosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                                  const Vector& variances, int threads, const Factor* known,
                                  std::shared_ptr<const internal::Place> place) {
  Data data(kernel, mean, {kernel, 0, {}});
  data.x = join(x, slice(x, {0, 0})), data.y = y, data.given = variances;
  data.place = std::move(place);
  const PosteriorState state{known ? *known : Factor(), true};
  data_ = solved(std::move(data), nullptr, known ? &state : nullptr, threads);
}

template <class X>
DensePosterior<X>::DensePosterior(const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                                  const Vector& variances, int threads, const PosteriorState& state) {
  Data data(kernel, mean, {kernel, 0, {}});
  data.x = join(x, slice(x, {0, 0})), data.y = y, data.given = variances;
  data_ = solved(std::move(data), nullptr, &state, threads);
}

template <class X>
DensePosterior<X> DensePosterior<X>::extended(Batch<X> x, const Vector& y, const Vector& variances,
                                              int threads) const {
  Data data(data_->whole, data_->mean, data_->kernel);
  data.x = join(Batch<X>(data_->x), x);
  data.place = data_->place;
  data.y = internal::concat(data_->y, y), data.given = internal::concat(data_->given, variances);
  return DensePosterior(solved(std::move(data), data_.get(), nullptr, threads));
}

template <class X>
std::shared_ptr<const typename DensePosterior<X>::Data> DensePosterior<X>::solved(Data all,
                                                                                  const Data* before,
                                                                                  const PosteriorState* known,
                                                                                  int threads) {
  const auto data = std::make_shared<Data>(std::move(all));
  data->variances = data->given;
  const std::vector<Index> alike = internal::first_alike(Batch<X>(data->x));
  data->merged = internal::merge(alike, data->y, data->variances);
  data->estimated = internal::mend_zero_noise(data->merged, data->variances, data->y, alike, data->notes);
  data->distinct = pick(Batch<X>(data->x), data->merged.rows);

  const Batch<X> points = data->at();
  const bool usable = known && known->factor.size() == count(points);  // no rows were merged since
  if (!before) data->mean = data->mean.centered_on(points);
  if (!before && !(usable && known->whole)) data->kernel = internal::shared_part(data->whole, points);
  data->prepared = data->ready(points);
  Factor factor = usable ? known->factor : factorized(*data, before, threads);
  const Vector centered = data->merged.y - data->mean.known_at(points);
  data->solution =
      internal::solve(std::move(factor), centered, data->basis(points), data->kernel.along.columns);
  data->log_evidence = data->solution.log_evidence + data->merged.constant;
  if (data->absorbed() > 0) data->log_evidence += internal::level_gain(data->solution, data->absorbed());
  for (std::string& n : internal::conditioning_notes(data->merged, data->solution.factor.conditioning()))
    data->notes.push_back(std::move(n));
  if (data->solution.factor.remote() && data->place)
    for (std::string& n :
         internal::place_notes(*data->place, data->whole.text(), data->program(points) != nullptr))
      data->notes.push_back(std::move(n));
  return data;
}

/// Of the rest of the kernel: grown if all rows are new, and of the kernel as a whole where the rest is
/// singular to rounding (without noise it may be where the whole is not).
template <class X>
Factor DensePosterior<X>::factorized(Data& data, const Data* before, int threads) {
  const Batch<X> points = data.at();
  const Vector& noise = data.merged.noise;
  const Index old = before ? before->merged.y.size() : 0, all = count(points), rows = data.y.size();
  if (before && all - old == rows - before->y.size() && noise.head(old) == before->merged.noise) {
    const Prepared<X> fresh = before->ready(slice(points, {old, all - old}));
    Matrix s = fresh.cross(fresh);
    s.diagonal() += noise.tail(all - old);
    if (auto grown = before->solution.factor.grown(before->cross(fresh), s, threads)) return *grown;
  }
  if (data.kernel.along) {
    if (auto regular = internal::factorize_regular(data.gram(), noise, threads)) return *regular;
    data.kernel = {data.whole, 0, {}};
    data.prepared = data.whole.prepare(points);
  }
  return factorize(data.gram(), noise, threads);
}

template <class X>
Matrix DensePosterior<X>::Data::basis(Batch<X> points) const {
  if (!kernel.along) return mean.basis_at(points);
  Matrix shared = kernel.along(points);
  shared.array() += kernel.level - absorbed();
  const Matrix trend = mean.basis_at(points);
  Matrix all(shared.rows(), shared.cols() + trend.cols());
  all << shared, trend;
  return all;
}

template <class X>
Matrix DensePosterior<X>::Data::cross(const Prepared<X>& points) const {
  return internal::tall_block(
      merged.y.size(), [&](Range r) { return slice(prepared, r).cross(points); }, points.count());
}

template <class X>
Vector DensePosterior<X>::mean(Batch<X> points, int threads) const {
  return internal::mean_by_blocks<X>(data_->mean, points, threads, [&](Batch<X> p) {
    return internal::predict_mean(data_->solution, data_->cross(data_->ready(p)), data_->basis(p));
  });
}

template <class X>
Marginals DensePosterior<X>::marginals(Batch<X> points, int threads) const {
  constexpr Index remote_block = 4096, collective_block = 512;
  const bool program = data_->program(slice(points, {0, std::min<Index>(1, count(points))})) != nullptr,
             collective = data_->place && data_->place->collective() && data_->solution.factor.remote();
  const Index side = program ? remote_block : collective ? collective_block : 0;
  return internal::marginals_by_blocks<X>(data_->mean, points, threads, side, [&](Batch<X> p) {
    const Prepared<X> to = data_->ready(p);
    if (const auto there = program ? data_->program(p) : nullptr)
      return internal::predict_remote(data_->solution, there->points, to.diag(), data_->basis(p),
                                      [&](const std::vector<Index>& rows) -> Matrix {
                                        const Points<X> some = pick(p, rows);
                                        return data_->cross(data_->ready(Batch<X>(some)));
                                      });
    return covary::internal::predict(data_->solution, data_->cross(to), to.diag(), data_->basis(p));
  });
}

template <class X>
Gaussian DensePosterior<X>::joint(Batch<X> points, int threads) const {
  const auto m = double(count(points));
  internal::check_memory(24 * m * m + 16 * m * double(data_->merged.y.size()),
                         "the joint covariance of " + std::to_string(count(points)) + " points");
  const Prepared<X> to = data_->ready(points);
  if (const auto there = data_->program(points))
    return internal::predict_joint_remote(data_->solution, there->points, to.cross(to), data_->basis(points),
                                          data_->mean.known_at(points));
  return internal::predict_joint(data_->solution, data_->cross(to), to.cross(to), data_->basis(points),
                                 data_->mean.known_at(points), threads);
}

template <class X>
InferenceReport DensePosterior<X>::report() const {
  return {"exact()",        data_->notes, data_->solution.factor.conditioning(), data_->merged.y.size(),
          data_->estimated, false};
}

template <class X>
LeaveOneOut DensePosterior<X>::leave_one_out(int threads) const {
  return internal::leave_one_out_about<X>(data_->mean, Batch<X>(data_->x), data_->merged, data_->y,
                                          [&](const internal::MergedRows& merged, const Vector& y) {
                                            return covary::internal::leave_one_out(data_->solution, merged, y,
                                                                                   data_->variances, threads);
                                          });
}

/// beta, and R^-1 R^-T = (F'K^-1F)^-1, of the flat columns: those that were left out are 0.
template <class X>
TrendEstimate DensePosterior<X>::trend() const {
  const internal::Solution& s = data_->solution;
  const Mean<X>& mean = data_->mean;
  const double absorbed = data_->absorbed();
  const Index all = mean.basis_at(slice(data_->at(), {0, 0})).cols();
  Vector beta = Vector::Zero(all);
  Matrix half = Matrix::Zero(all, s.beta.size());  // rows of R^-1
  const Matrix inverse = internal::inverse_of_upper(s.r);
  for (Index i = s.proper; i < s.beta.size(); ++i) {
    const Index k = s.kept[static_cast<size_t>(i)] - s.proper;
    beta[k] = s.beta[i], half.row(k) = inverse.row(i);
  }
  if (absorbed > 0) beta[0] -= absorbed * s.beta[0], half.row(0) -= absorbed * inverse.row(0);
  return internal::in_user_units(mean, std::move(beta), std::move(half));
}

/// Matheron's rule: a draw of the prior, corrected by what the data say of it.
template <class X>
typename Posterior<X>::Function DensePosterior<X>::pathwise(const typename Posterior<X>::Function& draw,
                                                            Random& rng) const {
  Vector y = data_->merged.y - data_->mean.known_at(data_->at()) - draw(data_->at());
  for (Index i = 0; i < y.size(); ++i) y[i] -= std::sqrt(data_->merged.noise[i]) * rng.normal();
  const auto [alpha, beta] = data_->solution.weights(y);
  return [data = data_, alpha = alpha, beta = beta](Batch<X> points) -> Vector {
    Vector out = data->cross(data->ready(points)).transpose() * alpha;
    const Matrix basis = data->basis(points);
    const internal::Solution& s = data->solution;
    for (size_t i = 0; i < s.kept.size(); ++i) out += basis.col(s.kept[i]) * beta[Index(i)];
    return out;
  };
}

}  // namespace covary
