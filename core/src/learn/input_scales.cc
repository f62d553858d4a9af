#include "covary/learn/input_scales.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "covary/base/random.h"
#include "learn/periods/periodogram.h"

namespace covary {
using namespace internal;
namespace {

Vector column_ranges(const Rows& x) {
  if (x.rows() == 0) return Vector::Ones(x.cols());
  const Vector range = x.colwise().maxCoeff() - x.colwise().minCoeff();
  return (range.array() > 0 && range.array() < 1e100).select(range, 1.0);
}

/// Median of the gaps between sorted distinct values; the range if there are fewer than two. O(n log n)
double median_gap(Vector x, double range) {
  std::sort(x.begin(), x.end());
  std::vector<double> gaps;
  for (Index i = 1; i < x.size(); ++i)
    if (x[i] > x[i - 1]) gaps.push_back(x[i] - x[i - 1]);
  if (gaps.empty()) return range;
  const auto middle = gaps.begin() + std::ssize(gaps) / 2;
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

/// The columns along which a periodic part of one column repeats.
std::vector<Index> oscillating(const std::vector<Parameter>& parameters, Index columns) {
  std::vector<Index> all;
  for (const Parameter& p : parameters) {
    if (p.role != Role::period || p.fixed) continue;
    if (p.reads.size() == 1)
      all.push_back(p.reads[0]);
    else if (p.reads.empty() && columns == 1)
      all.push_back(0);
  }
  return all;
}

}  // namespace

InputScales internal::input_scales(const Rows& x, const Vector& y, const std::vector<Parameter>& parameters) {
  InputScales s{column_ranges(x), Vector(x.cols()), x.rows(),
                std::vector<Vector>(static_cast<size_t>(x.cols()))};
  for (Index k = 0; k < x.cols(); ++k) s.gaps[k] = median_gap(x.col(k), s.ranges[k]);
  for (const Index k : oscillating(parameters, x.cols()))
    if (k < x.cols()) s.periods[static_cast<size_t>(k)] = peak_periods(x.col(k), y);
  return s;
}

std::vector<Index> internal::neighborhood(const Rows& x, Index size, std::uint64_t seed) {
  const Index n = x.rows();
  size = std::min(size, n);
  const Vector scale = column_ranges(x);
  const Index center = n ? Random(seed).integer(n) : 0;
  Vector distance(n);
  for (Index i = 0; i < n; ++i)
    distance[i] = (x.row(i) - x.row(center)).transpose().cwiseQuotient(scale).squaredNorm();
  std::vector<Index> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::nth_element(rows.begin(), rows.begin() + size, rows.end(), [&](Index a, Index b) {
    return distance[a] < distance[b] || (distance[a] == distance[b] && a < b);
  });
  rows.resize(static_cast<size_t>(size));
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace covary
