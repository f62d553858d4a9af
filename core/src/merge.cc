#include "covary/merge.h"

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

namespace covary {

std::vector<Index> first_alike(const Rows& x) {
  std::unordered_map<std::string, Index> seen;
  std::vector<Index> first(static_cast<size_t>(x.rows()));
  std::string key(sizeof(double) * static_cast<size_t>(x.cols()), '\0');
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < x.cols(); ++k) {
      const double v = x(i, k) + 0.0;  // -0 is 0
      std::copy_n(reinterpret_cast<const char*>(&v), sizeof v,
                  key.data() + sizeof v * static_cast<size_t>(k));
    }
    first[static_cast<size_t>(i)] = seen.emplace(key, i).first->second;
  }
  return first;
}

double Merged::constant_at(double variance) const {
  if (merged() == 0) return 0;
  return -0.5 * (double(merged()) * std::log(2 * std::numbers::pi * variance) + repeats.array().log().sum() +
                 within / variance);
}

Merged merge(const std::vector<Index>& alike, const Vector& y, const Vector& variances) {
  Merged m;
  m.group.resize(alike.size());
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto f = static_cast<size_t>(alike[i]);
    if (f == i) m.group[i] = std::ssize(m.rows), m.rows.push_back(Index(i));
    m.group[i] = m.group[f];
  }
  const Index distinct = std::ssize(m.rows);
  Vector precision = Vector::Zero(distinct);
  m.y = Vector::Zero(distinct);
  m.repeats = Vector::Zero(distinct);
  for (size_t i = 0; i < alike.size(); ++i) {  // about the group's first value, so that equal ones stay exact
    const Index g = m.group[i], row = Index(i);
    const double p = variances[row] > 0 ? 1 / variances[row] : 1;
    precision[g] += p;
    m.y[g] += p * (y[row] - y[m.rows[static_cast<size_t>(g)]]);
    m.repeats[g] += 1;
  }
  for (Index g = 0; g < distinct; ++g) m.y[g] = y[m.rows[static_cast<size_t>(g)]] + m.y[g] / precision[g];
  m.noise = Vector::Zero(distinct);
  for (size_t i = 0; i < alike.size(); ++i) {
    const Index g = m.group[i], row = Index(i);
    const double off = y[row] - m.y[g], v = variances[row];
    m.within += off * off;
    if (v > 0) m.noise[g] = 1 / precision[g];
    if (v > 0 && m.merged()) m.constant -= 0.5 * (std::log(2 * std::numbers::pi * v) + off * off / v);
  }
  if (m.merged() && (variances.array() > 0).all())
    m.constant += 0.5 * (2 * std::numbers::pi * m.noise.array()).log().sum();
  return m;
}

}  // namespace covary
