#include "covary/svm/svm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/constants.h"
#include "covary/base/checks.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "svm/dense_margin.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index checked_at_once = 256;  // points checked in one block
constexpr Index few = 32;               // new points that the active set takes in without LIBSVM

using Indices = std::vector<Index>;

void check_labels(const Vector& y) {
  Index positive = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] != 1 && y[i] != -1)
      throw Error(Problem::usage, fmt::format("labels: point {}: expected 1 or -1, found {}", i + 1, y[i]));
    positive += y[i] > 0;
  }
  if (positive == 0 || positive == y.size())
    throw Error(Problem::data,
                fmt::format("labels: expected two classes to separate, found {} among {} points",
                            y.size() ? fmt::format("only {}", y[0]) : "none", y.size()));
}

void check_weights(const Vector& weights, Index n) {
  if (weights.size() == 0) return;
  check_sizes(n, weights.size());
  for (Index i = 0; i < n; ++i)
    if (!(weights[i] > 0))
      throw Error(Problem::usage,
                  fmt::format("weights: point {}: expected a positive weight, found {}", i + 1, weights[i]));
}

void check_before(const Separator& before, const Vector& y) {
  if (before.size > y.size())
    throw Error(Problem::usage, fmt::format("before: expected a separator of the first of these {} points, "
                                            "found one of {} points",
                                            y.size(), before.size));
  for (size_t s = 0; s < before.support.size(); ++s) {
    const Index i = before.support[s];
    if (i >= y.size() || before.weights[Index(s)] * y[i] < 0)
      throw Error(
          Problem::usage,
          fmt::format("before: expected a separator of the same labels, and point {} has another", i + 1));
  }
}

/// The block, if it is of the right size and finite.
Matrix values(const KernelBlock& block, const Indices& rows, const Indices& columns) {
  Matrix k = block(rows, columns);
  if (k.rows() != std::ssize(rows) || k.cols() != std::ssize(columns))
    throw Error(Problem::usage, fmt::format("kernel: expected a block of {} x {}, found {} x {}", rows.size(),
                                            columns.size(), k.rows(), k.cols()));
  if (k.allFinite()) return k;
  for (Index j = 0; j < k.cols(); ++j)
    for (Index i = 0; i < k.rows(); ++i)
      if (!std::isfinite(k(i, j)))
        throw Error(
            Problem::numerical,
            fmt::format("the kernel of points {} and {} is {}: expected a finite number",
                        rows[static_cast<size_t>(i)] + 1, columns[static_cast<size_t>(j)] + 1, k(i, j)));
  return k;
}

/// first, ..., end - 1.
Indices run_of(Index first, Index end) {
  Indices all(static_cast<size_t>(end - first));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// n: sum_s w_s k_is, each in the same order.
Vector weighted(const Matrix& k, const Vector& w) {
  Vector sum = Vector::Zero(k.rows());
  for (Index s = 0; s < w.size(); ++s) sum += w[s] * k.col(s);
  return sum;
}

/// The offset at which each of the points first, ..., n - 1 is on its margin: e_i = y_i - sum_s w_s k(x_s, x_i).
Vector liked_offsets(const KernelBlock& block, const Vector& y, const Separator& s, Index first,
                     int threads) {
  Vector e = y.tail(y.size() - first);
  parallel_for((e.size() + checked_at_once - 1) / checked_at_once, threads_or_all(threads), [&](Index b) {
    const Index from = b * checked_at_once, count = std::min(checked_at_once, e.size() - from);
    const Matrix k = values(block, run_of(first + from, first + from + count), s.support);
    e.segment(from, count) -= weighted(k, s.weights);
  });
  return e;
}

/// The offsets that no point objects to: at least what those like whose weight could grow, at most what those
/// like whose weight could shrink. The gap is half of what is missing between the two.
struct Between {
  double least = -infinity, most = infinity;
  void add(double e, double y, double weight, double penalty) {
    const bool off_zero = weight != 0, off_end = std::abs(weight) < penalty;
    if (y > 0 ? off_end : off_zero) least = std::max(least, e);
    if (y > 0 ? off_zero : off_end) most = std::min(most, e);
  }
  double middle() const { return least + (most - least) / 2; }
  double gap() const { return std::max(0.0, (least - most) / 2); }
};

/// The points that are worked on, and what they come to.
struct Work {
  const KernelBlock& block;
  const Vector& y;
  const SvmOptions& options;
  Vector penalty;  // n: of each point
  Indices set;     // m, ascending
  Vector weights;  // m
  Separator found;

  Vector all_weights() const {  // n
    Vector all = Vector::Zero(y.size());
    all(set) = weights;
    return all;
  }
};

void solve(Work& work, bool quick) {
  const Index m = std::ssize(work.set);
  check_memory(32 * double(m) * double(m), fmt::format("a working set of {} points", m));
  const DenseMargin d =
      widest_margin(values(work.block, work.set, work.set), work.y(work.set), work.penalty(work.set),
                    0.01 * work.options.tolerance, work.weights, quick);
  if (d.stuck >= 0)
    throw Error(
        Problem::data,
        fmt::format("labels: no separator of this kernel classifies all {} points correctly, to rounding "
                    "(point {} fails); give a finite penalty",
                    work.y.size(), work.set[static_cast<size_t>(d.stuck)] + 1));
  work.weights = d.weights;
  // What rounding keeps from 0 or from the penalty is there: one such weight would decide the offset.
  for (Index p = 0; p < m; ++p) {
    double& w = work.weights[p];
    const double penalty = work.penalty[work.set[static_cast<size_t>(p)]];
    if (std::abs(w) > (1 - 1e-10) * penalty) w = std::copysign(penalty, w);
    if (std::isfinite(penalty) && std::abs(w) < 1e-10 * std::min(penalty, work.weights.cwiseAbs().maxCoeff()))
      w = 0;
  }
  work.found.margin = d.margin;
  work.found.steps += d.steps, work.found.trained += m, ++work.found.rounds;
}

/// The points of the working set that have weights.
void take_support(Work& work) {
  Indices kept;
  work.found.support.clear();
  for (Index p = 0; p < work.weights.size(); ++p) {
    if (work.weights[p] == 0) continue;
    kept.push_back(p);
    work.found.support.push_back(work.set[static_cast<size_t>(p)]);
  }
  work.found.weights = work.weights(kept);
}

/// The set gains points, with weights of 0.
void widen(Work& work, const Indices& more) {
  const Vector all = work.all_weights();
  work.set.insert(work.set.end(), more.begin(), more.end());
  std::sort(work.set.begin(), work.set.end());
  work.weights = all(work.set);
}

/// The points first, ..., n - 1 outside of the set that violate optimality at an offset, worst first; as many as
/// a round may add.
Indices objectors(const Work& work, const Vector& e, double offset) {
  const Index first = work.y.size() - e.size();
  std::vector<std::pair<double, Index>> found;
  for (Index i = first; i < work.y.size(); ++i) {
    const double by = work.y[i] * (e[i - first] - offset);
    if (by > work.options.tolerance && !std::binary_search(work.set.begin(), work.set.end(), i))
      found.emplace_back(-by, i);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), std::max(static_cast<size_t>(work.options.working), work.set.size())));
  Indices out;
  for (const auto& [by, i] : found) out.push_back(i);
  return out;
}

/// Offset and gap from e of all points (n). Returns the offset that the working set alone would take.
double settle_offset(Work& work, const Vector& e) {
  const Vector weights = work.all_weights();
  Between all, within;
  for (Index i = 0; i < e.size(); ++i) all.add(e[i], work.y[i], weights[i], work.penalty[i]);
  for (const Index i : work.set) within.add(e[i], work.y[i], weights[i], work.penalty[i]);
  work.found.offset = all.middle(), work.found.gap = all.gap();
  return within.middle();
}

/// Working sets until no point violates optimality. `fresh` points of the first are new.
void run(Work& work, Index fresh) {
  while (fresh >= 0) {
    solve(work, fresh > few);
    take_support(work);
    const Vector e = liked_offsets(work.block, work.y, work.found, 0, work.options.threads);
    const double within = settle_offset(work, e);
    if (work.found.gap <= work.options.tolerance) return;
    const Indices more = objectors(work, e, within);
    if (more.empty()) return;
    widen(work, more);
    fresh = std::ssize(more);
  }
}

/// Points to begin with: both classes, evenly through all.
Indices first_set(const Vector& y, Index working) {
  if (y.size() <= working) return run_of(0, y.size());
  Indices set;
  for (const double label : {1.0, -1.0}) {
    Indices own;
    for (Index i = 0; i < y.size(); ++i)
      if (y[i] == label) own.push_back(i);
    const Index n = std::ssize(own), taken = std::min(n, std::max<Index>(1, working / 2));
    for (Index t = 0; t < taken; ++t) set.push_back(own[static_cast<size_t>(t * n / taken)]);
  }
  std::sort(set.begin(), set.end());
  return set;
}

/// True if no point after those of `before` violates its optimality; otherwise the set gains those that do.
bool still_holds(Work& work, const Separator& before) {
  const Vector e = liked_offsets(work.block, work.y, before, before.size, work.options.threads);
  const Indices more = objectors(work, e, before.offset);
  if (!more.empty()) return widen(work, more), false;
  const Vector by = work.y.tail(e.size()).cwiseProduct((e.array() - before.offset).matrix());
  if (e.size() > 0) work.found.gap = std::max(before.gap, by.maxCoeff());
  return true;
}

/// Begins with the support of `before`. How many points of the set are new; -1: nothing is left to do.
Index begin_with(Work& work, const Separator& before) {
  check_before(before, work.y);
  work.found = before;
  work.found.rounds = 0, work.found.trained = 0, work.found.steps = 0;
  work.set = before.support;
  const double room = (work.penalty(before.support).array() / before.weights.array().abs()).minCoeff();
  work.weights = before.weights * std::min(1.0, room);
  const bool equal = (work.penalty.array() == work.options.penalty).all();
  const bool optimal =
      equal && before.penalty == work.options.penalty && before.gap <= work.options.tolerance;
  // Without a weight between its ends the offset is the middle of an interval, which new points may narrow.
  const bool open = (before.weights.cwiseAbs().array() >= before.penalty).all();
  if (before.size == 0 || !optimal || open) return 0;
  return still_holds(work, before) ? -1 : std::ssize(work.set) - std::ssize(before.support);
}

}  // namespace

void internal::check(const SvmOptions& options) {
  if (!(options.penalty > 0))
    throw Error(Problem::usage,
                fmt::format("penalty: expected a positive number or infinity, found {}", options.penalty));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw Error(Problem::usage,
                fmt::format("tolerance: expected a number between 0 and 1, found {}", options.tolerance));
  if (options.working < 2)
    throw Error(Problem::usage, fmt::format("working: expected 2 points or more, found {}", options.working));
}

Separator internal::separate(const KernelBlock& block, const Vector& labels, const SvmOptions& options,
                             const Separator* before, const Vector& weights) {
  check(options);
  check_labels(labels);
  check_weights(weights, labels.size());
  Vector penalty = Vector::Constant(labels.size(), options.penalty);
  if (weights.size()) penalty.array() *= weights.array();
  Work work{block, labels, options, std::move(penalty), {}, {}, {}};
  Index fresh = 0;
  if (before) {
    fresh = begin_with(work, *before);
  } else {
    work.set = first_set(labels, options.working);
    work.weights = Vector::Zero(fresh = std::ssize(work.set));
  }
  run(work, fresh);
  work.found.size = labels.size(), work.found.penalty = options.penalty;
  return work.found;
}

Separator internal::separate(const Matrix& k, const Vector& labels, const SvmOptions& options,
                             const Separator* before) {
  if (k.rows() != labels.size() || k.cols() != labels.size())
    throw Error(Problem::usage,
                fmt::format("kernel: expected {0} x {0} values for {0} labels, found {1} x {2}",
                            labels.size(), k.rows(), k.cols()));
  const KernelBlock block = [&k](const Indices& rows, const Indices& columns) -> Matrix {
    return k(rows, columns);
  };
  return separate(block, labels, options, before);
}

Vector internal::decision(const Separator& s, const Matrix& k) {
  return weighted(k, s.weights).array() + s.offset;
}

Separator internal::negated(Separator s) {
  s.weights = -s.weights;
  s.offset = -s.offset;
  return s;
}

}  // namespace covary
