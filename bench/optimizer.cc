// Does the optimizer find the optimum, and in how many evaluations?
//
// Random data sets (200): fit with defaults against the best optimum known (the best of 50 starts, ours and
// SciPy's), and minimize against SciPy's L-BFGS-B from the same starts on the very same function, which SciPy
// reaches through this program. Real series and tables: fit with defaults against the best of 64 searches
// from log-uniform starts, kept in bench/optimizer_reference.csv.
//
//   optimizer [--quick] [--python PATH] [--problems 200] [--starts 50] [--random | --real]
//   optimizer --real [--only SET] [--kernel K] [--least ROWS] [--rows MOST] [--jobs N] [--verbose] [--csv
//   FILE]
//             [--beside FILE]    evaluations and seconds beside those of another run's --csv
//             [--update]         what fit found goes into the reference where it is better
//   optimizer --reference [--only SET] [--kernel K] [--rows MOST] [--jobs N] [--searches 64]
//                          searches the pairs that have not had so many; more, or again after a stop, improve
//   optimizer --serve      evaluates for bench/peers/optimizer_scipy.py, line by line:
//     problem I none|weak K  ->  lower bounds; upper bounds; K starts          (a line each)
//     at X...                ->  value and gradient of what is to be minimized, or "inf"
#include <fmt/core.h>

#include <atomic>
#include <cmath>
#include <iostream>
#include <memory>
#include <thread>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "measure.h"
#include "real_pairs.h"

namespace {

using bench::Data, bench::Problem, covary::Index, covary::Matrix, covary::Prior, covary::Row, covary::Vector;

// ------------------------------------------------------------------------------------------- the data sets

covary::Kernel<Row> kernel_of(Index kind, const Vector& lengthscale) {
  switch (kind) {
    case 0:
      return covary::se(lengthscale);
    case 1:
      return covary::matern12(lengthscale);
    case 2:
      return covary::matern32(lengthscale);
    default:
      return covary::matern52(lengthscale);
  }
}

/// Data set i: 20 to 80 rows, 1 to 6 columns in units of their own, length-scales of 0.1 to 10 times the
/// columns' spread, noise of 1e-4 to 1 times the signal; one in ten is noise alone, one in five is fitted
/// with another kernel than it was drawn from.
Data data_set(Index i) {
  covary::Random rng(1000 + static_cast<std::uint64_t>(i));
  const Index n = 20 + rng.integer(61), d = 1 + rng.integer(6), kind = rng.integer(4);
  const auto between = [&rng](double low, double high) {
    return std::exp(std::log(low) + rng.uniform() * (std::log(high) - std::log(low)));
  };
  Matrix x(n, d);
  Vector lengthscale(d);
  for (Index k = 0; k < d; ++k) {
    const double unit = between(0.01, 100);
    const bool uniform = rng.uniform() < 0.5;
    for (Index r = 0; r < n; ++r) x(r, k) = unit * (uniform ? rng.uniform() : 0.3 * rng.normal());
    lengthscale[k] = unit * between(0.1, 10);
  }
  const double variance = between(0.01, 100), noise = variance * between(1e-4, 1);
  const bool silent = rng.uniform() < 0.1;
  const covary::Process<Row> truth((silent ? 1e-9 : 1) * variance * kernel_of(kind, lengthscale),
                                   covary::zero_mean<Row>(), covary::Noise::of(noise));
  const Vector y = truth.sample(x, 1, rng.fork(), covary::Of::y).col(0).array() + 3 * std::sqrt(variance);
  return {x, y, kernel_of(rng.uniform() < 0.2 ? rng.integer(4) : kind, covary::internal::not_given())};
}

const char* name_of(Prior prior) { return prior == Prior::none ? "none" : "weak"; }

// ------------------------------------------------------------------------------------------- for the peer

std::string line_of(const Vector& v) {
  std::string line;
  for (const double x : v) line += fmt::format("{}{:.17g}", line.empty() ? "" : " ", x);
  return line;
}

void serve() {
  std::unique_ptr<Problem> problem;
  for (std::string line, word; std::getline(std::cin, line);) {
    std::istringstream words(line);
    words >> word;
    if (word == "problem") {
      Index i = 0;
      int count = 0;
      words >> i >> word >> count;
      problem = std::make_unique<Problem>(data_set(i), word == "none" ? Prior::none : Prior::weak);
      std::cout << line_of(problem->lower) << '\n' << line_of(problem->upper) << '\n';
      for (const covary::internal::Start& s : problem->starts(count)) std::cout << line_of(s.theta) << '\n';
    } else {
      std::vector<double> values;
      for (double v = 0; words >> v;) values.push_back(v);
      const auto [value, gradient] = problem->at(Eigen::Map<const Vector>(values.data(), std::ssize(values)));
      if (std::isfinite(value))
        std::cout << fmt::format("{:.17g} ", value) << line_of(gradient) << '\n';
      else
        std::cout << "inf\n";
    }
    std::cout << std::flush;
  }
}

// ----------------------------------------------------------------------------------------- what is measured

/// One search: where it ended, and the least value after each evaluation.
struct Run {
  double value = std::numeric_limits<double>::infinity();
  std::vector<double> least;
  bool ended() const { return std::isfinite(value); }
  /// Evaluations until `target` was reached.
  int until(double target) const {
    const auto there = std::find_if(least.begin(), least.end(), [&](double v) { return v <= target; });
    return static_cast<int>(there - least.begin()) + 1;
  }
};

struct Result {
  bool threw = false;
  double fitted = std::numeric_limits<double>::infinity();  // minus (log evidence + log prior)
  double best = std::numeric_limits<double>::infinity();    // the least known
  int evaluations = 0;                                      // of the whole fit
  std::vector<Run> ours, theirs;                            // by start
};

Run search(const Problem& p, const Vector& start) {
  Run run;
  const covary::internal::Smooth f = [&](const Vector& t) {
    auto at = p.at(t);
    run.least.push_back(run.least.empty() ? at.first : std::min(run.least.back(), at.first));
    return at;
  };
  run.value = covary::internal::minimize(f, start, p.lower, p.upper).value;
  return run;
}

Result measure(Index i, Prior prior, int starts) {
  const Data data = data_set(i);
  Result r;
  try {
    covary::FitOptions options;
    options.prior = prior;
    options.threads = 1;
    const covary::Summary s = covary::fit<Row>({data.kernel}, data.x, data.y, options).summary;
    r.fitted = -s.log_marginal_likelihood - s.log_prior;
    r.evaluations = s.evaluations;
  } catch (const std::exception& e) {
    r.threw = true;
    fmt::print("data set {}, prior {}: {}\n", i, name_of(prior), e.what());
  }
  const Problem p(data, prior);
  for (const covary::internal::Start& s : p.starts(starts)) r.ours.push_back(search(p, s.theta));
  return r;
}

/// All data sets, across the machine's threads.
std::vector<Result> measure_all(Index problems, Prior prior, int starts) {
  std::vector<Result> all(static_cast<size_t>(problems));
  std::atomic<Index> next{0};
  std::vector<std::thread> team;
  for (int t = 0; t < covary::internal::machine().threads; ++t)
    team.emplace_back([&] {
      for (Index i = next++; i < problems; i = next++)
        all[static_cast<size_t>(i)] = measure(i, prior, starts);
    });
  for (std::thread& t : team) t.join();
  return all;
}

/// Adds SciPy's searches: lines of "problem start value least...".
void add_scipy(std::vector<Result>& all, const bench::Options& o, const std::string& python, Prior prior,
               int starts) {
  const std::string file = bench::scratch(o) + fmt::format("/optimizer_scipy_{}.txt", name_of(prior));
  bench::output_of(
      bench::peer(python, "optimizer_scipy") + " --evaluator " +
      bench::quoted(std::filesystem::read_symlink("/proc/self/exe").string()) +
      fmt::format(" --problems {} --starts {} --prior {} --out ", all.size(), starts, name_of(prior)) +
      bench::quoted(file));
  std::ifstream lines(file);
  for (std::string line, word; std::getline(lines, line);) {
    std::istringstream words(line);
    size_t problem = 0, start = 0;
    words >> problem >> start;
    std::vector<double> values;
    while (words >> word) values.push_back(std::strtod(word.c_str(), nullptr));
    std::vector<Run>& runs = all.at(problem).theirs;
    runs.resize(std::max(runs.size(), start + 1));
    runs[start] = {values.at(0), {values.begin() + 1, values.end()}};
  }
}

void find_best(std::vector<Result>& all) {
  for (Result& r : all) {
    r.best = r.fitted;
    for (const auto* runs : {&r.ours, &r.theirs})
      for (const Run& run : *runs) r.best = std::min(r.best, run.value);
  }
}

void report_optima(const bench::Options& o, const std::vector<Result>& all, const std::string& prior) {
  Index threw = 0, close = 0;
  std::vector<double> evaluations;
  std::string missed;
  for (size_t i = 0; i < all.size(); ++i) {
    threw += all[i].threw;
    evaluations.push_back(all[i].evaluations);
    if (all[i].fitted <= all[i].best + 1e-3)
      ++close;
    else
      missed += fmt::format(" {}:{:.3g}", i, all[i].fitted - all[i].best);
  }
  const double share = 100 * double(close) / double(all.size());
  fmt::print(
      "prior {}: {} data sets, {} exceptions, {} within 1e-3 of the best known ({:.1f} %), {} evaluations "
      "a fit in the median\n",
      prior, all.size(), threw, close, share, bench::median(evaluations));
  if (!missed.empty()) fmt::print("  short of it (data set:nats){}\n", missed);
  bench::verdict(o, fmt::format("fit, prior {}: exceptions in {} data sets", prior, all.size()),
                 std::to_string(threw), "0", threw == 0);
  bench::verdict(o, fmt::format("fit, prior {}: within 1e-3 nats of the best known", prior),
                 fmt::format("{:.1f} %", share), ">= 95 %", share >= 95);
}

/// Searches that end in the same optimum, by the evaluations until both have its value to 1e-6; and all.
void report_evaluations(const bench::Options& o, const std::vector<Result>& all, const std::string& prior) {
  double ours = 0, theirs = 0, ours_all = 0, theirs_all = 0;
  Index same = 0, better = 0, worse = 0, outside = 0;
  std::vector<double> ratios, ratios_all;
  for (const Result& r : all)
    for (size_t s = 0; s < std::min(r.ours.size(), r.theirs.size()); ++s) {
      const Run &a = r.ours[s], &b = r.theirs[s];
      if (!a.ended() || !b.ended()) {
        ++outside;
        continue;
      }
      ours_all += double(a.least.size()), theirs_all += double(b.least.size());
      ratios_all.push_back(double(a.least.size()) / double(b.least.size()));
      if (std::abs(a.value - b.value) > 1e-3) {
        ++(a.value < b.value ? better : worse);
        continue;
      }
      ++same;
      const double target = std::max(a.value, b.value) + 1e-6;
      ours += a.until(target), theirs += b.until(target);
      ratios.push_back(double(a.until(target)) / double(b.until(target)));
    }
  if (ratios.empty()) return;
  fmt::print(
      "prior {}: {} searches from the same starts: {} end in the same optimum, {} in a better one, {} in a "
      "worse one, {} started outside the domain\n",
      prior, same + better + worse + outside, same, better, worse, outside);
  fmt::print("  {:<42} {:>10} {:>10} {:>8} {:>8}\n", "evaluations", "ours", "SciPy's", "ratio", "median");
  fmt::print("  {:<42} {:>10.0f} {:>10.0f} {:>8.3f} {:>8.3f}\n", "to the same value within 1e-6", ours,
             theirs, ours / theirs, bench::median(ratios));
  fmt::print("  {:<42} {:>10.0f} {:>10.0f} {:>8.3f} {:>8.3f}\n",
             "all searches, each until it stops by itself", ours_all, theirs_all, ours_all / theirs_all,
             bench::median(ratios_all));
  bench::verdict(o, fmt::format("minimize, prior {}: evaluations over SciPy's, total", prior),
                 fmt::format("{:.2f}x", ours / theirs), "<= 1.2x", ours <= 1.2 * theirs);
  bench::verdict(o, fmt::format("minimize, prior {}: evaluations over SciPy's, median", prior),
                 fmt::format("{:.2f}x", bench::median(ratios)), "<= 1.2x", bench::median(ratios) <= 1.2);
}

void all(const bench::Options& o) {
  const Index problems = o.number("problems", o.has("quick") ? 40 : 200);
  const int starts = o.number("starts", o.has("quick") ? 10 : 50);
  fmt::print("Learning on {} random data sets, against the best of {} starts\n{}\n", problems, starts,
             covary::internal::machine().text());
  const std::string python = bench::peers_python(o, "scipy");
  for (const Prior prior : {Prior::none, Prior::weak}) {
    std::vector<Result> results = measure_all(problems, prior, starts);
    if (!python.empty()) add_scipy(results, o, python, prior, starts);
    find_best(results);
    report_optima(o, results, name_of(prior));
    if (python.empty())
      bench::left_out(o, "minimize against SciPy's L-BFGS-B", "not installed");
    else
      report_evaluations(o, results, name_of(prior));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(
        argc, argv,
        {"serve!", "problems", "starts", "random!", "real!", "reference!", "references", "only", "kernel",
         "least", "rows", "jobs", "verbose!", "csv", "beside", "update!", "searches"});
    if (o.has("serve")) return serve();
    if (o.has("reference")) return bench::make_references(o);
    if (!o.has("real")) all(o);
    if (!o.has("random")) bench::measure_real(o);
  });
}
