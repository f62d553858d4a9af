// What does one value and gradient of the log marginal likelihood cost? Matern-3/2 ARD, d = 8, against bare
// dpotrf + dpotri of the same n (the floor: n^3 flops), and against scikit-learn; peak memory of each.
//
//   evidence [--quick] [--python PATH]
#include "covary/inference/evidence.h"

#include <fmt/core.h>

#include <cmath>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "floor.h"
#include "measure.h"

namespace {

using covary::Index, covary::Matrix, covary::Vector;

/// n points, a smooth function of them with noise, and parameters: log variance, log length-scales, log
/// noise.
struct Problem {
  Matrix x;
  Vector y, theta;
  covary::Evidence<covary::Row> evidence;
};

Problem problem(Index n, Index d) {
  covary::Random rng(7);
  const Matrix x = rng.normal(n, d);
  const Vector y = x.col(0).array().sin() + 0.5 * x.col(1).array() + 0.1 * rng.normal(n, 1).array();
  Vector theta(d + 2);
  theta << std::log(1.5), Vector::LinSpaced(d, 1, 3).array().log(), std::log(0.05);
  covary::Evidence<covary::Row> evidence(1.5 * covary::matern32(Vector::LinSpaced(d, 1, 3)),
                                         covary::zero_mean<covary::Row>(), covary::Noise::learn(0.05), x, y);
  return {x, y, theta, std::move(evidence)};
}

/// In a process of its own: the quickest of a few evaluations, and the peak memory of everything.
void alone(Index n, Index d) {
  Problem p = problem(n, d);
  covary::Evaluation e;
  std::vector<double> took, processor;
  for (int repeat = 0; repeat < (n <= 4000 ? 5 : 1); ++repeat) {
    const double before = bench::processor_seconds();
    took.push_back(
        bench::seconds([&] { e = p.evidence.at(p.theta, true, covary::internal::machine().threads); }));
    processor.push_back(bench::processor_seconds() - before);
  }
  nlohmann::json out{{"seconds", bench::least(took)}, {"first_seconds", took[0]}, {"value", e.value}};
  out["cpu_seconds"] = bench::least(processor);
  out["peak_mb"] = bench::memory_mb("VmHWM");
  out["gradient"] = std::vector<double>(e.gradient.begin(), e.gradient.end());
  fmt::print("{}\n", out.dump());
}

/// Ours and the floor by turns, so that whatever else the machine does meets both.
double against_floor(Index n, int repeats) {
  Problem p = problem(n, 8);
  const int threads = covary::internal::machine().threads;
  const Matrix k = [&] {
    Matrix m = 1.5 * covary::matern32(Vector::LinSpaced(8, 1, 3)).cross(p.x, p.x);
    m.diagonal().array() += 0.05;
    return m;
  }();
  Matrix bare = k;
  p.evidence.at(p.theta, true, threads);
  bench::factor_and_invert(bare);
  std::vector<double> ours, floor, ratios, ours_cpu, floor_cpu;
  for (int r = 0; r < repeats; ++r) {
    bare = k;
    const double begin = bench::processor_seconds();
    floor.push_back(bench::seconds([&] { bench::factor_and_invert(bare); }));
    const double middle = bench::processor_seconds();
    ours.push_back(bench::seconds([&] { p.evidence.at(p.theta, true, threads); }));
    ratios.push_back(ours.back() / floor.back());
    floor_cpu.push_back(middle - begin), ours_cpu.push_back(bench::processor_seconds() - middle);
  }
  const double ratio = bench::least(ours) / bench::least(floor);
  fmt::print("{:>6} {:>12.3f} {:>12.3f} {:>10.1f} {:>14.3f} {:>14.3f} {:>14.3f}\n", n,
             1e3 * bench::least(ours), 1e3 * bench::least(floor),
             double(n) * double(n) * double(n) / bench::least(floor) / 1e9, ratio, bench::median(ratios),
             bench::least(ours_cpu) / bench::least(floor_cpu));
  return ratio;
}

void write_csv(const std::string& path, const Problem& p) {
  std::ofstream file(path);
  for (Index i = 0; i < p.x.rows(); ++i) {
    for (Index k = 0; k < p.x.cols(); ++k) file << fmt::format("{},", p.x(i, k));
    file << fmt::format("{}\n", p.y[i]);
  }
}

double worst_difference(const nlohmann::json& a, const nlohmann::json& b) {
  double worst = std::abs(a["value"].get<double>() / b["value"].get<double>() - 1), most = 0;
  for (const double g : b["gradient"]) most = std::max(most, std::abs(g));
  for (size_t i = 0; i < a["gradient"].size(); ++i)
    worst = std::max(worst, std::abs(a["gradient"][i].get<double>() - b["gradient"][i].get<double>()) / most);
  return worst;
}

/// Each at its best: theirs on all threads and on one, which is quicker where the machine is busy.
void against_sklearn(const bench::Options& o, const std::string& python, Index n) {
  Problem p = problem(n, 8);
  const std::string file = bench::scratch(o) + fmt::format("/evidence_{}.csv", n);
  write_csv(file, p);
  std::string command = bench::peer(python, "evidence_sklearn") + " " + bench::quoted(file);
  for (const double t : p.theta) command += fmt::format(" {:.17g}", t);
  auto ours = bench::self(fmt::format("--alone {} --d 8", n));
  auto theirs = nlohmann::json::parse(bench::output_of(command));
  const auto single = nlohmann::json::parse(bench::output_of("OPENBLAS_NUM_THREADS=1 " + command));
  const auto again = bench::self(fmt::format("--alone {} --d 8", n));
  for (const char* clock : {"seconds", "first_seconds", "cpu_seconds"}) {
    ours[clock] = std::min(ours[clock].get<double>(), again[clock].get<double>());
    theirs[clock] = std::min(theirs[clock].get<double>(), single[clock].get<double>());
  }
  const auto times = [&](const char* clock) {
    return theirs[clock].get<double>() / ours[clock].get<double>();
  };
  const double faster = times("seconds"), first = times("first_seconds");
  const double smaller = theirs["peak_mb"].get<double>() / ours["peak_mb"].get<double>();
  const double difference = worst_difference(ours, theirs);
  fmt::print(
      "{:>6} {:>10.4f} {:>12.3f} {:>9.1f}x {:>9.1f}x {:>9.1f}x {:>10.0f} {:>12.0f} {:>9.1f}x {:>12.1e}\n", n,
      ours["seconds"].get<double>(), theirs["seconds"].get<double>(), faster, first, times("cpu_seconds"),
      ours["peak_mb"].get<double>(), theirs["peak_mb"].get<double>(), smaller, difference);
  bench::verdict(o, fmt::format("value + gradient, n = {}: times faster than scikit-learn", n),
                 fmt::format("{:.1f}x", faster), ">= 15x", faster >= 15);
  bench::verdict(o, "the same, the first call of a process", fmt::format("{:.1f}x", first), ">= 15x",
                 first >= 15);
  bench::verdict(o, fmt::format("value + gradient, n = {}: share of scikit-learn's memory", n),
                 fmt::format("1/{:.1f}", smaller), "<= 1/10", smaller >= 10);
  bench::verdict(o, fmt::format("value + gradient, n = {}: difference from scikit-learn's", n),
                 fmt::format("{:.1e}", difference), "<= 1e-6", difference <= 1e-6);
}

void all(const bench::Options& o) {
  const bool quick = o.has("quick");
  fmt::print("Value and gradient of the log marginal likelihood, Matern-3/2 ARD, d = 8\n{}\n",
             covary::internal::machine().text());
  fmt::print("{:>6} {:>12} {:>12} {:>10} {:>14} {:>14} {:>14}\n", "n", "ours ms", "floor ms", "floor GF/s",
             "least / least", "median ratio", "cpu / cpu");
  std::map<Index, double> ratio;
  for (const Index n : {250, 500, 1000, 2000, 4000})
    ratio[n] = against_floor(n, static_cast<int>(std::clamp<Index>((quick ? 20'000 : 60'000) / n, 5, 100)));
  for (const auto& [n, bar] : std::map<Index, double>{{1000, 1.6}, {4000, 1.25}})
    bench::verdict(o, fmt::format("value + gradient, n = {}: time over dpotrf + dpotri", n),
                   fmt::format("{:.3f}x", ratio[n]), fmt::format("<= {}x", bar), ratio[n] <= bar);
  if (!quick) {
    const auto big = bench::self("--alone 10000 --d 10");
    fmt::print("\nn = 10000, d = 10 in a process of its own: {:.1f} s, peak {:.0f} MB\n",
               big["seconds"].get<double>(), big["peak_mb"].get<double>());
    const double gb = big["peak_mb"].get<double>() / 1e3;
    bench::verdict(o, "value + gradient, n = 10000, d = 10: peak memory", fmt::format("{:.2f} GB", gb),
                   "<= 2.0 GB", gb <= 2);
  }
  fmt::print("\nAgainst scikit-learn, each in a process of its own\n");
  const std::string python = bench::peers_python(o, "sklearn");
  if (python.empty()) return bench::left_out(o, "value + gradient against scikit-learn", "not installed");
  fmt::print("{:>6} {:>10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>12}\n", "n", "ours s",
             "theirs s", "faster", "first", "by cpu", "ours MB", "theirs MB", "smaller", "difference");
  against_sklearn(o, python, 2000);
  if (!quick) against_sklearn(o, python, 4000);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"alone", "d"});
    if (o.has("alone"))
      alone(o.number("alone", 0), o.number("d", 8));
    else
      all(o);
  });
}
