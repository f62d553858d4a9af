// What does an edit of a posterior cost, against conditioning from scratch? Points are added, removed,
// retargeted and renoised at n = 2000; each edit is timed with and without the mean at one point after it.
//
//   edits [--quick]
#include <fmt/core.h>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/process/editable.h"
#include "measure.h"

namespace {

using covary::EditableProcess, covary::Index, covary::Matrix, covary::Process, covary::Row, covary::Vector;

/// Seconds of an edit, and of an edit with the mean at one point.
struct Times {
  std::vector<double> edit, mean;

  template <class Edit>
  void take(const EditableProcess<Row>& g, const Matrix& at, Edit&& work) {
    const double begin = bench::now();
    work();
    edit.push_back(bench::now() - begin);
    g.mean(at);
    mean.push_back(bench::now() - begin);
  }
};

double average(const std::vector<double>& v) {
  double sum = 0;
  for (const double t : v) sum += t;
  return sum / double(v.size());
}

/// GB/s at which one thread reads a triangle of n rows: the floor under everything here.
double bandwidth(Index n) {
  const Vector a = Vector::Ones(n * n / 2);
  std::vector<double> took;
  double sum = 0;
  for (int r = 0; r < 15; ++r) took.push_back(bench::seconds([&] { sum += a.sum(); }));
  return sum > 0 ? double(8 * a.size()) / bench::median(took) / 1e9 : 0;
}

void edits(const bench::Options& o) {
  const Index n = 2000, d = 8;
  const double bar = 50;
  covary::Random rng(41);
  const Matrix x = rng.normal(n, d), at = rng.normal(1, d);
  const Vector y = x.rowwise().sum().array().sin() + 0.1 * rng.normal(n, 1).array();
  const Process<Row> prior(covary::matern52(2.0), covary::constant_mean<Row>(), covary::Noise::of(0.01));
  EditableProcess<Row> g(prior);
  g.add(x, y);
  Times added, removed, retargeted, renoised;
  std::vector<double> refit;
  const int rounds = o.has("quick") ? 15 : 60;
  for (int r = 0; r < rounds; ++r) {  // by turns, so that whatever else the machine does meets all
    if (r % 5 == 0)
      refit.push_back(bench::seconds([&] { prior.condition(g.points(), g.targets()).mean(at); }));
    const Matrix fresh = rng.normal(1, d);
    const Index i = rng.integer(n);
    const double target = rng.normal(), lower = 0.005, usual = 0.01;
    added.take(g, at, [&] { g.add(fresh, Vector::Constant(1, target)); });
    removed.take(g, at, [&] { g.remove(i); });
    retargeted.take(g, at, [&] { g.retarget(i % (n - 1), target); });
    renoised.take(g, at, [&] { g.renoise(i % (n - 1), r % 2 ? lower : 2 * usual); });
    g.renoise(i % (n - 1), usual);
  }
  const double whole = bench::median(refit), speed = bandwidth(n);
  fmt::print("refit {:.1f} ms; a triangle of {} rows is {:.0f} MB, read at {:.1f} GB/s in {:.2f} ms\n",
             1e3 * whole, n, 4e-6 * double(n * n), speed, 4e-6 * double(n * n) / speed);
  fmt::print("{:<12} {:>10} {:>10} {:>10} {:>12} {:>10}\n", "", "median ms", "mean ms", "times",
             "with mean ms", "times");
  const auto tell = [&](const std::string& what, const Times& t) {
    const double edit = bench::median(t.edit), mean = bench::median(t.mean);
    fmt::print("{:<12} {:>10.3f} {:>10.3f} {:>10.0f} {:>12.3f} {:>10.0f}\n", what, 1e3 * edit,
               1e3 * average(t.edit), whole / edit, 1e3 * mean, whole / mean);
    bench::verdict(
        o, fmt::format("{} one point at n = {}, then the mean at one: times faster than a refit", what, n),
        fmt::format("{:.0f}x", whole / mean), fmt::format(">= {:.0f}x", bar), whole / mean >= bar);
  };
  tell("add", added);
  tell("remove", removed);
  tell("retarget", retargeted);
  tell("renoise", renoised);
  const Process<Row> fresh = prior.condition(g.points(), g.targets());
  const double off = (g.mean(x) - fresh.mean(x)).norm() / fresh.mean(x).norm();
  bench::verdict(o, fmt::format("{} edits at n = {}: difference from a refit", 5 * rounds, n),
                 fmt::format("{:.1e}", off), "<= 1e-08", off <= 1e-8);
  fmt::print("{} rebuilt, worst residual {:.1e}\n", g.edits().rebuilt, g.edits().worst_residual);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv);
    fmt::print("Edits of a posterior\n{}\n", covary::internal::machine().text());
    edits(o);
  });
}
