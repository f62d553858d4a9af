// Molecules as text, as graphs and as fingerprints: root mean squared error and negative log predictive density on
// random splits, 80 % of the rows to learn from, beside a process with the Tanimoto kernel on RDKit's Morgan counts in GPyTorch.
//
//   molecules [--quick] [--data DIR] [--python PATH] [--sets esol,freesolv,lipophilicity] [--splits 10]
//
// Of our kernels the one with the largest mean evidence, which the test rows have no part in, stands beside it.
// Labels of atoms are element, aromaticity, hydrogens and charge, of bonds their order, as the graphs have them.
// --quick: three splits. Lipophilicity: its first 2500 rows, and three splits unless --splits is given.
#include <fmt/core.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "covary/base/random.h"
#include "covary/base/runtime.h"
#include "covary/kernels/function.h"
#include "covary/kernels/graphs/graph.h"
#include "covary/learn/fit.h"
#include "covary/predictive/score.h"
#include "covary/table/table.h"
#include "measure.h"

namespace {

using covary::Index, covary::Matrix, covary::Vector;

struct MoleculeSet {
  std::string name, target;
  double yardstick;  // RMSE of the Tanimoto kernel on Morgan counts, in the data's README
  Index rows = 0;
  covary::Schema schema = {};
  Matrix x = {};
  Vector y = {};
};

/// {"z": elements, "arom", "h", "q": of each atom, "bonds": [[a, b, order]]} as a graph with labels.
covary::Graph graph_in(const nlohmann::json& j) {
  std::vector<std::string> atoms;
  for (size_t i = 0; i < j.at("z").size(); ++i)
    atoms.push_back(fmt::format("{}{}h{}q{}", j["z"][i].get<std::string>(), j["arom"][i] == 1 ? "a" : "",
                                j["h"][i].get<int>(), j["q"][i].get<int>()));
  std::vector<covary::Graph::Edge> bonds;
  for (const auto& b : j.at("bonds")) bonds.push_back({b[0], b[1], fmt::format("{}", b[2].get<double>())});
  return covary::graph_of(std::move(atoms), std::move(bonds));
}

void read(MoleculeSet& set, const std::string& data) {
  const std::string base = data + "/structured/" + set.name;
  const covary::Table table = covary::read_csv_file(base + ".csv.gz");
  std::istringstream graphs(bench::output_of("gzip -dc " + bench::quoted(base + "_graphs.jsonl.gz")));
  const covary::Column &smiles = table.column("smiles"), &y = table.column(set.target);
  const Index n = set.name == "lipophilicity" ? 2500 : table.rows();
  using Type = covary::ColumnType;
  set.schema = covary::Schema({{.name = "smiles", .type = Type::text},
                               {.name = "molecule", .type = Type::graph},
                               {.name = "morgan", .type = Type::set}});
  set.x = Matrix::Zero(n, 3), set.y.resize(n), set.rows = n;
  std::string line;
  for (Index i = 0; i < n && std::getline(graphs, line); ++i) {
    const nlohmann::json j = nlohmann::json::parse(line);
    set.x(i, 0) = set.schema.code(0, smiles.texts[static_cast<size_t>(i)]);
    set.x(i, 1) = set.schema.code(1, text_of(graph_in(j)));
    set.y[i] = y.values[static_cast<size_t>(i)];
    if (j.at("row") != i || std::abs(j.at("y").get<double>() - set.y[i]) > 1e-9)
      throw std::runtime_error(set.name + ": the graphs are not those of the table");
  }
}

struct Result {
  double rmse = 0, nlpd = 0, seconds = 0, evidence = 0;
};

/// Learned on `train`, scored on `test`, by plain maximum likelihood from one start, as GPyTorch does, or with the default
/// prior from three; y in standard deviations of the training rows, scores in its own units.
Result learned(const MoleculeSet& set, const std::string& kernel, covary::Prior prior,
               const std::vector<Index>& train, const std::vector<Index>& test) {
  const Vector y = set.y(train);
  const double mean = y.mean(), sd = std::sqrt((y.array() - mean).square().mean());
  const double start = bench::now();
  const auto fitted = covary::fit<covary::Row>(
      {covary::parse(kernel, set.schema), covary::constant_mean<covary::Row>()}, covary::pick(set.x, train),
      (y.array() - mean) / sd, {.prior = prior, .starts = prior == covary::Prior::none ? 1 : 3});
  Result r{0, 0, bench::now() - start, fitted.summary.log_marginal_likelihood};
  const covary::Marginals p = fitted.process.predict(covary::pick(set.x, test), covary::Of::y);
  const Vector off = set.y(test).array() - mean - sd * p.mean.array();
  const Vector variance = sd * sd * p.variance;
  r.rmse = std::sqrt(off.squaredNorm() / double(off.size()));
  r.nlpd = 0.5 * ((2 * M_PI * variance.array()).log() + off.array().square() / variance.array()).mean();
  return r;
}

struct Splits {
  std::vector<std::vector<Index>> train, test;
};

Splits drawn(Index n, int count) {
  Splits s;
  for (int k = 0; k < count; ++k) {
    covary::Random rng(1000 + static_cast<std::uint64_t>(k));
    std::vector<Index> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (Index i = n - 1; i > 0; --i)
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(rng.integer(i + 1))]);
    const auto cut = order.begin() + (8 * n) / 10;
    s.train.emplace_back(order.begin(), cut), s.test.emplace_back(cut, order.end());
  }
  return s;
}

Result mean_of(const std::vector<Result>& all) {
  Result m;
  for (const Result& r : all) {
    m.rmse += r.rmse / double(all.size()), m.nlpd += r.nlpd / double(all.size());
    m.seconds += r.seconds / double(all.size()), m.evidence += r.evidence / double(all.size());
  }
  return m;
}

void print(const std::string& what, const Result& r) {
  fmt::print("  {:64s} {:8.4f} {:8.4f} {:9.3f} {:10.3f}\n", what, r.rmse, r.nlpd, r.seconds, r.evidence);
}

/// The peer's results; it also leaves the fingerprints, one line each, as sets with weights.
std::optional<Result> theirs(MoleculeSet& set, const Splits& s, const bench::Options& o) {
  if (!o.has("python")) return {};
  const std::string scratch = o.get("scratch", "/tmp"), in = scratch + "/molecules.json",
                    out = scratch + "/molecules_out.json";
  std::ofstream(in) << nlohmann::json{
      {"set", set.name}, {"rows", set.rows}, {"target", set.target}, {"train", s.train}, {"test", s.test}};
  const std::string script = std::string(COVARY_BENCH) + "/peers/molecules_rdkit.py";
  if (std::system(fmt::format("{} {} --data {} --in {} --out {}", bench::quoted(o.get("python")),
                              bench::quoted(script), bench::quoted(o.get("data")), bench::quoted(in),
                              bench::quoted(out))
                      .c_str()) != 0)
    return {};
  const nlohmann::json j = nlohmann::json::parse(std::ifstream(out));
  for (Index i = 0; i < set.rows; ++i)
    set.x(i, 2) = set.schema.code(2, j.at("fingerprints")[static_cast<size_t>(i)].get<std::string>());
  return Result{j.at("rmse"), j.at("nlpd"), j.at("seconds"), j.at("evidence")};
}

void run(MoleculeSet set, int count, const bench::Options& o) {
  read(set, o.get("data"));
  const Splits s = drawn(set.rows, count);
  const std::optional<Result> peer = theirs(set, s, o);
  fmt::print("{}: {} molecules, {} splits; Tanimoto on Morgan counts elsewhere: RMSE {}\n", set.name,
             set.rows, count, set.yardstick);
  fmt::print("  {:64s} {:>8s} {:>8s} {:>9s} {:>10s}\n", "", "RMSE", "NLPD", "s a fit", "evidence");
  const auto ours = [&](const std::string& kernel, covary::Prior prior = covary::Prior::weak) {
    std::vector<Result> all;
    for (int k = 0; k < count; ++k)
      all.push_back(
          learned(set, kernel, prior, s.train[static_cast<size_t>(k)], s.test[static_cast<size_t>(k)]));
    const Result m = mean_of(all);
    print(kernel, m);
    return m;
  };
  const std::string text = "on(smiles, spectrum(k=1..5, measure=minmax))",
                    counts = "on(molecule, weisfeiler_lehman(h=2, measure=minmax))",
                    graph = "on(molecule, weisfeiler_lehman(h=3))",
                    groups =
                        "on(molecule, weisfeiler_lehman(h=1, normalized=no))";  // additive in atoms and bonds
  Result best = ours(text);
  for (const std::string& kernel : {counts, graph, groups, text + " + " + counts + " + " + graph,
                                    text + " + " + counts + " + " + groups}) {
    const Result r = ours(kernel);
    if (r.evidence > best.evidence) best = r;
  }
  if (!peer) return;
  const Result same = ours("on(morgan, minmax())", covary::Prior::none);
  print("GPyTorch, Tanimoto on the same Morgan counts", *peer);
  const double rmse = best.rmse / peer->rmse, nlpd = best.nlpd - peer->nlpd,
               faster = peer->seconds / same.seconds;
  bench::verdict(o, set.name + ": RMSE, kernel of most evidence over Morgan counts",
                 fmt::format("{:.3f}", rmse), "<= 1", rmse <= 1);
  bench::verdict(o, set.name + ": NLPD, kernel of most evidence minus Morgan counts",
                 fmt::format("{:.4f}", nlpd), "<= 0", nlpd <= 0);
  bench::verdict(o, set.name + ": RMSE with the same counts, ours minus GPyTorch's",
                 fmt::format("{:.1e}", same.rmse - peer->rmse), "<= 1e-3",
                 std::abs(same.rmse - peer->rmse) <= 1e-3);
  bench::verdict(o, set.name + ": the same counts, times faster to fit", fmt::format("{:.1f}x", faster),
                 ">= 5x", faster >= 5);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets", "splits"});
    fmt::print("{}\n", covary::internal::machine().text());
    const int splits = o.number("splits", o.has("quick") ? 3 : 10);
    for (const MoleculeSet& set :
         {MoleculeSet{"esol", "measured log solubility in mols per litre", 0.723},
          MoleculeSet{"freesolv", "expt", 1.436}, MoleculeSet{"lipophilicity", "exp", 0.676}})
      if (("," + o.get("sets", set.name) + ",").find("," + set.name + ",") != std::string::npos)
        run(set, set.name == "lipophilicity" && !o.has("splits") ? std::min(splits, 3) : splits, o);
  });
}
