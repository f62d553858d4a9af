// Which inference for a table that is too large for an exact fit? RMSE and NLPD of vecchia(), inducing() and what `auto` takes,
// learned; and of exact() at published hyper-parameters, where its covariance fits in memory. Matern-3/2 ARD, split 0,
// standardized.
//
//   choice [--quick] [--data DIR] [--sets protein,keggdirected,bike,pol]
#include <fmt/core.h>

#include <sstream>

#include "covary/base/runtime.h"
#include "covary/kernels/compose.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "covary/predictive/score.h"
#include "measure.h"
#include "uci.h"

namespace {

using covary::Index;
using covary::Process;
using covary::Row;

struct Result {
  std::string inference;
  double seconds = 0, rmse = 0, nlpd = 0;
  std::string note = {};
};

Result scored(const std::string& inference, double seconds, const Process<Row>& p, const bench::Split& s) {
  const covary::Scores scores = covary::score(p.noise().predictive(p.predict(s.test.x)), s.test.y);
  return {inference, seconds, scores.rmse, scores.nlpd};
}

Result learned(const std::string& inference, const bench::Split& s) {
  covary::FitOptions options;
  options.inference = inference;
  const double begin = bench::now();
  const covary::FitResult<Row> f =
      covary::fit<Row>(covary::Model<Row>{covary::matern32()}, s.train.x, s.train.y, options);
  Result out = scored(f.summary.inference, bench::now() - begin, f.process, s);
  for (const std::string& note : f.summary.notes)
    if (note.starts_with("inference auto")) out.note = note;
  return out;
}

/// "noise_scale=0.03, signal_scale=0.4, length_scale=Array([...])" of split 0 of a set.
struct Published {
  double noise_sd = 0, signal_sd = 0;
  covary::Vector lengthscales = covary::Vector(0);
};

Published published(const bench::Options& o, const std::string& set) {
  std::ifstream in(o.get("data") + "/reference/sgd-gp_uci_regression_hparams.txt");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const size_t at = text.find("Dataset: " + set + ", split 0");
  if (at == std::string::npos) return {};
  const auto after = [&](const std::string& word) { return text.find(word, at) + word.size(); };
  Published p{std::stod(text.substr(after("noise_scale="))), std::stod(text.substr(after("signal_scale=")))};
  const size_t begin = after("Array(["), end = text.find(']', begin);
  std::string list = text.substr(begin, end - begin);
  std::replace(list.begin(), list.end(), ',', ' ');
  std::istringstream numbers(list);
  std::vector<double> all;
  for (double v = 0; numbers >> v;) all.push_back(v);
  p.lengthscales = Eigen::Map<covary::Vector>(all.data(), std::ssize(all));
  return p;
}

std::optional<Result> exact(const bench::Options& o, const std::string& set, const bench::Split& s) {
  const Published p = published(o, set);
  if (p.lengthscales.size() != s.train.x.cols()) return {};
  const Index distinct = covary::internal::distinct_rows(covary::internal::first_alike(s.train.x));
  if (8.5 * double(distinct) * double(distinct) > 0.8 * double(covary::internal::memory_available()))
    return {};
  const Process<Row> prior(p.signal_sd * p.signal_sd * covary::matern32(p.lengthscales),
                           covary::constant_mean<Row>(), covary::Noise::of(p.noise_sd * p.noise_sd));
  const double begin = bench::now();
  const Process<Row> posterior = prior.condition(s.train.x, s.train.y);
  return scored("exact(), published", bench::now() - begin, posterior, s);
}

void show(const Result& r) {
  fmt::print("  {:<24} {:>8.1f} {:>9.4f} {:>9.4f}\n", r.inference, r.seconds, r.rmse, r.nlpd);
}

void compare(const bench::Options& o, const std::string& set) {
  if (!bench::have_set(o, set)) return bench::left_out(o, "the choice of an inference for " + set, "no data");
  const bench::Split s = bench::split(o, set, 0);
  fmt::print("{}: {} rows, {} columns\n  {:<24} {:>8} {:>9} {:>9}\n", set, s.train.x.rows(), s.train.x.cols(),
             "", "seconds", "rmse", "nlpd");
  std::vector<Result> all;
  for (const char* inference : {"vecchia", "inducing"})
    all.push_back(learned(inference, s)), show(all.back());
  if (const std::optional<Result> e = exact(o, set, s)) show(*e);
  Result chosen = learned("auto", s);
  fmt::print("  {}\n", chosen.note);
  double best = chosen.rmse;
  for (const Result& r : all) best = std::min(best, r.rmse);
  chosen.inference = "auto: " + chosen.inference;
  show(chosen);
  bench::verdict(o, fmt::format("auto on {}: RMSE beside the best", set),
                 fmt::format("{:.3f}x", chosen.rmse / best), "<= 1.03x", chosen.rmse <= 1.03 * best);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets"});
    fmt::print("{}\n", covary::internal::machine().text());
    std::istringstream sets(o.get("sets", o.has("quick") ? "pol" : "pol,bike,keggdirected,protein"));
    for (std::string set; std::getline(sets, set, ',');) compare(o, set);
  });
}
