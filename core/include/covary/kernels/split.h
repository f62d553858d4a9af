// A kernel as explicit features and the rest: how kernels made of kernels pass their features on.
#pragma once
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

}  // namespace covary
