// A process of one column as a state space: seconds of the log marginal likelihood and its gradient, and of the
// variances at all points, beside celerite2 on the same series; how that grows with the rows; a series of 10^7 rows that is
// never in memory. Matern-3/2, irregular times, zero mean, fixed parameters.
//
//   state_space [--quick] [--python PATH] [--rows 500000] [--most 10000000] [--stream 10000000]
#include <cmath>

#include "covary/base/runtime.h"
#include "covary/inference/registry.h"
#include "covary/inference/state_space_filter.h"
#include "covary/kernels/stationary.h"
#include "measure.h"

namespace {

using namespace covary;

constexpr double lengthscale = 2, noise = 0.1;
constexpr int threads = 2;

struct Series {
  Matrix x;  // n x 1
  Vector y;
};

/// Rows of a series that goes on from time `t`.
Series series(Random& rng, Index n, double& t) {
  Series s{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    t += 0.2 * rng.uniform();
    s.x(i, 0) = t, s.y[i] = std::sin(t) + 0.3 * rng.normal();
  }
  return s;
}

Process<Row> prior(Noise of) {
  return Process<Row>(1.0 * matern32(lengthscale), zero_mean<Row>(), std::move(of));
}

/// Wall and processor seconds.
struct Seconds {
  double wall = 0, processor = 0;
};

template <class F>
Seconds best(int times, F&& work) {
  Seconds least{1e300, 1e300};
  for (int i = 0; i < times; ++i) {
    const double cpu = bench::processor_seconds(), wall = bench::seconds(work);
    if (wall < least.wall) least = {wall, bench::processor_seconds() - cpu};
  }
  return least;
}

struct Result {
  double value = 0;
  Seconds of_value, of_gradient, of_variances;
};

Result ours(const Series& s, int repeats) {
  const Inference<Row> inference = parse_inference<Row>("state_space()");
  Result out;
  {
    const auto objective = inference.objective(prior(Noise::learn()), s.x, s.y, ObjectiveKind::evidence)();
    const Vector theta = (Vector(3) << 0, std::log(lengthscale), std::log(noise)).finished();
    out.of_value = best(repeats, [&] { out.value = objective->at(theta, false, threads).value; });
    out.of_gradient = best(repeats, [&] { (void)objective->at(theta, true, threads); });
  }
  out.of_variances =
      best(1, [&] { (void)condition(inference, prior(Noise::of(noise)), Rows(s.x), s.y).predict(s.x); });
  return out;
}

nlohmann::json theirs(const bench::Options& o, const std::string& python, const Series& s) {
  const std::string file = bench::scratch(o) + "/state_space.bin",
                    result = bench::scratch(o) + "/state_space.json";
  std::ofstream out(file, std::ios::binary);
  const auto bytes = std::streamsize(sizeof(double)) * s.y.size();
  out.write(reinterpret_cast<const char*>(s.x.data()), bytes)
      .write(reinterpret_cast<const char*>(s.y.data()), bytes);
  out.close();
  const std::string command = fmt::format(
      "{} {}/peers/state_space_celerite2.py --series {} --rows {} --lengthscale {} --noise {} --out {}",
      bench::quoted(python), COVARY_BENCH, bench::quoted(file), s.y.size(), lengthscale, noise,
      bench::quoted(result));
  if (std::system(command.c_str()) != 0) return {};  // NOLINT: a shell is what is wanted
  std::ifstream in(result);
  return nlohmann::json::parse(in);
}

void show(const std::string& who, Index n, const Result& r) {
  fmt::print("{:<10} {:>9} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.3f} {:>9.3f} {:>9.0f}  {:.4f}\n", who, n,
             r.of_value.wall, r.of_value.processor, r.of_gradient.wall, r.of_gradient.processor,
             r.of_variances.wall, r.of_variances.processor, bench::memory_mb("VmHWM"), r.value);
}

void beside_celerite2(const bench::Options& o, Index n) {
  Random rng(1);
  double t = 0;
  const Series s = series(rng, n, t);
  const Result mine = ours(s, 5);
  show("ours", n, mine);
  const std::string python = bench::peers_python(o, "celerite2");
  const nlohmann::json peer = python.empty() ? nlohmann::json() : theirs(o, python, s);
  if (peer.is_null()) return bench::left_out(o, "state space against celerite2", "no result of theirs");
  const auto pair = [&](const char* name) {
    return Seconds{peer[name][0].is_number() ? peer[name][0].get<double>() : NAN,
                   peer[name][1].is_number() ? peer[name][1].get<double>() : NAN};
  };
  const Result other{peer["value"], pair("value_seconds"), pair("gradient_seconds"),
                     pair("variance_seconds")};
  show("celerite2", n, other);
  const double ratio = other.of_gradient.wall / mine.of_gradient.wall;
  bench::verdict(o, fmt::format("state space, {} rows: value and gradient, times faster than celerite2", n),
                 fmt::format("{:.2f}x", ratio), ">= 1x", ratio >= 1);
}

/// A series of n rows in blocks, of which one is in memory.
void stream(Index n) {
  constexpr Index block = 100000;
  bench::reset_peak();
  const double before = bench::memory_mb("VmRSS");
  Random rng(2);
  double t = 0, spent = 0;
  StateSpace::Filter filter(prior(Noise::of(noise)));
  for (Index i = 0; i < n; i += block) {
    const Series s = series(rng, std::min(block, n - i), t);
    spent += bench::seconds([&] { filter.observe(s.x, s.y); });
  }
  const Marginals next = filter.forecast(Matrix::Constant(1, 1, t + 1));
  fmt::print("{}\n", nlohmann::json{{"rows", filter.size()},
                                    {"seconds", spent},
                                    {"growth", bench::memory_mb("VmHWM") - before},
                                    {"value", filter.log_evidence()},
                                    {"mean", next.mean[0]},
                                    {"sd", next.sd()[0]}}
                         .dump());
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"rows", "most", "stream", "only-stream!"});
    const bool quick = o.has("quick");
    const Index rows = o.number("rows", quick ? 50000 : 500000),
                most = o.number("most", quick ? 100000 : 10000000),
                streamed = o.number("stream", quick ? 200000 : 10000000);
    if (o.has("only-stream")) return stream(streamed);
    fmt::print("{}\n", covary::internal::machine().text());
    fmt::print("{:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "", "rows", "value s", "cpu",
               "gradient", "cpu", "variances", "cpu", "MB", "log likelihood");
    beside_celerite2(o, rows);
    for (Index n = 10000; n <= most; n *= 10) {
      Random rng(1);
      double t = 0;
      show("ours", n, ours(series(rng, n, t), n > 1000000 ? 1 : 3));
    }
    const nlohmann::json s = bench::self(fmt::format("--only-stream --stream {}", streamed));
    const double growth = s["growth"], seconds = s["seconds"];
    fmt::print(
        "stream: {} rows in {:.2f} s, {:.1f} MB; log likelihood {:.4f}, one step ahead {:.4f} +- {:.4f}\n",
        streamed, seconds, growth, s["value"].get<double>(), s["mean"].get<double>(), s["sd"].get<double>());
    bench::verdict(o, fmt::format("state space, a stream of {} rows: MB", streamed),
                   fmt::format("{:.1f} MB", growth), "<= 50 MB", growth <= 50);
  });
}
