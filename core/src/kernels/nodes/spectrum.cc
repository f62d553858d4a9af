#include "kernels/nodes/spectrum.h"

#include "algebra/blas.h"

namespace covary {
using namespace internal;
namespace {

/// h = g/mean(g), from log g less its largest.
Vector filter_weights(const FilterValues& g) {
  const Vector h = (g.logs.array() - g.logs.maxCoeff()).exp();
  return h / h.mean();
}

}  // namespace

void Spectrum::computed() const {
  std::call_once(once_, [this] {
    vectors_ = laplacian(*network_);
    values_ = blas::eigenvectors(vectors_, 1).cwiseMax(0.0);  // below 0 by rounding alone
  });
}

std::shared_ptr<const Spectrum> spectrum_of(const std::shared_ptr<const Network>& network) {
  static std::mutex guard;
  static std::weak_ptr<const Network> last;
  static std::weak_ptr<const Spectrum> known;
  const std::lock_guard lock(guard);
  if (last.lock() == network)
    if (std::shared_ptr<const Spectrum> s = known.lock()) return s;
  auto s = std::make_shared<const Spectrum>(network);
  last = network, known = s;
  return s;
}

Matrix FilteredSpectrum::root() const {
  return spectrum_->vectors() * filter_weights(filter_(spectrum_->values())).cwiseSqrt().asDiagonal();
}

const Matrix& FilteredSpectrum::covariance() const {
  std::call_once(once_, [this] {
    const Matrix r = root();
    covariance_.resize(nodes(), nodes());
    blas::rank_update(1, r, 0, covariance_, 1);
    covariance_.triangularView<Eigen::StrictlyUpper>() = covariance_.transpose();
  });
  return covariance_;
}

/// dh/dtheta = h (dlog g/dtheta - mean(h dlog g/dtheta)).
const std::vector<Matrix>& FilteredSpectrum::slopes() const {
  std::call_once(slopes_once_, [this] {
    const FilterValues g = filter_(spectrum_->values());
    const Vector h = filter_weights(g);
    const Matrix rows = spectrum_->vectors().transpose();
    std::vector<Matrix> all;
    for (Index p = 0; p < g.slopes.cols(); ++p) {
      const double mean = h.dot(g.slopes.col(p)) / double(h.size());
      const Vector dh = h.array() * (g.slopes.col(p).array() - mean);
      const Matrix scaled = dh.asDiagonal() * rows;
      blas::multiply_transposed(1, scaled, rows, 0, all.emplace_back(nodes(), nodes()), 1);
    }
    slopes_ = std::move(all);
  });
  return slopes_;
}

}  // namespace covary
