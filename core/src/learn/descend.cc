#include "learn/descend.h"

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "covary/base/parallel.h"
#include "learn/box.h"

namespace covary {
using namespace internal;
namespace {

/// minus (weight objective + log prior) and its gradient.
Smooth negative(const Task& task, const Ground& on, int threads, double weight = 1) {
  return [&task, objective = std::shared_ptr<Objective>(on.objective()), threads,
          weight](const Vector& t) -> std::pair<double, Vector> {
    const Evaluation e = objective->at(t, true, threads);
    if (!std::isfinite(e.value)) return task.watch.count(-infinity), std::pair{infinity, Vector()};
    Vector g;
    const double value = weight * e.value + log_prior(task.search.parameters, t, &g);
    task.watch.count(value);
    return {-value, -(weight * e.gradient + g)};
  };
}

/// A start outside the domain (K singular) is drawn in: shorter length-scales, more noise.
Vector retreat(const Search& search, Vector t) {
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    if (search.parameters[i].parameter.role == Role::lengthscale) t[Index(i)] -= std::log(2.0);
    if (search.parameters[i].is_noise()) t[Index(i)] += std::log(4.0);
  }
  return inside(search.parameters, t);
}

/// Of each length-scale of an input: 300 times what is typical. Beyond it the input hardly counts, and the
/// objective is smooth in 1/lengthscale^2 rather than in its logarithm.
Vector flat_over(const Search& search) {
  Vector flat = Vector::Constant(std::ssize(search.parameters), infinity);
  for (size_t i = 0; i < search.parameters.size(); ++i) {
    const SearchParameter& s = search.parameters[i];
    if (of_input(s)) flat[Index(i)] = s.reference + std::log(300.0);
  }
  return flat;
}

/// With every variance multiplied by s, L(s) = L + (M - M/s - n log s)/2: greatest at s = M/n, M the misfit.
Vector rescaled(const Search& search, Vector t, double misfit, Index rows) {
  for (size_t i = 0; i < search.parameters.size(); ++i)
    if (search.parameters[i].is_variance()) t[Index(i)] += std::log(misfit / double(rows));
  return inside(search.parameters, t);
}

Screened valued(const Task& task, Objective& objective, Index rows, Start start, int threads) {
  const Search& search = task.search;
  const auto value = [&](const Vector& t, double& misfit) {
    const Evaluation e = objective.at(t, false, threads);
    misfit = e.misfit;
    const double v = std::isfinite(e.value) ? e.value + log_prior(search.parameters, t) : -infinity;
    task.watch.count(v);
    return v;
  };
  double misfit = 0, unused = 0;
  const double v = value(start.theta, misfit);
  const bool learned = !search.parameters.empty() && search.parameters.back().is_noise();
  const bool off = misfit > 1.5 * double(rows) || misfit < double(rows) / 1.5;
  if (!std::isfinite(v) || !learned || !(misfit > 0) || !off) return {std::move(start), v};
  Vector t = rescaled(search, start.theta, misfit, rows);
  const double w = value(t, unused);
  if (w > v) return {{std::move(start.name), std::move(t)}, w};
  return {std::move(start), v};
}

/// Whether the starts are dealt out to groups of ranks: one rank factors matrices of few rows sooner than all do.
bool apart(const Ground& on, Index starts) {
  return ranks() && ranks()->count() > 1 && starts > 1 && on.rows <= rows_of_one_rank;
}

/// The starts by value on all ranks; the evaluations are those of all.
std::vector<Screened> screened_apart(const Task& task, const Ground& on, const std::vector<Start>& starts) {
  const std::unique_ptr<Objective> objective = on.objective();
  int evaluations = task.watch.evaluations();
  const int threads = threads_or_all(task.options.threads);
  const std::vector<std::string> found = dealt("screening", std::ssize(starts), [&](Index i) {
    Screened s{starts[static_cast<size_t>(i)], -infinity};
    const int begin = task.watch.evaluations();
    if (!task.watch.stop()) s = valued(task, *objective, on.rows, std::move(s.start), threads);
    Vector head(2);
    head << s.value, task.watch.evaluations() - begin;
    return bytes_of(concat(head, s.start.theta));
  });
  std::vector<Screened> out;
  for (size_t i = 0; i < starts.size(); ++i) {
    const Vector v = numbers_of(found[i]);
    out.push_back({{starts[i].name, v.tail(v.size() - 2)}, v[0]});
    evaluations += int(v[1]);
  }
  task.watch.agree(evaluations);
  return out;
}

/// A descent's end as bytes: its numbers, then why it stopped.
std::string bytes_of_descent(const Basin& b, int evaluations) {
  Vector head(4);
  head << double(b.theta.size()), evaluations, b.objective, b.evaluations;
  return bytes_of(concat(head, b.theta)) + b.stopped;
}

/// Back, and the evaluations that it took.
std::pair<Basin, int> descent_of(const std::string& bytes, const Basin& from) {
  constexpr size_t head_bytes = 4 * sizeof(double);
  const Vector head = numbers_of(bytes.substr(0, head_bytes));
  const auto theta_bytes = static_cast<size_t>(head[0]) * sizeof(double);
  Basin b = from;
  b.theta = numbers_of(bytes.substr(head_bytes, theta_bytes));
  b.objective = head[2], b.evaluations = int(head[3]), b.polished = false;
  b.stopped = bytes.substr(head_bytes + theta_bytes);
  return {std::move(b), int(head[1])};
}

std::vector<Basin> descended_apart(const Task& task, const Ground& on, const std::vector<Basin>& from,
                                   const MinimizeOptions& how) {
  int evaluations = task.watch.evaluations();
  const int threads = threads_or_all(task.options.threads);
  const std::vector<std::string> found = dealt("descents", std::ssize(from), [&](Index i) {
    const int begin = task.watch.evaluations();
    Basin b;
    if (!task.watch.stop() || i == 0) b = descend(task, on, on, from[static_cast<size_t>(i)], how, threads);
    return bytes_of_descent(b, task.watch.evaluations() - begin);
  });
  std::vector<Basin> out;
  for (size_t i = 0; i < from.size(); ++i) {
    auto [b, used] = descent_of(found[i], from[i]);
    out.push_back(std::move(b));
    evaluations += used;
  }
  task.watch.agree(evaluations);
  return out;
}

}  // namespace

Ground all_rows(const Search& search) { return {search.objective({}), search.rows}; }

std::vector<Ground> samples(const Search& search, Index size, const FitOptions& options) {
  if (search.rows <= size + size / 3) return {all_rows(search)};
  std::vector<Ground> out{{search.objective(Random(options.seed).subset(search.rows, size)), size}};
  if (!search.neighborhood) return out;
  const std::vector<Index> near = search.neighborhood(size);
  if (!near.empty()) out.push_back({search.objective(near), size});
  return out;
}

std::vector<Screened> screen(const Task& task, const Ground& on, std::vector<Start> starts) {
  if (apart(on, std::ssize(starts))) return screened_apart(task, on, starts);
  const bool large = on.rows > 1000;  // then one at a time, with all threads and one scratch matrix
  const int threads = threads_or_all(task.options.threads);
  const Index n = std::ssize(starts), chunk = large ? std::max<Index>(1, n) : 8,
              chunks = (n + chunk - 1) / chunk;
  std::vector<Screened> all(starts.size());
  std::atomic<int> done{0};
  parallel_for(chunks, large ? 1 : threads, [&](Index c) {
    const std::unique_ptr<Objective> objective = on.objective();
    for (Index i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
      auto& out = all[static_cast<size_t>(i)];
      out = {std::move(starts[static_cast<size_t>(i)]), -infinity};
      if (!task.watch.stop())
        out = valued(task, *objective, on.rows, std::move(out.start), large ? threads : 1);
    }
    task.watch.done(++done / double(chunks));
  });
  task.watch.throw_if_canceled();
  return all;
}

Basin at_start(const Start& start) {
  Basin b;
  b.start = start.name, b.theta = start.theta, b.objective = -infinity;
  return b;
}

Basin descend(const Task& task, const Ground& on, const Ground& sample, const Basin& from,
              const MinimizeOptions& how, int threads) {
  const auto& [search, unused, watch] = task;
  MinimizeOptions options = how;
  if (sample.rows < on.rows)
    options.alike = negative(task, sample, threads, double(on.rows) / double(sample.rows));
  options.stop = [&task] { return task.watch.stop(); };
  if (!options.alike) options.flat = flat_over(search);
  const Smooth f = negative(task, on, threads);
  Minimum m;
  Vector t = from.theta;
  int used = 0;
  for (int tries = 0; tries == 0 || (tries < 14 && !watch.stop()); ++tries, t = retreat(search, t)) {
    m = minimize(f, t, lower(search.parameters), upper(search.parameters), options);
    used += m.evaluations;
    if (std::isfinite(m.value)) break;
  }
  return {from.start, -m.value, m.x, from.evaluations + used, false, m.stopped, from.starts};
}

std::vector<Basin> descend_on(const Task& task, const Ground& on, const std::vector<Basin>& from,
                              const MinimizeOptions& how) {
  std::vector<Basin> found(from.size());
  std::atomic<int> done{0};
  const int threads = threads_or_all(task.options.threads),
            inside = ranks() ? threads : 1;  // ranks: one by one
  if (apart(on, std::ssize(from))) {
    found = descended_apart(task, on, from, how);
  } else {
    parallel_for(std::ssize(from), threads / inside, [&](Index i) {
      if (!task.watch.stop() || i == 0)
        found[static_cast<size_t>(i)] = descend(task, on, on, from[static_cast<size_t>(i)], how, inside);
      task.watch.done(++done / double(from.size()));
    });
  }
  task.watch.throw_if_canceled();
  std::erase_if(found, [](const Basin& b) { return b.theta.size() == 0 || !std::isfinite(b.objective); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Basin& a, const Basin& b) { return a.objective > b.objective; });
  return found;
}

bool same_optimum(const Basin& a, const Basin& b) {
  return (a.theta - b.theta).cwiseAbs().maxCoeff() < 0.1 || std::abs(a.objective - b.objective) < 2e-3;
}

}  // namespace covary
