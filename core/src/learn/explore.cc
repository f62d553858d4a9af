#include "learn/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace covary {
using namespace internal;
namespace {

Index agreeing(const std::vector<Basin>& found) {
  return std::count_if(found.begin(), found.end(),
                       [&](const Basin& b) { return same_optimum(b, found.front()); });
}

std::vector<Basin> at_each(const std::vector<Start>& from) {
  std::vector<Basin> out;
  for (const Start& s : from) out.push_back(at_start(s));
  return out;
}

/// Periods are moved where the optima that are found count: on all rows, or on a sample of very many.
std::vector<Sweep> moves(const Task& task, const Ground& on, bool same_ground, const Basin& at, Random& rng) {
  std::vector<Sweep> all;
  if (on.rows == task.search.rows || task.search.rows > few_rows) all = moved_periods(task.search, at);
  if (same_ground)
    for (Start& s : switched(task.search, at, rng)) all.push_back({std::move(s)});
  return all;
}

void hop_from(Basin at, std::vector<Basin>& found, const Task& task, const Ground& on,
              const std::vector<Ground>& screened, const MinimizeOptions& how) {
  Random rng(task.options.seed);
  for (int round = 0; round < 6 && !task.watch.stop(); ++round) {
    const std::vector<Sweep> sweeps = moves(task, on, on.rows == screened[0].rows, at, rng);
    if (sweeps.empty()) return;
    std::vector<Start> from{{at.start, at.theta}};
    for (const Ground& ground : screened)
      add_best(task.search, peaks(task, ground, sweeps), on.rows < task.search.rows ? 2 : 4, from, 0.6);
    from.erase(from.begin());
    const std::vector<Basin> reached =
        halved(task, on, at_each(from), {{10, 2}, {how.max_evaluations, 0}}, how);
    found.insert(found.end(), reached.begin(), reached.end());
    if (reached.empty() || !(reached[0].objective > at.objective + 0.01)) return;
    at = reached[0];
  }
}

/// Enough for every corner of the box to be near one of them, if the parameters are few. On a sample of the
/// rows the length-scales of inputs count as one: what is found there is refined on all rows.
int draws(const Search& search, bool sampled) {
  const auto inputs = sampled ? std::max<Index>(1, std::ssize(input_lengthscales(search))) - 1 : 0;
  return std::clamp(int(32 * (std::ssize(search.parameters) - inputs)), 96, 320);
}

}  // namespace

Error nothing_to_start_from(const std::string& first, size_t count) {
  return {
      Problem::numerical,
      fmt::format("no start could be evaluated: the covariance matrix is not positive definite at any of {} "
                  "('{}' {})",
                  count, first, count > 1 ? "and others" : "alone")};
}

std::vector<Basin> halved(const Task& task, const Ground& on, std::vector<Basin> from,
                          std::initializer_list<Stage> stages, const MinimizeOptions& how) {
  std::vector<Basin> reached;
  for (const auto& [evaluations, kept] : stages) {
    MinimizeOptions now = how;
    now.max_evaluations = std::min(evaluations, how.max_evaluations);
    reached = descend_on(task, on, from, now);
    if (task.watch.stop()) break;
    from = best_of_each(task.search, reached, kept);
  }
  return reached;
}

void hop(std::vector<Basin>& found, const Task& task, const Ground& on, const std::vector<Ground>& screened,
         const MinimizeOptions& how) {
  for (const Basin& b : best_of_each(task.search, found, 1)) hop_from(b, found, task, on, screened, how);
  best_first(found);
}

Explored explore(const Task& task, const Ground& on) {
  const auto& [search, options, watch] = task;
  MinimizeOptions how;
  const bool sampled = on.rows < search.rows;
  how.max_evaluations = sampled ? 40 : 150;
  how.value_tolerance = sampled ? 1e-5 : 1e-8;
  how.gradient_tolerance = sampled ? 0.05 : 1e-4;
  const std::vector<Start> known = known_starts(search.parameters, options);
  std::vector<Start> tried = drawn_starts(search.parameters, draws(search, sampled), options.seed);
  tried.insert(tried.begin(), known.begin() + 1, known.end());
  watch.phase("screening", 0, 0.1);
  std::vector<Screened> screened = screen(task, on, std::move(tried));
  const std::vector<Screened> drawn = screened;
  by_value(screened);
  std::vector<Start> from{known.front()};
  const int first = sampled ? (options.starts + 1) / 2 : options.starts;
  add_best(search, screened, first - 1, from);
  int most = options.starts;
  for (const std::vector<Sweep>& grid : period_grids(search, screened[0].start)) {
    add_best(search, peaks(task, on, grid), most, from);
    most = 2;
  }
  watch.phase("exploring", 0.1, 0.5);
  Explored out;
  std::vector<Basin>& found = out.found;
  found = descend_on(task, on, at_each(from), how);
  if (!found.empty() && agreeing(found) < std::min<Index>(3, std::ssize(found)) && !watch.stop()) {
    out.from = from;
    const int more = sampled ? options.starts : 3 * options.starts;
    add_best(search, screened, more, from);
    add_best(search, drawn, more, from);
    from.erase(from.begin(), from.begin() + std::ssize(out.from));
    const std::vector<Basin> others =
        halved(task, on, at_each(from), {{12, 10}, {25, 3}, {how.max_evaluations, 0}}, how);
    found.insert(found.end(), others.begin(), others.end());
    best_first(found);
  }
  if (found.empty()) throw nothing_to_start_from(known.front().name, known.size() + screened.size());
  hop(found, task, on, {on}, how);
  return out;
}

}  // namespace covary
