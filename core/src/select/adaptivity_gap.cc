#include "covary/select/adaptivity_gap.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

constexpr double least_noise = 1e-6;  // of the variance of a candidate
constexpr double negligible_weight = 1e-9;

/// One theta: the pool, and what the labels so far tell under it.
class Informed {
 public:
  explicit Informed(const PoolPosterior& p)
      : posterior_(p),
        noise_(p.pool().noise.cwiseMax(least_noise * p.pool().diagonal)),
        taken_(static_cast<size_t>(p.pool().size), 0) {
    for (const Index i : p.order()) taken_[static_cast<size_t>(i)] = 1;
  }
  /// m: 1/2 log(1 + var/noise), what a label at each open candidate tells of f; 0 elsewhere.
  Vector gains() const {
    const Vector variance = posterior_.variance();
    Vector out = Vector::Zero(variance.size());
    for (Index i = 0; i < out.size(); ++i)
      if (!taken_[static_cast<size_t>(i)] && variance[i] > 0 && noise_[i] > 0)
        out[i] = 0.5 * std::log1p(variance[i] / noise_[i]);
    return out;
  }
  void take(Index i, double gain) { posterior_.pend(i), taken_[static_cast<size_t>(i)] = 1, told_ += gain; }
  double told() const { return told_; }  // F of what was taken
  Index open() const { return std::count(taken_.begin(), taken_.end(), 0); }
  bool is_open(Index i) const { return !taken_[static_cast<size_t>(i)]; }

 private:
  PoolPosterior posterior_;
  Vector noise_;
  std::vector<char> taken_;
  double told_ = 0;
};

double sum_of_largest(const Vector& v, Index k) {
  std::vector<double> all(v.begin(), v.end());
  std::partial_sort(all.begin(), all.begin() + k, all.end(), std::greater<>());
  double sum = 0;
  for (Index i = 0; i < k; ++i) sum += all[static_cast<size_t>(i)];
  return sum;
}

/// U >= max over k candidates of F: min_j F(G_j) + the k largest gains given G_j.
double most_information(const PoolPosterior& member, Index k) {
  Informed greedy(member);
  double least = std::numeric_limits<double>::infinity();
  for (Index j = 0; j <= k; ++j) {
    const Vector gains = greedy.gains();
    least = std::min(least, greedy.told() + sum_of_largest(gains, k));
    Index best = 0;
    const double gain = gains.maxCoeff(&best);
    if (j == k || !(gain > 0)) break;
    greedy.take(best, gain);
  }
  return least;
}

}  // namespace

AdaptivityGap adaptivity_gap(const std::vector<PoolPosterior>& members, const Vector& weights, Index k) {
  if (members.empty() || std::ssize(members) != weights.size())
    throw Error(Problem::usage, "adaptivity gap: expected a weight for each parameter vector, one or more");
  if (k < 1)
    throw Error(Problem::usage, "adaptivity gap: expected 1 label or more, found " + std::to_string(k));
  AdaptivityGap out;
  std::vector<Index> those;  // of a weight that counts
  for (Index s = 0; s < weights.size(); ++s) {
    if (weights[s] > 0) out.parameters -= weights[s] * std::log(weights[s]);
    if (weights[s] > negligible_weight) those.push_back(s);
  }
  std::vector<Informed> fixed;
  for (const Index s : those) fixed.emplace_back(members[static_cast<size_t>(s)]);
  k = std::min(k, fixed.front().open());
  if (std::ssize(those) == 1) out.parameters = 0;
  Vector most(std::ssize(those)), told = Vector::Zero(std::ssize(those));
  parallel_for(std::ssize(those), members.front().threads(), [&](Index j) {
    most[j] = most_information(members[static_cast<size_t>(those[static_cast<size_t>(j)])], k);
  });
  const Index m = members.front().pool().size;
  for (Index picked = 0; picked < k; ++picked) {
    Matrix gains(m, std::ssize(those));
    Vector mean = Vector::Zero(m);
    for (size_t j = 0; j < fixed.size(); ++j) {
      gains.col(Index(j)) = fixed[j].gains();
      mean += weights[those[j]] * gains.col(Index(j));
    }
    Index best = -1;
    for (Index i = 0; i < m; ++i)
      if (fixed.front().is_open(i) && (best < 0 || mean[i] > mean[best] * (1 + 1e-12))) best = i;
    for (size_t j = 0; j < fixed.size(); ++j) fixed[j].take(best, gains(best, Index(j)));
    out.design.push_back(best);
  }
  double all = 0, spread = 0, largest = 0;
  for (size_t j = 0; j < fixed.size(); ++j) {
    const double w = weights[those[j]], u = most[Index(j)];
    out.information += w * fixed[j].told();
    spread += w * std::max(0.0, u - fixed[j].told());
    all += w * u, largest = std::max(largest, w * u);
  }
  out.designs = std::max(0.0, std::min(spread, all - largest));
  return out;
}

}  // namespace covary
