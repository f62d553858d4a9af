// Gram matrices of graph kernels beside GraKeL's: the same values, and how many times faster; and the accuracy of our
// classifier with them, ten folds, the penalty by five folds inside.
//
//   graphs [--quick] [--data DIR] [--python PATH] [--sets mutag,ptc] [--accuracy] [--threads 2]
//
// --quick: MUTAG, PTC and ENZYMES. GraKeL's shortest paths are left out where they take many minutes (NCI1), unless
// --all is given. --accuracy trains 260 machines for each class of a set: NCI1 takes long.
#include "covary/kernels/graphs/graphs.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "covary/base/random.h"
#include "covary/base/runtime.h"
#include "covary/kernels/kernel_gram.h"
#include "covary/svm/classifier.h"
#include "measure.h"

namespace {

using covary::Graph, covary::Index, covary::Kernel, covary::Matrix, covary::Vector;

struct GraphSet {
  std::string name;
  // Accuracies of an SVM in the data's README, %: weisfeiler_lehman(h=5), and shortest_path(), 0 where there is none.
  double subtrees, paths;
  std::vector<Graph> graphs;
  std::vector<Index> classes;
};

/// The number of graphs; for each its number of nodes and its class; for each node its label, the number of its
/// neighbors and those.
void read(GraphSet& set, const std::string& path) {
  std::istringstream in(bench::output_of("gzip -dc " + bench::quoted(path)));
  Index graphs = 0;
  in >> graphs;
  for (Index g = 0; g < graphs; ++g) {
    Index nodes = 0, of_class = 0;
    in >> nodes >> of_class;
    std::vector<std::string> labels(static_cast<size_t>(nodes));
    std::vector<Graph::Edge> edges;
    for (Index v = 0; v < nodes; ++v) {
      Index degree = 0, other = 0;
      in >> labels[static_cast<size_t>(v)] >> degree;
      for (Index p = 0; p < degree; ++p) {
        in >> other;
        if (v < other) edges.push_back({v, other, ""});
      }
    }
    set.graphs.push_back(covary::graph_of(std::move(labels), std::move(edges)));
    set.classes.push_back(of_class);
  }
  if (!in) throw std::runtime_error(path + " breaks off");
  std::vector<Index> names = set.classes;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (Index& c : set.classes) c = std::lower_bound(names.begin(), names.end(), c) - names.begin();
}

/// Everything from the graphs to both triangles.
Matrix gram_matrix(const Kernel<Graph>& k, const std::vector<Graph>& x, int threads) {
  Matrix out(std::ssize(x), std::ssize(x));
  covary::internal::fill_lower(covary::gram<Graph>(k, x), out, threads);
  for (Index j = 0; j < out.cols(); ++j)
    out.row(j).tail(out.cols() - j - 1) = out.col(j).tail(out.cols() - j - 1);
  return out;
}

/// Theirs in a process of its own: seconds, and the matrix by a file.
double theirs(const bench::Options& o, const std::string& python, const std::string& set,
              const std::string& kernel, Matrix& out) {
  const std::string file = bench::scratch(o) + "/graphs_grakel.bin";
  const std::string said = bench::output_of(fmt::format(
      "{} --graphs {} --kernel {} --out {}", bench::peer(python, "graphs_grakel"),
      bench::quoted(o.get("data") + "/structured/graph_" + set + ".txt.gz"), kernel, bench::quoted(file)));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(out.data()), std::streamsize(sizeof(double)) * out.size());
  if (!in) throw std::runtime_error(file + " breaks off");
  return nlohmann::json::parse(said)["seconds"];
}

/// The kernel of numbered points whose matrix is known.
struct KnownMatrix {
  std::shared_ptr<const Matrix> k;
  Matrix cross(std::span<const int> a, std::span<const int> b) const {
    return (*k)(std::vector<int>(a.begin(), a.end()), std::vector<int>(b.begin(), b.end()));
  }
  Vector diag(std::span<const int> a) const { return k->diagonal()(std::vector<int>(a.begin(), a.end())); }
  Vector pullback(std::span<const int>, std::span<const int>, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  KnownMatrix with(const Vector&) const { return *this; }
  std::string text() const { return "known"; }
};

/// A fold for each point: each class is dealt out to the folds in turn, in random order.
std::vector<Index> folds_of(const std::vector<Index>& classes, Index folds, covary::Random& rng) {
  std::vector<std::pair<std::pair<Index, double>, size_t>> order;
  for (size_t i = 0; i < classes.size(); ++i) order.push_back({{classes[i], rng.uniform()}, i});
  std::sort(order.begin(), order.end());
  std::vector<Index> out(classes.size());
  for (size_t i = 0; i < order.size(); ++i) out[order[i].second] = Index(i) % folds;
  return out;
}

/// % of `test` that is classified as it should be by a machine trained on `train`.
double accuracy(const std::shared_ptr<const Matrix>& k, const std::vector<Index>& classes,
                const std::vector<int>& train, const std::vector<int>& test, double penalty) {
  std::vector<Index> labels;
  for (const int i : train) labels.push_back(classes[static_cast<size_t>(i)]);
  covary::SvmOptions options;
  options.penalty = penalty, options.tolerance = 1e-3;
  const auto machine = covary::Classifier<int>::train(KnownMatrix{k}, train, labels, options);
  const std::vector<Index> found = machine.predict(test);
  int right = 0;
  for (size_t i = 0; i < test.size(); ++i) right += found[i] == classes[static_cast<size_t>(test[i])];
  return 100.0 * right / double(test.size());
}

/// The indices `of` whose fold is (or is not) f.
std::vector<int> in_fold(const std::vector<int>& of, const std::vector<Index>& fold, Index f, bool in) {
  std::vector<int> out;
  for (size_t i = 0; i < of.size(); ++i)
    if ((fold[i] == f) == in) out.push_back(of[i]);
  return out;
}

/// Of ten folds: mean and standard error.
std::pair<double, double> cross_validated(const Matrix& gram, const std::vector<Index>& classes) {
  const auto k = std::make_shared<const Matrix>(gram);
  covary::Random rng(1);
  std::vector<int> all(classes.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Index> fold = folds_of(classes, 10, rng);
  Vector found(10);
  for (Index f = 0; f < 10; ++f) {
    const std::vector<int> train = in_fold(all, fold, f, false);
    std::vector<Index> labels;
    for (const int i : train) labels.push_back(classes[static_cast<size_t>(i)]);
    const std::vector<Index> inner = folds_of(labels, 5, rng);
    double best = -1, penalty = 1;
    for (const double c : {0.1, 1.0, 10.0, 100.0, 1000.0}) {
      double sum = 0;
      for (Index g = 0; g < 5; ++g)
        sum += accuracy(k, classes, in_fold(train, inner, g, false), in_fold(train, inner, g, true), c);
      if (sum > best) best = sum, penalty = c;
    }
    found[f] = accuracy(k, classes, train, in_fold(all, fold, f, true), penalty);
  }
  const double mean = found.mean();
  return {mean, std::sqrt((found.array() - mean).square().sum() / 9 / 10)};
}

void compare(const bench::Options& o, const GraphSet& set, const std::string& python, const std::string& name,
             const Kernel<Graph>& kernel) {
  const int threads = o.number("threads", covary::internal::machine().threads);
  Matrix k;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 3; ++repeat)
    seconds.push_back(bench::seconds([&] { k = gram_matrix(kernel, set.graphs, threads); }));
  const double ours = bench::least(seconds);
  const bool slow = name == "shortest_path" && set.name == "nci1" && !o.has("all");
  if (python.empty() || slow) {
    fmt::print("{:<10} {:<18} {:>6} {:>10.4f} {:>10}\n", set.name, name, k.rows(), ours,
               slow ? "left out" : "-");
    return;
  }
  Matrix peer(k.rows(), k.cols());
  const double grakel = theirs(o, python, set.name, name, peer);
  const double most = (k - peer).cwiseAbs().maxCoeff();
  fmt::print("{:<10} {:<18} {:>6} {:>10.4f} {:>10.3f} {:>8.1f} {:>10.1e}\n", set.name, name, k.rows(), ours,
             grakel, grakel / ours, most);
  bench::verdict(o, fmt::format("{}, {}: largest difference from GraKeL's", name, set.name),
                 fmt::format("{:.1e}", most), "<= 1e-12", most <= 1e-12);
  bench::verdict(o, fmt::format("{}, {}: times faster than GraKeL", name, set.name),
                 fmt::format("{:.1f}x", grakel / ours), ">= 10x", grakel >= 10 * ours);
}

void classify(const bench::Options& o, const GraphSet& set, const std::string& name,
              const Kernel<Graph>& kernel, double yardstick) {
  const Matrix k = gram_matrix(kernel, set.graphs, 0);
  std::pair<double, double> found;
  const double seconds = bench::seconds([&] { found = cross_validated(k, set.classes); });
  fmt::print("{:<10} {:<18} {:>6.1f} +- {:.1f}, {:.0f} s\n", set.name, name, found.first, found.second,
             seconds);
  bench::verdict(o, fmt::format("accuracy with {}, {}", name, set.name),
                 fmt::format("{:.1f} +- {:.1f} %", found.first, found.second),
                 fmt::format("{:.1f} %, 2 se", yardstick), found.first + 2 * found.second >= yardstick);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::guarded([&] {
    const bench::Options o = bench::read_options(argc, argv, {"sets", "threads", "accuracy!", "all!"});
    if (!std::filesystem::exists(o.get("data") + "/structured/graph_mutag.txt.gz"))
      return bench::left_out(o, "graph kernels", "no data");
    const std::string python = bench::peers_python(o, "grakel");
    const std::string some =
        o.get("sets", o.has("quick") ? "mutag,ptc,enzymes" : "mutag,ptc,enzymes,proteins,nci1");
    std::vector<GraphSet> sets;
    for (const GraphSet& set : {GraphSet{"mutag", 84.0, 83.0, {}, {}}, GraphSet{"ptc", 60.3, 58.9, {}, {}},
                                GraphSet{"enzymes", 51.5, 41.7, {}, {}},
                                GraphSet{"proteins", 75.9, 0, {}, {}}, GraphSet{"nci1", 84.6, 0, {}, {}}}) {
      if (some.find(set.name) == some.npos) continue;
      sets.push_back(set);
      read(sets.back(), o.get("data") + "/structured/graph_" + set.name + ".txt.gz");
    }
    fmt::print("{}\nseconds of a Gram matrix, ours the least of 3\n", covary::internal::machine().text());
    fmt::print("{:<10} {:<18} {:>6} {:>10} {:>10} {:>8} {:>10}\n", "set", "kernel", "n", "ours", "GraKeL",
               "times", "difference");
    for (const GraphSet& set : sets) {
      compare(o, set, python, "weisfeiler_lehman", covary::weisfeiler_lehman(5));
      compare(o, set, python, "shortest_path", covary::shortest_path());
    }
    if (!o.has("accuracy")) return;
    fmt::print("\naccuracy of ten folds, %\n");
    for (const GraphSet& set : sets) {
      classify(o, set, "weisfeiler_lehman", covary::weisfeiler_lehman(5), set.subtrees);
      if (set.paths > 0) classify(o, set, "shortest_path", covary::shortest_path(), set.paths);
    }
  });
}
