// On a GPU: seconds of an exact log marginal likelihood with its gradient, Matern-5/2 ARD in double precision, beside
// the bare factorization of a matrix of that size and GPyTorch's; then Vecchia's density with its gradient beside the
// host's. The device's numbers are compared with the host's first.
//
//   device [--quick] [--python PATH] [--rows 10000,20000,40000] [--columns 8] [--vecchia 1000000]
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "covary/algebra/remote.h"
#include "covary/base/parallel.h"
#include "covary/base/runtime.h"
#include "covary/inference/exact.h"
#include "covary/inference/vecchia.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/on_device.h"
#include "measure.h"

namespace {

using namespace covary;

struct Data {
  Matrix x;
  Vector y;
};

Data data_of(Index n, Index d) {
  Random rng(1);
  Data out{Matrix(n, d), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) out.x(i, k) = rng.uniform();
    out.y[i] = std::sin(3 * out.x(i, 0)) + std::pow(out.x(i, d - 1), 2) + 0.1 * rng.normal();
  }
  return out;
}

Process<Row> prior_of(Index d) {
  std::string scales = "[1";
  for (Index k = 1; k < d; ++k) scales += fmt::format(", {}", 1 + 0.1 * double(k));
  return Process<Row>(parse<Row>("1.3 * matern52(lengthscale=" + scales + "])"), constant_mean<Row>(),
                      Noise::learn());
}

Vector theta_of(const Process<Row>& prior) {
  const Vector own = prior.kernel().theta();
  Vector out(own.size() + 1);
  out << own, std::log(0.01);
  return out;
}

std::unique_ptr<Objective> objective(const Inference<Row>& how, const Process<Row>& prior, const Data& at) {
  return how.objective(prior, Rows(at.x), at.y, ObjectiveKind::evidence)();
}

/// The largest difference of value and gradient, beside their size.
double difference(const Evaluation& a, const Evaluation& b) {
  return std::max(std::abs(a.value - b.value) / std::abs(b.value),
                  (a.gradient - b.gradient).cwiseAbs().maxCoeff() / b.gradient.cwiseAbs().maxCoeff());
}

double best_of(int times, const std::function<void()>& f) {
  double best = 1e300;
  for (int i = 0; i < times; ++i) best = std::min(best, bench::seconds(f));
  return best;
}

std::vector<Index> numbers_of(const std::string& text) {
  std::vector<Index> out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) out.push_back(std::stol(word));
  return out;
}

/// GPyTorch's in a process of its own.
nlohmann::json theirs(const bench::Options& o, const std::string& rows, Index d) {
  const std::string python = bench::peers_python(o, "gpytorch");
  if (python.empty()) return {};
  const std::string file = bench::scratch(o) + "/evidence_gpytorch.json";
  const std::string command = fmt::format("{} {}/peers/evidence_gpytorch.py --rows {} --columns {} --out {}",
                                          bench::quoted(python), COVARY_BENCH, rows, d, bench::quoted(file));
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

void exact(const bench::Options& o, const std::shared_ptr<const internal::Place>& place, Index d) {
  const std::string rows = o.get("rows", o.has("quick") ? "2000,4000" : "10000,20000,40000");
  const Process<Row> prior = prior_of(d);
  const Vector theta = theta_of(prior);
  const int all = internal::threads_or_all(0);
  {
    const Data at = data_of(2000, d);
    fmt::print("difference from the host at 2000 rows: {:.1e}\n",
               difference(objective(Exact{"cuda"}, prior, at)->at(theta, true, all),
                          objective(Exact{}, prior, at)->at(theta, true, all)));
  }
  const nlohmann::json peer = theirs(o, rows, d);
  fmt::print("{:>8} {:>10} {:>10} {:>7} {:>8} {:>10} {:>9}\n", "rows", "potrf s", "all s", "ratio", "GB",
             "GPyTorch s", "GiB");
  for (const Index n : numbers_of(rows)) {
    const Data at = data_of(n, d);
    const int times = n > 60000 ? 1 : 3;
    double factor = 0;
    {
      const auto k = place->matrix(n);
      const internal::Gram gram = internal::gram_at<Row>(place, prior.kernel(), Rows(at.x));
      factor = 1e300;
      for (int i = 0; i < times; ++i) {
        k->fill(gram, Vector::Constant(n, 0.01), all);
        factor = std::min(factor, bench::seconds([&] { (void)k->factorize(); }));
      }
    }
    const auto density = objective(Exact{"cuda"}, prior, at);
    const double whole = best_of(times, [&] { (void)density->at(theta, true, all); });
    const nlohmann::json& his = peer.contains(std::to_string(n)) ? peer[std::to_string(n)] : nlohmann::json();
    const bool had = his.contains("seconds") && his["seconds"].is_number();
    fmt::print("{:>8} {:>10.4f} {:>10.4f} {:>7.2f} {:>8.1f} {:>10} {:>9}\n", n, factor, whole, whole / factor,
               8e-9 * double(n) * double(n), had ? fmt::format("{:.3f}", his["seconds"].get<double>()) : "-",
               had ? fmt::format("{:.1f}", his["gib"].get<double>()) : "-");
  }
}

void neighbors(const bench::Options& o, Index m) {
  const Index n = o.number("vecchia", o.has("quick") ? 10000 : 1000000);
  const Process<Row> prior = prior_of(2);
  Vector theta = theta_of(prior);
  theta.segment(1, 2).array() -= std::log(20.0);
  const Data at = data_of(n, 2);
  const int all = internal::threads_or_all(0);
  const auto there = objective(Vecchia{m, "cuda"}, prior, at), here = objective(Vecchia{m}, prior, at);
  Evaluation a, b;
  const double first = bench::seconds([&] { a = there->at(theta, true, all); });
  const double device = best_of(3, [&] { a = there->at(theta, true, all); });
  (void)here->at(theta, false, all);
  const double host = best_of(2, [&] { b = here->at(theta, true, all); });
  fmt::print(
      "\nvecchia(neighbors={}), {} rows of 2 columns: {:.3f} s on the device (the first time, with the "
      "neighbors, "
      "{:.2f} s), {:.3f} s on the host ({} threads), ratio {:.1f}; difference {:.1e}\n",
      m, n, device, first, host, all, host / device, difference(a, b));
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"rows", "columns", "vecchia", "neighbors"});
    if (internal::device_lines().empty()) return bench::left_out(o, "computing on a GPU", "no CUDA device");
    for (const std::string& line : internal::device_lines()) fmt::print("{}\n", line);
    fmt::print("{}\n", internal::machine().text());
    exact(o, internal::place_called("cuda"), o.number("columns", 8));
    if (o.get("vecchia") != "0") neighbors(o, o.number("neighbors", 30));
  });
}
