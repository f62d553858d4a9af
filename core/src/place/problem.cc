#include "covary/place/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary {
using namespace internal;

std::string PlacementProblem::name(Index place) const {
  return names.empty() ? fmt::format("place {}", place + 1) : names[static_cast<size_t>(place)];
}

std::function<double(Index, Index)> internal::distance_between(Matrix x) {
  return [x = std::move(x)](Index i, Index j) {
    const double d = (x.row(i) - x.row(j)).norm();
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  };
}

void internal::extend(PlacementProblem& p, Index n) {
  const auto fill = [n](Vector& v, double value) { v = concat(v, Vector::Constant(n - v.size(), value)); };
  if (p.cost.size() > 0) fill(p.cost, 1);
  if (p.noise.size() > 1) fill(p.noise, p.noise.mean());
  while (!p.group.empty() && std::ssize(p.group) < n)
    p.group.push_back(*std::max_element(p.group.begin(), p.group.end()) + 1);
}

namespace {

void check_places(const std::vector<Index>& which, Index n, const char* what) {
  std::vector<char> seen(static_cast<size_t>(n), 0);
  for (const Index i : which) {
    if (i < 0 || i >= n)
      throw Error(Problem::usage, fmt::format("{}: there is no place {}, they are 0 to {}", what, i, n - 1));
    if (seen[static_cast<size_t>(i)]++)
      throw Error(Problem::usage, fmt::format("{}: place {} is there twice", what, i));
  }
}

void check_length(Index length, Index n, const char* what) {
  if (length != n)
    throw Error(Problem::usage,
                fmt::format("{} has {} values, expected one for each of the {} places", what, length, n));
}

void check_numbers(const PlacementProblem& p) {
  if (p.noise.size() != 1) check_length(p.noise.size(), p.size(), "noise");
  for (Index i = 0; i < p.noise.size(); ++i)
    if (!(p.noise[i] >= 0) || !std::isfinite(p.noise[i]))
      throw Error(Problem::data,
                  fmt::format("the noise of a sensor is a variance, at least 0; at {} it is {}", p.name(i),
                              p.noise[i]));
  if (p.cost.size() > 0) check_length(p.cost.size(), p.size(), "cost");
  for (Index i = 0; i < p.cost.size(); ++i)
    if (!(p.cost[i] > 0) || !std::isfinite(p.cost[i]))
      throw Error(Problem::data, fmt::format("a cost is positive; at {} it is {}", p.name(i), p.cost[i]));
  if (!(p.budget > 0))
    throw Error(Problem::usage, fmt::format("the budget has to be positive, it is {}", p.budget));
  if (!(p.min_distance >= 0))
    throw Error(Problem::usage,
                fmt::format("the least distance between sensors cannot be {}", p.min_distance));
  if (p.min_distance > 0 && !p.distance)
    throw Error(Problem::usage, "a least distance needs a distance between places");
}

}  // namespace

void internal::check(const PlacementProblem& p) {
  if (p.fields.empty()) throw Error(Problem::usage, "placement needs a field: covariances of the places");
  for (const Field& f : p.fields)
    if (f.size != p.size())
      throw Error(Problem::usage,
                  fmt::format("all fields have the same places: one has {}, another {}", p.size(), f.size));
  if (!p.names.empty()) check_length(std::ssize(p.names), p.size(), "names");
  check_numbers(p);
  check_places(p.existing, p.size(), "existing sensors");
  check_places(p.forbidden, p.size(), "forbidden places");
  check_places(p.targets, p.size(), "targets");
  if (!p.group.empty()) check_length(std::ssize(p.group), p.size(), "group");
  if (p.per_group < 0 || (p.per_group > 0 && p.group.empty()))
    throw Error(Problem::usage,
                "sensors per group: expected the group of every place and a number of 0 or more");
}

}  // namespace covary
