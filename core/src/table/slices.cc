#include "covary/table/slices.h"

#include <algorithm>

namespace covary {
namespace {

double median(Vector v) {
  const Index half = v.size() / 2;
  std::nth_element(v.begin(), v.begin() + half, v.end());
  const double upper = v[half];
  if (v.size() % 2 == 1) return upper;
  const double lower = *std::max_element(v.begin(), v.begin() + half);
  return lower + (upper - lower) / 2;
}

}  // namespace

Vector internal::column_medians(const Rows& x) {
  Vector out(x.cols());
  for (Index k = 0; k < x.cols(); ++k) out[k] = x.rows() > 0 ? median(x.col(k)) : 0;
  return out;
}

Matrix internal::slice_points(const Vector& at, Index moving, const Vector& values) {
  Matrix out = at.transpose().replicate(values.size(), 1);
  out.col(moving) = values;
  return out;
}

Matrix grid_points(const Vector& x, const Vector& y) {
  Matrix out(x.size() * y.size(), 2);
  for (Index j = 0; j < y.size(); ++j) {
    out.col(0).segment(j * x.size(), x.size()) = x;
    out.col(1).segment(j * x.size(), x.size()).setConstant(y[j]);
  }
  return out;
}

}  // namespace covary
