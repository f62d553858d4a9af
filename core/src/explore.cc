#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "beside.h"
#include "descend.h"
#include "parallel.h"
#include "search_summary.h"

namespace covary {
namespace {

/// theta in units of what starts are drawn over.
double distance(const Search& search, const Vector& a, const Vector& b, double period_width) {
  double most = 0;
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    const bool period = s.parameter.role == Role::period;
    const double width = period ? period_width : std::max(0.5, s.high - s.low);
    most = std::max(most, std::abs(a[Index(i)] - b[Index(i)]) / width);
  }
  return most;
}

/// The best starts that are apart from each other and from those in `from`, to make `count` more of them.
void add_best(const Search& search, const std::vector<Screened>& screened, int count,
              std::vector<Start>& from, double period_width = 0.2) {
  constexpr double apart = 0.15;
  for (const Screened& s : screened) {
    if (count == 0) return;
    if (!std::isfinite(s.value)) continue;
    const bool near = std::any_of(from.begin(), from.end(), [&](const Start& f) {
      return distance(search, f.theta, s.start.theta, period_width) < apart;
    });
    if (near) continue;
    from.push_back(s.start), --count;
  }
}

Index agreeing(const std::vector<Basin>& found) {
  return std::count_if(found.begin(), found.end(),
                       [&](const Basin& b) { return same_optimum(b, found.front()); });
}

void sort_best_first(std::vector<Basin>& basins) {
  std::stable_sort(basins.begin(), basins.end(), [](const Basin& a, const Basin& b) {
    return a.polished != b.polished ? a.polished : a.objective > b.objective;
  });
}

/// Distinct optima, best first, each with the number of starts that led to it.
std::vector<Basin> distinct(std::vector<Basin> found) {
  sort_best_first(found);
  std::vector<Basin> out;
  for (Basin& b : found) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Basin& d) { return same_optimum(b, d); });
    if (same == out.end())
      out.push_back(std::move(b));
    else
      same->starts += b.starts, same->evaluations += b.evaluations;
  }
  return out;
}

void by_value(std::vector<Screened>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Screened& a, const Screened& b) { return a.value > b.value; });
}

/// Optima of many length-scales differ by which inputs count and how, those of periodic kernels by the
/// period. So beside the best one, length-scales are switched and periods moved; the best four of these
/// points are descended from, as long as that helps.
void hop(std::vector<Basin>& found, const Search& search, const Ground& on, const MinimizeOptions& how,
         const FitOptions& options, Watch& watch) {
  Random rng(options.seed);
  for (int round = 0; round < 6 && !watch.stop(); ++round) {
    std::vector<Start> from = switched(search, found[0], rng);
    for (Start& s : moved_periods(search, found[0])) from.push_back(std::move(s));
    if (from.empty()) return;
    std::vector<Screened> tried = screen(search, on, std::move(from), options.threads, watch);
    by_value(tried);
    from = {{found[0].start, found[0].theta}};
    add_best(search, tried, on.rows < search.rows ? 2 : 4, from);
    from.erase(from.begin());
    std::vector<Basin> reached = descend_all(search, on, from, how, options.threads, watch);
    const bool better = !reached.empty() && reached[0].objective > found[0].objective + 0.01;
    found.insert(better ? found.begin() : found.end(), reached.begin(), reached.end());
    if (!better) return;
  }
}

/// Enough for every corner of the box to be near one of them, if the parameters are few. On a sample of the
/// rows the length-scales of inputs count as one: what is found there is refined on all rows.
int draws(const Search& search, bool sampled) {
  const auto inputs = sampled ? std::max<Index>(1, std::ssize(input_lengthscales(search))) - 1 : 0;
  return std::clamp(int(32 * (std::ssize(search.parameters) - inputs)), 96, 320);
}

Error nothing_to_start_from(const std::string& first, size_t count) {
  return {
      Problem::numerical,
      fmt::format("no start could be evaluated: the covariance matrix is not positive definite at any of {} "
                  "('{}' {})",
                  count, first, count > 1 ? "and others" : "alone")};
}

/// Short descents from many starts, longer ones from the best of them that are apart, and to the end from the
/// best of these.
std::vector<Basin> halved(const Search& search, const Ground& on, std::vector<Start> from,
                          const MinimizeOptions& how, const FitOptions& options, Watch& watch) {
  std::vector<Basin> reached;
  for (const auto& [evaluations, kept] :
       {std::pair(12, 10), std::pair(25, 3), std::pair(how.max_evaluations, 0)}) {
    MinimizeOptions now = how;
    now.max_evaluations = std::min(evaluations, how.max_evaluations);
    reached = descend_all(search, on, from, now, options.threads, watch);
    std::vector<Screened> ends;
    for (const Basin& b : reached) ends.push_back({{b.start, b.theta}, b.objective});
    from.clear();
    add_best(search, ends, kept, from, 0.02);
    if (watch.stop()) break;
  }
  return reached;
}

/// Descents on a sample of the rows from the best of many starts that are apart; if hardly any agree on the
/// best optimum, from many more. All that was found, best first.
std::vector<Basin> explore(const Search& search, const Ground& on, const FitOptions& options, Watch& watch) {
  MinimizeOptions how;
  const bool sampled = on.rows < search.rows;
  how.max_evaluations = sampled ? 40 : 150;
  how.value_tolerance = sampled ? 1e-5 : 1e-8;
  how.gradient_tolerance = sampled ? 0.05 : 1e-4;
  const std::vector<Start> known = known_starts(search.parameters, options);
  std::vector<Start> tried = drawn_starts(search.parameters, draws(search, sampled), options.seed);
  tried.insert(tried.begin(), known.begin() + 1, known.end());
  watch.phase("screening", 0, 0.1);
  std::vector<Screened> screened = screen(search, on, std::move(tried), options.threads, watch);
  const std::vector<Screened> drawn = screened;
  by_value(screened);
  std::vector<Start> from{known.front()};
  const int first = sampled ? (options.starts + 1) / 2 : options.starts;
  add_best(search, screened, first - 1, from);
  if (std::vector<Start> grid = period_grid(search, screened[0].start); !grid.empty()) {
    std::vector<Screened> periods = screen(search, on, std::move(grid), options.threads, watch);
    by_value(periods);
    add_best(search, periods, options.starts, from);
  }
  watch.phase("exploring", 0.1, 0.5);
  std::vector<Basin> found = descend_all(search, on, from, how, options.threads, watch);
  if (!found.empty() && agreeing(found) < std::min<Index>(3, std::ssize(found)) && !watch.stop()) {
    const auto before = std::ssize(from);
    const int more = sampled ? options.starts : 3 * options.starts;
    add_best(search, screened, more, from);
    add_best(search, drawn, more, from);
    from.erase(from.begin(), from.begin() + before);
    for (Basin& b : halved(search, on, std::move(from), how, options, watch)) found.push_back(std::move(b));
    sort_best_first(found);
  }
  if (found.empty()) throw nothing_to_start_from(known.front().name, known.size() + screened.size());
  hop(found, search, on, how, options, watch);
  sort_best_first(found);
  return found;
}

/// True if no parameter differs by a factor of more than e, length-scales of inputs that hardly count aside.
bool alike(const Search& search, const Vector& a, const Vector& b) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    const bool input = s.parameter.role == Role::lengthscale && s.parameter.column >= 0;
    const double idle = input ? s.reference + std::log(20.0) : std::numeric_limits<double>::infinity();
    if (std::abs(std::min(a[Index(i)], idle) - std::min(b[Index(i)], idle)) > 1) return false;
  }
  return true;
}

/// True if the objective only rises on the straight way from one point to a better one that is near: no
/// valley between.
bool rises(const Search& search, const Ground& on, const Basin& from, const Basin& to,
           const FitOptions& options, Watch& watch) {
  if (!alike(search, from.theta, to.theta)) return false;
  std::vector<Start> way;
  for (const double t : {0.25, 0.5, 0.75})
    way.push_back({from.start, from.theta + t * (to.theta - from.theta)});
  std::vector<double> values{from.objective};
  for (const Screened& s : screen(search, on, std::move(way), options.threads, watch))
    values.push_back(s.value);
  values.push_back(to.objective);
  return std::is_sorted(values.begin(), values.end());
}

/// Descents on all rows from the optima of a sample: from the best by value there, then from the next ones as
/// far as they come near it.
void refine(std::vector<Basin>& basins, const Search& search, const Ground& all, const Ground& sample,
            const FitOptions& options, Watch& watch) {
  constexpr double near = 3;  // nats
  const int threads = search.rows <= 300 ? 1 : threads_or_all(options.threads);
  Matrix work;
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
    if (i > 0 && sampled && rises(search, all, b, basins[leader], options, watch)) {
      basins[leader].starts += b.starts;
      basins.erase(basins.begin() + std::ptrdiff_t(i--));
      continue;
    }
    MinimizeOptions how;
    if (i > 0) how.max_evaluations = 12;
    Basin refined = descend(search, all, sample, {b.start, b.theta}, how, work, threads, watch);
    watch.throw_if_cancelled();
    if (!std::isfinite(refined.objective)) continue;
    if (i > 0 && refined.evaluations >= 12 && refined.objective > best - near) {
      const int before = refined.evaluations;
      refined = descend(search, all, sample, {b.start, refined.theta}, {}, work, threads, watch);
      refined.evaluations += before;
    }
    refined.evaluations += b.evaluations;
    refined.starts = b.starts;
    refined.polished = true;
    if (refined.objective > best) best = refined.objective, leader = i;
    b = std::move(refined);
  }
  sort_best_first(basins);
}

/// Whether an input counts is a choice that a descent does not take back. On all rows, by value: is there a
/// better one beside the best optimum?
void change_one(std::vector<Basin>& basins, const Search& search, const Ground& all,
                const FitOptions& options, Watch& watch) {
  for (int round = 0; round < 3 && !watch.stop(); ++round) {
    std::vector<Screened> tried = screen(search, all, one_changed(search, basins[0]), options.threads, watch);
    by_value(tried);
    if (tried.empty() || !(tried[0].value > basins[0].objective + 1e-3)) return;
    Matrix work;
    MinimizeOptions how;
    Basin b = descend(search, all, all, tried[0].start, how, work, threads_or_all(options.threads), watch);
    watch.throw_if_cancelled();
    b.polished = true;
    const bool better = b.objective > basins[0].objective + 1e-3;
    if (better) basins.insert(basins.begin(), std::move(b));
    if (!better) return;
  }
}

/// What an evaluation on all rows will take, from one on at most 1000 of them. With a limit of time the
/// search keeps enough of it for the end: conditioning on all rows and leaving each out.
double seconds_each(const Search& search, const Vector& theta, const FitOptions& options, Watch& watch) {
  const Ground some = samples(search, 1000, options)[0];
  Matrix work;
  (void)some.on(theta, work, true, threads_or_all(options.threads));
  const double begin = watch.seconds();
  (void)some.on(theta, work, true, threads_or_all(options.threads));
  const double ratio = double(search.rows) / double(some.rows);
  return (watch.seconds() - begin) * ratio * ratio * ratio;
}

/// What was given or the data suggest; or, if the options name starts, the best of these by value.
Start only_start(const Search& search, const Ground& all, const FitOptions& options, Watch& watch) {
  std::vector<Start> known = known_starts(search.parameters, options);
  if (options.also_from.empty()) return known[0];
  known.erase(known.begin());
  std::erase_if(known, [](const Start& s) { return s.name != "named"; });
  if (known.empty()) return known_starts(search.parameters, options)[0];
  std::vector<Screened> valued = screen(search, all, std::move(known), options.threads, watch);
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

/// Best optima of a sample, once more by value on all rows.
void rank_on_all_rows(std::vector<Basin>& basins, const Search& search, const Ground& all,
                      const FitOptions& options, Watch& watch) {
  std::vector<Start> from;
  for (const Basin& b : basins) from.push_back({b.start, b.theta});
  const std::vector<Screened> again = screen(search, all, std::move(from), options.threads, watch);
  for (size_t i = 0; i < basins.size(); ++i) {
    if (!std::isfinite(again[i].value) && watch.stop()) return;
    basins[i].theta = again[i].start.theta, basins[i].objective = again[i].value;
  }
  sort_best_first(basins);
}

/// Few parameters are screened on all rows too: a sample may not show an optimum of short length-scales.
void add_screened_on_all(std::vector<Basin>& basins, const Search& search, const Ground& all,
                         const FitOptions& options, Watch& watch) {
  if (search.parameters.size() > 4 || all.rows > 2000) return;
  std::vector<Screened> screened =
      screen(search, all, drawn_starts(search.parameters, 96, options.seed), options.threads, watch);
  by_value(screened);
  std::vector<Start> from;
  for (const Basin& b : basins) from.push_back({b.start, b.theta});
  const auto before = std::ssize(from);
  add_best(search, screened, 3, from);
  MinimizeOptions how;
  how.max_evaluations = 15;
  from.erase(from.begin(), from.begin() + before);
  for (Basin& b : descend_all(search, all, from, how, options.threads, watch)) basins.push_back(std::move(b));
}

}  // namespace

Vector learn(const Search& search, const FitOptions& options, Summary& summary) {
  if (options.starts < 1)
    throw Error(Problem::usage, fmt::format("starts: expected at least 1, found {}", options.starts));
  Watch watch(options);
  if (search.parameters.empty()) {
    summary.stopped = "nothing to learn";
    return Vector(0);
  }
  const bool limited = std::isfinite(options.max_seconds) && search.rows > 1000;
  double each = 0;
  if (limited) {
    each = seconds_each(search, known_starts(search.parameters, options)[0].theta, options, watch);
    check_time(each, search, options);
    watch.expect(0, 2 * each);
  }
  const Ground all = all_rows(search);
  std::vector<Ground> explored{all};
  std::vector<Basin> basins;
  if (options.starts == 1) {
    const Start only = only_start(search, all, options, watch);
    Basin& b = basins.emplace_back();
    b.start = only.name, b.theta = only.theta, b.objective = -std::numeric_limits<double>::infinity();
  } else {
    explored = samples(search, options.subset, options);
    for (const Ground& sample : explored) {
      std::vector<Basin> found = distinct(explore(search, sample, options, watch));
      constexpr size_t most = 5;
      if (sample.rows < search.rows && found.size() > most) found.resize(most);
      std::move(found.begin(), found.end(), std::back_inserter(basins));
    }
  }
  watch.phase("refining", 0.5, 1);
  watch.expect(each, 2 * each);
  if (watch.out_of_time() && limited) {
    summary.notes.push_back(fmt::format(
        "the hyper-parameters were learned from {} of {} rows: an evaluation on all takes about {:.3g} s",
        explored[0].rows, search.rows, each));
  } else {
    if (explored[0].rows < search.rows) {
      rank_on_all_rows(basins, search, all, options, watch);
      add_screened_on_all(basins, search, all, options, watch);
      sort_best_first(basins);
    }
    refine(basins, search, all, explored[0], options, watch);
    if (options.starts > 1) change_one(basins, search, all, options, watch);
  }
  basins = distinct(std::move(basins));
  if (!std::isfinite(basins[0].objective)) throw nothing_to_start_from(basins[0].start, 1);
  const Vector theta = basins[0].theta;
  describe(search, options, theta, summary);
  summary.evaluations = watch.evaluations();
  summary.seconds = watch.seconds();
  summary.stopped = watch.out_of_time() ? "the time was used up" : basins[0].stopped;
  if (watch.out_of_time()) summary.notes.push_back("the time was used up before the search had ended");
  summary.basins = std::move(basins);
  return theta;
}

}  // namespace covary
