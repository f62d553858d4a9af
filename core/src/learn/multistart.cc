// The search for hyper-parameters, from its first start to its summary.
#include <fmt/format.h>

#include <cmath>

#include "covary/base/parallel.h"
#include "learn/on_all_rows.h"
#include "learn/search_summary.h"

namespace covary {
using namespace internal;
namespace {

/// The optima of all rows if they are few, otherwise those that samples suggest: the best five of each sort.
/// Where a sample suggests several and an evaluation takes little, each is tried on all rows.
std::vector<Basin> explored(const Task& task, const Ground& all, const std::vector<Ground>& grounds) {
  std::vector<Basin> basins, begun;
  for (const Ground& ground : grounds) {
    Explored e = explore(task, ground);
    std::vector<Basin> found = distinct(std::move(e.found));
    if (ground.rows == all.rows) return found;
    for (const Basin& b : best_of_each(task.search, found, 5)) basins.push_back(b);
    for (const Start& s : e.from) begun.push_back(at_start(s));
  }
  if (all.rows > few_rows || (begun.empty() && basins.size() <= grounds.size()) || task.watch.stop())
    return basins;
  begun.insert(begun.end(), basins.begin(), basins.end());
  std::vector<Basin> tried = tried_on_all_rows(task, all, grounds, begun);
  return tried.empty() ? basins : tried;
}

/// What an evaluation on all rows will take, from one on at most 1000 of them. With a limit of time the
/// search keeps enough of it for the end: conditioning on all rows and leaving each out.
double seconds_each(const Task& task, const Vector& theta) {
  const Search& search = task.search;
  const FitOptions& options = task.options;
  const Ground some = samples(search, 1000, options)[0];
  const std::unique_ptr<Objective> objective = some.objective();
  (void)objective->at(theta, true, threads_or_all(options.threads));
  const auto now = [&] {
    if (Ranks* r = ranks()) r->meet("the time of an evaluation");
    return task.watch.seconds();
  };
  const double begin = now();
  (void)objective->at(theta, true, threads_or_all(options.threads));
  const auto cubes = [](Index n) { return double(n) * double(n) * double(n); };
  const double ratio = search.flops ? search.flops(search.rows) / search.flops(some.rows)
                                    : cubes(search.rows) / cubes(some.rows);
  return (now() - begin) * ratio;
}

/// What was given or the data suggest; or, if the options name starts, the best of these by value.
Start only_start(const Task& task, const Ground& all) {
  const auto& [search, options, watch] = task;
  std::vector<Start> known = known_starts(search.parameters, options);
  if (options.also_from.empty()) return known[0];
  known.erase(known.begin());
  std::erase_if(known, [](const Start& s) { return s.name != "named"; });
  if (known.empty()) return known_starts(search.parameters, options)[0];
  std::vector<Screened> valued = screen(task, all, std::move(known));
  by_value(valued);
  return valued[0].start;
}

void check_time(double each, const Search& search, const FitOptions& options) {
  if (2 * each <= options.max_seconds) return;
  throw Error(Problem::limit,
              fmt::format("max seconds: {:.3g} are not enough for {} rows: conditioning on them takes about "
                          "{:.3g} s, before anything is learned",
                          options.max_seconds, search.rows, 2 * each));
}

/// From the optima of a sample to the best one of all rows. Of very many rows an eighth decides which optimum
/// that is, and all of them where it lies: there the variables of an approximation, which are returned, move
/// with theta.
Vector refine_by_stages(std::vector<Basin>& basins, const Task& task, const Ground& all,
                        const Ground& sample) {
  const auto& [search, options, watch] = task;
  constexpr Index many = 12000;
  const bool staged = search.rows >= many && sample.rows < all.rows;
  const Ground middle = staged ? samples(search, search.rows / 8, options)[0] : all;
  if (sample.rows < all.rows) {
    rank_on_all_rows(basins, task, middle);
    add_screened_on_all(basins, task, middle);
  }
  refine(basins, task, middle, sample);
  if (options.starts > 1) change_one(basins, task, middle);
  std::vector<Basin> best{basins[0]};
  Vector variables = refine_jointly(best[0], task, all, middle);
  if (staged && variables.size() == 0) refine(best, task, all, middle);
  if (staged)
    for (Basin& b : basins) b.polished = false;  // but on an eighth of the rows
  basins[0] = std::move(best[0]);
  return variables;
}

void say_how_it_ended(const Watch& watch, const Basin& best, Summary& summary) {
  summary.stopped = best.stopped;
  if (watch.enough()) {
    summary.stopped = "stopped on request";
    summary.notes.push_back("the search was stopped on request: the best parameters so far were kept");
  } else if (watch.out_of_time()) {
    summary.stopped = "the time was used up";
    summary.notes.push_back("the time was used up before the search had ended");
  }
}

}  // namespace

Vector internal::learn(const Search& search, const FitOptions& options, Summary& summary, Vector* variables) {
  if (options.starts < 1)
    throw Error(Problem::usage, fmt::format("starts: expected at least 1, found {}", options.starts));
  Watch watch(options);
  const Task task{search, options, watch};
  if (search.parameters.empty()) {
    summary.stopped = "nothing to learn";
    if (search.variables && variables) {
      Basin only = at_start({"the given parameters", Vector(0)});
      *variables = refine_jointly(only, task, all_rows(search), all_rows(search));
      if (variables->size()) summary.stopped = only.stopped;
      summary.evaluations = watch.evaluations();
      summary.seconds = watch.seconds();
    }
    return Vector(0);
  }
  const bool limited = std::isfinite(options.max_seconds) && search.rows > 1000;
  double each = 0;
  if (limited) {
    each = seconds_each(task, known_starts(search.parameters, options)[0].theta);
    check_time(each, search, options);
    watch.expect(0, 2 * each);
  }
  const Ground all = all_rows(search);
  std::vector<Ground> grounds{all};
  std::vector<Basin> basins;
  if (options.starts == 1) {
    basins.push_back(at_start(only_start(task, all)));
  } else {
    grounds = samples(search, options.subset, options);
    basins = explored(task, all, grounds);
  }
  watch.phase("refining", 0.5, search.variables ? 0.75 : 1);
  watch.expect(each, 2 * each);
  if (watch.enough()) {
    if (!std::isfinite(basins[0].objective))  // nothing was evaluated: its start, then
      basins[0] = descend(task, all, all, basins[0], {}, threads_or_all(options.threads));
  } else if (watch.out_of_time() && limited) {
    summary.notes.push_back(fmt::format(
        "the hyper-parameters were learned from {} of {} rows: an evaluation on all takes about {:.3g} s",
        grounds[0].rows, search.rows, each));
  } else {
    Vector moved = refine_by_stages(basins, task, all, grounds[0]);
    if (variables) *variables = std::move(moved);
  }
  basins = distinct(std::move(basins));
  if (!std::isfinite(basins[0].objective)) throw nothing_to_start_from(basins[0].start, 1);
  Vector theta = basins[0].theta;
  describe(search, options, theta, summary);
  summary.evaluations = watch.evaluations();
  summary.seconds = watch.seconds();
  say_how_it_ended(watch, basins[0], summary);
  summary.basins = std::move(basins);
  return theta;
}

}  // namespace covary
