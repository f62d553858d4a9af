// Seconds and memory of a value and gradient on the ranks of a cluster, and the largest difference from one process.
//
//   mpirun -n P cluster [--exact N,...] [--vecchia N,...] [--threads N] [--compare]
//
// Exact: Matern-5/2, a length-scale for each of 8 columns. Vecchia: 30 neighbors, 2 columns. One line each, which
// bench/cluster_model.py reads.
#include <covary/cluster.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "covary/base/ranks.h"
#include "covary/inference/registry.h"
#include "covary/kernels/expression.h"

namespace {

using namespace covary;

struct BenchOptions {
  std::vector<Index> exact, vecchia;
  int threads = 1;
  bool compare = false;
};

std::vector<Index> numbers(const std::string& text) {
  std::vector<Index> out;
  std::istringstream in(text);
  for (std::string n; std::getline(in, n, ',');) out.push_back(std::stol(n));
  return out;
}

BenchOptions arguments_of(int argc, char** argv) {
  BenchOptions out;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--compare")
      out.compare = true;
    else if (name == "--exact")
      out.exact = numbers(value), ++i;
    else if (name == "--vecchia")
      out.vecchia = numbers(value), ++i;
    else if (name == "--threads")
      out.threads = std::stoi(value), ++i;
    else
      throw Error(Problem::usage, "unknown option " + name);
  }
  return out;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Most memory that this process has had, in bytes; counted anew after reset().
double peak_memory() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == "VmHWM:") return in >> word, 1024 * std::stod(word);
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Over all ranks.
double largest(Cluster&, double own) {
  double out = own;
  if (auto* r = internal::ranks())
    for (const std::string& one : r->gathered("largest", internal::bytes_of(Vector::Constant(1, own))))
      out = std::max(out, internal::numbers_of(one)[0]);
  return out;
}

struct Data {
  Data(Index n, Index d) : x(n, d), y(n) {
    Random random(1);
    for (Index j = 0; j < d; ++j)
      for (Index i = 0; i < n; ++i) x(i, j) = random.uniform();
    for (Index i = 0; i < n; ++i) y[i] = std::sin(6 * x(i, 0)) + x(i, d - 1) + 0.1 * random.normal();
  }
  Matrix x;
  Vector y;
};

Vector theta_of(const Process<Row>& prior) {
  return internal::concat(prior.kernel().theta(), Vector::Constant(1, std::log(0.01)));
}

/// The largest difference of value and gradient, relative.
double difference(const Evaluation& a, const Evaluation& b) {
  return std::max(std::abs(a.value - b.value) / std::abs(b.value),
                  (a.gradient - b.gradient).cwiseAbs().maxCoeff() / b.gradient.cwiseAbs().maxCoeff());
}

/// As the one process does: without ranks, each computes all.
Evaluation alone(const Objectives& objective, const Vector& theta, int threads) {
  internal::Ranks* const all = internal::ranks();
  internal::set_ranks(nullptr);
  Evaluation out = objective()->at(theta, true, threads);
  internal::set_ranks(all);
  return out;
}

template <class Method>
void measure(Cluster& cluster, const std::string& name, Index n, Index d, const std::string& kernel,
             const Method& method, const BenchOptions& a) {
  const Data data(n, d);
  const Process<Row> prior(parse<Row>(kernel), parse_mean("zero"), Noise::learn());
  const Vector theta = theta_of(prior);
  const auto objective = method(cluster.size() > 1)
                             .template objective<Row>(prior, Rows(data.x), data.y, ObjectiveKind::evidence);
  reset_peak();
  const double before = peak_memory();
  const std::unique_ptr<Objective> o = objective();
  const auto meet = [] { internal::ranks()->meet("the clock of the benchmark"); };
  double first = 0, best = 1e300;
  Evaluation e;
  for (int i = 0; i < 3; ++i) {
    meet();
    const double begin = now();
    e = o->at(theta, true, a.threads);
    meet();
    (i == 0 ? first : best) = std::min(i == 0 ? 1e300 : best, now() - begin);
  }
  const double bytes = largest(cluster, peak_memory() - before);
  std::string line =
      fmt::format("{} n {} ranks {} threads {} seconds {:.4f} first {:.4f} MB/rank {:.1f} value {:.10g}",
                  name, n, cluster.size(), a.threads, best, first, 1e-6 * bytes, e.value);
  if (a.compare)
    line += fmt::format(" difference {:.1e}",
                        difference(e, alone(method(false).template objective<Row>(prior, Rows(data.x), data.y,
                                                                                  ObjectiveKind::evidence),
                                            theta, a.threads)));
  if (cluster.first()) fmt::print("{}\n", line);
}

}  // namespace

int main(int argc, char** argv) {
  Cluster cluster(argc, argv);
  return cluster.run([&] {
    const BenchOptions a = arguments_of(argc, argv);
    for (const Index n : a.exact)
      measure(
          cluster, "exact", n, 8, "matern52(lengthscale=[0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3])",
          [](bool together) { return Exact{together ? "cluster" : ""}; }, a);
    for (const Index n : a.vecchia)
      measure(
          cluster, "vecchia", n, 2, "matern32(lengthscale=[0.1, 0.2])", [](bool) { return Vecchia{30}; }, a);
  });
}
