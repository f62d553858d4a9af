// Small random placement problems, and the worth of a set from its definition: determinants and conditionals
// of Gaussians, nothing that the library's recurrences use.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "covary/base/random.h"
#include "covary/place/placement.h"
#include "support.h"

namespace covary::test {

inline double log_det(const Matrix& a) {
  return a.size() == 0 ? 0 : 2 * lower_root_of(a).diagonal().array().log().sum();
}

struct RandomPlacement {
  Matrix x, k;
  PlacementProblem problem;
};

/// n places in the plane, with a nugget of 1e-3 to 0.3; noise of sensors none, the same or different.
inline RandomPlacement random_placement(Index n, Random& random) {
  RandomPlacement out;
  out.x = Matrix::NullaryExpr(n, 2, [&] { return 3 * random.uniform(); });
  const double length = 0.4 + 2 * random.uniform(), nugget = std::pow(10.0, -3 + 2.5 * random.uniform());
  const bool smooth = random.uniform() < 0.5;
  Vector scale = Vector::NullaryExpr(n, [&] { return 0.5 + random.uniform(); });
  out.k.resize(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double r = (out.x.row(i) - out.x.row(j)).norm() / length;
      out.k(i, j) =
          scale[i] * scale[j] * (smooth ? std::exp(-r * r / 2) : std::exp(-r)) + (i == j ? nugget : 0);
    }
  out.problem.fields = {field_of(out.k)};
  const double kind = random.uniform();
  if (kind > 0.7)
    out.problem.noise = Vector::NullaryExpr(n, [&] { return 0.3 * random.uniform(); });
  else if (kind > 0.35)
    out.problem.noise = Vector::Constant(1, 0.2 * random.uniform());
  return out;
}

/// The worth of set A by name of the criterion, less that of no set.
class Worth {
 public:
  Worth(const PlacementProblem& p, const Matrix& k, std::string criterion)
      : p_(p), k_(k), criterion_(std::move(criterion)) {}
  double operator()(const std::vector<Index>& a) const { return of(joined(a)) - of(p_.existing); }

 private:
  std::vector<Index> joined(const std::vector<Index>& a) const {
    std::vector<Index> all = p_.existing;
    all.insert(all.end(), a.begin(), a.end());
    return all;
  }
  std::vector<Index> others(const std::vector<Index>& a) const {
    std::vector<Index> out;
    for (Index i = 0; i < k_.rows(); ++i)
      if (std::find(a.begin(), a.end(), i) == a.end()) out.push_back(i);
    return out;
  }
  Matrix readings(const std::vector<Index>& a) const {
    Matrix out = k_(a, a);
    for (Index i = 0; i < out.rows(); ++i) out(i, i) += p_.noise_at(a[static_cast<size_t>(i)]);
    return out;
  }
  /// log det of the covariance of readings at a and the field at b.
  double joint(const std::vector<Index>& a, const std::vector<Index>& b) const {
    const Index na = std::ssize(a), nb = std::ssize(b);
    Matrix all(na + nb, na + nb);
    all << readings(a), Matrix(k_(a, b)), Matrix(k_(b, a)), Matrix(k_(b, b));
    return log_det(all);
  }
  Vector left(const std::vector<Index>& a) const {
    const std::vector<Index> at = p_.targets.empty() ? others(a) : p_.targets;
    Vector out = k_.diagonal()(at);
    if (!a.empty()) out -= (k_(at, a) * inverse_of(readings(a)) * k_(a, at)).diagonal();
    return out;
  }
  double of(const std::vector<Index>& a) const {
    if (criterion_ == "entropy")
      return 0.5 *
             (double(a.size()) * std::log(2 * std::numbers::pi * std::numbers::e) + log_det(readings(a)));
    if (criterion_ == "mutual-information" || criterion_ == "local-mutual-information") {
      const std::vector<Index> b = p_.targets.empty() ? others(a) : p_.targets;
      return 0.5 * (log_det(readings(a)) + log_det(k_(b, b)) - joint(a, b));
    }
    const Vector v = left(a);
    return v.size() == 0 ? 0 : criterion_ == "max-variance" ? -v.maxCoeff() : -v.sum();
  }
  const PlacementProblem& p_;
  const Matrix& k_;
  std::string criterion_;
};

/// The criteria that are there to compare with, or the others.
inline std::vector<std::string> names_of(bool baselines) {
  std::vector<std::string> out;
  for (const CriterionEntry& e : criteria())
    if (e.baseline == baselines) out.push_back(e.name);
  return out;
}

inline std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const CriterionEntry& e : criteria()) out.push_back(e.name);
  return out;
}

/// Whether a set keeps to every rule of the problem.
inline bool is_allowed(const PlacementProblem& p, const std::vector<Index>& a) {
  double cost = 0;
  std::vector<Index> all = p.existing;
  for (const Index i : a) {
    if (std::find(p.forbidden.begin(), p.forbidden.end(), i) != p.forbidden.end()) return false;
    if (std::find(all.begin(), all.end(), i) != all.end()) return false;
    for (const Index j : all)
      if (p.min_distance > 0 && p.distance(i, j) < p.min_distance) return false;
    all.push_back(i), cost += p.cost_at(i);
  }
  if (cost > p.budget * (1 + 1e-12)) return false;
  for (const Index i : all)
    if (p.per_group > 0 && std::find(a.begin(), a.end(), i) != a.end() &&
        std::count_if(all.begin(), all.end(),
                      [&](Index j) { return p.group[size_t(j)] == p.group[size_t(i)]; }) > p.per_group)
      return false;
  return true;
}

/// fn(set) for every allowed set of 1 to k of the n places, ascending.
inline void for_sets(const PlacementProblem& p, Index k,
                     const std::function<void(const std::vector<Index>&)>& fn) {
  std::vector<Index> set;
  const std::function<void(Index)> grow = [&](Index first) {
    if (!set.empty() && is_allowed(p, set)) fn(set);
    if (std::ssize(set) == k) return;
    for (Index i = first; i < p.size(); ++i) {
      set.push_back(i);
      grow(i + 1);
      set.pop_back();
    }
  };
  grow(0);
}

/// The best of all allowed sets of exactly k, or of up to k.
struct Best {
  std::vector<Index> set;
  double value = -std::numeric_limits<double>::infinity();
};
inline Best best_of_all(const PlacementProblem& p, Index k, const Worth& worth, bool exactly) {
  Best best;
  for_sets(p, k, [&](const std::vector<Index>& set) {
    if (exactly && std::ssize(set) < k) return;
    const double v = worth(set);
    if (v > best.value) best = {set, v};
  });
  return best;
}

}  // namespace covary::test
