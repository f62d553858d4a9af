// Definitions of the templates of process.h.
#pragma once
#include <atomic>

#include "covary/machine.h"
#include "covary/process.h"

namespace covary {

/// Throws a data Error naming row and column of the first value that is not finite.
void check_finite(const Rows& x, const std::string& what);
template <class X>
void check_finite(std::span<const X>, const std::string&) {}
void check_finite(const Vector& y, const std::string& what);
void check_sizes(Index points, Index observations);

/// fn(range) for the blocks of m points that predictions work in, across threads.
void for_blocks(Index m, int threads, const std::function<void(Range)>& fn);

/// What to say of a conditioned process; `rows` are those of the distinct inputs.
std::vector<std::string> conditioning_notes(const Merged& merged, const Conditioning& c);

/// A noise of 0 at repeated inputs whose observations differ: estimated from the repeats instead, with a
/// note.
/// Returns the estimate, or 0 where nothing had to be mended.
double mend_zero_noise(Merged& merged, Vector& variances, const Vector& y, const std::vector<Index>& alike,
                       std::vector<std::string>& notes);

int threads_or_all(int threads);

template <class X>
Process<X>::Process(Kernel<X> kernel, Mean<X> mean, Noise noise)
    : kernel_(std::move(kernel)), mean_(std::move(mean)), noise_(std::move(noise)) {}

template <class X>
Process<X> Process<X>::condition(Batch<X> x, const Vector& y, int threads) const {
  return condition(x, y, noise_, threads);
}

template <class X>
Process<X> Process<X>::condition(Batch<X> x, const Vector& y, const Noise& noise, int threads) const {
  check_given(kernel_.parameters());
  check_sizes(count(x), y.size());
  check_finite(x, "x");
  check_finite(y, "y");
  return conditioned(x, y, noise.variances(y.size()), noise, nullptr, threads_or_all(threads));
}

template <class X>
Process<X> Process<X>::conditioned(Batch<X> x, const Vector& y, const Vector& variances, const Noise& noise,
                                   const Factor* known, int threads) const {
  auto data = std::make_shared<Data>(data_ ? data_->kernel : Shared<X>{kernel_, 0, {}});
  data->x = data_ ? join(Batch<X>(data_->x), x) : Points<X>(join(x, slice(x, {0, 0})));
  data->y = data_ ? concat(data_->y, y) : y;
  data->given = data_ ? concat(data_->given, variances) : variances;
  data->variances = data->given;
  const std::vector<Index> alike = first_alike(Batch<X>(data->x));
  data->merged = merge(alike, data->y, data->variances);
  data->estimated = mend_zero_noise(data->merged, data->variances, data->y, alike, data->notes);
  data->distinct = pick(Batch<X>(data->x), data->merged.rows);

  Process out(*this);
  const Batch<X> points(data->distinct);
  const bool whole = known && data->merged.merged() == 0;  // the factor of the kernel as a whole
  if (!data_) out.mean_ = mean_.centred_on(points);
  if (!data_ && !whole) data->kernel = shared_part(kernel_, points);
  Factor factor = whole ? *known : factorised(*data, threads);
  const Vector centred = data->merged.y - out.mean_.known_at(points);
  out.data_ = data;  // basis() asks for its kernel
  data->solution = solve(std::move(factor), centred, out.basis(points), data->kernel.along.columns);
  data->log_evidence = data->solution.log_evidence + data->merged.constant;
  if (out.absorbed() > 0) data->log_evidence += level_gain(data->solution, out.absorbed());
  for (std::string& n : conditioning_notes(data->merged, data->solution.factor.conditioning()))
    data->notes.push_back(std::move(n));
  out.noise_ = noise;
  return out;
}

/// Of the rest of the kernel: grown if all rows are new, and of the kernel as a whole where the rest is
/// singular to rounding (without noise it may be where the whole is not).
template <class X>
Factor Process<X>::factorised(Data& data, int threads) const {
  const Batch<X> points(data.distinct);
  const Vector& noise = data.merged.noise;
  const Index before = distinct(), all = count(points), rows = count(Batch<X>(data.x));
  if (data_ && all - before == rows - size() && noise.head(before) == data_->merged.noise) {
    const Batch<X> fresh = slice(points, {before, all - before});
    Matrix s = rest().cross(fresh, fresh);
    s.diagonal() += noise.tail(all - before);
    if (auto grown = data_->solution.factor.grown(cross(fresh), s, threads)) return *grown;
  }
  if (data.kernel.along)
    if (auto regular = factorise_regular(gram<X>(data.kernel.rest, points), noise, threads)) return *regular;
  data.kernel = {kernel_, 0, {}};
  return factorise(gram<X>(kernel_, points), noise, threads);
}

template <class X>
Matrix Process<X>::basis(Batch<X> points) const {
  if (!data_) return Matrix(count(points), 0);
  if (!data_->kernel.along) return mean_.basis_at(points);
  Matrix shared = data_->kernel.along(points);
  shared.array() += data_->kernel.level - absorbed();
  const Matrix trend = mean_.basis_at(points);
  Matrix all(shared.rows(), shared.cols() + trend.cols());
  all << shared, trend;
  return all;
}

template <class X>
Matrix Process<X>::cross(Batch<X> points) const {
  if (!data_) return Matrix(0, count(points));
  return tall_block(
      distinct(), [&](Range r) { return rest().cross(slice(at(), r), points); }, count(points));
}

template <class X>
void Process<X>::check_proper() const {
  check_given(kernel_.parameters());
  if (!data_ && mean_.basis)
    throw Error(Problem::usage,
                "the prior of a process whose trend is unknown has no finite variance: condition it "
                "on data first, or give the trend's coefficients");
}

template <class X>
void Process<X>::add_noise(Eigen::Ref<Vector> variance, Of of) const {
  if (of == Of::f) return;
  if (noise_.kind != Noise::Kind::given)
    throw Error(Problem::usage,
                "the noise of new observations is not known: ask for f, and add their variance");
  variance.array() += noise_.variance == 0 && data_ ? data_->estimated : noise_.variance;
}

template <class X>
Vector Process<X>::mean(Batch<X> points, int threads) const {
  check_proper();
  check_finite(points, "x");
  Vector out(count(points));
  for_blocks(count(points), threads_or_all(threads), [&](Range r) {
    const Batch<X> p = slice(points, r);
    out.segment(r.first, r.count) = mean_.known_at(p);
    if (data_) out.segment(r.first, r.count) += predict_mean(data_->solution, cross(p), basis(p));
  });
  return out;
}

template <class X>
Marginals Process<X>::predict(Batch<X> points, Of of, int threads) const {
  check_proper();
  check_finite(points, "x");
  Marginals out{Vector(count(points)), Vector(count(points)), 0};
  std::atomic<Index> clamped{0};
  const Solution empty;
  for_blocks(count(points), threads_or_all(threads), [&](Range r) {
    const Batch<X> p = slice(points, r);
    const Solution& s = data_ ? data_->solution : empty;
    const Marginals m = covary::predict(s, cross(p), rest().diag(p), basis(p));
    out.mean.segment(r.first, r.count) = m.mean + mean_.known_at(p);
    out.variance.segment(r.first, r.count) = m.variance;
    clamped += m.clamped;
  });
  out.clamped = clamped;
  add_noise(out.variance, of);
  return out;
}

template <class X>
Vector Process<X>::variance(Batch<X> points, Of of, int threads) const {
  return predict(points, of, threads).variance;
}

template <class X>
Gaussian Process<X>::joint(Batch<X> points, Of of, int threads) const {
  check_proper();
  check_finite(points, "x");
  const auto m = double(count(points));
  check_memory(24 * m * m + 16 * m * double(distinct()),
               "the joint covariance of " + std::to_string(count(points)) + " points");
  const Solution empty;
  Vector noise = Vector::Zero(count(points));
  add_noise(noise, of);
  return predict_joint(data_ ? data_->solution : empty, cross(points), rest().cross(points, points),
                       basis(points), mean_.known_at(points), noise, threads_or_all(threads));
}

template <class X>
Matrix Process<X>::sample(Batch<X> points, Index draws, std::uint64_t seed, Of of) const {
  const Gaussian j = joint(points, of);
  Matrix out = root(j.covariance(), j.rounding()) * Random(seed).normal(j.size(), draws);
  out.colwise() += j.mean();
  return out;
}

template <class X>
LeaveOneOut Process<X>::leave_one_out(int threads) const {
  if (!data_) return {};
  Vector known = mean_.known_at(Batch<X>(data_->x));
  Merged centred = data_->merged;
  for (size_t g = 0; g < centred.rows.size(); ++g) centred.y[Index(g)] -= known[centred.rows[g]];
  LeaveOneOut out = covary::leave_one_out(data_->solution, centred, data_->y - known, data_->variances,
                                          threads_or_all(threads));
  out.mean += known;
  return out;
}

template <class X>
Vector Process<X>::coefficients() const {
  if (!data_) return Vector(0);
  Vector all = Vector::Zero(mean_.basis_at(slice(at(), {0, 0})).cols());
  const Solution& s = data_->solution;
  for (Index i = s.proper; i < s.beta.size(); ++i) all[s.kept[static_cast<size_t>(i)] - s.proper] = s.beta[i];
  if (absorbed() > 0) all[0] -= absorbed() * s.beta[0];
  return mean_.to_user.size() ? Vector(mean_.to_user * all) : all;
}

template <class X>
Matrix Process<X>::coefficient_covariance() const {
  if (!data_) return Matrix(0, 0);
  const Solution& s = data_->solution;
  const Index all = mean_.basis_at(slice(at(), {0, 0})).cols();
  Matrix half = Matrix::Zero(all, s.beta.size());  // rows of R^-1
  const Matrix inverse =
      s.r.template triangularView<Eigen::Upper>().solve(Matrix::Identity(s.r.rows(), s.r.rows()));
  for (Index i = s.proper; i < s.beta.size(); ++i)
    half.row(s.kept[static_cast<size_t>(i)] - s.proper) = inverse.row(i);
  if (absorbed() > 0) half.row(0) -= absorbed() * inverse.row(0);
  if (mean_.to_user.size()) half = (mean_.to_user * half).eval();
  return half * half.transpose();
}

template <class X>
Path<X> Process<X>::path(std::uint64_t seed, Index features) const {
  check_proper();
  Random rng(seed);
  FeatureMap<X> map = kernel_.features(rng, features);
  if (!map)
    throw Error(Problem::usage, "kernel '" + kernel_.text() + "' has no random features: sample at points");
  Path<X> p(*this, map, rng.normal(map.columns, 1));
  if (data_) {  // correct by what the data says of the prior draw
    Vector y = data_->merged.y - mean_.known_at(at()) - p.features_(at()) * p.weights_;
    for (Index i = 0; i < y.size(); ++i) y[i] -= std::sqrt(data_->merged.noise[i]) * rng.normal();
    std::tie(p.alpha_, p.beta_) = data_->solution.weights(y);
  }
  return p;
}

template <class X>
Vector Path<X>::operator()(Batch<X> points) const {
  const Matrix phi = features_(points);
  Vector out = phi * weights_ + process_.mean_.known_at(points);
  if (!process_.data_) return out;
  const Matrix basis = process_.basis(points);
  out += process_.cross(points).transpose() * alpha_;
  const Solution& s = process_.data_->solution;
  for (size_t i = 0; i < s.kept.size(); ++i) out += basis.col(s.kept[i]) * beta_[Index(i)];
  return out;
}

}  // namespace covary
