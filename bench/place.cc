// What does it cost to place sensors?
//
// Mutual information of n places: one Cholesky factor and its inverse, 2 n^3/3 flops, and for each of k
// sensors a column of the precision, n^2 flops over 4 n^2 bytes. The floor is just that, bare: dpotrf,
// dtrtri, k times dtrmv. From determinants each of n candidates costs n^3/3 at every step: timed at n = 500,
// and carried to n = 5000 by its flops. Entropy needs k columns and n k^2 flops: a million places, in memory
// of its own process.
//
// Local kernels: mutual information by the 50 nearest places of each, 100 sensors among 100 000 places in a square
// where a wendland kernel reaches 80 others, in memory of its own process, with the loss that is proven; among 5000
// the sets and values beside the exact criterion. Lazy evaluation: a gain is computed again, from determinants, only
// where its last value is still among the largest; beside the exact recurrences, which update all of them.
//
//   place [--quick] [--only information|determinants|entropy|local|lazy]
#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

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

// ---- local kernels

/// n places in a square where each has about 80 others within the reach of the kernel.
covary::PlacementProblem local_problem(Index n) {
  covary::Random random(2);
  const double side = std::sqrt(M_PI * double(n) / 80);
  const Matrix x = Matrix::NullaryExpr(n, 2, [&] { return side * random.uniform(); });
  covary::PlacementProblem p;
  p.fields = {covary::internal::with_nugget(
      field_of(covary::wendland(Vector::Ones(1)), covary::Points<Row>(x)), 0.1)};
  return p;
}

covary::Placed placed_by(const covary::PlacementProblem& p, const char* criterion, Index k,
                         Index neighbors = 50) {
  return covary::place(p, covary::criterion_called(criterion), k, {.neighbors = neighbors});
}

void local_in_own_process(const bench::Options& o) {
  const covary::PlacementProblem p = local_problem(o.number("local-places", 0));
  covary::Placed found;
  const double s = bench::seconds([&] {
    found = placed_by(p, "local-mutual-information", o.number("sensors", 1), o.number("neighbors", 50));
  });
  fmt::print("{}\n", nlohmann::json{{"seconds", s},
                                    {"mb", bench::memory_mb("VmHWM")},
                                    {"value", found.value()},
                                    {"share", found.picks.back().share()},
                                    {"note", found.notes.at(0)}}
                         .dump());
}

void local_beside_exact(const bench::Options& o) {
  const Index n = o.has("quick") ? 1500 : 5000, k = 100;
  const covary::PlacementProblem p = local_problem(n);
  covary::Placed exact;
  const double exact_seconds = bench::seconds([&] { exact = placed_by(p, "mutual-information", k); });
  std::vector<Index> best = exact.places();
  std::sort(best.begin(), best.end());
  for (const Index neighbors : {50, 150}) {
    covary::Placed local;
    const double seconds =
        bench::seconds([&] { local = placed_by(p, "local-mutual-information", k, neighbors); });
    const double truth =
        covary::internal::assessed(p, covary::criterion_called("mutual-information"), local.places()).value();
    std::vector<Index> own = local.places(), both;
    std::sort(own.begin(), own.end());
    std::set_intersection(own.begin(), own.end(), best.begin(), best.end(), std::back_inserter(both));
    fmt::print(
        "n = {}, k = {}, {} neighbors: {:.2f} s, value {:.4f} (exactly {:.4f}), exact greedy {:.2f} s, "
        "{:.4f}; {} of "
        "{} places the same; {}\n",
        n, k, neighbors, seconds, local.value(), truth, exact_seconds, exact.value(), both.size(), k,
        local.notes[0]);
    bench::verdict(
        o, fmt::format("place: local of exact mutual information, n = {}, {} neighbors", n, neighbors),
        fmt::format("{:.5f}", truth / exact.value()), ">= 0.99", truth >= 0.99 * exact.value());
  }
}

void local(const bench::Options& o) {
  local_beside_exact(o);
  const Index n = o.has("quick") ? 10000 : 100000, k = 100;
  for (const Index neighbors : {50, 150}) {
    const nlohmann::json r =
        bench::self(fmt::format("--local-places {} --sensors {} --neighbors {}", n, k, neighbors));
    fmt::print(
        "local-mutual-information, n = {}, k = {}, {} neighbors: {:.1f} s, {:.0f} MB at the peak, value "
        "{:.3f}, "
        "share {:.4f} of the best possible proven; {}\n",
        n, k, neighbors, r["seconds"].get<double>(), r["mb"].get<double>(), r["value"].get<double>(),
        r["share"].get<double>(), r["note"].get<std::string>());
    bench::verdict(
        o, fmt::format("place: local mutual information, n = {}, {} neighbors, proven share", n, neighbors),
        fmt::format("{:.4f}", r["share"].get<double>()), "-", true);
  }
}

/// H(y | A) - H(y | the rest) of a place, from the factors of both covariances.
double gain_from_determinants(const Matrix& k, Index y, const std::vector<Index>& chosen) {
  std::vector<char> taken(static_cast<size_t>(k.rows()), 0);
  for (const Index i : chosen) taken[static_cast<size_t>(i)] = 1;
  std::vector<Index> rest;
  for (Index i = 0; i < k.rows(); ++i)
    if (!taken[static_cast<size_t>(i)] && i != y) rest.push_back(i);
  const auto variance = [&](const std::vector<Index>& given) {
    if (given.empty()) return k(y, y);
    const Matrix within = k(given, given);
    const Vector cross = k(given, y);
    return k(y, y) - cross.dot(within.llt().solve(cross));
  };
  return 0.5 * std::log(variance(chosen) / variance(rest));
}

void lazily(const bench::Options& o) {
  const Index n = o.has("quick") ? 150 : 400, k = 20;
  const covary::PlacementProblem p = problem(n);
  const Matrix cov = covariance(n);
  covary::internal::LazyChoice lazy;
  const double lazy_seconds = bench::seconds([&] {
    lazy = covary::internal::lazy_greedy(n, k, [&](Index y, const std::vector<Index>& chosen) {
      return gain_from_determinants(cov, y, chosen);
    });
  });
  covary::Placed exact;
  const double exact_seconds = bench::seconds([&] { exact = placed_by(p, "mutual-information", k); });
  fmt::print(
      "lazy evaluation, n = {}, k = {}: {} of {} gains computed, {:.2f} s; exact recurrences {:.4f} s; {} "
      "sets\n",
      n, k, lazy.evaluations, n * k, lazy_seconds, exact_seconds,
      lazy.places == exact.places() ? "the same" : "different");
  bench::verdict(o, fmt::format("place: lazy evaluation, n = {}, k = {}, share of gains computed", n, k),
                 fmt::format("{:.2f}", double(lazy.evaluations) / double(n * k)), "< 1",
                 lazy.evaluations < n * k);
  bench::verdict(o, "place: exact recurrences, times faster than lazy evaluation",
                 fmt::format("{:.0f}x", lazy_seconds / exact_seconds), "> 1x", lazy_seconds > exact_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o =
        bench::read_options(argc, argv, {"entropy", "sensors", "local-places", "neighbors", "only"});
    if (o.has("local-places")) return local_in_own_process(o);
    const std::string only = o.get("only");
    const auto wanted = [&](const char* part) { return only.empty() || only == part; };
    if (o.has("entropy")) {
      const double s = greedy_seconds(o.number("entropy", 0), o.number("sensors", 1), "entropy");
      fmt::print("{}\n", nlohmann::json{{"seconds", s}, {"mb", bench::memory_mb("VmHWM")}}.dump());
      return;
    }
    if (wanted("information")) information(o);
    if (wanted("determinants")) against_determinants(o);
    if (wanted("entropy")) many_places(o);
    if (wanted("local")) local(o);
    if (wanted("lazy")) lazily(o);
  });
}
