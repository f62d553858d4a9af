#include "covary/place/allowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace covary {

namespace {

/// Groups as 0, 1, ...
std::vector<Index> numbered(const std::vector<Index>& group) {
  std::unordered_map<Index, Index> seen;
  std::vector<Index> out;
  out.reserve(group.size());
  for (const Index g : group) out.push_back(seen.emplace(g, std::ssize(seen)).first->second);
  return out;
}

}  // namespace

Allowed::Allowed(const PlacementProblem& problem, Index k)
    : problem_(&problem), open_(static_cast<size_t>(problem.size()), 1), left_(k), money_(problem.budget) {
  if (k < 1)
    throw Error(Problem::usage, fmt::format("the number of sensors must be at least 1, found {}", k));
  if (problem.per_group > 0) {
    groups_ = std::make_shared<const std::vector<Index>>(numbered(problem.group));
    in_group_.assign(static_cast<size_t>(1 + *std::max_element(groups_->begin(), groups_->end())), 0);
  }
  count_ = problem.size();
  for (const Index i : problem.forbidden) close(i);
  const Index candidates = count_;
  for (const Index i : problem.existing) stand(i);
  check_possible(candidates);
}

/// Distances may make it impossible too, but to know that would be to solve it.
void Allowed::check_possible(Index candidates) {
  const PlacementProblem& p = *problem_;
  double cheapest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < p.size(); ++i)
    if (is_open(i)) cheapest = std::min(cheapest, p.cost_at(i));
  if (count_ > 0 && cheapest > p.budget)
    throw Error(Problem::usage,
                fmt::format("the budget of {} buys no sensor: the cheapest allowed place costs {}", p.budget,
                            cheapest));
  close_too_dear();
  const Index possible = this->possible();
  if (possible == 0) throw Error(Problem::usage, "no place is allowed: " + why_none());
  if (possible < left_ && !is_bought())
    throw Error(
        Problem::usage,
        fmt::format(
            "{} sensors were asked for, {} can be placed: of {} places {} are forbidden{}; ask for {} at "
            "most, "
            "or allow more",
            left_, possible, p.size(), p.size() - candidates,
            p.per_group > 0 ? fmt::format(", and at most {} are allowed in a group", p.per_group) : "",
            possible));
  left_ = std::min(left_, possible);
}

/// How many places could hold a sensor, by groups alone.
Index Allowed::possible() const {
  if (!groups_) return count_;
  std::vector<Index> room(in_group_.size());
  for (size_t g = 0; g < room.size(); ++g) room[g] = std::max<Index>(0, problem_->per_group - in_group_[g]);
  Index total = 0;
  for (Index i = 0; i < problem_->size(); ++i)
    if (is_open(i) && room[group_of(i)]-- > 0) ++total;
  return total;
}

void Allowed::close(Index place) {
  char& open = open_[static_cast<size_t>(place)];
  count_ -= open;
  open = 0;
}

void Allowed::close_too_dear() {
  if (!std::isfinite(money_)) return;
  // Sums of costs are rounded: what is left may lack the last digits of what it should be.
  for (Index i = 0; i < problem_->size(); ++i)
    if (is_open(i) && problem_->cost_at(i) > money_ + 1e-12 * problem_->budget) close(i);
}

/// A sensor here: nobody else within the least distance, and one more in its group.
void Allowed::stand(Index place) {
  const PlacementProblem& p = *problem_;
  close(place);
  if (p.min_distance > 0)
    for (Index i = 0; i < p.size(); ++i)
      if (is_open(i) && p.distance(place, i) < p.min_distance) close(i);
  if (!groups_) return;
  if (++in_group_[group_of(place)] < p.per_group) return;
  for (Index i = 0; i < p.size(); ++i)
    if (group_of(i) == group_of(place)) close(i);
}

bool Allowed::is_bought() const { return std::isfinite(problem_->budget); }

void Allowed::take(Index place) {
  stand(place);
  --left_;
  money_ -= problem_->cost_at(place);
  close_too_dear();
}

std::string Allowed::why_none() const {
  if (count_ > 0) return "";
  const PlacementProblem& p = *problem_;
  std::vector<std::string> why{"every place is forbidden or has a sensor"};
  if (p.min_distance > 0) why.push_back(fmt::format("or is nearer than {} to one", p.min_distance));
  if (p.per_group > 0) why.push_back("or is in a group that is full");
  if (is_bought()) why.push_back(fmt::format("or costs more than the {:.6g} that are left", money_));
  return fmt::format("{}", fmt::join(why, " "));
}

/// The open places that are worth something, best first, as many as can matter.
std::vector<Index> Allowed::sorted(const Vector& worth, bool by_cost) const {
  std::vector<Index> order;
  for (Index i = 0; i < worth.size(); ++i)
    if (is_open(i) && worth[i] > 0) order.push_back(i);
  const Index all = std::ssize(order), first = by_cost || groups_ ? all : std::min(left_, all);
  std::partial_sort(order.begin(), order.begin() + first, order.end(), [&](Index a, Index b) {
    return by_cost ? worth[a] * problem_->cost_at(b) > worth[b] * problem_->cost_at(a) : worth[a] > worth[b];
  });
  order.resize(static_cast<size_t>(first));
  return order;
}

Vector Allowed::most_by_number(const Vector& worth) const {
  if (is_bought()) return Vector::Constant(left_, most(worth));
  return largest_sums(worth);
}

Vector Allowed::largest_sums(const Vector& worth) const {
  Vector out = Vector::Zero(left_);
  std::vector<Index> in_group = in_group_;
  Index taken = 0;
  for (const Index i : sorted(worth, false)) {
    if (taken == left_) break;
    if (!groups_ || in_group[group_of(i)]++ < problem_->per_group) out[taken++] = worth[i];
  }
  for (Index j = 1; j < left_; ++j) out[j] += out[j - 1];
  return out;
}

double Allowed::most(const Vector& worth) const {
  if (left_ == 0) return 0;
  const double by_number = largest_sums(worth)[left_ - 1];
  if (!std::isfinite(money_)) return by_number;
  double by_money = 0, money = std::max(money_, 0.0) * (1 + 1e-12);
  for (const Index i : sorted(worth, true)) {
    by_money += worth[i] * std::min(1.0, money / problem_->cost_at(i));
    money -= problem_->cost_at(i);
    if (money <= 0) break;
  }
  return std::min(by_number, by_money);
}

}  // namespace covary
