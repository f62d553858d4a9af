// What does it cost to place sensors?
//
// Mutual information of n places: one Cholesky factor and its inverse, 2 n^3/3 flops, and for each of k
// sensors a column of the precision, n^2 flops over 4 n^2 bytes. The floor is just that, bare: dpotrf,
// dtrtri, k times dtrmv. From determinants each of n candidates costs n^3/3 at every step: timed at n = 500,
// and carried to n = 5000 by its flops. Entropy needs k columns and n k^2 flops: a million places, in memory
// of its own process.
//
//   place [--quick]
#include <fmt/core.h>

#include "covary/base/random.h"
#include "covary/kernels/stationary.h"
#include "covary/place/placement.h"
#include "floor.h"

extern "C" {
void dtrtri_(const char*, const char*, const int*, double*, const int*, int*, size_t, size_t);
void dtrmv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*,
            size_t, size_t, size_t);
}

namespace {

using covary::Index, covary::Matrix, covary::Row, covary::Vector;

covary::Kernel<Row> kernel() { return covary::matern32(0.3); }

Matrix places(Index n) {
  covary::Random random(1);
  return Matrix::NullaryExpr(n, 2, [&] { return random.uniform(); });
}

covary::PlacementProblem problem(Index n) {
  covary::PlacementProblem p;
  p.fields = {covary::internal::with_nugget(covary::field_of(kernel(), places(n)), 0.01)};
  return p;
}

Matrix covariance(Index n) { return covary::internal::covariance_of(problem(n).fields.front()); }

double greedy_seconds(Index n, Index k, const char* criterion) {
  const covary::PlacementProblem p = problem(n);
  return bench::seconds([&] { covary::place(p, covary::criterion_called(criterion), k); });
}

struct Bare {
  double factor = 0, columns = 0;
};

Bare bare(Index size, Index k) {
  Matrix a = covariance(size);
  Vector x = Vector::Ones(size);
  const bench::AllThreads threads;
  const int n = static_cast<int>(size), step = 1;
  int info = 0;
  Bare out;
  out.factor = bench::seconds([&] {
    dpotrf_("L", &n, a.data(), &n, &info, 1);
    dtrtri_("L", "N", &n, a.data(), &n, &info, 1, 1);
  });
  out.columns = bench::seconds([&] {
    for (Index i = 0; i < k; ++i) {
      x.setConstant(1e-3);
      dtrmv_("L", "T", "N", &n, a.data(), &n, x.data(), &step, 1, 1, 1);
    }
  });
  return out;
}

/// One step of greedy by determinants: the covariance of all places but the candidate, for every candidate.
double determinants_seconds(Index n) {
  const Matrix k = covariance(n);
  return bench::seconds([&] {
    for (Index y = 0; y < n; ++y) {
      Matrix rest = k;
      rest.row(y).setZero(), rest.col(y).setZero();
      rest(y, y) = 1;
      bench::factor(rest);
    }
  });
}

void information(const bench::Options& o) {
  const Index n = o.has("quick") ? 1500 : 5000, k = 100;
  std::vector<double> ratios;
  fmt::print("mutual information, n = {}, k = {}\n{:>12} {:>16} {:>12} {:>8}\n", n, k, "covary s",
             "factor, inverse", "k columns", "ratio");
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Bare floor = bare(n, k);
    const double ours = greedy_seconds(n, k, "mutual-information");
    ratios.push_back(ours / (floor.factor + floor.columns));
    fmt::print("{:>12.3f} {:>16.3f} {:>12.3f} {:>8.2f}\n", ours, floor.factor, floor.columns, ratios.back());
  }
  const double ratio = bench::median(ratios);
  bench::verdict(o, fmt::format("place: mutual information, n = {}, k = {}, to its bare arithmetic", n, k),
                 fmt::format("{:.2f}x", ratio), "<= 1.5x", ratio <= 1.5);
}

void against_determinants(const bench::Options& o) {
  const Index small = 500, large = 5000, k = 100, steps = 10;
  const double step = determinants_seconds(small), ours = greedy_seconds(small, steps, "mutual-information");
  const double here = double(steps) * step / ours;
  fmt::print("by determinants, n = {}: {:.3f} s a step; covary {} steps in {:.4f} s: {:.0f} times faster\n",
             small, step, steps, ours, here);
  const double flops = std::pow(double(large) / double(small), 4) * double(k);
  const double there = greedy_seconds(large, k, "mutual-information");
  fmt::print("carried to n = {}, k = {} by flops, k n^4/3: {:.3g} s; covary {:.2f} s: {:.3g} times faster\n",
             large, k, step * flops, there, step * flops / there);
  bench::verdict(o, fmt::format("place: against determinants, n = {}, k = {}, measured", small, steps),
                 fmt::format("{:.0f}x", here), ">= 200x", here >= 200);
  bench::verdict(o, fmt::format("place: against determinants, n = {}, k = {}, by flops", large, k),
                 fmt::format("{:.3g}x", step * flops / there), ">= 200x", step * flops / there >= 200);
}

void many_places(const bench::Options& o) {
  const Index n = o.has("quick") ? 200000 : 1000000, k = 200;
  const nlohmann::json r = bench::self(fmt::format("--entropy {} --sensors {}", n, k));
  const double gb = r["mb"].get<double>() / 1000;
  fmt::print("entropy, n = {}, k = {}: {:.1f} s, {:.2f} GB at the peak\n", n, k, r["seconds"].get<double>(),
             gb);
  bench::verdict(o, fmt::format("place: entropy, n = {}, k = {}, memory", n, k), fmt::format("{:.2f} GB", gb),
                 "< 4 GB", gb < 4);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"entropy", "sensors"});
    if (o.has("entropy")) {
      const double s = greedy_seconds(o.number("entropy", 0), o.number("sensors", 1), "entropy");
      fmt::print("{}\n", nlohmann::json{{"seconds", s}, {"mb", bench::memory_mb("VmHWM")}}.dump());
      return;
    }
    information(o);
    against_determinants(o);
    many_places(o);
  });
}
