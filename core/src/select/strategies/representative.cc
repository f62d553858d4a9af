// representative: medoids of the pool, each the candidate nearest to those that no label is near [kaufman1990].
#include <fmt/format.h>

#include <algorithm>

#include "covary/base/runtime.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// The cost of medoids M is sum_t min_{z in M} d^2(t, z), d the kernel's distance; a label is a medoid. The next one
/// takes most off it, which is the first phase of k-medoids, BUILD: within 1 - 1/e of what any b candidates take off.
/// Keeps the covariances of r references t with all m candidates: r m doubles, 3 r m flops a choice.
struct Medoids {
  Index most;
  Index generation = -1, seen = 0;
  std::vector<Index> some = {};
  Matrix cov = {};      // r x m
  Vector nearest = {};  // r: d^2 to the nearest label
  Vector latest = {};
  double cost = 0;

  void begin(const PoolPosterior& belief) {
    some = select::unlabelled(belief, most);
    check_memory(8.0 * double(some.size()) * double(belief.pool().size),
                 fmt::format("covariances of {} with {} candidates", some.size(), belief.pool().size));
    cov.resize(std::ssize(some), belief.pool().size);
    belief.runs("covariances", [&](Range r) {
      cov.middleCols(r.first, r.count) = belief.pool().block(r, some).transpose();
    });
    nearest = Vector::Constant(std::ssize(some), 4 * belief.pool().diagonal.maxCoeff());
    generation = belief.generation(), seen = 0;
  }
  /// d^2 of a run of candidates to the references: r x run.
  auto distances(const PoolPosterior& belief, Range r) const {
    const Vector own = belief.pool().diagonal(some);
    Matrix d = -2 * cov.middleCols(r.first, r.count);
    d.colwise() += own;
    d.rowwise() += belief.pool().diagonal.segment(r.first, r.count).transpose();
    return Matrix(d.cwiseMax(0));
  }
  void follow(const PoolPosterior& belief) {
    for (; seen < std::ssize(belief.order()); ++seen) {
      const Index z = belief.order()[static_cast<size_t>(seen)];
      nearest = nearest.cwiseMin(distances(belief, {z, 1}).col(0));
      for (size_t t = 0; t < some.size(); ++t)
        if (some[t] == z) nearest[Index(t)] = 0;
    }
  }
  /// Every reference has a label, while other candidates do not.
  bool used_up(const PoolPosterior& belief) const {
    std::vector<char> taken(static_cast<size_t>(belief.pool().size), 0);
    for (const Index z : belief.order()) taken[static_cast<size_t>(z)] = 1;
    return std::ssize(some) < belief.pool().size &&
           std::all_of(some.begin(), some.end(), [&](Index t) { return taken[static_cast<size_t>(t)]; });
  }
  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (generation != belief.generation() || cov.cols() != belief.pool().size || used_up(belief))
      begin(belief);
    follow(belief);
    latest.resize(cov.cols());
    belief.runs("scores", [&](Range r) {
      const Matrix less = (-distances(belief, r)).colwise() + nearest;
      latest.segment(r.first, r.count) = less.cwiseMax(0).colwise().sum().transpose();
    });
    cost = nearest.sum();
    return latest;
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    if (sight.belief.order().empty()) return "the middle of the pool: its medoid";
    const auto r = double(some.size());
    return fmt::format("brings the pool nearer to its labels: mean squared distance {:.3g} to {:.3g}",
                       cost / r, (cost - latest[i]) / r);
  }
};

}  // namespace

StrategyEntry representative() {
  StrategyEntry e{
      "representative",
      "sum_t max(0, min_z d(t, z)^2 - d(t, x)^2), d^2 = k(x, x) + k(t, t) - 2 k(x, t)",
      "cluster centers (k-medoids) whatever the labels say: a batch of b is b medoids",
      {"reference"},
      [](const Arguments& a) { return Strategy(Medoids{a.integer("reference", 1000, 1, 100000)}); }};
  e.reference = "kaufman1990";
  e.bytes = [](const Arguments& a, Index m) {
    return 8 * double(std::min<Index>(a.integer("reference", 1000, 1, 100000), m)) * double(m);
  };
  return e;
}

}  // namespace covary::strategy
