// fit with defaults on real series and tables, each with five kernels, against the best optimum known.
#pragma once
#include <atomic>
#include <ctime>
#include <thread>

#include "covary/base/runtime.h"
#include "covary/kernels/expression.h"
#include "reference_search.h"

namespace bench {

struct Pair {
  const RealSet* set;
  std::string kernel, checksum;
};

inline std::vector<Pair> real_pairs(const Options& o, const std::vector<RealSet>& sets) {
  std::vector<Pair> pairs;
  for (const RealSet& set : sets)
    for (const char* kernel :
         {"se()", "matern52()", "rational_quadratic()", "periodic()", "se() + periodic() * se()"}) {
      const bool wanted = set.name.find(o.get("only")) != std::string::npos &&
                          (!o.has("kernel") || o.get("kernel") == kernel) &&
                          set.y.size() >= o.number("least", 0) &&
                          set.y.size() <= o.number("rows", o.has("quick") ? 150 : 1100);
      if (wanted) pairs.push_back({&set, kernel, set.checksum()});
    }
  return pairs;
}

/// What fit does with defaults on one pair, in one thread.
struct Fit {
  double log_evidence = 0, log_prior = 0, seconds = 0;  // of the processor
  int evaluations = 0;
  std::string start, problem;  // an exception's words
  covary::Vector theta;
  std::vector<covary::Basin> basins;
  double best = 0;  // objective known; NaN: no reference

  double objective() const { return log_evidence + log_prior; }
  double gap() const { return best - objective(); }
};

inline double thread_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

inline Data data_of(const Pair& p) { return {p.set->x, p.set->y, covary::parse<covary::Row>(p.kernel)}; }

inline Fit fitted(const Pair& p) {
  Fit f;
  const double begin = thread_seconds();
  try {
    covary::FitOptions options;
    options.threads = 1;
    const covary::Summary s =
        covary::fit<covary::Row>({covary::parse<covary::Row>(p.kernel)}, p.set->x, p.set->y, options).summary;
    f.log_evidence = s.log_marginal_likelihood, f.log_prior = s.log_prior;
    f.evaluations = s.evaluations;
    if (!s.basins.empty()) f.start = s.basins[0].start, f.theta = s.basins[0].theta;
    f.basins = s.basins;
  } catch (const std::exception& e) {
    f.problem = e.what();
    f.log_evidence = -std::numeric_limits<double>::infinity();
  }
  f.seconds = thread_seconds() - begin;
  return f;
}

inline void print_optimum(const char* sort, const std::string& start, double value, const covary::Vector& t) {
  fmt::print("    {:<8} {:>12.4f} {:<24}", sort, value, start);
  for (const double x : t) fmt::print(" {:.3g}", x);
  fmt::print("\n");
}

/// What was found, refined on all rows or not, and what is known.
inline void print_optima(const Fit& f, const Known* known) {
  for (const covary::Basin& b : f.basins)
    print_optimum(b.polished ? "refined" : "sampled", b.start, b.objective, b.theta);
  if (known) print_optimum("known", known->from, known->objective(), known->theta);
}

/// The objective at the point known, by today's evidence and priors; what is in the file where the parameters
/// are others now.
inline double objective_at(const Known& k, const Problem& problem) {
  if (k.theta.size() != std::ssize(problem.parameters)) return k.objective();
  const double value = problem.evidence->at(k.theta, false).value;
  return std::isfinite(value) ? value + covary::internal::log_prior(problem.parameters, k.theta)
                              : k.objective();
}

/// f(0), ..., f(count - 1) in --jobs threads.
template <class F>
void side_by_side(const Options& o, size_t count, F&& f) {
  std::atomic<size_t> next{0};
  std::vector<std::thread> team;
  for (int t = 0; t < o.number("jobs", covary::internal::machine().threads); ++t)
    team.emplace_back([&] {
      for (size_t i = next++; i < count; i = next++) f(i);
    });
  for (std::thread& t : team) t.join();
}

inline std::string reference_file(const Options& o) {
  return o.get("references", COVARY_BENCH "/optimizer_reference.csv");
}

/// Searches of every pair that has not had so many yet.
inline void make_references(const Options& o) {
  const std::vector<RealSet> sets = real_sets(o);
  const std::vector<Pair> pairs = real_pairs(o, sets);
  References known(reference_file(o));
  const int searches = o.number("searches", 64);
  side_by_side(o, pairs.size(), [&](size_t i) {
    const Pair& p = pairs[i];
    const Known* before = known.find(p.set->name, p.kernel, p.checksum);
    if (before && before->searches >= searches) return;
    const double begin = thread_seconds();
    const Problem problem(data_of(p), covary::Prior::weak);
    Known k = ReferenceSearch(*p.set, problem, static_cast<std::uint64_t>(searches)).best(searches);
    k.set = p.set->name, k.kernel = p.kernel, k.checksum = p.checksum, k.rows = p.set->y.size();
    known.improve(k);
    fmt::print("{:<40} {:<26} {:>5} {:>12.4f} {:>8.1f} s\n", k.set, k.kernel, k.rows, k.objective(),
               thread_seconds() - begin);
  });
}

/// Figures of another run of this program, by "set,kernel": --beside FILE.
inline std::map<std::string, std::pair<int, double>> figures_beside(const Options& o) {
  std::map<std::string, std::pair<int, double>> all;
  std::ifstream file(o.get("beside", COVARY_BENCH "/optimizer_before.csv"));
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> f;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) f.push_back(field);
    if (f.size() >= 10 && f[0] != "set") all[f[0] + "," + f[1]] = {std::stoi(f[8]), std::stod(f[9])};
  }
  return all;
}

inline void write_fits(const Options& o, const std::vector<Pair>& pairs, const std::vector<Fit>& fits) {
  if (!o.has("csv")) return;
  std::ofstream file(o.get("csv"));
  file << "set,kernel,rows,columns,log_evidence,log_prior,best_known,gap,evaluations,seconds,start\n";
  for (size_t i = 0; i < pairs.size(); ++i)
    file << fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{:.3f},{}\n", pairs[i].set->name,
                        pairs[i].kernel, pairs[i].set->x.rows(), pairs[i].set->x.cols(), fits[i].log_evidence,
                        fits[i].log_prior, fits[i].best, fits[i].gap(), fits[i].evaluations, fits[i].seconds,
                        fits[i].start);
}

inline void report_pairs(const Options& o, const std::vector<Pair>& pairs, const std::vector<Fit>& fits) {
  std::vector<size_t> order;  // of the pairs with a reference
  size_t close = 0, threw = 0;
  double evaluations = 0, seconds = 0, same_evaluations = 0, same_seconds = 0, evaluations_before = 0,
         seconds_before = 0;
  const auto before = figures_beside(o);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!std::isnan(fits[i].gap())) order.push_back(i);
    close += fits[i].gap() <= 0.1, threw += !fits[i].problem.empty();
    evaluations += fits[i].evaluations, seconds += fits[i].seconds;
    const auto there = before.find(pairs[i].set->name + "," + pairs[i].kernel);
    if (there == before.end()) continue;
    same_evaluations += fits[i].evaluations, same_seconds += fits[i].seconds;
    evaluations_before += there->second.first, seconds_before += there->second.second;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return fits[a].gap() > fits[b].gap(); });
  for (const size_t i : order)
    if (fits[i].gap() > 0.1)
      fmt::print("  short by {:>10.3f}: {:<34} {:<26} {:>12.3f}, known {:>12.3f} {}\n", fits[i].gap(),
                 pairs[i].set->name, pairs[i].kernel, fits[i].objective(), fits[i].best, fits[i].problem);
  const double count = double(pairs.size()), share = 100 * double(close) / double(order.size());
  fmt::print("  in all {:.0f} evaluations ({:.0f} a fit), {:.1f} processor seconds\n", evaluations,
             evaluations / count, seconds);
  if (evaluations_before > 0)
    fmt::print("  beside an earlier search: {:.0f} evaluations ({:.0f} then), {:.1f} s ({:.1f} then)\n",
               same_evaluations, evaluations_before, same_seconds, seconds_before);
  verdict(o, fmt::format("fit, real data: exceptions in {} pairs", pairs.size()), std::to_string(threw), "0",
          threw == 0);
  if (order.size() < pairs.size())
    fmt::print("  {} pairs have no reference: make it with --reference\n", pairs.size() - order.size());
  if (order.empty()) return;
  const Fit& worst = fits[order[0]];
  verdict(o, "fit, real data: within 0.1 nats of the best known", fmt::format("{:.1f} %", share), ">= 97 %",
          share >= 97);
  verdict(
      o, fmt::format("fit, real data: worst gap ({}, {})", pairs[order[0]].set->name, pairs[order[0]].kernel),
      fmt::format("{:.3g} nats", worst.gap()), "<= 2 nats", worst.gap() <= 2);
}

/// fit on every pair. With --update what it found goes into the reference where it is better.
inline void measure_real(const Options& o) {
  const std::vector<RealSet> sets = real_sets(o);
  if (sets.empty()) return left_out(o, "fit on real series and tables", "no data folder");
  const std::vector<Pair> pairs = real_pairs(o, sets);
  if (pairs.empty()) throw covary::Error(covary::Problem::usage, "no pair is called that");
  References known(reference_file(o));
  fmt::print("Learning on {} pairs of real data and kernel, against the best known\n", pairs.size());
  std::vector<Fit> fits(pairs.size());
  side_by_side(o, pairs.size(), [&](size_t i) {
    const Pair& p = pairs[i];
    Fit f = fitted(p);
    const Known* k = known.find(p.set->name, p.kernel, p.checksum);
    f.best = k ? std::max(f.objective(), objective_at(*k, Problem(data_of(p), covary::Prior::weak)))
               : std::numeric_limits<double>::quiet_NaN();
    if (o.has("verbose"))
      fmt::print("{:<40} {:<26} {:>5} {:>12.4f} short by {:>9.4f} {:>6} evaluations {:>8.2f} s\n",
                 p.set->name, p.kernel, p.set->y.size(), f.objective(), f.gap(), f.evaluations, f.seconds);
    if (o.has("verbose") && f.gap() > 0.1) print_optima(f, k);
    fits[i] = std::move(f);
  });
  if (o.has("update"))
    for (size_t i = 0; i < pairs.size(); ++i)
      if (fits[i].theta.size() > 0)
        known.improve({pairs[i].set->name, pairs[i].kernel, pairs[i].checksum, pairs[i].set->y.size(),
                       fits[i].log_evidence, fits[i].log_prior, 0, "fit", fits[i].theta});
  write_fits(o, pairs, fits);
  report_pairs(o, pairs, fits);
}

}  // namespace bench
