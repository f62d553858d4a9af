#include "covary/learn.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <chrono>
#include <cmath>
#include <mutex>

#include "covary/machine.h"
#include "parallel.h"

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A theta to start from, and what it is called.
struct Start {
  std::string name;
  Vector theta;
};

Vector lower(const std::vector<Searched>& all) {
  Vector v(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) v[Index(i)] = all[i].lower;
  return v;
}

Vector upper(const std::vector<Searched>& all) {
  Vector v(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) v[Index(i)] = all[i].upper;
  return v;
}

/// How far, in log units, starts are spread below and above the reference.
std::pair<double, double> spread(Role role, const std::string& path) {
  if (path == "noise") return {std::log(100.0), std::log(30.0)};
  switch (role) {
    case Role::lengthscale: return {std::log(10.0), std::log(10.0)};
    case Role::period: return {std::log(30.0), std::log(3.0)};
    case Role::shape: return {std::log(4.0), std::log(4.0)};
    default: return {std::log(3.0), std::log(3.0)};
  }
}

/// The reference moved by `factor` in every length-scale that was not given, at the prior's mode where it has one.
Vector at_mode(const std::vector<Searched>& all, double factor) {
  Vector t(std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i) {
    const Searched& s = all[i];
    t[Index(i)] = s.start;
    if (std::isnan(s.parameter.value) && s.parameter.role == Role::lengthscale)
      t[Index(i)] = (s.prior_sd > 0 ? s.prior_mean - s.prior_sd * s.prior_sd : s.reference) + std::log(factor);
  }
  return t;
}

std::vector<Start> starts(const std::vector<Searched>& all, const FitOptions& options) {
  const Index p = std::ssize(all);
  std::vector<Start> list;
  const auto add = [&](std::string name, Vector t) {
    t = t.cwiseMax(lower(all)).cwiseMin(upper(all));
    for (const Start& s : list)
      if ((s.theta - t).cwiseAbs().maxCoeff() < 1e-6) return;
    list.push_back({std::move(name), std::move(t)});
  };
  Vector first(p);
  for (Index i = 0; i < p; ++i) first[i] = all[static_cast<size_t>(i)].start;
  add("data", first);
  add("prior mode", at_mode(all, 1));
  add("prior mode x 3", at_mode(all, 3));
  add("prior mode x 0.3", at_mode(all, 0.3));
  const bool sobol = p <= 1000;
  boost::random::sobol engine(sobol ? static_cast<std::size_t>(p) : 1);
  engine.discard(static_cast<std::uint64_t>(p));  // its first point is 0
  Random rng(options.seed);
  for (int k = 1; k <= options.starts; ++k) {
    Vector t(p);
    for (Index i = 0; i < p; ++i) {
      const Searched& s = all[static_cast<size_t>(i)];
      const double u = sobol ? boost::random::uniform_01<double>()(engine) : rng.uniform();
      const auto [below, above] = spread(s.parameter.role, s.parameter.path);
      t[i] = std::isnan(s.parameter.value) ? s.reference - below + u * (below + above) : s.start;
    }
    add(fmt::format("sobol {}", k), std::move(t));
  }
  if (std::ssize(list) > std::max(1, options.starts)) list.resize(static_cast<size_t>(std::max(1, options.starts)));
  return list;
}

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

Basin descend(const Search& search, const Search::On& on, const Start& start, const MinimizeOptions& how, Matrix& work,
              int threads, Watch& watch) {
  MinimizeOptions options = how;
  options.stop = [&watch] { return watch.stop(); };
  const Smooth f = negative(search, on, work, threads, watch);
  Minimum m;
  Vector t = start.theta;
  int used = 0;
  for (int tries = 0; tries < 14 && !watch.stop(); ++tries, t = retreat(search, t)) {
    m = minimize(f, t, lower(search.parameters), upper(search.parameters), options);
    used += m.evaluations;
    if (std::isfinite(m.value)) break;
  }
  return {start.name, -m.value, m.x, used, false, m.stopped};
}

bool same_basin(const Basin& a, const Basin& b) {
  return (a.theta - b.theta).cwiseAbs().maxCoeff() < 0.1 || std::abs(a.objective - b.objective) < 1e-4;
}

/// Every start, on a subset of the rows when there are many, side by side; best first.
std::vector<Basin> explore(const Search& search, const FitOptions& options, Watch& watch) {
  const std::vector<Start> from = starts(search.parameters, options);
  std::vector<Index> rows;
  if (search.rows > options.subset * 5 / 4) rows = Random(options.seed).subset(search.rows, options.subset);
  const Search::On on = search.objective(rows);
  std::vector<Basin> found(from.size());
  const bool few = rows.empty() && search.rows <= 300;
  MinimizeOptions how;
  how.max_evaluations = few ? 200 : 40;
  how.value_tolerance = few ? 1e-8 : 1e-6;
  how.gradient_tolerance = few ? 1e-4 : 1e-2;
  watch.phase("exploring", 0, search.rows > options.subset ? 0.3 : 0.7);
  std::atomic<int> done{0};
  parallel_for(std::ssize(from), threads_or_all(options.threads), [&](Index i) {
    Matrix work;
    if (!watch.stop() || i == 0)
      found[static_cast<size_t>(i)] = descend(search, on, from[static_cast<size_t>(i)], how, work, 1, watch);
    watch.done(++done / double(from.size()));
  });
  if (watch.cancelled()) throw Error(Problem::interrupted, "learning was cancelled");
  std::stable_sort(found.begin(), found.end(),
                   [](const Basin& a, const Basin& b) { return a.objective > b.objective; });
  std::erase_if(found, [](const Basin& b) { return b.theta.size() == 0; });
  if (found.empty() || !std::isfinite(found[0].objective)) {
    std::string reasons;
    for (const Start& s : from) reasons += fmt::format("; {}: the covariance is not positive definite", s.name);
    throw Error(Problem::numerical, "no start could be evaluated" + reasons);
  }
  std::vector<Basin> distinct;
  for (Basin& b : found) {
    const bool seen = std::any_of(distinct.begin(), distinct.end(), [&](const Basin& d) { return same_basin(b, d); });
    if (!seen && std::isfinite(b.objective)) distinct.push_back(std::move(b));
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

void bound_notes(Summary& summary) {
  for (const LearnedParameter& p : summary.parameters) {
    if (p.name == "noise" && p.at_lower)
      summary.notes.push_back(fmt::format("noise is at its lower bound {:.3g}: the data look free of noise", p.lower));
    else if (p.name.find("lengthscale") != std::string::npos && p.at_upper)
      summary.notes.push_back(fmt::format("{} is at its upper bound {:.3g}: that input has no influence here, or only a "
                                          "straight one",
                                          p.name, p.upper));
    else if (p.at_lower || p.at_upper)
      summary.notes.push_back(fmt::format("{} is at its {} bound {:.3g}: the data ask for a different kernel, or for "
                                          "wider bounds",
                                          p.name, p.at_lower ? "lower" : "upper", p.at_lower ? p.lower : p.upper));
  }
}

}  // namespace

double log_prior(const std::vector<Searched>& parameters, const Vector& theta, Vector* gradient) {
  double sum = 0;
  if (gradient) *gradient = Vector::Zero(theta.size());
  for (Index i = 0; i < theta.size(); ++i) {
    const Searched& s = parameters[static_cast<size_t>(i)];
    if (s.prior_sd == 0) continue;
    const double z = (theta[i] - s.prior_mean) / s.prior_sd;  // density of the value itself: log-normal
    sum -= theta[i] + 0.5 * z * z;
    if (gradient) (*gradient)[i] = -1 - z / s.prior_sd;
  }
  return sum;
}

void check_trainable(Index n, Index d) {
  if (d == 0) throw Error(Problem::data, "no input columns: at least one is needed");
  if (n == 0) throw Error(Problem::data, "no observations: at least one row is needed");
}

Scales scales_of(const Vector& y, const Matrix& basis) {
  Scales s;
  const double most = y.cwiseAbs().maxCoeff();
  if (most > 1e100 || (most < 1e-100 && most > 0)) s.target = std::exp2(std::floor(std::log2(most)));
  const Vector scaled = y / s.target;
  Vector residual = scaled;
  if (basis.cols()) residual -= basis * Eigen::ColPivHouseholderQR<Matrix>(basis).solve(scaled);
  const double size = scaled.cwiseAbs().maxCoeff();
  s.constant = residual.cwiseAbs().maxCoeff() <= 1e-13 * size;
  s.variance = residual.squaredNorm() / double(y.size());
  if (s.constant || s.variance == 0) s.variance = size > 0 ? size * size : 1, s.constant = true;
  return s;
}

std::vector<Searched> searched(const std::vector<Parameter>& parameters, const Vector& theta, const Vector& reference,
                               const Vector& ranges, Index dimensions, const Noise& noise, double variance,
                               const FitOptions& options) {
  std::vector<Searched> all;
  for (const Parameter& p : parameters)
    if (!p.fixed) all.push_back({p, theta[std::ssize(all)], reference[std::ssize(all)]});
  if (noise.kind == Noise::Kind::learned)
    all.push_back({{"noise", Role::variance, noise.variance}, std::log(noise.variance), std::log(0.01 * variance)});
  for (Searched& s : all) {
    if (std::isnan(s.start)) s.start = s.reference;
    const auto bounds = [&s](double below, double above) {
      s.lower = s.reference - std::log(below), s.upper = s.reference + std::log(above);
    };
    switch (s.parameter.role) {
      case Role::lengthscale: bounds(1e3, 1e4); break;
      case Role::period: bounds(1e3, 1e2); break;
      case Role::shape: bounds(1e2, 1e3); break;
      case Role::variance:
      case Role::scale: bounds(1e6, 1e6); break;
      case Role::other: s.lower = s.start - 50, s.upper = s.start + 50; break;
    }
    if (s.parameter.path == "noise") bounds(1e6, 1e3);
    if (options.prior == Prior::weak && s.parameter.path == "noise")
      s.prior_mean = std::log(variance) - 4, s.prior_sd = 1;
    else if (options.prior == Prior::weak && s.parameter.role == Role::lengthscale) {
      const Index k = s.parameter.column;
      const double range = ranges.size() == 0 ? std::exp(s.reference) / std::sqrt(double(dimensions))
                           : k >= 0           ? ranges[k]
                                              : std::sqrt(ranges.squaredNorm() / double(ranges.size()));
      s.prior_mean = std::sqrt(2.0) + 0.5 * std::log(double(dimensions)) + std::log(range);
      s.prior_sd = std::sqrt(3.0);
    } else if (options.prior == Prior::weak && s.parameter.role == Role::shape) {
      s.prior_mean = s.reference + 1, s.prior_sd = 1;
    }
    const auto given = options.bounds.find(full_name(s.parameter, options.columns));
    if (given != options.bounds.end()) {
      if (!(given->second.lower > 0 && given->second.lower < given->second.upper))
        throw Error(Problem::usage, fmt::format("bounds of {}: expected 0 < lower < upper, found {} and {}", given->first,
                                                given->second.lower, given->second.upper));
      s.lower = std::log(given->second.lower), s.upper = std::log(given->second.upper);
    } else {  // what was given is always allowed
      s.lower = std::min(s.lower, s.start), s.upper = std::max(s.upper, s.start);
    }
  }
  std::vector<std::string> names;
  for (const Searched& s : all) names.push_back(full_name(s.parameter, options.columns));
  for (const auto& [name, bounds] : options.bounds)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(Problem::usage, fmt::format("bounds: no parameter is named '{}'{}", name, did_you_mean(name, names)));
  return all;
}

Vector learn(const Search& search, const FitOptions& options, Summary& summary) {
  if (options.starts < 1) throw Error(Problem::usage, fmt::format("starts: expected at least 1, found {}", options.starts));
  Watch watch(options);
  if (search.parameters.empty()) {
    summary.stopped = "nothing to learn";
    return Vector(0);
  }
  std::vector<Basin> basins = explore(search, options, watch);
  polish(basins, search, options, watch);
  const Vector theta = basins[0].theta;
  const std::vector<bool> flat = flat_directions(search, options, theta);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const Searched& s = search.parameters[i];
    const double t = theta[Index(i)];
    summary.parameters.push_back({full_name(s.parameter, options.columns), std::exp(t), std::exp(s.lower),
                                  std::exp(s.upper), false, t <= s.lower + 1e-9, t >= s.upper - 1e-9, flat[i]});
  }
  summary.evaluations = watch.evaluations();
  summary.seconds = watch.seconds();
  summary.stopped = watch.out_of_time() ? "the time was used up" : basins[0].stopped;
  if (watch.out_of_time()) summary.notes.push_back("the time was used up before the search had ended");
  summary.basins = std::move(basins);
  bound_notes(summary);
  return theta;
}

std::vector<std::string> column_notes(const Rows& x, const std::vector<std::string>& names) {
  const auto name = [&](Index k) {
    return std::cmp_less(k, names.size()) ? "'" + names[static_cast<size_t>(k)] + "'" : std::to_string(k + 1);
  };
  std::vector<std::string> notes;
  constexpr Index most = 200;  // comparing every pair of very many columns is not worth it
  for (Index k = 0; k < x.cols() && notes.size() < 20; ++k) {
    if (x.rows() > 1 && (x.col(k).array() == x(0, k)).all()) {
      notes.push_back(fmt::format("column {} is constant: it is ignored", name(k)));
      continue;
    }
    for (Index j = 0; j < std::min(k, most) && x.rows() > 1; ++j)
      if (x.col(j) == x.col(k)) {
        notes.push_back(fmt::format("columns {} and {} are identical: one of them is enough", name(j), name(k)));
        break;
      }
  }
  return notes;
}

Vector column_ranges(const Rows& x) {
  if (x.rows() == 0) return Vector::Ones(x.cols());
  const Vector range = x.colwise().maxCoeff() - x.colwise().minCoeff();
  return (range.array() > 0 && range.array() < 1e100).select(range, 1.0);
}

std::string isolation_note(const Gram& gram) {
  const Index n = std::min<Index>(gram.size, 200);
  if (n < 2) return "";
  const Matrix k = gram.block({0, n}, {0, n});
  double most = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) most = std::max(most, std::abs(k(i, j)) / std::sqrt(k(i, i) * k(j, j)));
  if (most > 0.01) return "";
  return fmt::format("no point sees another: the largest correlation among {} points is {:.2g}; predictions away from "
                     "the data are the prior's",
                     n, most);
}

void finish(Summary& s, const Vector& y, const Scales& scales, const LeaveOneOut& loo, const Conditioning& c,
            Index parameters) {
  s.n = y.size();
  s.machine = machine().text();
  s.jitter = c.jitter;
  s.reciprocal_condition = c.reciprocal_condition;
  const double variance = (y.array() - y.mean()).square().mean();
  s.loo_rmse = loo.rmse * scales.target;
  s.loo_nlpd = loo.nlpd + std::log(scales.target);
  s.loo_skill = variance > 0 ? 1 - loo.rmse * loo.rmse / variance : 0;
  if (scales.constant)
    s.notes.push_back("the target is constant, or the trend explains it exactly: nothing to learn, the kernel is a guess");
  else if (s.n > 10 && s.loo_skill < 0.02)
    s.notes.push_back(fmt::format("no structure found: leave-one-out predictions are no better than the mean (skill {:.3f})",
                                  s.loo_skill));
  if (s.n <= 3)
    s.notes.push_back(fmt::format("only {} row{}: the prior decides", s.n, s.n == 1 ? "" : "s"));
  else if (parameters > s.distinct)
    s.notes.push_back(fmt::format("{} parameters were learned from {} distinct rows: the prior decides most of them",
                                  parameters, s.distinct));
  if (scales.target != 1)
    s.notes.push_back(fmt::format("y was divided by {} before learning; variances are in units of its square", scales.target));
}

std::string Summary::text() const {
  std::string t = fmt::format("kernel  {}\nmean    {}\nnoise   {:.6g} (variance)\n", kernel, mean, noise_variance);
  t += fmt::format("log marginal likelihood {:.6f}, leave-one-out rmse {:.6g}, nlpd {:.6g}\n", log_marginal_likelihood,
                   loo_rmse, loo_nlpd);
  t += fmt::format("{} rows, {} evaluations in {:.2f} s; {}\n", n, evaluations, seconds, stopped);
  for (const std::string& note : notes) t += "note: " + note + "\n";
  return t;
}

template Fitted<Row> fit<Row>(const Model<Row>&, Batch<Row>, const Vector&, const FitOptions&);

}  // namespace covary
