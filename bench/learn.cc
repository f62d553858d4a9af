// Does learning find as good an optimum as scikit-learn's best of 10 restarts, and how much sooner? se ARD,
// learned noise, zero mean, no prior, on the training rows of split 0 of seven real sets.
//
//   learn [--quick] [--data DIR] [--python PATH] [--sets a,b,c]
//
// scikit-learn takes many minutes on the larger sets, so what it found is kept in the scratch folder.
#include <fmt/core.h>

#include <cmath>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Row;

struct Ours {
  double value = 0, seconds = 0, processor = 0;
  int evaluations = 0;
  std::string stopped;
};

/// The quickest of a few fits, all the same to the bit.
Ours learn(const bench::Rows& t, int repeats) {
  const covary::Model<Row> model{covary::se(), covary::zero_mean<Row>(), covary::Noise::learn()};
  covary::FitOptions options;
  options.prior = covary::Prior::none;
  Ours best;
  for (int r = 0; r < repeats; ++r) {
    Ours o;
    const double processor = bench::processor_seconds();
    o.seconds = bench::seconds([&] {
      const covary::Summary s = covary::fit<Row>(model, t.x, t.y, options).summary;
      o.value = s.log_marginal_likelihood, o.evaluations = s.evaluations, o.stopped = s.stopped;
    });
    o.processor = bench::processor_seconds() - processor;
    if (r == 0 || o.seconds < best.seconds) best = o;
  }
  return best;
}

/// What scikit-learn finds, from the file of earlier results or by running it.
nlohmann::json theirs(const bench::Options& o, const std::string& python, const std::string& set) {
  const std::string file = bench::scratch(o) + "/learn_sklearn.json";
  if (!python.empty())
    bench::output_of(bench::peer(python, "learn_sklearn") + " --data " + bench::quoted(o.get("data")) +
                     " --out " + bench::quoted(file) + " " + set);
  if (!std::filesystem::exists(file)) return {};
  const auto all = nlohmann::json::parse(std::ifstream(file));
  return all.contains(set) ? all[set] : nlohmann::json();
}

void compare(const bench::Options& o, const std::string& python, const std::string& set) {
  const bench::Rows t = bench::split(o, set, 0).train;
  const Ours ours = learn(t, t.x.rows() < 400 ? 3 : 1);
  const nlohmann::json peer = theirs(o, python, set);
  fmt::print("{:<9} {:>5} {:>3} {:>12.4f} {:>8.2f} {:>8.2f} {:>6}", set, t.x.rows(), t.x.cols(), ours.value,
             ours.seconds, ours.processor, ours.evaluations);
  if (peer.is_null()) {
    fmt::print("   ({})\n", ours.stopped);
    return bench::left_out(o, "learning on " + set + " against scikit-learn", "no result of theirs");
  }
  const double value = peer["log_marginal_likelihood"], seconds = peer["seconds"], cpu = peer["cpu_seconds"];
  fmt::print(" {:>12.4f} {:>8.1f} {:>8.1f} {:>6} {:>10.4f} {:>7.0f}x {:>7.0f}x\n", value, seconds, cpu,
             peer["evaluations"].get<int>(), ours.value - value, seconds / ours.seconds,
             cpu / ours.processor);
  bench::verdict(o, fmt::format("learning on {}: our optimum minus scikit-learn's, nats", set),
                 fmt::format("{:+.4f}", ours.value - value), ">= -0.01", ours.value >= value - 0.01);
  bench::verdict(o, fmt::format("learning on {}: times faster than scikit-learn", set),
                 fmt::format("{:.0f}x", seconds / ours.seconds), ">= 10x", seconds >= 10 * ours.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets"});
    fmt::print("Learning, se ARD, no prior, split 0, ours and scikit-learn's best of 10 restarts\n{}\n",
               covary::internal::machine().text());
    const std::string python = bench::peers_python(o, "sklearn");
    fmt::print("{:<9} {:>5} {:>3} {:>12} {:>8} {:>8} {:>6} {:>12} {:>8} {:>8} {:>6} {:>10} {:>8} {:>8}\n",
               "set", "n", "d", "ours", "s", "cpu s", "evals", "theirs", "s", "cpu s", "evals", "difference",
               "faster", "by cpu");
    std::istringstream sets(o.get(
        "sets", o.has("quick") ? "yacht,autompg" : "yacht,autompg,housing,stock,energy,concrete,airfoil"));
    for (std::string set; std::getline(sets, set, ',');)
      if (bench::have_set(o, set))
        compare(o, python, set);
      else
        bench::left_out(o, "learning on " + set, "no data");
  });
}
