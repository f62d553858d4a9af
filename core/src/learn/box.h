// The box that parameters are searched in.
#pragma once
#include "covary/learn/search.h"

namespace covary {
using namespace internal;

inline Vector lower(const std::vector<SearchParameter>& all) {
  Vector v(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) v[Index(i)] = all[i].lower;
  return v;
}

inline Vector upper(const std::vector<SearchParameter>& all) {
  Vector v(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) v[Index(i)] = all[i].upper;
  return v;
}

/// True of the length-scale of an input: where it is long, the input hardly counts.
inline bool of_input(const SearchParameter& s) {
  return s.parameter.role == Role::lengthscale && s.parameter.column >= 0;
}

/// t moved into the box.
inline Vector inside(const std::vector<SearchParameter>& all, const Vector& t) {
  return t.cwiseMax(lower(all)).cwiseMin(upper(all));
}

}  // namespace covary
