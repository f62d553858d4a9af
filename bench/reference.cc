// Are the values right where others have published theirs? The log marginal likelihood of an exact process
// (Matern-3/2 ARD) on pol, elevators and bike at published hyper-parameters.
//
//   reference [--data DIR] [--sets pol,elevators,bike]
#include <fmt/core.h>

#include <cmath>

#include "covary/base/runtime.h"
#include "covary/kernels/stationary.h"
#include "covary/process/process.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Vector;

struct Published {
  double noise_sd = 0, signal_sd = 0;
  Vector lengthscale;
};

/// The number behind "name=".
double number_after(const std::string& text, const std::string& name) {
  return std::stod(text.substr(text.find(name + "=") + name.size() + 1));
}

/// "Dataset: NAME, split 0", then HparamsTuple(noise_scale=..., signal_scale=..., length_scale=Array([...])).
Published published(const std::string& data, const std::string& set) {
  std::ifstream file(data + "/reference/sgd-gp_uci_regression_hparams.txt");
  std::stringstream all;
  all << file.rdbuf();
  const size_t from = all.str().find("Dataset: " + set + ", split 0\n");
  if (from == std::string::npos) throw std::runtime_error("no published hyper-parameters for " + set);
  const std::string text = all.str().substr(from, all.str().find("Dataset:", from + 1) - from);
  const size_t open = text.find("Array([") + 7;
  std::string list = text.substr(open, text.find(']', open) - open);
  std::replace(list.begin(), list.end(), ',', ' ');
  std::istringstream numbers(list);
  std::vector<double> values;
  for (double v = 0; numbers >> v;) values.push_back(v);
  return {number_after(text, "noise_scale"), number_after(text, "signal_scale"),
          Eigen::Map<const Vector>(values.data(), std::ssize(values))};
}

/// What others compute there.
double expected(const std::string& data, const std::string& set) {
  std::ifstream file(data + "/reference/exact_gp_at_published_hparams.csv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, ',');
    if (field != set) continue;
    for (int k = 1; k <= 7; ++k) std::getline(fields, field, ',');
    return std::stod(field);
  }
  throw std::runtime_error("no published value for " + set);
}

void compare(const bench::Options& o, const std::string& set) {
  const bench::Rows t = bench::split(o, set, 0).train;
  const Published p = published(o.get("data"), set);
  const auto square = [](double v) { return v * v; };
  const covary::Process<covary::Row> prior(square(p.signal_sd) * covary::matern32(p.lengthscale),
                                           covary::zero_mean<covary::Row>(),
                                           covary::Noise::of(square(p.noise_sd)));
  double value = 0, jitter = 0;
  const double seconds = bench::seconds([&] {
    const auto posterior = prior.condition(t.x, t.y);
    value = posterior.log_evidence(), jitter = posterior.conditioning().jitter;
  });
  const double theirs = expected(o.get("data"), set);
  fmt::print("{:<10} {:>6} {:>3} {:>15.6f} {:>12.3f} {:>10.6f} {:>8.1f} {:>8.0f} {:>8.2g}\n", set, t.x.rows(),
             t.x.cols(), value, theirs, value - theirs, seconds, bench::memory_mb("VmHWM"), jitter);
  bench::verdict(o, "log marginal likelihood of " + set + " minus the published one",
                 fmt::format("{:.2e}", value - theirs), "|.| <= 1e-3", std::abs(value - theirs) <= 1e-3);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets"});
    fmt::print("Log marginal likelihood, exact, Matern-3/2 ARD, published hyper-parameters, split 0\n{}\n",
               covary::internal::machine().text());
    fmt::print("{:<10} {:>6} {:>3} {:>15} {:>12} {:>10} {:>8} {:>8} {:>8}\n", "set", "n", "d", "ours",
               "published", "minus", "s", "peak MB", "jitter");
    std::istringstream sets(o.get("sets", o.has("quick") ? "pol" : "pol,elevators,bike"));
    for (std::string set; std::getline(sets, set, ',');)
      if (bench::have_set(o, set))
        compare(o, set);
      else
        bench::left_out(o, "log marginal likelihood of " + set, "no data");
  });
}
