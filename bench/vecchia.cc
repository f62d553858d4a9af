// What vecchia(neighbors=30) reaches, in parts: how near it is to exact, a published comparison of methods for large
// spatial data, GPBoost on the same rows, a million rows, and the cost of a row from 10^4 to 10^7.
//
//   vecchia [--quick] [--data DIR] [--python PATH] [--parts accuracy,evaluation,modis,peers,million,linear]
//           [--sets 20000,100000,elevators] [--kernel EXPR] [--inference TEXT] [--degree N] [--trace]
#include <fmt/core.h>

#include "covary/base/runtime.h"
#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "covary/predictive/score.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Index;
using covary::Matrix;
using covary::Row;
using covary::Rows;
using covary::Vector;

covary::Process<Row> process(const std::string& kernel, double noise,
                             const covary::Mean<Row>& mean = covary::constant_mean<Row>()) {
  return covary::Process<Row>(covary::parse<Row>(kernel), mean, covary::Noise::of(noise));
}

Matrix uniform(Index n, Index d, std::uint64_t seed) {
  covary::Random rng(seed);
  Matrix x(n, d);
  for (Index c = 0; c < d; ++c)
    for (Index i = 0; i < n; ++i) x(i, c) = rng.uniform();
  return x;
}

/// A draw of the process at x, with noise: one row after the other, each given 20 of those before it.
Vector observed(const covary::Process<Row>& p, const Matrix& x) {
  const covary::Process<Row> prior(p.kernel(), {}, p.noise());
  const covary::Process<Row> after =
      condition(covary::parse_inference<Row>("vecchia(neighbors=20)"), prior,
                Rows(Matrix::Constant(1, x.cols(), 1e6)), Vector(Vector::Zero(1)));
  return after.sample(x, 1, 7).col(0) + std::sqrt(p.noise().variance) * covary::Random(8).normal(x.rows(), 1);
}

/// Whether a part was asked for.
bool part(const bench::Options& o, const std::string& name) {
  const std::string all = "," + o.get("parts", "accuracy,evaluation,modis,peers,million,linear") + ",";
  return all.find("," + name + ",") != std::string::npos;
}

/// One line for each number of neighbors: log density a row, and predictions at new points, beside exact.
void accuracy(const bench::Options& o) {
  const Index n = o.has("quick") ? 2000 : 10000, q = 1000;
  fmt::print(
      "\n{} rows beside exact: log density a row; the error of the mean in standard deviations and the "
      "relative "
      "error of\nthe standard deviation at {} new points, root mean squares; both at the same parameters\n",
      n, q);
  fmt::print("{:<44} {:>3} {:>10} {:>10} {:>8} {:>8}\n", "process", "m", "exact", "off", "mean", "sd");
  for (const auto& [d, kernel] : std::vector<std::pair<Index, std::string>>{
           {2, "1.5 * matern32(lengthscale=0.2)"},
           {3, "1.5 * matern32(lengthscale=0.4)"},
           {8, "1.5 * matern52(lengthscale=[1, 1, 1, 2, 2, 2, 4, 4])"}}) {
    const covary::Process<Row> prior = process(kernel, 0.1);
    const Matrix x = uniform(n, d, 1), at = uniform(q, d, 2);
    Matrix both(n + q, d);
    both << x, at;
    const Vector all =
        covary::Process<Row>(prior.kernel(), {}, prior.noise()).sample(both, 1, 3, covary::Of::y).col(0);
    const Vector y = all.head(n);
    const covary::Process<Row> exact = prior.condition(x, y);
    const covary::Marginals e = exact.predict(at);
    const Vector sd = e.variance.cwiseSqrt();
    for (const int m : {10, 20, 30, 60}) {
      const covary::Process<Row> near =
          condition(covary::parse_inference<Row>(fmt::format("vecchia(neighbors={})", m)), prior, x, y);
      const covary::Marginals p = near.predict(at);
      const auto rms = [&](const Vector& v) { return std::sqrt(v.squaredNorm() / double(q)); };
      fmt::print("{:<44} {:>3} {:>10.5f} {:>+10.5f} {:>8.4f} {:>8.4f}\n",
                 fmt::format("d = {}, {}", d, kernel.substr(0, 34)), m, exact.log_evidence() / double(n),
                 (near.log_evidence() - exact.log_evidence()) / double(n),
                 rms((p.mean - e.mean).cwiseQuotient(sd)),
                 rms((p.variance.cwiseSqrt().cwiseQuotient(sd).array() - 1)));
    }
  }
}

struct Timed {
  double seconds = 0, processor = 0, placing = 0;  // placing: processor seconds of order and neighbors
  covary::Evaluation e;
};

/// An evaluation of the objective once neighbors are known: the quickest of three.
Timed evaluation(const covary::Process<Row>& prior, const Matrix& x, const Vector& y, double* placing,
                 bool gradient) {
  const auto objective =
      covary::parse_inference<Row>("vecchia").objective(prior, x, y, covary::ObjectiveKind::evidence)();
  Vector theta = prior.kernel().theta();
  if (prior.noise().is_learned()) theta = covary::internal::concat(theta, Vector::Constant(1, std::log(0.1)));
  Timed out;
  const int threads = covary::internal::threads_or_all(0);
  const double start = bench::processor_seconds();
  const double first = bench::seconds([&] { out.e = objective->at(theta, gradient, threads); });
  out.placing = bench::processor_seconds() - start;
  std::vector<double> each;
  const double begin = bench::processor_seconds();
  for (int k = 0; k < 3; ++k)
    each.push_back(bench::seconds([&] { out.e = objective->at(theta, gradient, threads); }));
  out.processor = (bench::processor_seconds() - begin) / 3;
  out.placing -= out.processor;
  out.seconds = bench::least(each);
  if (placing) *placing = first - out.seconds;
  return out;
}

void evaluations(const bench::Options& o) {
  const Index n = 100000;
  const Matrix x = uniform(n, 2, 1);
  const Vector y = covary::Random(2).normal(n, 1);
  fmt::print("\nvalue and gradient, n = {}, d = 2, 30 neighbors\n{:<56} {:>9} {:>9} {:>9} {:>9}\n", n,
             "process", "placing s", "value s", "all s", "all cpu s");
  for (const char* kernel :
       {"1.5 * matern32(lengthscale=0.1)", "1.5 * matern32(lengthscale=[0.1, 0.2])",
        "1.5 * matern12(lengthscale=0.1)", "1.5 * matern52(lengthscale=[0.1, 0.2])",
        "1.5 * se(lengthscale=0.02)",
        "1.5 * matern12(lengthscale=[0.1, 0.2]) + 0.5 * matern32(lengthscale=[0.5, 0.6])",
        "1.5 * wendland(lengthscale=0.1)"}) {
    const covary::Process<Row> prior(covary::parse<Row>(kernel), covary::constant_mean<Row>(),
                                     covary::Noise::learn());
    double placing = 0;
    const Timed value = evaluation(prior, x, y, nullptr, false),
                all = evaluation(prior, x, y, &placing, true);
    fmt::print("{:<56} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", kernel, placing, value.seconds, all.seconds,
               all.processor);
    if (std::string(kernel) == "1.5 * matern32(lengthscale=0.1)")
      bench::verdict(o, "vecchia: value and gradient, n = 100 000, d = 2",
                     fmt::format("{:.3f} s", all.seconds), "<= 0.12 s", all.seconds <= 0.12);
  }
}

struct Fitted {
  double learning = 0, predicting = 0, processor = 0, evidence = 0, memory = 0;  // processor: seconds of both
  int evaluations = 0;
  std::string kernel;
  covary::Scores scores;
  std::optional<covary::FitResult<Row>> fit;
};

covary::FitOptions options_for(const bench::Options& o, const std::string& inference) {
  covary::FitOptions options;
  options.inference = inference;
  if (o.has("trace"))
    options.progress = [](const covary::Progress& p) {
      return fmt::print("{:8.2f} s {:<10} {:>5} {:.3f} {:.9g}\n", p.seconds, p.phase, p.evaluations, p.share,
                        p.best),
             true;
    };
  return options;
}

Fitted ours(const std::string& kernel, const covary::Mean<Row>& mean, const bench::Rows& train,
            const bench::Rows& test, const covary::FitOptions& options) {
  Fitted out;
  const double processor = bench::processor_seconds();
  out.learning = bench::seconds([&] {
    out.fit.emplace(
        covary::fit<Row>(covary::Model<Row>{covary::parse<Row>(kernel), mean}, train.x, train.y, options));
  });
  const covary::Summary& s = out.fit->summary;
  out.evidence = s.log_marginal_likelihood, out.evaluations = s.evaluations, out.kernel = s.kernel;
  out.predicting = bench::seconds([&] {
    const covary::Process<Row>& p = out.fit->process;
    if (test.y.size()) out.scores = covary::score(p.noise().predictive(p.predict(test.x)), test.y);
  });
  out.processor = bench::processor_seconds() - processor;
  out.memory = bench::memory_mb("VmHWM");
  return out;
}

void modis(const bench::Options& o) {
  const std::string file = o.get("data") + "/spatial/heaton_modis_lst.csv.gz";
  if (!std::filesystem::exists(file)) return bench::left_out(o, "land temperatures", "no data");
  const covary::Table table = covary::read_csv_file(file);
  const auto column = [&](const char* name) -> const std::vector<double>& {
    for (const covary::Column& c : table.columns)
      if (c.name == name) return c.values;
    throw covary::Error(covary::Problem::data, "no such column");
  };
  const auto &lon = column("Lon"), &lat = column("Lat"), &seen = column("MaskTemp"),
             &truth = column("TrueTemp");
  std::vector<size_t> train, test;
  for (size_t i = 0; i < seen.size(); ++i)
    if (!std::isnan(seen[i]))
      train.push_back(i);
    else if (!std::isnan(truth[i]))
      test.push_back(i);
  const auto rows = [&](const std::vector<size_t>& which) {
    bench::Rows r{Matrix(std::ssize(which), 2), Vector(std::ssize(which))};
    for (size_t k = 0; k < which.size(); ++k)
      r.x(Index(k), 0) = lon[which[k]], r.x(Index(k), 1) = lat[which[k]], r.y[Index(k)] = truth[which[k]];
    return r;
  };
  bench::Rows a = rows(train), b = rows(test);
  const std::string kernel = o.get("kernel", "matern12()"),
                    inference = o.get("inference", "vecchia(neighbors=30)");
  const int degree = o.number("degree", 1);
  fmt::print("\nMODIS land temperatures: {} training and {} test rows; {}, {}, trend of degree {}\n",
             a.y.size(), b.y.size(), kernel, inference, degree);
  const Fitted f = ours(kernel, covary::polynomial_mean(degree), a, b, options_for(o, inference));
  const double covered = f.scores.coverage[2].covered(), seconds = f.learning + f.predicting;
  fmt::print("{}\n{}\n", f.kernel, f.fit->summary.text());
  fmt::print(
      "fit {:.1f} s, prediction {:.1f} s ({:.1f} processor s), {:.0f} MB, rmse {:.3f}, crps {:.3f}, 95 % "
      "covers {:.1f} %\n",
      f.learning, f.predicting, f.processor, f.memory, f.scores.rmse, f.scores.crps, covered);
  bench::verdict(o, "land temperatures: RMSE", fmt::format("{:.3f}", f.scores.rmse), "<= 1.60",
                 f.scores.rmse <= 1.60);
  bench::verdict(o, "land temperatures: CRPS", fmt::format("{:.3f}", f.scores.crps), "<= 0.84",
                 f.scores.crps <= 0.84);
  bench::verdict(o, "land temperatures: coverage of 95 %", fmt::format("{:.1f} %", covered), "93 to 97 %",
                 covered >= 93 && covered <= 97);
  bench::verdict(o, "land temperatures: seconds of fit and prediction", fmt::format("{:.1f} s", seconds),
                 "<= 30 s", seconds <= 30);
  bench::verdict(o, "land temperatures: memory", fmt::format("{:.0f} MB", f.memory), "<= 2000 MB",
                 f.memory <= 2000);
}

void write_rows(const std::string& file, const bench::Rows& r) {
  std::ofstream out(file, std::ios::binary);
  for (Index i = 0; i < r.x.rows(); ++i) {
    for (Index c = 0; c < r.x.cols(); ++c) out.write(reinterpret_cast<const char*>(&r.x(i, c)), 8);
    out.write(reinterpret_cast<const char*>(&r.y[i]), 8);
  }
}

/// The same rows, kernel, neighbors, trend and threads for both; GPBoost in a process of its own.
void peers(const bench::Options& o) {
  const std::string python = bench::peers_python(o, "gpboost");
  fmt::print(
      "\nbeside GPBoost: Vecchia with 30 neighbors, constant mean, maximum likelihood; log likelihoods are "
      "their own, and that of both\n"
      "under vecchia(neighbors=60) here\n");
  fmt::print("{:<28} {:<8} {:>8} {:>8} {:>8} {:>6} {:>12} {:>12} {:>8} {:>8}\n", "", "", "fit s", "pred. s",
             "cpu s", "steps", "loglik", "m = 60", "rmse", "nlpd");
  const auto run = [&](const std::string& name, const std::string& kernel, const bench::Rows& train,
                       const bench::Rows& test) {
    covary::FitOptions options = options_for(o, "vecchia(neighbors=30)");
    options.prior = covary::Prior::none;
    const Fitted f = ours(kernel, covary::constant_mean<Row>(), train, test, options);
    const auto wide = [&](const covary::Kernel<Row>& k, double noise) {
      return condition(covary::parse_inference<Row>("vecchia(neighbors=60)"),
                       covary::Process<Row>(k, covary::constant_mean<Row>(), covary::Noise::of(noise)),
                       train.x, train.y)
          .log_evidence();
    };
    const double own = wide(f.fit->process.kernel(), f.fit->summary.noise_variance);
    fmt::print(
        "{:<28} {:<8} {:>8.2f} {:>8.2f} {:>8.1f} {:>6} {:>12.2f} {:>12.2f} {:>8.4f} {:>8.4f}   {} noise "
        "{:.4g}\n",
        name, "ours", f.learning, f.predicting, f.processor, f.evaluations, f.evidence, own, f.scores.rmse,
        f.scores.nlpd, f.kernel, f.fit->summary.noise_variance);
    if (python.empty()) return;
    const std::string folder = bench::scratch(o);
    write_rows(folder + "/train.bin", train), write_rows(folder + "/test.bin", test);
    const nlohmann::json p = nlohmann::json::parse(bench::output_of(
        bench::peer(python, "vecchia_gpboost") +
        fmt::format(" --train {0}/train.bin --test {0}/test.bin --columns {1} --kernel {2}",
                    bench::quoted(folder), train.x.cols(), kernel.substr(0, kernel.find('(')))));
    std::vector<double> scales = p["lengthscales"];
    const double noise = p["noise"], variance = p["variance"], seconds = p["fit_seconds"];
    std::string list;
    for (const double s : scales) list += fmt::format("{}{}", list.empty() ? "" : ", ", s);
    const std::string text =
        fmt::format("{} * {}(lengthscale=[{}])", variance, kernel.substr(0, kernel.find('(')), list);
    const double theirs = wide(covary::parse<Row>(text), noise), loglik = p["loglik"], nlpd = p["nlpd"];
    fmt::print(
        "{:<28} {:<8} {:>8.2f} {:>8.2f} {:>8.1f} {:>6} {:>12.2f} {:>12.2f} {:>8.4f} {:>8.4f}   {} noise "
        "{:.4g}\n",
        "", "GPBoost", seconds, p["predict_seconds"].get<double>(), p["cpu_seconds"].get<double>(),
        p["iterations"].get<int>(), loglik, theirs, p["rmse"].get<double>(), nlpd, text, noise);
    bench::verdict(o, fmt::format("vecchia on {}: times faster than GPBoost", name),
                   fmt::format("{:.0f}x", seconds / f.learning), ">= 25x", seconds >= 25 * f.learning);
    bench::verdict(o, fmt::format("vecchia on {}: log likelihood at 60 neighbors minus GPBoost's", name),
                   fmt::format("{:+.2f}", own - theirs), ">= 0", own >= theirs);
    bench::verdict(o, fmt::format("vecchia on {}: NLPD minus GPBoost's", name),
                   fmt::format("{:+.4f}", f.scores.nlpd - nlpd), "<= 0", f.scores.nlpd <= nlpd);
  };
  const auto wanted = [&](const std::string& set) {
    return ("," + o.get("sets", set) + ",").find("," + set + ",") != std::string::npos;
  };
  for (const Index n : o.has("quick") ? std::vector<Index>{5000} : std::vector<Index>{20000, 100000}) {
    if (!wanted(std::to_string(n))) continue;
    const covary::Process<Row> truth = process("1.5 * matern32(lengthscale=[0.1, 0.2])", 0.1);
    const Matrix all = uniform(n + 20000, 2, 1);
    const Vector y = observed(truth, all);
    run(fmt::format("n = {}, d = 2", n), "matern32()", {all.topRows(n), y.head(n)},
        {all.bottomRows(20000), y.tail(20000)});
  }
  if (!wanted("elevators")) return;
  if (!bench::have_set(o, "elevators")) return bench::left_out(o, "vecchia on elevators", "no data");
  const bench::Split s = bench::split(o, "elevators", 0);
  run("elevators, d = 18", "matern32()", s.train, s.test);
}

void million(const bench::Options& o) {
  const Index n = o.has("quick") ? 50000 : 1000000;
  const covary::Process<Row> truth = process("1.5 * matern32(lengthscale=[0.05, 0.1])", 0.1);
  const Matrix x = uniform(n, 2, 1), at = uniform(n, 2, 2);
  const Vector y = observed(truth, x);
  bench::reset_peak();
  fmt::print("\n{} rows, d = 2: {:.0f} MB before\n", n, bench::memory_mb("VmRSS"));
  covary::FitOptions options = options_for(o, "vecchia(neighbors=30)");
  const Fitted f =
      ours("matern32()", covary::constant_mean<Row>(), {x, y}, {Matrix(0, 2), Vector(0)}, options);
  const double processor = bench::processor_seconds();
  const double predicting = bench::seconds([&] { (void)f.fit->process.predict(at); });
  const double own = bench::processor_seconds() - processor;
  const double memory = bench::memory_mb("VmHWM");
  fmt::print("{}\n", f.fit->summary.text());
  fmt::print(
      "{} evaluations, fit {:.1f} s ({:.1f} processor s), {} predictions with sd {:.1f} s ({:.1f} processor "
      "s), {:.0f} MB\n",
      f.evaluations, f.learning, f.processor, n, predicting, own, memory);
  bench::verdict(o, fmt::format("vecchia, {} rows: seconds of fit", n), fmt::format("{:.1f} s", f.learning),
                 "<= 120 s", f.learning <= 120);
  bench::verdict(o, fmt::format("vecchia, {} predictions with sd", n), fmt::format("{:.1f} s", predicting),
                 "<= 60 s", predicting <= 60);
  bench::verdict(o, fmt::format("vecchia, {} rows: memory", n), fmt::format("{:.0f} MB", memory),
                 "<= 2000 MB", memory <= 2000);
}

void linear(const bench::Options& o) {
  fmt::print(
      "\ncost of a row at fixed parameters, d = 2, in seconds and in processor microseconds a row: order and "
      "neighbors, value with gradient, conditioning\n");
  fmt::print("{:>10} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "rows", "placing s", "all s", "given s",
             "placing", "all", "given", "MB");
  double first = 0, last = 0;
  for (const Index n : o.has("quick") ? std::vector<Index>{10000, 100000}
                                      : std::vector<Index>{10000, 100000, 1000000, 10000000}) {
    const Matrix x = uniform(n, 2, 1);
    const Vector y = (20 * x.col(0)).array().sin() + (13 * x.col(1)).array().cos() +
                     0.3 * covary::Random(2).normal(n, 1).array();
    const double length = 20 / std::sqrt(double(n)), each = 1e6 / double(n);
    const covary::Process<Row> prior = process(fmt::format("1.5 * matern32(lengthscale={})", length), 0.1);
    bench::reset_peak();
    double placing = 0;
    const Timed e = evaluation(prior, x, y, &placing, true);
    const double begin = bench::processor_seconds();
    const double given = bench::seconds(
        [&] { (void)condition(covary::parse_inference<Row>("vecchia"), prior, x, y).log_evidence(); });
    const double conditioning = each * (bench::processor_seconds() - begin);
    last = each * (e.placing + e.processor) + conditioning;
    if (first == 0) first = last;
    fmt::print("{:>10} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.0f}\n", n, placing,
               e.seconds, given, each * e.placing, each * e.processor, conditioning,
               bench::memory_mb("VmHWM"));
  }
  bench::verdict(o, "vecchia: processor time of a row, the most rows beside the fewest",
                 fmt::format("{:.2f}x", last / first), "<= 2x", last <= 2 * first);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o =
        bench::read_options(argc, argv, {"parts", "kernel", "inference", "degree", "sets", "trace!"});
    fmt::print("{}\n", covary::internal::machine().text());
    if (part(o, "accuracy")) accuracy(o);
    if (part(o, "evaluation")) evaluations(o);
    if (part(o, "modis")) modis(o);
    if (part(o, "peers")) peers(o);
    if (part(o, "million")) million(o);
    if (part(o, "linear")) linear(o);
  });
}
