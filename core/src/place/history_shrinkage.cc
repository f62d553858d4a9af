#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include "algebra/blas.h"
#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/place/history.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index folds = 5, shrinkage_steps = 20;
constexpr size_t most_patterns = 40;  // of gaps, in one fold

/// The shrinkages to try, close together near 0.
Vector shrinkages() { return Vector::LinSpaced(shrinkage_steps + 1, 0, 1).array().square(); }

/// Held-out rows that lack the same places.
struct Pattern {
  std::vector<Index> places;
  Matrix deviations;  // places x rows: from the training times' means
};

struct Fold {
  Matrix covariance;  // of the training times
  std::vector<Pattern> patterns;
};

std::vector<Index> present(const Rows& readings, Index t) {
  std::vector<Index> out;
  for (Index i = 0; i < readings.cols(); ++i)
    if (!std::isnan(readings(t, i))) out.push_back(i);
  return out;
}

/// Rows with gaps cost a factorization for every pattern of them; where there are many, some stand for all.
std::vector<Pattern> patterns(const Rows& readings, const Vector& mean, Range held) {
  std::map<std::vector<Index>, std::vector<Index>> rows;
  for (Index t = held.first; t < held.end(); ++t)
    if (std::vector<Index> p = present(readings, t); !p.empty()) rows[std::move(p)].push_back(t);
  const size_t step = (rows.size() + most_patterns - 1) / most_patterns;
  std::vector<Pattern> out;
  size_t k = 0;
  for (const auto& [places, times] : rows) {
    if (k++ % step != 0) continue;
    out.push_back({places, readings(times, places).transpose().colwise() - Vector(mean(places))});
  }
  return out;
}

Fold fold(const Rows& readings, Range held, const HistoryOptions& o) {
  std::vector<Index> training;
  for (Index t = 0; t < readings.rows(); ++t)
    if (t < held.first || t >= held.end()) training.push_back(t);
  HistoryCovariance h = sample_covariance(readings(training, Eigen::all), o.names);
  return {std::move(h.covariance), patterns(readings, h.mean, held)};
}

struct DayDensity {
  double sum = 0;  // of log densities
  double readings = 0;
};

/// log N(rows; 0, c) of all rows of a pattern; -infinity if c is singular.
DayDensity density(const Matrix& c, const Pattern& p) {
  Matrix l = c(p.places, p.places), d = p.deviations;
  const auto n = double(l.rows()), rows = double(d.cols());
  if (blas::cholesky(l, 1) != 0 || !(l.diagonal().minCoeff() > 1e-7 * std::sqrt(c.diagonal().maxCoeff())))
    return {-std::numeric_limits<double>::infinity(), n * rows};
  blas::solve_lower(l, d, 1);
  const double constant = 2 * l.diagonal().array().log().sum() + n * std::log(2 * std::numbers::pi);
  return {-0.5 * (d.squaredNorm() + rows * constant), n * rows};
}

DayDensity score(const Fold& f, double shrinkage, const HistoryOptions& o) {
  Matrix c = (1 - shrinkage) * f.covariance;
  if (o.target.size() > 0)
    c += shrinkage * o.target;
  else
    c.diagonal() += shrinkage * f.covariance.diagonal();
  c.diagonal().array() += o.nugget;
  DayDensity out;
  for (const Pattern& p : f.patterns) {
    const DayDensity one = density(c, p);
    out.sum += one.sum, out.readings += one.readings;
  }
  return out;
}

std::string note(const ChosenShrinkage& c, const HistoryOptions& o) {
  const auto shown = [](double score) {
    return std::isfinite(score) ? fmt::format("{:.3g}", score) : "undefined (singular)";
  };
  return fmt::format(
      "shrinkage {:.3g} towards {}, by cross-validation over runs of times: log density per held-out reading "
      "{}, {} without shrinkage, {} with full shrinkage",
      c.shrinkage, o.target.size() > 0 ? "the kernel" : "the diagonal", shown(c.scores.maxCoeff()),
      shown(c.scores[0]), shown(c.scores[shrinkage_steps]));
}

}  // namespace

ChosenShrinkage internal::choose_shrinkage(const Rows& readings, const HistoryOptions& o) {
  const Index times = readings.rows();
  if (times < 2 * folds)
    throw Error(Problem::data, fmt::format("a shrinkage cannot be chosen from {} times: {} are needed, or a "
                                           "number from 0 to 1 instead",
                                           times, 2 * folds));
  std::vector<Fold> all;
  for (Index f = 0; f < folds; ++f) {
    const Index first = f * times / folds, end = (f + 1) * times / folds;
    try {
      all.push_back(fold(readings, {first, end - first}, o));
    } catch (const Error& e) {
      throw Error(e.problem(), fmt::format("a shrinkage cannot be chosen, give a number from 0 to 1: without "
                                           "times {} to {}, {}",
                                           first + 1, end, e.what()));
    }
  }
  ChosenShrinkage out{0, shrinkages(), Vector::Zero(shrinkage_steps + 1), {}};
  parallel_for(shrinkage_steps + 1, threads_or_all(o.threads), [&](Index i) {
    DayDensity sum;
    for (const Fold& f : all) {
      const DayDensity one = score(f, out.tried[i], o);
      sum.sum += one.sum, sum.readings += one.readings;
    }
    out.scores[i] = sum.sum / sum.readings;
  });
  Index best = 0;
  if (!std::isfinite(out.scores.maxCoeff(&best)))
    throw Error(Problem::data,
                "a shrinkage cannot be chosen: some place does not vary in some of the times; leave it out "
                "or give a nugget");
  out.shrinkage = out.tried[best];
  out.notes.push_back(note(out, o));
  return out;
}

}  // namespace covary
