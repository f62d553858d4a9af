// A field given the readings of sensors, one more at a time: a column for each, and nothing is refactored.
//
//   s_y = var(reading at y),  c = cov(f, f_y) / sqrt(s_y),  var f <- var f - c o c
#pragma once
#include "covary/place/field.h"

namespace covary {

class Conditioned {
 public:
  /// `noise`: n, of a sensor at each place.
  Conditioned(Field field, Vector noise, int threads = 1);

  Index size() const { return field_.size; }
  const Field& field() const { return field_; }
  const Vector& noise() const { return noise_; }
  const std::vector<Index>& sensors() const { return sensors_; }
  const Vector& variance() const { return variance_; }  // n: of f, given the readings
  /// n: of a reading there.
  Vector reading_variance() const { return variance_ + noise_; }
  /// n: cov(f_i, f_place) given the readings. One column of the field and 2 n j flops.
  Vector covariance(Index place) const;
  /// Another sensor: as much again. Throws Problem::numerical if its reading is known already.
  void add(Index place);
  /// The field itself becomes known there.
  void add_exact(Index place);
  /// Room for so many sensors more: n doubles each.
  void reserve(Index sensors);
  /// n: what the latest sensor took off, cov(f, its reading) / sqrt(var of its reading).
  Eigen::Ref<const Vector> latest() const { return columns_.col(count() - 1); }

 private:
  void take(Index place, double noise);
  Index count() const { return std::ssize(sensors_); }
  Field field_;
  Vector noise_, variance_;
  Matrix columns_;  // n x capacity; one for each sensor
  std::vector<Index> sensors_;
  int threads_;
};

}  // namespace covary
