// Features of points: maps from points to vectors whose inner products are, or are on average, covariances.
#pragma once
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// A draw of random features: n points -> n x columns, with E[phi(x) phi(z)'] = k(x, z). May be empty.
template <class X>
struct FeatureMap {
  Index columns = 0;
  std::function<Matrix(Batch<X>)> map;
  Matrix operator()(Batch<X> x) const { return map(x); }
  explicit operator bool() const { return static_cast<bool>(map); }
};

namespace internal {
/// The columns of all maps, one after the other.
template <class X>
FeatureMap<X> side_by_side(std::vector<FeatureMap<X>> maps) {
  Index columns = 0;
  for (const FeatureMap<X>& f : maps) columns += f.columns;
  return {columns, [maps = std::move(maps), columns](Batch<X> x) -> Matrix {
            Matrix all(count(x), columns);
            Index at = 0;
            for (const FeatureMap<X>& f : maps) all.middleCols(at, f.columns) = f(x), at += f.columns;
            return all;
          }};
}

/// The features of variance * k.
template <class X>
FeatureMap<X> scaled_features(double variance, const FeatureMap<X>& f) {
  return {f.columns, [sd = std::sqrt(variance), f](Batch<X> x) -> Matrix { return sd * f(x); }};
}
}  // namespace internal

}  // namespace covary
