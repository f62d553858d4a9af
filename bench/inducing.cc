// Inducing points on a set too large for an exact process: seconds, memory, RMSE and NLPD of the fit, with the
// points optimized and at rows of the data, beside GPyTorch's SGPR with as many points on the same rows.
// Matern-5/2 ARD, split 0, standardized.
//
//   inducing [--quick] [--data DIR] [--python PATH] [--set protein] [--points 512] [--steps 100]
#include <fmt/core.h>

#include <ctime>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "covary/predictive/score.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Row;

struct Result {
  double seconds = 0, processor = 0, bound = 0, rmse = 0, nlpd = 0, memory = 0;
  int evaluations = 0;
};

Result ours(const bench::Split& s, int points, bool fixed) {
  Result out;
  covary::FitOptions options;
  options.inference = fmt::format("inducing(points={}, fixed={})", points, fixed ? 1 : 0);
  const std::clock_t begin = std::clock();
  options.prior = covary::Prior::none;
  out.seconds = bench::seconds([&] {
    const covary::FitResult<Row> f =
        covary::fit<Row>(covary::Model<Row>{covary::matern52()}, s.train.x, s.train.y, options);
    const covary::Prediction p = f.process.noise().predictive(f.process.predict(s.test.x));
    const covary::Scores scores = covary::score(p, s.test.y);
    out.bound = f.summary.log_marginal_likelihood, out.evaluations = f.summary.evaluations;
    out.rmse = scores.rmse, out.nlpd = scores.nlpd;
  });
  out.processor = double(std::clock() - begin) / CLOCKS_PER_SEC;
  out.memory = bench::memory_mb("VmHWM");
  return out;
}

/// GPyTorch's in a process of its own.
nlohmann::json theirs(const bench::Options& o, const std::string& python, const std::string& set, int points,
                      int steps) {
  const std::string file = bench::scratch(o) + "/inducing_gpytorch.json";
  const std::string command =
      fmt::format("{} {}/peers/inducing_gpytorch.py --data {} --set {} --points {} --steps {} --out {}",
                  bench::quoted(python), COVARY_BENCH, bench::quoted(o.get("data")), set, points, steps,
                  bench::quoted(file));
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

void show(const char* who, const Result& r) {
  fmt::print("{:<10} {:>8.1f} {:>8.1f} {:>7} {:>12.1f} {:>8.4f} {:>8.4f} {:>8.0f}\n", who, r.seconds,
             r.processor, r.evaluations, r.bound, r.rmse, r.nlpd, r.memory);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"set", "points", "steps"});
    const std::string set = o.get("set", o.has("quick") ? "elevators" : "protein");
    const int points = o.number("points", o.has("quick") ? 128 : 512), steps = o.number("steps", 100);
    if (!bench::have_set(o, set)) return bench::left_out(o, "inducing points on " + set, "no data");
    const bench::Split s = bench::split(o, set, 0);
    fmt::print("{}: {} rows, {} columns, {} inducing points\n{}\n", set, s.train.x.rows(), s.train.x.cols(),
               points, covary::internal::machine().text());
    fmt::print("{:<10} {:>8} {:>8} {:>7} {:>12} {:>8} {:>8} {:>8}\n", "", "seconds", "cpu", "steps", "bound",
               "rmse", "nlpd", "MB");
    show("ours fixed", ours(s, points, true));
    const Result r = ours(s, points, false);
    show("ours", r);
    const std::string python = bench::peers_python(o, "gpytorch");
    const nlohmann::json peer = python.empty() ? nlohmann::json() : theirs(o, python, set, points, steps);
    if (peer.is_null()) return bench::left_out(o, "inducing points against GPyTorch", "no result of theirs");
    const double seconds = peer["seconds"], nlpd = peer["nlpd"];
    show("GPyTorch",
         {seconds, peer["cpu_seconds"], peer["bound"], peer["rmse"], nlpd, peer["peak_mb"], steps});
    bench::verdict(o, fmt::format("inducing points on {}: our NLPD minus GPyTorch's", set),
                   fmt::format("{:+.4f}", r.nlpd - nlpd), "<= 0", r.nlpd <= nlpd);
    bench::verdict(o, fmt::format("inducing points on {}: times faster than GPyTorch", set),
                   fmt::format("{:.1f}x", seconds / r.seconds), ">= 3x", seconds >= 3 * r.seconds);
  });
}
