// A kernel as explicit features and the rest: how kernels made of kernels pass their features on.
#pragma once
#include <cmath>
#include <optional>

#include "covary/kernels/kernel.h"

namespace covary {

/// k(x, z) = rest(x, z) + phi(x).phi(z), phi(x) = center + off(x): differences from the center are taken as
/// such, so that an offset of the inputs costs no accuracy. No `off`: no explicit features; no `rest`: 0.
template <class X>
struct Split {
  std::optional<Kernel<X>> rest;
  Vector center;  // q
  FeatureMap<X> off;
};

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

}  // namespace covary
