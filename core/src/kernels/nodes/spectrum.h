// The spectrum of a network, and covariances of its nodes that are functions of it.
#pragma once
#include <functional>
#include <mutex>

#include "covary/kernels/nodes/network.h"

namespace covary {

/// L = V diag(values) V' of a network, computed when it is first asked for: 9 N^3 flops.
class Spectrum {
 public:
  explicit Spectrum(std::shared_ptr<const Network> network) : network_(std::move(network)) {}
  Index nodes() const { return std::ssize(network_->nodes); }
  const Vector& values() const { return computed(), values_; }    // ascending, none negative
  const Matrix& vectors() const { return computed(), vectors_; }  // N x N, in columns

 private:
  void computed() const;
  std::shared_ptr<const Network> network_;
  mutable std::once_flag once_;
  mutable Vector values_;
  mutable Matrix vectors_;
};

/// That of a network: the same one while it is in use.
std::shared_ptr<const Spectrum> spectrum_of(const std::shared_ptr<const Network>& network);

/// A filter g at each eigenvalue, and its derivatives in the parameters: g is scaled freely.
struct FilterValues {
  Vector logs;    // N: log g
  Matrix slopes;  // N x p: dlog g/dtheta
};

/// K = V diag(h) V', h = g/mean(g): the trace is N. Computed when it is first asked for, and shared.
class FilteredSpectrum {
 public:
  FilteredSpectrum(std::shared_ptr<const Spectrum> spectrum,
                   std::function<FilterValues(const Vector& values)> filter)
      : spectrum_(std::move(spectrum)), filter_(std::move(filter)) {}
  Index nodes() const { return spectrum_->nodes(); }
  const Matrix& covariance() const;           // N x N. N^3 flops.
  const std::vector<Matrix>& slopes() const;  // p of N x N: dK/dtheta. 2 N^3 flops each.
  Matrix root() const;                        // N x N: R of K = R R'

 private:
  std::shared_ptr<const Spectrum> spectrum_;
  std::function<FilterValues(const Vector&)> filter_;
  mutable std::once_flag once_, slopes_once_;
  mutable Matrix covariance_;
  mutable std::vector<Matrix> slopes_;
};

}  // namespace covary
