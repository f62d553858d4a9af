// How many likelihoods does a posterior density need? The search of design/posterior_search.h by its two strategies,
// beside uncertainty sampling and random-walk Metropolis-Hastings with as many likelihoods.
//
// Mixtures of normals in 1, 2, 4 and 6 dimensions, as in [kandasamy2015]. Divergence: KL(truth || estimate), over 1500
// draws of the truth; the estimate of a chain is a normal kernel density of its states, with the best of three step
// sizes and of four bandwidths (Silverman's and less) for each number of calls, chosen by the truth. Medians over
// the repeats. "calls": to a divergence of 0.1.
// Then logistic regression of diabetes on glucose and body mass (pima), three weights, beside 400 000 steps of a chain.
//
//   posterior [--quick] [--data DIR] [--repeats N] [--only d]
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "covary/design/posterior_search.h"
#include "covary/table/table.h"
#include "measure.h"

namespace {

using namespace covary;
using LogLikelihood = std::function<double(const Vector&)>;

struct Mixture {
  Matrix centers;  // modes x d
  Vector sds, shares;

  Index d() const { return centers.cols(); }
  double log_density(const Vector& x) const {
    double sum = 0;
    for (Index c = 0; c < centers.rows(); ++c) {
      const double s = sds[c];
      sum += shares[c] * std::exp(-(x.transpose() - centers.row(c)).squaredNorm() / (2 * s * s)) /
             std::pow(s * std::sqrt(2 * std::numbers::pi), double(d()));
    }
    return std::log(std::max(sum, 1e-300));
  }
  Matrix draw(Index count, std::uint64_t seed) const {
    Random rng(seed);
    Matrix out(count, d());
    for (Index i = 0; i < count; ++i) {
      double u = rng.uniform();
      Index c = 0;
      while (c + 1 < shares.size() && u >= shares[c]) u -= shares[c++];
      out.row(i) = centers.row(c) + sds[c] * rng.normal(1, d());
    }
    return out;
  }
};

constexpr double half = 5;  // the box is from -5 to 5

Mixture problem(Index d) {
  if (d == 1) return {Vector{{-3, 0.5, 3}}, Vector{{0.4, 0.6, 0.5}}, Vector{{0.3, 0.4, 0.3}}};
  if (d == 2) return {Matrix{{-2, -2}, {2, 2}, {2, -1.5}}, Vector{{0.7, 0.6, 0.8}}, Vector{{0.4, 0.3, 0.3}}};
  Mixture m{Matrix(2, d), Vector{{0.8, 1.0}}, Vector{{0.5, 0.5}}};
  m.centers.row(0).setConstant(-1.2), m.centers.row(1).setConstant(1.2);
  return m;
}

/// KL(truth || q) from draws of the truth, log q given.
double divergence_at(const Mixture& truth, const Matrix& draws, const Vector& log_q) {
  double sum = 0;
  for (Index i = 0; i < draws.rows(); ++i) sum += truth.log_density(draws.row(i).transpose()) - log_q[i];
  return sum / double(draws.rows());
}

/// The divergence after each number of calls in `at`.
std::vector<double> of_search(const Mixture& truth, const Matrix& draws, const std::string& strategy,
                              const std::vector<Index>& at, std::uint64_t seed) {
  const std::vector<ParameterPrior> prior(static_cast<size_t>(truth.d()), {"", -half, half});
  PosteriorSearch search(prior, at.back(), {.strategy = strategy, .seed = seed});
  std::vector<double> out;
  while (search.left() > 0) {
    search.tell(truth.log_density(search.ask()));
    if (search.log_likelihoods().size() != at[out.size()]) continue;
    const PosteriorDensity p = search.density({.draws = 10});
    out.push_back(
        divergence_at(truth, draws, (search.model().mean(draws).array() - p.log_evidence().value).matrix()));
  }
  return out;
}

/// log of the kernel density of points (n x d) at x: `width` times Silverman's bandwidth along each coordinate.
Vector kernel_density(const Matrix& points, const Matrix& x, double width) {
  const auto n = double(points.rows()), d = double(points.cols());
  const Matrix centered = points.rowwise() - points.colwise().mean();
  const double factor = width * std::pow(4 / ((d + 2) * n), 1 / (d + 4));
  const Vector h = ((centered.colwise().squaredNorm() / n).cwiseSqrt().transpose() * factor).cwiseMax(1e-3);
  const Matrix a = points * h.cwiseInverse().asDiagonal(), b = x * h.cwiseInverse().asDiagonal();
  const double level = -std::log(n) - h.array().log().sum() - d / 2 * std::log(2 * std::numbers::pi);
  Vector out(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector logs = -(a.rowwise() - b.row(i)).rowwise().squaredNorm() / 2;
    const double top = logs.maxCoeff();
    out[i] = level + top + std::log((logs.array() - top).exp().sum());
  }
  return out;
}

/// States of a random walk, one for each likelihood (n x d).
Matrix chain(const LogLikelihood& f, Vector x, const Vector& step, Index count, std::uint64_t seed,
             double box = half) {
  Random rng(seed);
  Matrix out(count, x.size());
  double here = f(x);
  for (Index i = 0; i < count; ++i) {
    const Vector next = x + step.cwiseProduct(rng.normal(x.size(), 1).col(0));
    const double there = next.cwiseAbs().maxCoeff() > box ? -1e300 : f(next);
    if (std::log(1 - rng.uniform()) < there - here) x = next, here = there;
    out.row(i) = x.transpose();
  }
  return out;
}

/// Of the states after the first fifth, at most 2000 of them.
std::vector<double> of_chain(const Mixture& truth, const Matrix& draws, double scale,
                             const std::vector<Index>& at, std::uint64_t seed) {
  Random rng(seed);
  const Vector start = half * (2 * Vector::NullaryExpr(truth.d(), [&] { return rng.uniform(); }).array() - 1),
               step = Vector::Constant(truth.d(), scale * 2.4 / std::sqrt(double(truth.d())));
  const Matrix all =
      chain([&](const Vector& x) { return truth.log_density(x); }, start, step, at.back(), rng.fork());
  std::vector<double> out;
  for (const Index n : at) {
    const Index burn = n / 5, kept = n - burn, stride = std::max<Index>(1, kept / 2000);
    std::vector<Index> rows;
    for (Index i = burn; i < n; i += stride) rows.push_back(i);
    double best = 1e300;
    for (const double width : {1.0, 0.5, 0.25, 0.12})
      best = std::min(best, divergence_at(truth, draws, kernel_density(all(rows, Eigen::all), draws, width)));
    out.push_back(best);
  }
  return out;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

/// Medians over repeats of divergences by number of calls.
std::vector<double> medians(int repeats, const std::function<std::vector<double>(std::uint64_t)>& run) {
  std::vector<std::vector<double>> all;
  for (int r = 0; r < repeats; ++r) all.push_back(run(std::uint64_t(r + 1)));
  std::vector<double> out;
  for (size_t j = 0; j < all[0].size(); ++j) {
    std::vector<double> column;
    for (const auto& one : all) column.push_back(one[j]);
    out.push_back(median(column));
  }
  return out;
}

constexpr double target = 0.1;

Index calls_to_reach(const std::vector<Index>& at, const std::vector<double>& divergence) {
  for (size_t j = 0; j < at.size(); ++j)
    if (std::all_of(divergence.begin() + std::ptrdiff_t(j), divergence.end(),
                    [](double v) { return v <= target; }))
      return at[j];
  return 0;
}

std::string row_of(const std::vector<Index>& at, const std::vector<double>& divergence) {
  std::string out;
  for (size_t j = 0; j < at.size(); ++j) out += fmt::format(" {}:{:.3g}", at[j], divergence[j]);
  return out;
}

std::string reached(Index calls, Index most) {
  return calls ? fmt::format("{}", calls) : fmt::format("over {}", most);
}

void mixture_table(Index d, int repeats) {
  const Mixture truth = problem(d);
  const Matrix draws = truth.draw(1500, 99);
  const std::vector<Index> few = d == 1   ? std::vector<Index>{8, 10, 12, 15, 20, 25, 30}
                                 : d == 2 ? std::vector<Index>{15, 20, 30, 40, 50, 60, 80}
                                 : d == 4 ? std::vector<Index>{30, 40, 60, 80, 100, 120, 150}
                                          : std::vector<Index>{60, 80, 100, 150, 200, 250, 300};
  const std::vector<Index> many{30, 100, 300, 600, 1000, 2000, 4000, 8000, 16000};
  fmt::print("{} dimension{}, {} modes\n", d, d > 1 ? "s" : "", truth.centers.rows());
  Index best = 0;
  for (const char* strategy : {"exponentiated-variance", "expected-divergence", "uncertainty"}) {
    const auto from = std::chrono::steady_clock::now();
    const auto m =
        medians(repeats, [&](std::uint64_t s) { return of_search(truth, draws, strategy, few, s); });
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count() / repeats;
    const Index calls = calls_to_reach(few, m);
    if (std::string(strategy) != "uncertainty" && calls && (!best || calls < best)) best = calls;
    fmt::print("  {:<24} {:>10} calls, {:5.1f} s  {}\n", strategy, reached(calls, few.back()), seconds,
               row_of(few, m));
    std::fflush(stdout);
  }
  std::vector<double> walk(many.size(), 1e300);
  for (const double scale : {0.4, 0.8, 1.6}) {
    const auto m = medians(repeats, [&](std::uint64_t s) { return of_chain(truth, draws, scale, many, s); });
    for (size_t j = 0; j < m.size(); ++j) walk[j] = std::min(walk[j], m[j]);
  }
  const Index calls = calls_to_reach(many, walk);
  fmt::print("  {:<24} {:>10} calls           {}\n", "random walk", reached(calls, many.back()),
             row_of(many, walk));
  if (best)
    fmt::print("  fewer calls than the random walk: {}{:.0f} times\n", calls ? "" : "over ",
               double(calls ? calls : many.back()) / double(best));
  std::fflush(stdout);
}

// ------------------------------------------------------------------------------------- logistic regression

struct Logistic {
  Matrix x;  // n x 3: 1, glucose, body mass, the last two standardized
  Vector y;  // 0, 1
  double log_likelihood(const Vector& w) const {
    const Vector f = x * w;
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i)
      sum += y[i] * f[i] - (f[i] > 0 ? f[i] + std::log1p(std::exp(-f[i])) : std::log1p(std::exp(f[i])));
    return sum;
  }
};

Logistic pima(const std::string& data) {
  const Table t = read_csv_file(data + "/classify/pimaindiansdiabetes.csv.gz");
  Logistic out{Matrix::Ones(t.rows(), 3), Vector(t.rows())};
  for (const auto& [k, name] : {std::pair{1, "glucose"}, {2, "mass"}}) {
    const auto& v = t.column(name).values;
    const Vector c = Eigen::Map<const Vector>(v.data(), std::ssize(v));
    const Vector off = c.array() - c.mean();
    out.x.col(k) = off / std::sqrt(off.squaredNorm() / double(off.size()));
  }
  for (Index i = 0; i < out.y.size(); ++i)
    out.y[i] = t.column("diabetes").texts[static_cast<size_t>(i)] == "pos";
  return out;
}

void pima_table(const std::string& data, bool quick) {
  const Logistic model = pima(data);
  const std::vector<ParameterPrior> prior{
      {"intercept", -3, 3, 0, 2}, {"glucose", -3, 3, 0, 2}, {"mass", -3, 3, 0, 2}};
  const LogLikelihood likelihood = [&](const Vector& w) { return model.log_likelihood(w); };
  const Index steps = quick ? 40000 : 400000;
  const Matrix long_run = chain([&](const Vector& w) { return likelihood(w) - w.squaredNorm() / 8; },
                                Vector{{-0.8, 1, 0.5}}, Vector::Constant(3, 0.13), steps, 5, 3)
                              .bottomRows(steps - 1000);
  const Vector mean = long_run.colwise().mean().transpose();
  const Matrix centered = long_run.rowwise() - mean.transpose();
  const Vector sd = (centered.colwise().squaredNorm() / double(centered.rows())).cwiseSqrt().transpose();
  fmt::print("pima, 3 weights; the chain of {} calls: means {:.3f} {:.3f} {:.3f}, sds {:.3f} {:.3f} {:.3f}\n",
             steps, mean[0], mean[1], mean[2], sd[0], sd[1], sd[2]);
  for (const char* strategy : {"exponentiated-variance", "expected-divergence"})
    for (const Index calls : {40, 60, 80}) {
      const PosteriorDensity p = estimate_posterior(likelihood, prior, calls, {.strategy = strategy});
      const Vector m = p.mean(), s = p.covariance().diagonal().cwiseSqrt();
      fmt::print(
          "  {:<24} {:>3} calls: means off by at most {:.3f} sd, sds by {:.1f} %, log evidence {:.3f} "
          "({:.3f} to {:.3f})\n",
          strategy, calls, ((m - mean).array() / sd.array()).abs().maxCoeff(),
          100 * (s.array() / sd.array() - 1).abs().maxCoeff(), p.log_evidence().value, p.log_evidence().lower,
          p.log_evidence().upper);
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) try {
  const bench::Options o = bench::read_options(argc, argv, {"repeats", "only"});
  const int repeats = o.number("repeats", o.has("quick") ? 1 : 5), only = o.number("only", 0);
  for (const int d : {1, 2, 4, 6})
    if (!only || only == d) mixture_table(d, repeats);
  if (!only || only == 3) pima_table(o.get("data"), o.has("quick"));
} catch (const std::exception& e) {
  fmt::print(stderr, "posterior: {}\n", e.what());
  return 1;
}
