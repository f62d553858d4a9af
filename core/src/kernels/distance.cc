#include "kernels/distance.h"

#include <fmt/format.h>

#include <mutex>
#include <numbers>

#include "algebra/blas.h"
#include "base/simd/simd.h"
#include "covary/base/error.h"
#include "covary/base/random.h"

namespace covary {
using namespace internal;

Lengthscale Lengthscale::checked(const std::string& kernel, Vector values) {
  for (const double l : values)
    if (!std::isnan(l) || values.size() == 1) check_range(kernel, "lengthscale", l);
  return {std::move(values)};
}

Lengthscale Lengthscale::sized(Rows x) const {
  if (values.size() > 0) return *this;
  return {Vector::Constant(x.cols(), std::numeric_limits<double>::quiet_NaN())};
}

Vector Lengthscale::theta() const {
  if (values.size() == 0) return Vector::Constant(1, std::numeric_limits<double>::quiet_NaN());
  return values.array().log();
}

std::vector<Parameter> Lengthscale::parameters() const {
  if (values.size() == 0) return {{"lengthscale", Role::lengthscale}};
  std::vector<Parameter> all;
  for (Index k = 0; k < values.size(); ++k)
    all.push_back({"lengthscale", Role::lengthscale, values[k], values.size() > 1 ? k : -1});
  return all;
}

Vector Lengthscale::weights(Index d) const {
  if (values.size() == 0 || values.hasNaN()) check_given(parameters());
  if (values.size() != 1 && values.size() != d)
    throw Error(Problem::usage, fmt::format("kernel: {} length-scales were given for points of {} columns",
                                            values.size(), d));
  if (values.size() == 1) return Vector::Constant(d, 1 / (values[0] * values[0]));
  return values.array().square().inverse();
}

Vector Lengthscale::start(Rows x) const {
  const Vector spread = column_spread(x);
  const double d = static_cast<double>(std::max<Index>(1, x.cols()));
  if (values.size() == x.cols() && values.size() > 1) return (spread * std::sqrt(d)).array().log();
  return Vector::Constant(1, 0.5 * std::log(spread.squaredNorm()));
}

Matrix squared_distances(Rows a, Rows b, const Vector& weights) {
  Matrix s(a.rows(), b.rows());
  simd::loops().squared_distances(a.data(), a.outerStride(), a.rows(), b.data(), b.outerStride(), b.rows(),
                                  a.cols(), weights.data(), s.data());
  return s;
}

Vector weighted_squares(Rows a, Rows b, const Matrix& h) {
  Vector out(a.cols());
  simd::loops().weighted_squares(a.data(), a.outerStride(), a.rows(), b.data(), b.outerStride(), b.rows(),
                                 a.cols(), h.data(), out.data());
  return out;
}

/// H B - diag(H 1) A, about the mean of A: an offset of the columns costs no accuracy.
Matrix weighted_differences(Rows a, Rows b, const Matrix& h) {
  const Index d = a.cols();
  Matrix out(a.rows(), d);
  if (a.rows() == 0 || b.rows() == 0) return out.setZero(), out;
  const Eigen::RowVectorXd center = a.colwise().mean();
  Matrix points(b.rows(), d + 1), sums(a.rows(), d + 1);
  points << b.rowwise() - center, Vector::Ones(b.rows());
  blas::multiply(1, h, points, 0, sums, 1);
  for (Index k = 0; k < d; ++k)
    out.col(k) = sums.col(k).array() - sums.col(d).array() * (a.col(k).array() - center[k]);
  return out;
}

void exp_in_place(Eigen::Ref<Vector> x) { simd::loops().exp(x.data(), x.size()); }

Matrix sin_pi(Matrix x) {
  simd::loops().sin_pi(x.data(), x.size());
  return x;
}

Matrix log1p(Matrix x) {
  simd::loops().log1p(x.data(), x.size());
  return x;
}

Matrix differences(Rows a, Rows b, Index k, double unit) {
  Matrix u(a.rows(), b.rows());
  for (Index j = 0; j < b.rows(); ++j) u.col(j) = (a.col(k).array() - b(j, k)) / unit;
  return u;
}

Vector column_spread(Rows x) {
  Vector spread(x.cols());
  for (Index k = 0; k < x.cols(); ++k) {
    const double scale = x.rows() ? x.col(k).cwiseAbs().maxCoeff() : 0;  // so that squares do not overflow
    const double mean = scale > 0 ? (x.col(k) / scale).mean() : 0;
    const double sd = scale > 0 ? scale * std::sqrt(((x.col(k) / scale).array() - mean).square().mean()) : 0;
    spread[k] = sd > 0 && std::isfinite(sd) ? std::clamp(sd, 1e-90, 1e90) : 1;
  }
  return spread;
}

Matrix inner_products(Rows a, Rows b, const Vector& weights) {
  Matrix s = Matrix::Zero(a.rows(), b.rows());
  for (Index j = 0; j < b.rows(); ++j)
    for (Index k = 0; k < a.cols(); ++k) s.col(j) += (weights[k] * b(j, k)) * a.col(k);
  return s;
}

FeatureMap<Row> fourier_features(Matrix frequencies, Random& rng) {  // cos t = sin pi (t/pi + 1/2)
  const Index m = frequencies.rows();
  Vector phase(m);
  for (double& p : phase) p = 2 * rng.uniform() + 0.5;
  Matrix w = frequencies.transpose() / std::numbers::pi;
  return {m, [w = std::move(w), phase = std::move(phase), m](Rows x) -> Matrix {
            if (x.cols() != w.rows())
              throw Error(Problem::usage, fmt::format("kernel: its features are of {} columns, found {}",
                                                      w.rows(), x.cols()));
            Matrix phi(x.rows(), m);
            simd::loops().waves(x.data(), x.outerStride(), x.rows(), w.data(), w.rows(), m, phase.data(),
                                std::sqrt(2.0 / double(m)), phi.data());
            return phi;
          }};
}

FeatureMap<Row> drawn_once(Index m, std::uint64_t seed, std::function<FeatureMap<Row>(Index, Random&)> draw) {
  struct Drawn {
    std::mutex drawing;
    Index columns = -1;
    std::shared_ptr<const FeatureMap<Row>> map;
  };
  return {m, [seed, draw = std::move(draw), drawn = std::make_shared<Drawn>()](Rows x) -> Matrix {
            std::unique_lock lock(drawn->drawing);
            if (drawn->columns != x.cols()) {
              Random rng(seed);
              drawn->map = std::make_shared<const FeatureMap<Row>>(draw(x.cols(), rng));
              drawn->columns = x.cols();
            }
            const std::shared_ptr<const FeatureMap<Row>> map = drawn->map;
            lock.unlock();
            return (*map)(x);
          }};
}

}  // namespace covary
