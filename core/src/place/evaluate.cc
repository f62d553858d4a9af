#include "covary/place/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "covary/base/random.h"
#include "covary/gaussian/univariate.h"
#include "place/shared.h"

namespace covary {
using namespace internal;
namespace {

/// Errors so far, of one number of sensors.
struct Tally {
  explicit Tally(Index times) : squares(Vector::Zero(times)), counts(Vector::Zero(times)) {}
  Vector squares, counts;  // of each time
  double inside = 0;
};

HeldOutScore score(const Tally& t) {
  HeldOutScore out;
  const double n = t.counts.sum();
  out.rmse = std::sqrt(t.squares.sum() / n), out.inside = t.inside / n;
  out.worst = n > 0 ? 0 : std::nan("");
  for (Index i = 0; i < t.counts.size(); ++i) {
    if (t.counts[i] == 0) continue;
    const double rmse = std::sqrt(t.squares[i] / t.counts[i]);
    if (out.worst_time < 0 || rmse > out.worst) out.worst = rmse, out.worst_time = i;
  }
  return out;
}

/// The places that count, without those in `sensors`.
std::vector<Index> unobserved(const PlacementProblem& p, const std::vector<Index>& sensors) {
  std::vector<char> counts(static_cast<size_t>(p.size()), p.targets.empty());
  for (const Index i : p.targets) counts[static_cast<size_t>(i)] = true;
  for (const std::vector<Index>& some : {p.existing, sensors})
    for (const Index i : some) counts[static_cast<size_t>(i)] = false;
  std::vector<Index> out;
  for (Index i = 0; i < p.size(); ++i)
    if (counts[static_cast<size_t>(i)]) out.push_back(i);
  return out;
}

/// Whether the reading of a sensor is informative.
bool tells(const Conditioned& now, Index place) {
  const double noise = now.noise()[place];
  return now.variance()[place] + noise > 1e-12 * (now.field().diagonal[place] + noise);
}

void add(Conditioned& now, Index place) {
  if (tells(now, place)) now.add(place);
}

/// The first field, with the sensors that stand.
Conditioned standing(const PlacementProblem& problem) {
  Conditioned now(problem.fields.front(), placing::noise_of(problem), 1);
  for (const Index i : problem.existing) add(now, i);
  return now;
}

/// Times at which the same sensors have no reading, and the predictions there as sensors are added.
class Chain {
 public:
  Chain(const PlacementProblem& problem, const HeldOut& held, std::vector<Index> times)
      : held_(held),
        times_(std::move(times)),
        now_(problem.fields.front(), placing::noise_of(problem), 1),
        mean_(held.mean.replicate(1, std::ssize(times_))) {}

  void add(Index place) {
    const Vector readings = held_.readings.col(place)(times_);
    if (std::isnan(readings[0]) || !tells(now_, place)) return;  // silent at all of these times, or known
    const double variance = now_.variance()[place] + now_.noise()[place];
    const Eigen::RowVectorXd surprise = (readings.transpose() - mean_.row(place)) / std::sqrt(variance);
    now_.add(place);
    mean_ += now_.latest() * surprise;
  }

  void compare(const std::vector<Index>& places, Tally& tally) const {
    const double wide = interval_quantile(95);
    const Vector sd = now_.reading_variance().cwiseMax(0).cwiseSqrt();
    for (size_t t = 0; t < times_.size(); ++t)
      for (const Index i : places) {
        const double error = held_.readings(times_[t], i) - mean_(i, Index(t));
        if (std::isnan(error)) continue;
        tally.squares[times_[t]] += error * error, tally.counts[times_[t]] += 1;
        if (std::abs(error) <= wide * sd[i]) tally.inside += 1;
      }
  }

 private:
  const HeldOut& held_;
  std::vector<Index> times_;
  Conditioned now_;
  Matrix mean_;  // n x times
};

std::vector<Chain> chains(const PlacementProblem& problem, const HeldOut& held,
                          const std::vector<Index>& sensors) {
  std::map<std::vector<bool>, std::vector<Index>> groups;
  for (Index t = 0; t < held.readings.rows(); ++t) {
    std::vector<bool> silent;
    for (const std::vector<Index>& some : {problem.existing, sensors})
      for (const Index i : some) silent.push_back(std::isnan(held.readings(t, i)));
    groups[silent].push_back(t);
  }
  std::vector<Chain> out;
  for (auto& [silent, times] : groups) {
    out.emplace_back(problem, held, std::move(times));
    for (const Index i : problem.existing) out.back().add(i);
  }
  return out;
}

void check_held_out(const PlacementProblem& p, const HeldOut& held) {
  if (held.mean.size() != p.size() || held.readings.cols() != p.size())
    throw Error(Problem::usage,
                fmt::format("held-out readings: expected {} places, found {} means and {} columns", p.size(),
                            held.mean.size(), held.readings.cols()));
}

/// The share q of sorted values lies below; between neighbors it is interpolated.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
}

/// Up to k places in random order, each allowed after those before it.
std::vector<Index> drawn(const PlacementProblem& problem, Index k, Random& rng) {
  Allowed allowed(problem, k);
  std::vector<Index> order(static_cast<size_t>(problem.size())), out;
  for (size_t i = 0; i < order.size(); ++i) order[i] = Index(i);
  for (size_t i = 0; i < order.size() && allowed.left() > 0; ++i) {
    std::swap(order[i], order[i + static_cast<size_t>(rng.integer(Index(order.size() - i)))]);
    if (!allowed.is_open(order[i])) continue;
    allowed.take(order[i]);
    out.push_back(order[i]);
  }
  return out;
}

}  // namespace

std::vector<HeldOutScore> internal::held_out_scores(const PlacementProblem& problem, const HeldOut& held,
                                                    const std::vector<Index>& sensors) {
  check_held_out(problem, held);
  std::vector<Chain> all = chains(problem, held, sensors);
  std::vector<HeldOutScore> out;
  std::vector<Index> taken;
  for (size_t k = 0;; ++k) {
    Tally tally(held.readings.rows());
    const std::vector<Index> places = unobserved(problem, taken);
    for (const Chain& c : all) c.compare(places, tally);
    out.push_back(score(tally));
    if (k == sensors.size()) return out;
    taken.push_back(sensors[k]);
    for (Chain& c : all) c.add(sensors[k]);
  }
}

Vector internal::remaining_sd(const PlacementProblem& problem, const std::vector<Index>& sensors) {
  Conditioned now = standing(problem);
  for (const Index i : sensors) add(now, i);
  return now.variance().cwiseSqrt();
}

Vector internal::mean_sds(const PlacementProblem& problem, const std::vector<Index>& sensors) {
  Conditioned now = standing(problem);
  Vector out(std::ssize(sensors) + 1);
  std::vector<Index> taken;
  for (Index k = 0;; ++k) {
    const std::vector<Index> places = unobserved(problem, taken);
    out[k] = places.empty() ? 0 : now.variance()(places).cwiseSqrt().mean();
    if (k == std::ssize(sensors)) return out;
    taken.push_back(sensors[static_cast<size_t>(k)]);
    add(now, taken.back());
  }
}

RandomSets internal::random_sets(const PlacementProblem& problem, Index k, Index repeats, std::uint64_t seed,
                                 const std::function<Vector(const std::vector<Index>&)>& figures,
                                 int threads) {
  Random rng(seed);
  std::vector<std::vector<Index>> sets;
  for (Index r = 0; r < repeats; ++r) sets.push_back(drawn(problem, k, rng));
  std::vector<Vector> found(sets.size());
  parallel_for(repeats, threads_or_all(threads),
               [&](Index r) { found[static_cast<size_t>(r)] = figures(sets[static_cast<size_t>(r)]); });
  RandomSets out;
  out.mean = out.lower = out.upper = Vector::Constant(k + 1, std::nan(""));
  for (Index j = 0; j <= k; ++j) {
    std::vector<double> at;
    for (const Vector& f : found)
      if (j < f.size() && std::isfinite(f[j])) at.push_back(f[j]);
    if (at.empty()) continue;
    std::sort(at.begin(), at.end());
    out.mean[j] = Eigen::Map<Vector>(at.data(), Index(at.size())).mean();
    out.lower[j] = quantile(at, 0.05), out.upper[j] = quantile(at, 0.95);
  }
  return out;
}

}  // namespace covary
