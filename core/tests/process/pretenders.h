// Functions of two points that look like kernels and are none.
#pragma once
#include <cmath>

#include "support.h"

namespace covary::test {

/// What both share: nothing to learn. Never asked for a gradient.
struct NothingToLearn {
  Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
};

/// tanh(slope x.z + offset): symmetric, not positive semi-definite.
struct Sigmoid : NothingToLearn {
  double slope = 1, offset = -1;
  Sigmoid() = default;
  Sigmoid(double s, double o) : slope(s), offset(o) {}
  Matrix cross(Rows a, Rows b) const { return (slope * (a * b.transpose()).array() + offset).tanh(); }
  Vector diag(Rows a) const { return (slope * a.rowwise().squaredNorm().array() + offset).tanh(); }
  Sigmoid with(const Vector&) const { return *this; }
  std::string text() const { return "sigmoid()"; }
};

/// exp(-(x - z)^2) (1 + tanh(x - z)/10): not symmetric.
struct Lopsided : NothingToLearn {
  Matrix cross(Rows a, Rows b) const {
    const Eigen::ArrayXXd off =
        a.col(0).replicate(1, b.rows()).array() - b.col(0).transpose().replicate(a.rows(), 1).array();
    return (-off.square()).exp() * (1 + off.tanh() / 10);
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Lopsided with(const Vector&) const { return *this; }
  std::string text() const { return "lopsided()"; }
};

}  // namespace covary::test
