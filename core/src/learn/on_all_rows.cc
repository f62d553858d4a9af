#include "learn/on_all_rows.h"

#include <algorithm>
#include <cmath>

#include "covary/base/parallel.h"
#include "learn/box.h"

namespace covary {
namespace {

/// True if no parameter differs by a factor of more than e, length-scales of inputs that hardly count aside.
bool close_by(const Search& search, const Vector& a, const Vector& b) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
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
    watch.throw_if_cancelled();
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
    task.watch.throw_if_cancelled();
    b.polished = true;
    if (!(b.objective > basins[0].objective + 1e-3)) return;
    basins.insert(basins.begin(), std::move(b));
  }
}

}  // namespace covary
