// Further starts of a search in parameters one of which is a period: the likelihood has an optimum at each
// of many periods, and a descent finds the nearest.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "covary/base/parallel.h"
#include "covary/learn/reparametrized.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index most_rows = 120;    // that periods are tried on
constexpr double oversampling = 4;  // frequencies are 1/(4 range) apart: peaks are 1/range wide
constexpr size_t least_kept = 4;    // of each scan, at least

/// The parameter t_j that is theta_i and nothing else, or -1.
Index own_parameter(const Reparametrized& tied, Index i) {
  const auto row = tied.theta.map.row(i);
  Index j = 0;
  if ((row.array() != 0).count() != 1 || row.maxCoeff(&j) != 1) return -1;
  const bool alone = (tied.theta.map.col(j).array() != 0).count() == 1;
  return alone && (tied.noise.map.col(j).array() == 0).all() ? j : -1;
}

std::vector<Parameter> learned(const Reparametrized& tied) {
  std::vector<Parameter> all = tied.kernel.parameters();
  std::erase_if(all, [](const Parameter& p) { return p.fixed; });
  return all;
}

/// Every parameter that is a length-scale or a shape (a periodic kernel's length-scale is one) three times as
/// large.
Vector smoother(const Reparametrized& tied, Vector t, const Vector& lower, const Vector& upper) {
  const std::vector<Parameter> places = learned(tied);
  for (Index i = 0; i < std::ssize(places); ++i) {
    const Index j = own_parameter(tied, i);
    const Role role = places[static_cast<size_t>(i)].role;
    if (j >= 0 && (role == Role::lengthscale || role == Role::shape)) t[j] += std::log(3.0);
  }
  return t.cwiseMax(lower).cwiseMin(upper);
}

/// As many values as a quarter of a second has, about: n^2 10 ns for the covariances, n^3/6 ns for the
/// factor.
Index affordable(Index n) {
  const double seconds = 5e-9 * double(n * n) + 1.7e-10 * double(n * n * n);
  return std::clamp<Index>(Index(0.25 / seconds), 300, 12000);
}

/// log periods, evenly in frequency from 1/(twice the range) or the upper bound on.
Vector periods(double range, double lower, double upper, Index n, double offset) {
  const double longest = std::min(upper + offset, std::log(2 * range));
  const double first = std::exp(-longest), last = std::exp(-(lower + offset)),
               step = 1 / (oversampling * range);
  const auto count = Index(std::clamp((last - first) / step, 0.0, double(affordable(n)))) + 1;
  Vector out(count);
  for (Index k = 0; k < count; ++k) out[k] = -std::log(first + double(k) * step) - offset;
  return out;
}

/// The highest local maxima of a scan, best first: the first few, and the first of each octave. Rows on a
/// grid of times repeat every optimum at many short periods, which would be all of the first few.
std::vector<Index> peaks(const Vector& value, const Vector& at) {
  std::vector<Index> top;
  for (Index k = 0; k < value.size(); ++k) {
    const bool over_left = k == 0 || value[k] >= value[k - 1];
    if (over_left && (k + 1 == value.size() || value[k] > value[k + 1])) top.push_back(k);
  }
  std::sort(top.begin(), top.end(), [&](Index a, Index b) { return value[a] > value[b]; });
  std::vector<Index> out;
  std::set<int> seen;
  for (const Index k : top)
    if (seen.insert(int(std::floor(at[k] / std::numbers::ln2))).second || out.size() < least_kept)
      out.push_back(k);
  return out;
}

/// `from` with t_j at the best of these values.
std::vector<Vector> scanned(const Reparametrized& tied, const ReparametrizedData& data, const Vector& from,
                            Index j, const Vector& at, int threads) {
  const auto moved = [&](Index k) {
    Vector t = from;
    t[j] = at[k];
    return t;
  };
  Vector value(at.size());
  constexpr Index together = 64;
  parallel_for((at.size() + together - 1) / together, threads, [&](Index block) {
    ReparametrizedEvidence evidence(tied, data);
    for (Index k = block * together; k < std::min(at.size(), (block + 1) * together); ++k)
      value[k] = evidence.at(moved(k), false).value;
  });
  std::vector<Vector> out;
  for (const Index k : peaks(value, at)) out.push_back(moved(k));
  return out;
}

}  // namespace

std::vector<Index> internal::scattered_rows(Index n) {
  std::vector<Index> rows;
  constexpr double golden = 0.6180339887498949;
  if (n <= most_rows)
    for (Index i = 0; i < n; ++i) rows.push_back(i);
  for (Index i = 0; n > most_rows && i < most_rows; ++i) {
    const double at = double(i) * golden;
    rows.push_back(std::min(n - 1, Index(double(n) * (at - std::floor(at)))));
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<Vector> internal::period_starts(const Reparametrized& tied, const ReparametrizedData& data,
                                            const Vector& start, const Vector& lower, const Vector& upper,
                                            int threads) {
  std::vector<Vector> out;
  const std::vector<Parameter> places = learned(tied);
  for (Index i = 0; i < std::ssize(places); ++i) {
    const Parameter& p = places[static_cast<size_t>(i)];
    const Index j = own_parameter(tied, i);
    if (p.role != Role::period || j < 0) continue;
    const auto x = data.x.col(std::max<Index>(0, p.column));
    const double range = x.maxCoeff() - x.minCoeff();
    if (!(range > 0)) continue;
    const Vector at = periods(range, lower[j], upper[j], data.x.rows(), tied.theta.offset[i]);
    for (const Vector& from : {start, smoother(tied, start, lower, upper)})
      for (Vector& t : scanned(tied, data, from, j, at, threads)) out.push_back(std::move(t));
  }
  return out;
}

}  // namespace covary
