// Definitions of the templates of vecchia.h: the density as an objective, and the posterior.
#pragma once
#include "covary/base/runtime.h"
#include "covary/inference/neighbor_space.h"
#include "covary/inference/vecchia.h"
#include "covary/kernels/on_device.h"
#include "covary/process/posterior_parts.h"

namespace covary {
namespace internal {

/// So many of the nearest observations make a prediction: more than a term of the likelihood has, whose errors
/// average out over the rows.
inline Index predicted_from(const Vecchia& how) { return 4 * how.neighbors; }

/// Points in the order of their places, with their neighbors.
template <class X>
struct PlacedPoints {
  NeighborSpace<X> space;
  NeighborSets neighbors;
  std::vector<Index> rows;  // n: the point at each place
  std::shared_ptr<const Points<X>> x;
  Matrix coordinates;  // D x n, of a fused kernel

  PlacedPoints(const Kernel<X>& kernel, Batch<X> points, Index m, int threads);
  BlockKernel blocks(const Kernel<X>& kernel) const;
};

template <class X>
Vector closeness(const Kernel<X>& kernel, Batch<X> x, Batch<X> others) {
  return kernel.cross(others, x).col(0).cwiseQuotient(kernel.diag(others).cwiseSqrt());
}

template <class X>
PlacedPoints<X>::PlacedPoints(const Kernel<X>& kernel, Batch<X> points, Index m, int threads)
    : space(kernel, points, threads) {
  const auto tree = neighbor_tree(space.at(kernel, points).transpose(), threads);
  rows = rows_by_place(*tree);
  x = std::make_shared<const Points<X>>(pick(points, rows));
  Closeness close;
  if (space.by_kernel())
    close = [&](Index place, const std::vector<Index>& others) {
      const Batch<X> at(*x);
      const Points<X> some = pick(at, others);
      return closeness<X>(kernel, slice(at, {place, 1}), Batch<X>(some));
    };
  neighbors = neighbor_sets(tree, m, close, threads);
  if constexpr (std::same_as<X, Row>)
    if (space.fused) coordinates = fused_coordinates(*space.fused, *x);
}

template <class X>
BlockKernel PlacedPoints<X>::blocks(const Kernel<X>& kernel) const {
  BlockKernel out;
  out.parameters = kernel.theta().size();
  out.fused = fused_of<X>(kernel, dimensions(Batch<X>(*x)));
  if (out.fused) {
    out.coordinates = &coordinates;
    return out;
  }
  out.covariance = [kernel, x = x](const std::vector<Index>& places) {
    const Points<X> some = pick(Batch<X>(*x), places);
    return kernel.cross(Batch<X>(some), Batch<X>(some));
  };
  out.pullback = [kernel, x = x](const std::vector<Index>& places, const Matrix& w) {
    const Points<X> some = pick(Batch<X>(*x), places);
    return kernel.pullback(Batch<X>(some), Batch<X>(some), w);
  };
  return out;
}

/// The density as a function of theta. Neighbors are those of the theta of the first evaluation, found anew when
/// NeighborSpace::moved.
template <class X>
class VecchiaDensity final : public Objective {
 public:
  VecchiaDensity(const Vecchia& how, const Process<X>& prior, Batch<X> x, const Vector& y,
                 std::shared_ptr<const Place> device = {}) {
    const Noise& noise = prior.noise();
    Data d{how.neighbors, std::move(device), prior.kernel(), {}, noise.is_learned(), {}, {}};
    const Vector variances = d.learn_noise ? Vector(Vector::Ones(y.size())) : noise.variances(y.size());
    d.merged = merge(first_alike(x), y - prior.trend().known_at(x), variances);
    d.x = pick(x, d.merged.rows);
    const Matrix basis = prior.trend().centered_on(Batch<X>(d.x)).basis_at(Batch<X>(d.x));
    d.basis = basis(Eigen::all, independent_columns(basis));
    data_ = std::make_shared<const Data>(std::move(d));
  }

  Evaluation at(const Vector& theta, bool gradient = true, int threads = 1) override {
    const Data& d = *data_;
    const Index p = d.kernel.theta().size();
    const Kernel<X> kernel = d.kernel.with(theta.head(p));
    if (!placed_ || placed_->space.moved(kernel, dimensions(Batch<X>(d.x)))) place(kernel, threads);
    const double variance = d.learn_noise ? std::exp(theta[p]) : 1;
    const BlockKernel blocks = blocks_of(kernel);
    const Vector noise = variance * noise_;
    const BlockData data{blocks, placed_->neighbors, y_, basis_, noise};
    const MergedRows& m = d.merged;
    const double constant = d.learn_noise ? m.constant_at(variance) : m.constant,
                 within = d.learn_noise ? m.within / variance : 0;
    Evaluation out;
    if (!gradient) {
      const BlockSolution s = solve_blocks(data, threads);
      if (std::isfinite(s.log_density + constant)) out = {s.log_density + constant, {}, s.misfit + within};
      return out;
    }
    const BlockSlopes s = block_slopes(data, threads);
    if (!std::isfinite(s.value + constant) || !s.kernel.allFinite() || !std::isfinite(s.log_noise))
      return out;
    out = {s.value + constant, s.kernel, s.misfit + within};
    if (d.learn_noise)
      out.gradient = concat(s.kernel, Vector::Constant(1, s.log_noise + 0.5 * (within - double(m.merged()))));
    return out;
  }

 private:
  struct Data {
    Index neighbors;
    std::shared_ptr<const Place> device;  // null: the host
    Kernel<X> kernel;
    Points<X> x;  // distinct inputs
    bool learn_noise;
    MergedRows merged;
    Matrix basis;  // independent columns
  };
  void place(const Kernel<X>& kernel, int threads) {
    placed_.emplace(kernel, Batch<X>(data_->x), data_->neighbors, threads);
    y_ = data_->merged.y(placed_->rows);
    basis_ = data_->basis(placed_->rows, Eigen::all);
    noise_ = data_->merged.noise(placed_->rows);
    remote_ = {};
    if constexpr (std::same_as<X, Row>) {
      if (!data_->device || y_.size() < smallest_remote) return;
      if (const auto p = program_on_points(kernel, *placed_->x))
        remote_ =
            data_->device->blocks(p->points.transpose(), placed_->neighbors.sets, placed_->neighbors.most);
    }
  }
  /// On the device, where the kernel has a program there.
  BlockKernel blocks_of(const Kernel<X>& kernel) const {
    if constexpr (std::same_as<X, Row>) {
      if (remote_) {
        BlockKernel out;
        out.parameters = kernel.theta().size();
        out.program = program_on_points(kernel, Rows(*placed_->x).topRows(8))->program;
        out.remote = remote_;
        return out;
      }
    }
    return placed_->blocks(kernel);
  }
  std::shared_ptr<const Data> data_;
  std::optional<PlacedPoints<X>> placed_;
  Vector y_, noise_;  // by place
  Matrix basis_;
  std::shared_ptr<const RemoteBlocks> remote_;
};
extern template class VecchiaDensity<Row>;

template <class X>
class VecchiaPosterior {
 public:
  VecchiaPosterior(Vecchia how, const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x, const Vector& y,
                   const Vector& variances, int threads);

  Vector mean(Batch<X> at, int threads) const { return marginals(at, threads).mean; }
  Marginals marginals(Batch<X> at, int threads) const;
  Gaussian joint(Batch<X> at, int threads) const;
  std::optional<Matrix> sample(Batch<X> at, Index draws, std::uint64_t seed, Of of) const;
  double log_evidence() const { return data_->solution.log_density + data_->merged.constant; }
  InferenceReport report() const;
  LeaveOneOut leave_one_out(int threads) const;
  TrendEstimate trend() const;
  /// Computed anew: O(n), as conditioning is.
  VecchiaPosterior extended(Batch<X> x, const Vector& y, const Vector& variances, int threads) const {
    return {data_->how,
            data_->kernel,
            data_->given_mean,
            join(Batch<X>(data_->x), x),
            concat(data_->y, y),
            concat(data_->given, variances),
            threads};
  }
  typename Posterior<X>::Function pathwise(const typename Posterior<X>::Function& draw, Random& rng) const;
  const Mean<X>& basis_mean() const { return data_->mean; }

 private:
  struct Data {
    Vecchia how;
    Kernel<X> kernel;
    Mean<X> given_mean, mean;
    Points<X> x;                 // n
    Vector y, given, variances;  // variances: given, or what had to be estimated
    MergedRows merged;
    double estimated = 0, jitter = 0;
    std::vector<std::string> notes;
    std::optional<PlacedPoints<X>> placed;
    BlockKernel blocks;
    std::vector<Index> kept;  // columns of the basis
    Vector targets, noise;    // by place; targets less the known part of the trend
    Matrix basis;
    BlockSolution solution;
    Matrix columns;  // block_columns
    BlockData seen() const { return {blocks, placed->neighbors, targets, basis, noise}; }
    Index most() const { return predicted_from(how); }
    Batch<X> at() const { return Batch<X>(*placed->x); }
  };
  static void solve(Data& d, int threads);
  BlockTargets targets(Batch<X> at) const;
  BlockPredictions predicted(Batch<X> at, const BlockSolution& s, const Matrix& columns) const {
    return predict_blocks(data_->seen(), s, columns, targets(at), data_->most());
  }
  BlockJoint joined(Batch<X> at, int threads) const {
    return join_blocks(data_->seen(), data_->solution, data_->columns, targets(at), data_->most(),
                       data_->how.neighbors, threads);
  }
  std::shared_ptr<const Data> data_;
};
extern template class VecchiaPosterior<Row>;

/// What was approximated, and what was asked for in vain.
std::vector<std::string> vecchia_notes(const Vecchia& how, Index distinct, Index observations, double jitter);

/// Jitter to try after this one, in units of the mean variance; throws Problem::numerical past the last.
double next_jitter(double jitter);

template <class X>
VecchiaPosterior<X>::VecchiaPosterior(Vecchia how, const Kernel<X>& kernel, const Mean<X>& mean, Batch<X> x,
                                      const Vector& y, const Vector& variances, int threads) {
  const auto data =
      std::make_shared<Data>(Data{how, kernel,    mean,      mean, Points<X>(join(x, slice(x, {0, 0}))),
                                  y,   variances, variances, {},   0,
                                  0,   {},        {},        {},   {},
                                  {},  {},        {},        {},   {}});
  Data& d = *data;
  const std::vector<Index> alike = first_alike(x);
  d.merged = merge(alike, y, variances);
  d.estimated = mend_zero_noise(d.merged, d.variances, y, alike, d.notes);
  const Points<X> distinct = pick(x, d.merged.rows);
  const Batch<X> at(distinct);
  d.mean = mean.centered_on(at);
  d.placed.emplace(kernel, at, how.neighbors, threads);
  d.blocks = d.placed->blocks(kernel);
  const std::vector<Index>& rows = d.placed->rows;
  d.targets = d.merged.y(rows) - d.mean.known_at(d.at());
  d.noise = d.merged.noise(rows);
  const Matrix basis = d.mean.basis_at(d.at());
  d.kept = independent_columns(basis);
  d.basis = basis(Eigen::all, d.kept);
  solve(d, threads);
  for (std::string& note : vecchia_notes(how, rows.size(), y.size(), d.jitter))
    d.notes.push_back(std::move(note));
  data_ = data;
}

/// With jitter where an observation without noise follows from its neighbors to rounding.
template <class X>
void VecchiaPosterior<X>::solve(Data& d, int threads) {
  const Vector noise = d.noise;
  const double variance = d.kernel.diag(d.at()).mean();
  double jitter = 0;
  while (!(d.solution = solve_blocks(d.seen(), threads)).regular()) {
    jitter = next_jitter(jitter);
    d.jitter = jitter * variance;
    d.noise = noise.array() + d.jitter;
  }
  d.columns = block_columns(d.seen(), d.solution);
}

template <class X>
BlockTargets VecchiaPosterior<X>::targets(Batch<X> at) const {
  const Data& d = *data_;
  BlockTargets out{count(at),
                   {},
                   d.placed->space.at(d.kernel, at),
                   d.mean.basis_at(at)(Eigen::all, d.kept),
                   d.kernel.diag(at),
                   {},
                   {}};
  if constexpr (std::same_as<X, Row>)
    if (d.blocks.fused) {
      out.coordinates = fused_coordinates(*d.blocks.fused, at);
      return out;
    }
  out.covariance = [&d, at](const std::vector<Index>& places, const std::vector<Index>& which) {
    const Points<X> some = pick(d.at(), places), others = pick(at, which),
                    block = join(Batch<X>(some), Batch<X>(others));
    return d.kernel.cross(Batch<X>(block), Batch<X>(block));
  };
  out.closeness = [&d, at](Index i, const std::vector<Index>& places) {
    const Points<X> some = pick(d.at(), places);
    return closeness<X>(d.kernel, slice(at, {i, 1}), Batch<X>(some));
  };
  return out;
}

template <class X>
Marginals VecchiaPosterior<X>::marginals(Batch<X> points, int threads) const {
  return marginals_by_blocks<X>(data_->mean, points, threads, 0, [&](Batch<X> p) {
    BlockPredictions b = predicted(p, data_->solution, data_->columns);
    return Marginals{std::move(b.mean), std::move(b.variance), b.clamped};
  });
}

template <class X>
Gaussian VecchiaPosterior<X>::joint(Batch<X> points, int threads) const {
  const Data& d = *data_;
  const auto q = double(count(points));
  check_memory(24 * q * q + 3e3 * q, "the joint covariance of " + std::to_string(count(points)) + " points");
  const Marginals m = marginals(points, threads);
  Matrix covariance = internal::covariance_of(joined(points, threads), m.variance);
  return gaussian_difference(m.mean, std::move(covariance), Vector::Zero(count(points)),
                             rounding_of_blocks(d.most(), d.kernel.diag(points)));
}

/// Of many points: one after the other, without their covariance.
template <class X>
std::optional<Matrix> VecchiaPosterior<X>::sample(Batch<X> points, Index draws, std::uint64_t seed,
                                                  Of of) const {
  constexpr Index many = 2000;
  if (of == Of::y || count(points) <= many) return {};
  const int threads = threads_or_all(0);
  Random rng(seed);
  Matrix out = drawn_errors(joined(points, threads), draws, rng);
  out.colwise() += mean(points, threads);
  return out;
}

template <class X>
InferenceReport VecchiaPosterior<X>::report() const {
  InferenceReport out;
  out.inference = data_->how.text();
  out.notes = data_->notes;
  out.distinct = std::ssize(data_->placed->rows);
  out.conditioning.jitter = data_->jitter;
  out.estimated_noise = data_->estimated;
  out.approximate = !data_->placed->neighbors.whole;
  return out;
}

template <class X>
LeaveOneOut VecchiaPosterior<X>::leave_one_out(int threads) const {
  const Data& d = *data_;
  return leave_one_out_about<X>(d.mean, Batch<X>(d.x), d.merged, d.y,
                                [&](const MergedRows& merged, const Vector& y) {
                                  const auto [mean, c] = block_left_out(d.seen(), d.solution, threads);
                                  Vector means(mean.size()), precisions(c.size());
                                  means(d.placed->rows) = mean, precisions(d.placed->rows) = c;
                                  return left_out(means, precisions, merged, y, d.variances);
                                });
}

template <class X>
TrendEstimate VecchiaPosterior<X>::trend() const {
  const Data& d = *data_;
  return trend_of_kept(d.mean, d.mean.basis_at(slice(d.at(), {0, 0})).cols(), d.kept, d.solution.beta,
                       d.solution.r);
}

/// Matheron's rule with the neighbors' weights: their errors in the draw are those of the posterior, and the trend
/// has a draw of its own.
template <class X>
typename Posterior<X>::Function VecchiaPosterior<X>::pathwise(const typename Posterior<X>::Function& draw,
                                                              Random& rng) const {
  const Data& d = *data_;
  BlockSolution s = d.solution;
  if (s.beta.size())
    s.beta += s.r.template triangularView<Eigen::Upper>().solve(Vector(rng.normal(s.beta.size(), 1)));
  Matrix columns = block_columns(d.seen(), s);
  constexpr Index run = 2048;
  for (Index i = 0; i < columns.cols(); i += run) {
    const Range r{i, std::min(run, columns.cols() - i)};
    columns.row(0).segment(r.first, r.count) -= draw(slice(d.at(), r)).transpose();
  }
  for (Index i = 0; i < columns.cols(); ++i) columns(0, i) -= std::sqrt(d.noise[i]) * rng.normal();
  return [this_ = *this, s, columns](Batch<X> at) -> Vector { return this_.predicted(at, s, columns).mean; };
}

/// Throws Problem::usage unless the evidence is what is maximized.
void check_vecchia_objective(const Vecchia& how, ObjectiveKind kind);

}  // namespace internal

template <class X>
Posterior<X> Vecchia::condition(const Process<X>& prior, Batch<X> x, const Vector& y, const Vector& variances,
                                int threads) const {
  return internal::VecchiaPosterior<X>(*this, prior.kernel(), prior.trend(), x, y, variances, threads);
}

template <class X>
Objectives Vecchia::objective(const Process<X>& prior, Batch<X> x, const Vector& y,
                              ObjectiveKind kind) const {
  internal::check_vecchia_objective(*this, kind);
  const internal::VecchiaDensity<X> density(*this, prior, x, y, place());
  return [density] { return std::make_unique<internal::VecchiaDensity<X>>(density); };
}

}  // namespace covary
