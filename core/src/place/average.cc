#include "place/average.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"

namespace covary::placing {
using namespace internal;

Average::Average(const PlacementProblem& problem, const CriterionEntry& entry, const PlaceOptions& o)
    : problem_(&problem) {
  for (const Field& field : problem.fields)
    all_.push_back(entry.make(problem, field, {o.seed, threads_or_all(o.threads), o.neighbors}));
}

Average::Average(const Average& other) : problem_(other.problem_) {
  for (const auto& one : other.all_) all_.push_back(one->clone());
}

template <class F>
Vector Average::mean(const F& of) const {
  Vector sum = of(*all_.front());
  for (size_t i = 1; i < all_.size(); ++i) sum += of(*all_[i]);
  return sum / double(all_.size());
}

template <class F>
double Average::mean_number(const F& of) const {
  return mean([&](const Criterion& c) -> Vector { return Vector::Constant(1, of(c)); })[0];
}

Vector Average::gains() const {
  return mean([](const Criterion& c) -> Vector { return c.gains(); });
}
double Average::value() const {
  return mean_number([](const Criterion& c) { return c.value(); });
}
/// The best of a mean is at most the mean of the bests.
Vector Average::most(const Allowed& start) const {
  return mean([&](const Criterion& c) { return c.most(start); });
}
double Average::most_beyond(const Allowed& rest, double enough) const {
  // With several, `enough` says nothing of any one of them.
  const double each = all_.size() == 1 ? enough : -std::numeric_limits<double>::infinity();
  return mean_number([&](const Criterion& c) { return c.most_beyond(rest, each); });
}
double Average::least() const {
  return mean_number([](const Criterion& c) { return c.least(); });
}
void Average::add(Index place) {
  for (const auto& one : all_) one->add(place);
}
void Average::reserve(Index sensors) {
  for (const auto& one : all_) one->reserve(sensors);
}

namespace {

/// The open places whose number is within rounding of the largest; none if that is -infinity.
std::vector<Index> best_of(const Vector& numbers, const std::vector<Index>& among) {
  double best = -std::numeric_limits<double>::infinity();
  for (const Index i : among) best = std::max(best, numbers[i]);
  std::vector<Index> out;
  if (std::isinf(best) && best < 0) return out;
  const double enough = std::isinf(best) ? best : best - 1e-12 * std::abs(best);
  for (const Index i : among)
    if (numbers[i] >= enough) out.push_back(i);
  return out;
}

}  // namespace

Index Average::next(const Allowed& allowed, bool per_cost) const {
  Vector scores = mean([](const Criterion& c) { return c.scores(); });
  std::vector<Index> open;
  for (Index i = 0; i < scores.size(); ++i)
    if (allowed.is_open(i)) open.push_back(i);
  if (per_cost)
    for (const Index i : open) scores[i] /= problem_->cost_at(i);
  std::vector<Index> best = best_of(scores, open);
  if (best.empty()) return -1;
  const Vector second = mean([](const Criterion& c) { return c.ties(); });
  if (second.size() > 0) best = best_of(second, best);
  return best.front();
}

std::vector<Index> Average::targets() const {
  if (!problem_->targets.empty()) return problem_->targets;
  std::vector<char> has(static_cast<size_t>(problem_->size()), 0);
  for (const Index i : all_.front()->now().sensors()) has[static_cast<size_t>(i)] = 1;
  std::vector<Index> out;
  for (Index i = 0; i < problem_->size(); ++i)
    if (!has[static_cast<size_t>(i)]) out.push_back(i);
  return out;
}

double Average::mean_sd() const {
  const std::vector<Index> at = targets();
  if (at.empty()) return 0;
  return mean_number([&](const Criterion& c) { return c.now().variance()(at).cwiseSqrt().mean(); });
}

double Average::largest_sd() const {
  const std::vector<Index> at = targets();
  if (at.empty()) return 0;
  return mean_number([&](const Criterion& c) { return std::sqrt(c.now().variance()(at).maxCoeff()); });
}

}  // namespace covary::placing
