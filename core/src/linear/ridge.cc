#include "covary/linear/ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "algebra/line_search.h"
#include "base/constants.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/row_names.h"
#include "linear/ridge_directions.h"

namespace covary {
using namespace internal;
namespace {

/// Everything that does not need the rows, at one penalty. O(N)
struct PathScores {
  double rss = 0, freedom = 0, generalized = 0, log_evidence = 0;
};

PathScores scores_at(const RidgeDirections& d, double penalty) {
  const Eigen::ArrayXd squares = d.s.array().square(), kept = penalty / (squares + penalty);
  const double n = double(d.rows);
  PathScores out;
  out.rss = d.rest + (kept * d.c.array()).square().sum();
  out.freedom = double(std::ssize(d.free)) + (1 - kept).sum();
  const double left = n - double(std::ssize(d.free)) - double(d.s.size()) + kept.sum();  // n - freedom
  out.generalized = n * out.rss / (left * left);
  const double variance = (d.rest + (kept * d.c.array().square()).sum()) / n;  // rss + penalty |v|^2
  out.log_evidence =
      -0.5 * (n * (std::log(2 * std::numbers::pi * variance) + 1) + (1 + squares / penalty).log().sum());
  return out;
}

/// All but leave-one-out, which is given.
RidgePath path_at(const RidgeDirections& d, const Vector& penalties, const Vector& leave_one_out) {
  const Index count = penalties.size();
  RidgePath p;
  p.penalties = penalties, p.leave_one_out = leave_one_out;
  p.weights = d.weights(penalties);
  p.generalized.resize(count), p.freedom.resize(count), p.rss.resize(count), p.log_evidence.resize(count);
  for (Index l = 0; l < count; ++l) {
    const PathScores s = scores_at(d, penalties[l]);
    p.generalized[l] = s.generalized, p.freedom[l] = s.freedom, p.rss[l] = s.rss;
    p.log_evidence[l] = s.log_evidence;
  }
  return p;
}

/// L: the criterion that the best penalty minimizes.
Vector costs(const RidgePath& p, RidgeOptions::By by) {
  if (by == RidgeOptions::By::evidence) return -p.log_evidence;
  return by == RidgeOptions::By::generalized ? p.generalized : p.leave_one_out;
}

struct Candidate {
  double penalty = 0, leave_one_out = 0;
};

using LeaveOut = std::function<Vector(const Vector&)>;  // penalties -> root mean squared errors

/// The best between the neighbors of the best. RidgeOptions::By leave-one-out all candidates share one pass
/// over the rows; the others cost next to nothing and are searched.
Candidate between_neighbors(const RidgeDirections& d, const RidgePath& p, RidgeOptions::By by,
                            const LeaveOut& leave_out) {
  const double lower = p.penalties[std::max<Index>(0, p.best - 1)];
  const double upper = p.penalties[std::min<Index>(p.penalties.size() - 1, p.best + 1)];
  if (by == RidgeOptions::By::leave_one_out) {
    const Vector candidates = log_spaced(lower, upper, 33), errors = leave_out(candidates);
    Index best = 0;
    const double least = errors.minCoeff(&best);
    return {candidates[best], least};
  }
  const auto cost = [&](double penalty) {
    const PathScores s = scores_at(d, penalty);
    return by == RidgeOptions::By::evidence ? -s.log_evidence : s.generalized;
  };
  const double penalty = golden_section(cost, lower, upper);
  return {penalty, leave_out(Vector::Constant(1, penalty))[0]};
}

/// The path with one more penalty, if that is better than its best.
RidgePath with_candidate(const RidgeDirections& d, const RidgePath& p, RidgeOptions::By by,
                         const Candidate& c) {
  const Index before = (p.penalties.array() < c.penalty).count(), after = p.penalties.size() - before;
  const auto inserted = [&](const Vector& v, double value) -> Vector {
    return concat(concat(v.head(before), Vector::Constant(1, value)), v.tail(after));
  };
  RidgePath longer = path_at(d, inserted(p.penalties, c.penalty), inserted(p.leave_one_out, c.leave_one_out));
  longer.best = before;
  return costs(longer, by)[before] < costs(p, by)[p.best] ? longer : p;
}

void check_y(const RowBlocks& phi, const Vector& y) {
  if (phi.rows != y.size())
    throw Error(Problem::usage, fmt::format("phi has {} rows, y has {}", phi.rows, y.size()));
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw Error(Problem::data,
                  fmt::format("y: {}: expected a finite number, found {}", row_words(i), y[i]));
}

void check_sizes(Index rows, Index columns, const RidgeOptions& o) {
  if (rows == 0 || columns == 0)
    throw Error(Problem::data, fmt::format("ridge: at least one row and one column are needed, found {} x {}",
                                           rows, columns));
  if (o.scale.size() != 0 && o.scale.size() != columns)
    throw Error(Problem::usage,
                fmt::format("scale: expected one for each of {} columns, found {}", columns, o.scale.size()));
  for (Index j = 0; j < o.scale.size(); ++j)
    if (!(o.scale[j] >= 0 && std::isfinite(o.scale[j])))
      throw Error(Problem::usage, fmt::format("scale: column {}: expected 0 or a positive number, found {}",
                                              j + 1, o.scale[j]));
}

void check_penalties(const RidgeOptions& o) {
  for (Index l = 0; l < o.penalties.size(); ++l)
    if (!(o.penalties[l] > 0 && std::isfinite(o.penalties[l])))
      throw Error(Problem::usage,
                  fmt::format("penalty {}: expected a positive number, found {}", l + 1, o.penalties[l]));
  if (o.by == RidgeOptions::By::given && o.penalties.size() != 1)
    throw Error(Problem::usage, fmt::format("a given penalty: expected one, found {}", o.penalties.size()));
  if (o.by == RidgeOptions::By::leave_one_out && !o.leave_one_out)
    throw Error(Problem::usage,
                "the best penalty by leave-one-out needs leave-one-out: do not switch it off");
  if (o.count < 2 || !(o.lower > 0 && o.lower < o.upper && std::isfinite(o.upper)))
    throw Error(
        Problem::usage,
        fmt::format("penalties: expected 2 or more in a range 0 < lower < upper, found {} from {} to {}",
                    o.count, o.lower, o.upper));
}

Vector penalties_of(const RidgeDirections& d, const RidgeOptions& o) {
  Vector p = o.penalties;
  std::sort(p.begin(), p.end());
  if (p.size() != 0) return p;
  const double largest = d.s.size() && d.s[0] > 0 ? d.s[0] * d.s[0] : 1;
  return log_spaced(o.lower * largest, o.upper * largest, o.count);
}

std::string name(RidgeOptions::By by) {
  switch (by) {
    case RidgeOptions::By::leave_one_out:
      return "leave-one-out";
    case RidgeOptions::By::generalized:
      return "generalized cross-validation";
    case RidgeOptions::By::evidence:
      return "evidence";
    case RidgeOptions::By::given:
      break;
  }
  return "given";
}

/// The best of the path, refined.
RidgePath chosen(const RidgeDirections& d, RidgePath p, const RidgeOptions& o, const LeaveOut& leave_out) {
  const Vector cost = costs(p, o.by);
  const double least = cost.minCoeff(&p.best);
  const Index last = cost.size() - 1;
  if (last == 0) return p;
  if (cost.maxCoeff() - least <= 1e-10 * std::abs(cost.maxCoeff())) {
    p.best = last;
    p.notes.emplace_back("the penalty makes no difference on this path");
    return p;
  }
  if (o.refine) p = with_candidate(d, p, o.by, between_neighbors(d, p, o.by, leave_out));
  p.at_end = p.best == 0 || p.best == p.penalties.size() - 1;
  if (p.at_end)
    p.notes.push_back(p.best == 0 ? "the best penalty is the smallest tried: hardly any shrinkage"
                                  : "the best penalty is the largest tried: the penalized columns explain "
                                    "next to nothing");
  return p;
}

Vector scale_of(const RidgeOptions& o, Index columns) {
  return o.scale.size() ? o.scale : Vector(Vector::Ones(columns));
}

RidgePath path_along(const RidgeDirections& d, const RidgeOptions& o, const LeaveOut& leave_out) {
  const bool given = o.by == RidgeOptions::By::given;
  check_left(d, !given);
  const Vector penalties = penalties_of(d, o);
  RidgePath p = path_at(d, penalties, leave_out(penalties));
  if (!given) p = chosen(d, std::move(p), o, leave_out);
  p.chosen_by = name(o.by);
  if (d.dropped)
    p.notes.push_back(fmt::format(
        "{} unpenalized columns are linearly dependent on others: their weights are 0", d.dropped));
  return p;
}

}  // namespace

RidgePath ridge_path(const RowBlocks& phi, const Vector& y, const RidgeOptions& options) {
  check_y(phi, y);
  check_sizes(phi.rows, phi.columns, options);
  check_penalties(options);
  const int threads = threads_or_all(options.threads);
  const RidgeDirections d = ridge_directions(phi, y, scale_of(options, phi.columns), threads);
  Index uncounted = 0;
  RidgePath p = path_along(d, options, [&](const Vector& penalties) -> Vector {
    if (!options.leave_one_out) return Vector::Constant(penalties.size(), nan);
    return d.left_out(phi, y, penalties, threads, uncounted);
  });
  if (uncounted) p.notes.push_back(uncounted_note(d.rows, uncounted, "the unpenalized weights are"));
  return p;
}

RidgePath ridge_path(const Triangle& t, Index rows, const RidgeOptions& options) {
  check_sizes(rows, t.columns(), options);
  check_penalties(options);
  if (options.by == RidgeOptions::By::leave_one_out)
    throw Error(Problem::usage,
                "a triangle has no rows to leave out: choose the penalty by the evidence or by "
                "generalized cross-validation");
  const RidgeDirections d =
      ridge_directions(t, rows, scale_of(options, t.columns()), threads_or_all(options.threads));
  return path_along(
      d, options, [](const Vector& penalties) -> Vector { return Vector::Constant(penalties.size(), nan); });
}

RidgePath ridge_path(const Rows& phi, const Vector& y, const RidgeOptions& options) {
  return ridge_path(row_blocks(phi), y, options);
}

}  // namespace covary
