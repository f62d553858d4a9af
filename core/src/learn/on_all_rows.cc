#include "learn/on_all_rows.h"

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "covary/base/parallel.h"
#include "learn/box.h"

namespace covary {
using namespace internal;
namespace {

/// True if no parameter differs by a factor of more than e, length-scales of inputs that hardly count aside.
bool close_by(const Search& search, const Vector& a, const Vector& b) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    const double idle = of_input(s) ? s.reference + std::log(20.0) : std::numeric_limits<double>::infinity();
    if (std::abs(std::min(a[Index(i)], idle) - std::min(b[Index(i)], idle)) > 1) return false;
  }
  return true;
}

/// True if the objective only rises on the straight way from one point to a better one that is near: no
/// valley between.
bool rises(const Task& task, const Ground& on, const Basin& from, const Basin& to) {
  if (!close_by(task.search, from.theta, to.theta)) return false;
  std::vector<Start> way;
  for (const double t : {0.25, 0.5, 0.75})
    way.push_back({from.start, from.theta + t * (to.theta - from.theta)});
  std::vector<double> values{from.objective};
  for (const Screened& s : screen(task, on, std::move(way))) values.push_back(s.value);
  values.push_back(to.objective);
  return std::is_sorted(values.begin(), values.end());
}

std::vector<Start> starts_at(const std::vector<Basin>& basins) {
  std::vector<Start> out;
  for (const Basin& b : basins) out.push_back({b.start, b.theta});
  return out;
}

/// minus (objective + log prior) as a function of (theta, variables / units): p + q numbers.
Smooth negative_jointly(const Task& task, const Ground& on, const Vector& units, int threads) {
  return [&task, &units, objective = std::shared_ptr<Objective>(on.objective()),
          threads](const Vector& t) -> std::pair<double, Vector> {
    const Index p = std::ssize(task.search.parameters), q = units.size();
    const Vector theta = t.head(p);
    const Evaluation e = objective->joint(theta, t.tail(q).cwiseProduct(units), true, threads);
    if (!std::isfinite(e.value)) return task.watch.count(-infinity), std::pair{infinity, Vector()};
    Vector prior;
    const double value = e.value + log_prior(task.search.parameters, theta, &prior);
    task.watch.count(value);
    Vector g = -e.gradient;
    g.head(p) -= prior;
    g.tail(q).array() *= units.array();
    return {-value, std::move(g)};
  };
}

}  // namespace

std::vector<Basin> tried_on_all_rows(const Task& task, const Ground& all, const std::vector<Ground>& samples,
                                     const std::vector<Basin>& suggested) {
  MinimizeOptions how;
  std::vector<Basin> found = halved(task, all, suggested, {{8, 8}, {15, 4}, {20, 0}}, how);
  how.max_evaluations = 25;
  if (!found.empty()) hop(found, task, all, samples, how);
  return found;
}

void rank_on_all_rows(std::vector<Basin>& basins, const Task& task, const Ground& all) {
  const std::vector<Screened> again = screen(task, all, starts_at(basins));
  for (size_t i = 0; i < basins.size(); ++i) {
    if (!std::isfinite(again[i].value) && task.watch.stop()) return;
    basins[i].theta = again[i].start.theta, basins[i].objective = again[i].value;
  }
  best_first(basins);
}

void add_screened_on_all(std::vector<Basin>& basins, const Task& task, const Ground& all) {
  const Search& search = task.search;
  if (search.parameters.size() > 4 || all.rows > 2000) return;
  std::vector<Screened> screened = screen(task, all, drawn_starts(search.parameters, 96, task.options.seed));
  by_value(screened);
  std::vector<Start> from = starts_at(basins);
  add_best(search, screened, 3, from);
  MinimizeOptions how;
  how.max_evaluations = 15;
  std::vector<Basin> others;
  for (size_t i = basins.size(); i < from.size(); ++i) others.push_back(at_start(from[i]));
  for (Basin& b : descend_on(task, all, others, how)) basins.push_back(std::move(b));
  best_first(basins);
}

void refine(std::vector<Basin>& basins, const Task& task, const Ground& all, const Ground& sample) {
  constexpr double near = 3;  // nats
  const auto& [search, options, watch] = task;
  const int threads = search.rows <= 300 ? 1 : threads_or_all(options.threads);
  double best = -std::numeric_limits<double>::infinity();
  size_t leader = 0;
  const bool sampled = sample.rows < all.rows;
  int tried = 0;
  for (size_t i = 0; i < basins.size(); ++i, ++tried) {
    watch.done(double(tried) / double(std::max(1, options.polish)));
    if (i > 0 && watch.stop()) break;
    Basin& b = basins[i];
    const bool promising = sampled && all.rows <= 2000 && tried < 6 && b.objective > best - 4 * near;
    if (tried >= std::max(1, options.polish) && !promising) break;
    if (i > 0 && sampled && rises(task, all, b, basins[leader])) {
      basins[leader].starts += b.starts;
      basins.erase(basins.begin() + std::ptrdiff_t(i--));
      continue;
    }
    MinimizeOptions how;
    if (i > 0) how.max_evaluations = 12;
    Basin refined = descend(task, all, sample, b, how, threads);
    watch.throw_if_canceled();
    if (!std::isfinite(refined.objective)) continue;
    if (i > 0 && refined.evaluations - b.evaluations >= 12 && refined.objective > best - near)
      refined = descend(task, all, sample, refined, {}, threads);
    refined.polished = true;
    if (refined.objective > best) best = refined.objective, leader = i;
    b = std::move(refined);
  }
  best_first(basins);
}

void change_one(std::vector<Basin>& basins, const Task& task, const Ground& all) {
  for (int round = 0; round < 3 && !task.watch.stop(); ++round) {
    std::vector<Screened> tried = screen(task, all, one_changed(task.search, basins[0]));
    by_value(tried);
    if (tried.empty() || !(tried[0].value > basins[0].objective + 1e-3)) return;
    Basin b = descend(task, all, all, at_start(tried[0].start), {}, threads_or_all(task.options.threads));
    task.watch.throw_if_canceled();
    b.polished = true;
    if (!(b.objective > basins[0].objective + 1e-3)) return;
    basins.insert(basins.begin(), std::move(b));
  }
}

Vector refine_jointly(Basin& best, const Task& task, const Ground& all, const Ground& sample) {
  const Search& search = task.search;
  Watch& watch = task.watch;
  const int threads = threads_or_all(task.options.threads);
  if (watch.stop()) return {};
  const Variables start = all.objective()->variables(best.theta, threads);
  const Index p = best.theta.size(), q = start.values.size();
  if (q == 0) return {};
  const Vector free = Vector::Constant(q, infinity);
  const Vector low = concat(lower(search.parameters), -free), high = concat(upper(search.parameters), free);
  Vector t = concat(best.theta, start.values.cwiseQuotient(start.units));
  MinimizeOptions how;
  how.value_tolerance = 1e-5;
  watch.phase("refining", 0.75, 1);
  const int evaluated = watch.evaluations();
  how.stop = [&] {
    watch.done(std::min(1.0, double(watch.evaluations() - evaluated) / joint_evaluations));
    return watch.stop();
  };
  const auto descend_jointly = [&](const Ground& on, int evaluations) {
    how.max_evaluations = evaluations;
    Minimum m = minimize(negative_jointly(task, on, start.units, threads), t, low, high, how);
    watch.throw_if_canceled();
    best.evaluations += m.evaluations;
    if (std::isfinite(m.value)) t = m.x;
    return m;
  };
  if (sample.rows < all.rows) descend_jointly(sample, joint_evaluations_on_sample);
  const Minimum m = descend_jointly(all, joint_evaluations);
  if (!std::isfinite(m.value)) return {};
  best.theta = t.head(p), best.objective = -m.value, best.polished = true, best.stopped = m.stopped;
  return t.tail(q).cwiseProduct(start.units);
}

}  // namespace covary
