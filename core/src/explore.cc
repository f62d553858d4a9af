#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>

#include "box.h"
#include "covary/random.h"
#include "covary/search.h"
#include "parallel.h"

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The clock, the counters and the callback that all searches of one fit share.
class Watch {
 public:
  explicit Watch(const FitOptions& options) : options_(options) {}
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void phase(std::string name, double from, double to) {
    const std::lock_guard lock(mutex_);
    phase_ = std::move(name), from_ = from, to_ = to;
  }
  void count(double value) {
    const std::lock_guard lock(mutex_);
    ++evaluations_;
    best_ = std::max(best_, value);
    if (!options_.progress || cancelled_) return;
    const double share = from_ + (to_ - from_) * done_;
    if (!options_.progress({phase_, evaluations_, best_, seconds(), share})) cancelled_ = true;
  }
  void done(double share) { done_ = share; }
  bool stop() const { return cancelled_ || out_of_time(); }
  bool out_of_time() const { return seconds() > options_.max_seconds; }
  bool cancelled() const { return cancelled_; }
  int evaluations() const { return evaluations_; }

 private:
  const FitOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::string phase_;
  double from_ = 0, to_ = 1, best_ = -infinity;
  std::atomic<double> done_ = 0;
  int evaluations_ = 0;
  std::atomic<bool> cancelled_ = false;
};

/// minus (objective + log prior) and its gradient.
Smooth negative(const Search& search, const Search::On& on, Matrix& work, int threads, Watch& watch) {
  return [&search, on, &work, threads, &watch](const Vector& t) -> std::pair<double, Vector> {
    const Evaluation e = on(t, work, true, threads);
    if (!std::isfinite(e.value)) return watch.count(-infinity), std::pair{infinity, Vector()};
    Vector g;
    const double value = e.value + log_prior(search.parameters, t, &g);
    watch.count(value);
    return {-value, -(e.gradient + g)};
  };
}

/// A start outside the domain (K singular) is drawn in: shorter length-scales, more noise.
Vector retreat(const Search& search, Vector t) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Parameter& p = search.parameters[i].parameter;
    if (p.role == Role::lengthscale) t[Index(i)] -= std::log(2.0);
    if (p.path == "noise") t[Index(i)] += std::log(4.0);
  }
  return t.cwiseMax(lower(search.parameters)).cwiseMin(upper(search.parameters));
}

Basin descend(const Search& search, const Search::On& on, const Start& start, const MinimizeOptions& how,
              Matrix& work, int threads, Watch& watch) {
  MinimizeOptions options = how;
  options.stop = [&watch] { return watch.stop(); };
  const Smooth f = negative(search, on, work, threads, watch);
  Minimum m;
  Vector t = start.theta;
  int used = 0;
  for (int tries = 0; tries == 0 || (tries < 14 && !watch.stop()); ++tries, t = retreat(search, t)) {
    m = minimize(f, t, lower(search.parameters), upper(search.parameters), options);
    used += m.evaluations;
    if (std::isfinite(m.value)) break;
  }
  return {start.name, -m.value, m.x, used, false, m.stopped};
}

bool same_basin(const Basin& a, const Basin& b) {
  return (a.theta - b.theta).cwiseAbs().maxCoeff() < 0.1 || std::abs(a.objective - b.objective) < 1e-4;
}

/// Descents from every start, side by side; best first, those that could not begin left out.
std::vector<Basin> descend_all(const Search& search, const Search::On& on, const std::vector<Start>& from,
                               const MinimizeOptions& how, const FitOptions& options, Watch& watch) {
  std::vector<Basin> found(from.size());
  std::atomic<int> done{0};
  parallel_for(std::ssize(from), threads_or_all(options.threads), [&](Index i) {
    Matrix work;
    if (!watch.stop() || i == 0)
      found[static_cast<size_t>(i)] = descend(search, on, from[static_cast<size_t>(i)], how, work, 1, watch);
    watch.done(++done / double(from.size()));
  });
  if (watch.cancelled()) throw Error(Problem::interrupted, "learning was cancelled");
  std::erase_if(found, [](const Basin& b) { return b.theta.size() == 0 || !std::isfinite(b.objective); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Basin& a, const Basin& b) { return a.objective > b.objective; });
  return found;
}

/// The best optimum with one or two of its length-scales made short, middling or long.
std::vector<Start> switched(const Search& search, const Basin& best, Random& rng) {
  std::vector<Index> which;
  for (size_t i = 0; i < search.parameters.size(); ++i)
    if (search.parameters[i].parameter.role == Role::lengthscale &&
        search.parameters[i].parameter.column >= 0)
      which.push_back(Index(i));
  std::vector<Start> all;
  if (which.size() < 2) return all;
  constexpr std::array<double, 3> factors{0.1, 2.0, 300.0};
  for (int k = 0; k < 12; ++k) {
    Start start{best.start + ", switched", best.theta};
    for (int change = 0; change < 2; ++change) {
      const Index i = which[static_cast<size_t>(rng.integer(std::ssize(which)))];
      const Searched& s = search.parameters[static_cast<size_t>(i)];
      start.theta[i] =
          std::clamp(s.reference + std::log(factors[static_cast<size_t>(rng.integer(3))]), s.lower, s.upper);
    }
    all.push_back(std::move(start));
  }
  return all;
}

/// Optima of many length-scales differ by which inputs count and how. So beside the best one, length-scales
/// are switched: a few steps from each of 12 such points, and all the way from the best two.
void hop(std::vector<Basin>& found, const Search& search, const Search::On& on, const MinimizeOptions& how,
         const FitOptions& options, Watch& watch) {
  Random rng(options.seed);
  for (int round = 0; round < 4 && !watch.stop(); ++round) {
    std::vector<Start> from = switched(search, found[0], rng);
    if (from.empty()) return;
    MinimizeOptions brief = how;
    brief.max_evaluations = 8;
    const std::vector<Basin> tried = descend_all(search, on, from, brief, options, watch);
    from.clear();
    for (size_t i = 0; i < std::min<size_t>(2, tried.size()); ++i)
      from.push_back({tried[i].start, tried[i].theta});
    std::vector<Basin> reached = descend_all(search, on, from, how, options, watch);
    const bool better = !reached.empty() && reached[0].objective > found[0].objective + 0.01;
    found.insert(better ? found.begin() : found.end(), reached.begin(), reached.end());
    if (!better) return;
  }
}

/// Every start, on a subset of the rows when there are many; distinct optima, best first.
std::vector<Basin> explore(const Search& search, const FitOptions& options, Watch& watch) {
  const std::vector<Start> from = starts(search.parameters, options);
  std::vector<Index> rows;
  if (search.rows > options.subset * 5 / 4) rows = Random(options.seed).subset(search.rows, options.subset);
  const Search::On on = search.objective(rows);
  const bool few = rows.empty() && search.rows <= 300;
  MinimizeOptions how;
  how.max_evaluations = few ? 200 : 40;
  how.value_tolerance = few ? 1e-8 : 1e-6;
  how.gradient_tolerance = few ? 1e-4 : 1e-2;
  const double share = search.rows > options.subset ? 0.3 : 0.7;
  watch.phase("exploring", 0, 0.6 * share);
  std::vector<Basin> found = descend_all(search, on, from, how, options, watch);
  if (found.empty()) {
    std::string reasons;
    for (const Start& s : from)
      reasons += fmt::format("; {}: the covariance is not positive definite", s.name);
    throw Error(Problem::numerical, "no start could be evaluated" + reasons);
  }
  watch.phase("exploring", 0.6 * share, share);
  if (options.starts > 1) hop(found, search, on, how, options, watch);
  std::stable_sort(found.begin(), found.end(),
                   [](const Basin& a, const Basin& b) { return a.objective > b.objective; });
  std::vector<Basin> distinct;
  for (Basin& b : found) {
    const bool seen =
        std::any_of(distinct.begin(), distinct.end(), [&](const Basin& d) { return same_basin(b, d); });
    if (!seen) distinct.push_back(std::move(b));
  }
  return distinct;
}

/// The best basins on all rows, to full accuracy.
void polish(std::vector<Basin>& basins, const Search& search, const FitOptions& options, Watch& watch) {
  const Search::On on = search.objective({});
  const int threads = search.rows <= 300 ? 1 : threads_or_all(options.threads);
  const size_t most = std::min(basins.size(), static_cast<size_t>(std::max(1, options.polish)));
  watch.phase("polishing", search.rows > options.subset ? 0.3 : 0.7, 1);
  Matrix work;
  for (size_t i = 0; i < most; ++i) {
    watch.done(double(i) / double(most));
    if (i > 0 && watch.stop()) break;
    const Basin refined = descend(search, on, {basins[i].start, basins[i].theta}, {}, work, threads, watch);
    if (watch.cancelled()) throw Error(Problem::interrupted, "learning was cancelled");
    const int before = basins[i].evaluations;
    if (!std::isfinite(refined.objective)) continue;
    basins[i] = refined;
    basins[i].evaluations += before;
    basins[i].polished = true;
  }
  std::stable_sort(basins.begin(), basins.end(), [](const Basin& a, const Basin& b) {
    return a.polished != b.polished ? a.polished : a.objective > b.objective;
  });
}

/// Which parameters can be doubled and halved without the objective noticing; judged on at most 500 rows.
std::vector<bool> flat_directions(const Search& search, const FitOptions& options, const Vector& theta) {
  std::vector<bool> flat(search.parameters.size());
  if (flat.size() > 100) return flat;
  std::vector<Index> rows;
  if (search.rows > 500) rows = Random(options.seed).subset(search.rows, 500);
  const Search::On on = search.objective(rows);
  Matrix scratch;
  const double here = on(theta, scratch, false, 1).value;
  const double share = rows.empty() ? 1 : double(search.rows) / 500;
  std::vector<char> hardly(flat.size());
  parallel_for(std::ssize(flat), threads_or_all(options.threads), [&](Index i) {
    Matrix work;
    double most = 0;
    for (const double way : {-std::log(2.0), std::log(2.0)}) {
      Vector t = theta;
      t[i] += way;
      most = std::max(most, std::abs(here - on(t, work, false, 1).value));
    }
    hardly[static_cast<size_t>(i)] = most * share < 0.05;
  });
  std::copy(hardly.begin(), hardly.end(), flat.begin());
  return flat;
}

void bound_notes(Summary& summary, const FitOptions& options) {
  for (const LearnedParameter& p : summary.parameters) {
    const char* side = p.at_lower ? "lower" : "upper";
    const double bound = p.at_lower ? p.lower : p.upper;
    if ((p.at_lower || p.at_upper) && options.bounds.contains(p.name))
      summary.notes.push_back(
          fmt::format("{} is at its {} bound {:.3g}, which was given", p.name, side, bound));
    else if (p.name == "noise" && p.at_lower)
      summary.notes.push_back(
          fmt::format("noise is at its lower bound {:.3g}: the data look free of noise", p.lower));
    else if (p.name.find("lengthscale") != std::string::npos && p.at_upper)
      summary.notes.push_back(
          fmt::format("{} is at its upper bound {:.3g}: that input has no influence here, or only a "
                      "straight one",
                      p.name, p.upper));
    else if (p.at_lower || p.at_upper)
      summary.notes.push_back(
          fmt::format("{} is at its {} bound {:.3g}: the data ask for a different kernel, or for "
                      "wider bounds",
                      p.name, side, bound));
  }
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
  std::vector<Basin> basins = explore(search, options, watch);
  polish(basins, search, options, watch);
  Vector theta = basins[0].theta;
  const std::vector<bool> flat = flat_directions(search, options, theta);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    const double t = theta[Index(i)];
    summary.parameters.push_back({full_name(s.parameter, options.columns), std::exp(t), std::exp(s.lower),
                                  std::exp(s.upper), false, t <= s.lower + 1e-9, t >= s.upper - 1e-9,
                                  flat[i]});
  }
  summary.evaluations = watch.evaluations();
  summary.seconds = watch.seconds();
  summary.stopped = watch.out_of_time() ? "the time was used up" : basins[0].stopped;
  if (watch.out_of_time()) summary.notes.push_back("the time was used up before the search had ended");
  summary.basins = std::move(basins);
  bound_notes(summary, options);
  return theta;
}

}  // namespace covary
