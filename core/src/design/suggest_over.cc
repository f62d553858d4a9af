#include "covary/design/suggest_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "covary/base/parallel.h"
#include "covary/base/random.h"
#include "covary/design/acquisition.h"
#include "covary/design/constraint.h"
#include "covary/learn/minimize.h"

namespace covary {
using namespace internal;
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr Index starts = 10, most_infeasible = 50;  // of draws for each point wanted

/// Where to search, and which points count.
struct Region {
  Domain domain;
  std::vector<Constraint> constraints = {};
  std::vector<Vector> taken = {};  // points of a domain without intervals that are measured or chosen

  bool feasible(const Rows& x) const {
    for (const Constraint& c : constraints)
      if (!c.holds(x)[0]) return false;
    for (const Vector& t : taken)
      if (x.row(0).transpose() == t) return false;
    return true;
  }
  std::vector<Index> feasible_of(const Matrix& x) const {
    std::vector<Index> out = feasible_rows(constraints, x);
    if (!taken.empty()) std::erase_if(out, [&](Index i) { return !feasible(x.row(i)); });
    return out;
  }
};

/// n feasible points by quasi-random draws; fewer where the region is small.
Matrix drawn_points(const Region& region, Index n, std::uint64_t seed) {
  const Index c = std::ssize(region.domain.columns());
  Matrix out(0, 0);
  for (Index looked = 0; looked < most_infeasible * n && out.rows() < n; looked += n) {
    const Matrix x = region.domain.inputs(quasi_random(n, c, seed + std::uint64_t(looked)));
    const Matrix good = x(region.feasible_of(x), Eigen::all);
    out = out.rows() ? Matrix(join(Rows(out), Rows(good))) : good;
  }
  return out.topRows(std::min(out.rows(), n));
}

/// Points near some rows, at a tenth and a hundredth of the domain's width.
Matrix points_near(const Region& region, const Matrix& rows, Random& rng) {
  constexpr Index each = 40;
  Matrix out = region.domain.nearest(rows).replicate(each + 1, 1);
  for (Index i = rows.rows(); i < out.rows(); ++i) {
    const double width = rng.uniform() < 0.5 ? 0.1 : 0.01;
    for (const Domain::Column& c : region.domain.columns()) {
      const double z = rng.normal();
      if (c.places == 0) out(i, c.at) += width * (c.upper - c.lower) * z;
      if (c.places > 1) {
        const auto by = Index(std::round(width * double(c.places) * z));
        out(i, c.at) = c.value(std::clamp<Index>(c.nearest(out(i, c.at)) + by, 0, c.places - 1));
      }
    }
  }
  out = region.domain.nearest(out);
  return out(region.feasible_of(out), Eigen::all);
}

/// Values at m rows, in blocks across threads.
Vector values_at(const Acquisition& a, const Matrix& x, int threads) {
  Vector out(x.rows());
  for_runs(x.rows(), threads_or_all(threads),
           [&](Range r) { out.segment(r.first, r.count) = a.values(x.middleRows(r.first, r.count)); });
  for (double& v : out)
    if (std::isnan(v)) v = impossible;
  return out;
}

/// A point of the search and its value.
struct Found {
  Matrix x;  // 1 x d
  double value = impossible;
};

/// The intervals of a point moved to a local maximum, the rest as it is.
void climb_intervals(const Acquisition& a, const Region& region, Found& best) {
  std::vector<Domain::Column> free;
  for (const Domain::Column& c : region.domain.columns())
    if (c.places == 0) free.push_back(c);
  if (free.empty()) return;
  const Index n = std::ssize(free);
  const auto at = [&](const Vector& u) {
    Matrix x = best.x;
    for (Index j = 0; j < n; ++j) {
      const Domain::Column& c = free[static_cast<size_t>(j)];
      x(0, c.at) = std::clamp(c.lower + u[j] * (c.upper - c.lower), c.lower, c.upper);
    }
    return x;
  };
  const auto down = [&](const Vector& u) -> std::pair<double, Vector> {
    const Matrix x = at(u);
    if (!region.feasible(x)) return {-impossible, Vector::Zero(n)};
    const auto [value, slopes] = a.slopes(x);
    Vector g(n);
    for (Index j = 0; j < n; ++j) {
      const Domain::Column& c = free[static_cast<size_t>(j)];
      g[j] = -slopes[c.at] * (c.upper - c.lower);
    }
    return {-value, g};
  };
  Vector u(n);
  for (Index j = 0; j < n; ++j) {
    const Domain::Column& c = free[static_cast<size_t>(j)];
    u[j] = (best.x(0, c.at) - c.lower) / (c.upper - c.lower);
  }
  MinimizeOptions how;
  how.max_evaluations = 100, how.gradient_tolerance = 1e-4, how.first_step = 0.02, how.longest_step = 0.3;
  const Minimum m = minimize(down, u, Vector::Zero(n), Vector::Ones(n), how);
  if (-m.value > best.value) best = {at(m.x), -m.value};
}

/// Where one lattice or list has another place: all places of a short one, 1, 2, 4, ... steps of a long one.
Matrix neighbors_of(const Region& region, const Matrix& x) {
  constexpr Index short_list = 50;
  std::vector<Matrix> all;
  for (const Domain::Column& c : region.domain.columns()) {
    if (c.places < 2) continue;
    const Index here = c.nearest(x(0, c.at));
    const auto add = [&](Index place) {
      if (place < 0 || place >= c.places || place == here) return;
      all.push_back(x), all.back()(0, c.at) = c.value(place);
    };
    if (c.places <= short_list)
      for (Index p = 0; p < c.places; ++p) add(p);
    else
      for (Index by = 1; by < c.places; by *= 2) add(here - by), add(here + by);
  }
  Matrix out(std::ssize(all), x.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = all[static_cast<size_t>(i)];
  return out(region.feasible_of(out), Eigen::all);
}

/// True if another place is better.
bool step_places(const Acquisition& a, const Region& region, Found& best) {
  const Matrix others = neighbors_of(region, best.x);
  if (others.rows() == 0) return false;
  const Vector v = values_at(a, others, 1);
  Index i = 0;
  if (!(v.maxCoeff(&i) > best.value + 1e-9 * std::max(1.0, std::abs(best.value)))) return false;
  best = {others.row(i), v[i]};
  return true;
}

Found refined(const Acquisition& a, const Region& region, Found best) {
  constexpr int rounds = 100;
  climb_intervals(a, region, best);
  for (int i = 0; i < rounds && step_places(a, region, best); ++i) climb_intervals(a, region, best);
  return best;
}

/// The best of the candidates, none of them within a hundredth of the domain's width of a better one.
std::vector<Index> apart(const Region& region, const Matrix& x, const Vector& values) {
  std::vector<Index> order = all_indices(x.rows()), out;
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return values[i] > values[j]; });
  const auto near = [&](Index i, Index j) {
    for (const Domain::Column& c : region.domain.columns()) {
      const double off = std::abs(x(i, c.at) - x(j, c.at));
      if (c.places ? off != 0 : off > 0.01 * (c.upper - c.lower)) return false;
    }
    return true;
  };
  for (const Index i : order) {
    if (values[i] == impossible || std::ssize(out) == starts) break;
    if (std::none_of(out.begin(), out.end(), [&](Index j) { return near(i, j); })) out.push_back(i);
  }
  return out;
}

Found maximized(const Acquisition& a, const Region& region, const Matrix& candidates, int threads) {
  const Vector values = values_at(a, candidates, threads);
  const std::vector<Index> from = apart(region, candidates, values);
  if (from.empty())
    throw Error(Problem::numerical, "the acquisition function is not finite anywhere in the domain");
  std::vector<Found> found(from.size());
  parallel_for(std::ssize(from), threads_or_all(threads), [&](Index i) {
    const Index start = from[static_cast<size_t>(i)];
    found[static_cast<size_t>(i)] = refined(a, region, {candidates.row(start), values[start]});
  });
  return *std::max_element(found.begin(), found.end(),
                           [](const Found& p, const Found& q) { return p.value < q.value; });
}

/// The five measured inputs with the best posterior means.
Matrix best_inputs(const Process<Row>& p, bool minimize) {
  constexpr Index most = 5;
  Matrix x = p.inputs();
  if (x.rows() == 0) return x;
  const Vector mean = (minimize ? 1 : -1) * p.mean(x, 1);
  std::vector<Index> order = all_indices(x.rows());
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return mean[i] < mean[j]; });
  order.resize(static_cast<size_t>(std::min(most, x.rows())));
  return x(order, Eigen::all);
}

void check_options(const SuggestOptions& o) {
  if (o.count < 1) throw Error(Problem::usage, fmt::format("a batch has 1 point or more, found {}", o.count));
  if (o.selector.cost.size()) throw Error(Problem::usage, "costs need a table of candidates, not a domain");
  if (o.selector.random_share > 0)
    throw Error(Problem::usage, "random picks need a table of candidates, not a domain");
  if (o.stop_sd > 0)
    throw Error(Problem::usage, "a forecast of sds needs a table of candidates, not a domain");
}

Region region_of(const FittedModel& model, const std::vector<DomainAxis>& over, const SuggestOptions& o) {
  Region out{Domain(over, model), constraints_of(o.where, model->features)};
  if (std::isinf(out.domain.size())) return out;
  const Matrix x = model->x;
  for (Index i = 0; i < x.rows(); ++i) {
    const Matrix row = x.row(i);
    if (out.domain.nearest(row) == row) out.taken.push_back(row.row(0).transpose());
  }
  return out;
}

}  // namespace

DomainSuggestions suggest(const FittedModel& model, const std::vector<DomainAxis>& over,
                          const SuggestOptions& o) {
  check_options(o);
  const NamedStrategy strategy = parse_strategy(o.strategy);
  check_acquisition(strategy);
  const Process<Row> before = selecting_process(model, o.selector.threads);
  Region region = region_of(model, over, o);
  const Index wanted = std::min<Index>(5000, 1000 + 200 * std::ssize(region.domain.columns()));
  Random rng(o.selector.seed);
  Process<Row> process = before;
  DomainSuggestions out{Matrix(o.count, std::ssize(model->features)), Vector(o.count), {}, {}, {}, {}};
  for (Index k = 0; k < o.count; ++k) {
    if (o.selector.progress) o.selector.progress("starts", double(k) / double(o.count));
    Matrix candidates = drawn_points(region, wanted, rng.fork());
    if (candidates.rows() == 0 && region.taken.empty())
      nothing_feasible(region.constraints, most_infeasible * wanted, "points of the domain");
    if (candidates.rows() == 0)
      throw Error(Problem::data,
                  fmt::format("{} points were asked for, {} of the domain are left", o.count, k));
    const AcquisitionOptions how{o.selector.minimize, rng.fork(),
                                 candidates.topRows(std::min<Index>(100, candidates.rows()))};
    const Matrix near = points_near(region, best_inputs(process, o.selector.minimize), rng);
    if (near.rows()) candidates = join(Rows(candidates), Rows(near));
    const Acquisition a = acquisition(strategy, process, how);
    const Found best = maximized(a, region, candidates, o.selector.threads);
    out.x.row(k) = best.x;
    out.score[k] = a.score(best.value);
    out.reasons.push_back(a.reason(best.x, best.value));
    if (std::isfinite(region.domain.size())) region.taken.push_back(best.x.row(0).transpose());
    if (k + 1 < o.count) process = process.condition(best.x, process.mean(best.x, 1), 1);
  }
  const Marginals f = before.predict(out.x, Of::f, o.selector.threads);
  out.mean = model->scale * f.mean, out.sd = model->scale * f.variance.cwiseMax(0).cwiseSqrt();
  if (!model->request.transform.is_identity())
    out.notes.push_back(fmt::format("means, sds and scores are of {}, the transformed target",
                                    model->request.transform.of(model->target)));
  return out;
}

}  // namespace covary
