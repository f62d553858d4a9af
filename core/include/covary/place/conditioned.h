// A field given the readings of sensors, one more at a time: covariances conditioned on them, with the noise of
// a sensor at each place.
#pragma once
#include "covary/algebra/conditional_covariance.h"
#include "covary/place/field.h"

namespace covary::internal {

class Conditioned {
 public:
  /// `noise`: n, of a sensor at each place.
  Conditioned(Field field, Vector noise, int threads = 1);

  Index size() const { return given_.size(); }
  const Field& field() const { return given_.prior(); }
  const Vector& noise() const { return noise_; }
  const std::vector<Index>& sensors() const { return given_.rows(); }
  const Vector& variance() const { return given_.remaining(); }  // n: of f, given the readings
  /// n: of a reading there.
  Vector reading_variance() const { return variance() + noise_; }
  /// n: cov(f_i, f_place) given the readings. One column of the field and 2 n j flops.
  Vector covariance(Index place) const { return given_.covariance(place); }
  /// Another sensor: as much again. Throws Problem::numerical if its reading is known already.
  void add(Index place) { take(place, noise_[place]); }
  /// The field itself becomes known there.
  void add_exact(Index place) { take(place, 0); }
  /// Room for so many sensors more: n doubles each.
  void reserve(Index sensors) { given_.reserve(sensors); }
  /// n: what the latest sensor took off, cov(f, its reading) / sqrt(var of its reading).
  Eigen::Ref<const Vector> latest() const { return given_.column(given_.count() - 1); }

 private:
  void take(Index place, double noise);
  ConditionalCovariance given_;
  Vector noise_;
};

}  // namespace covary::internal
