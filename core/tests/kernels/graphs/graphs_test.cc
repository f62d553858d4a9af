// Kernels over graphs: the conformance suite, and values from the definitions.
#include "covary/kernels/graphs/graphs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "conformance.h"
#include "kernels/graphs/random_graphs.h"

namespace covary::test::graphs_test {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
using Counts = std::map<std::string, double>;

double product(const Counts& a, const Counts& b) {
  double sum = 0;
  for (const auto& [name, times] : a)
    if (const auto found = b.find(name); found != b.end()) sum += times * found->second;
  return sum;
}

/// n x n: the label of the edge in brackets, or nothing.
std::vector<std::vector<std::string>> adjacency(const Graph& g) {
  std::vector<std::vector<std::string>> all(g.nodes.size(), std::vector<std::string>(g.nodes.size()));
  for (const Graph::Edge& e : g.edges)
    all[size_t(e.a)][size_t(e.b)] = all[size_t(e.b)][size_t(e.a)] = "(" + e.label + ")";
  return all;
}

/// Labels as texts that are written out in full.
Counts subtrees(const Graph& g, int h) {
  const auto edge = adjacency(g);
  std::vector<std::string> label = g.nodes;
  Counts all;
  for (int t = 0; t <= h; ++t) {
    for (const std::string& l : label) ++all[std::to_string(t) + ":" + l];
    std::vector<std::string> next;
    for (size_t v = 0; v < label.size(); ++v) {
      std::vector<std::string> around;
      for (size_t u = 0; u < label.size(); ++u)
        if (!edge[v][u].empty()) around.push_back(edge[v][u] + label[u]);
      std::sort(around.begin(), around.end());
      std::string tree = "<" + label[v];
      for (const std::string& one : around) tree += "," + one;
      next.push_back(tree + ">");
    }
    label = next;
  }
  return all;
}

/// Distances by Floyd and Warshall.
Counts distances(const Graph& g) {
  const Index n = std::ssize(g.nodes);
  Matrix d = Matrix::Constant(n, n, none);
  for (const Graph::Edge& e : g.edges) d(e.a, e.b) = d(e.b, e.a) = 1;
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
  Counts all;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j && d(i, j) < none)
        ++all[g.nodes[size_t(i)] + "|" + g.nodes[size_t(j)] + "|" + std::to_string(int(d(i, j)))];
  return all;
}

/// sum_s decay^s 1' A^s 1 of the product graph, whose matrix is written out.
double walks(const Graph& g, const Graph& h, double decay, int steps) {
  const auto in_g = adjacency(g), in_h = adjacency(h);
  std::vector<std::pair<size_t, size_t>> nodes;
  for (size_t u = 0; u < g.nodes.size(); ++u)
    for (size_t v = 0; v < h.nodes.size(); ++v)
      if (g.nodes[u] == h.nodes[v]) nodes.emplace_back(u, v);
  const Index n = std::ssize(nodes);
  Matrix a = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const std::string& one = in_g[nodes[size_t(i)].first][nodes[size_t(j)].first];
      a(i, j) = !one.empty() && one == in_h[nodes[size_t(i)].second][nodes[size_t(j)].second];
    }
  Vector x = Vector::Ones(n);
  double sum = 0;
  for (int s = 0; s <= steps; ++s) sum += std::pow(decay, s) * x.sum(), x = Vector(a * x);
  return sum;
}

/// k and the function of two graphs it should be, alone and normalized.
void expect_values(const Kernel<Graph>& plain, const Kernel<Graph>& normalized,
                   const std::function<double(const Graph&, const Graph&)>& value) {
  const Graphs a = random_graphs(11, 24), b = random_graphs(12, 24);
  const Matrix k = plain.cross(a, b), c = normalized.cross(a, b);
  for (Index i = 0; i < k.rows(); ++i)
    for (Index j = 0; j < k.cols(); ++j) {
      const Graph &g = a[size_t(i)], &h = b[size_t(j)];
      const double v = value(g, h), gg = value(g, g), hh = value(h, h);
      EXPECT_NEAR(k(i, j), v, 1e-13 * v) << text_of(g) << text_of(h);
      EXPECT_NEAR(c(i, j), gg == 0 && hh == 0 ? 1 : gg * hh == 0 ? 0 : v / std::sqrt(gg * hh), 1e-14);
    }
}

TEST(Graphs, EveryKernelConforms) {
  const Graphs a = random_graphs(1, 40), b = random_graphs(2, 25);
  for (const char* text :
       {"constant(variance=2)", "weisfeiler_lehman(h=0, normalized=no)", "weisfeiler_lehman(h=3)",
        "shortest_path(normalized=no)", "shortest_path()", "random_walk(decay=0.2, steps=5)",
        "random_walk(decay=0.05, steps=3, normalized=no)",
        "1.5 * weisfeiler_lehman() * random_walk(0.1, steps=2) + 0.5 * fixed(shortest_path())"}) {
    const Kernel<Graph> k = parse<Graph>(text);
    expect_conforms<Graph>(k, a, b);
    EXPECT_EQ(parse<Graph>(k.text()).text(), k.text());
    EXPECT_TRUE(same_bits(parse<Graph>(k.text()).cross(a, b), k.cross(a, b))) << text;
  }
  for (const Entry<Graph>& e : registry<Graph>())
    EXPECT_TRUE(!e.about.empty() && !e.formula.empty()) << e.name;
}

TEST(Graphs, WeisfeilerLehmanCountsSubtrees) {
  for (const int h : {0, 1, 2, 5})
    expect_values(weisfeiler_lehman(h, false), weisfeiler_lehman(h),
                  [h](const Graph& a, const Graph& b) { return product(subtrees(a, h), subtrees(b, h)); });
}

TEST(Graphs, ShortestPathCountsPairsByDistance) {
  expect_values(shortest_path(false), shortest_path(),
                [](const Graph& a, const Graph& b) { return product(distances(a), distances(b)); });
}

/// A path whose labels are all different has too many triplets for a table of them.
TEST(Graphs, ShortestPathTakesManyLabels) {
  const Index n = 200;
  std::vector<std::string> nodes;
  std::vector<Graph::Edge> edges;
  for (Index v = 0; v < n; ++v) {
    nodes.push_back(std::to_string(v));
    if (v) edges.push_back({v - 1, v, ""});
  }
  const Graphs g{graph_of(nodes, edges), graph_of({"0", "1", "2"}, {{0, 1, ""}, {1, 2, ""}})};
  Matrix expected(2, 2);
  expected << double(n * (n - 1)), 6, 6, 6;
  EXPECT_EQ(shortest_path(false).cross(g, g), expected);
}

TEST(Graphs, RandomWalkIsTheSeriesOfTheProductGraph) {
  for (const int steps : {1, 4, 8})
    for (const double decay : {0.03, 0.7})
      expect_values(random_walk(decay, steps, false), random_walk(decay, steps),
                    [=](const Graph& a, const Graph& b) { return walks(a, b, decay, steps); });
}

TEST(Graphs, NumbersOfNodesMeanNothing) {
  Random rng(3);
  const Graphs g = random_graphs(4, 30);
  Graphs other;
  for (const Graph& one : g) other.push_back(renumbered(rng, one));
  for (const Kernel<Graph>& k : {weisfeiler_lehman(), shortest_path(), random_walk(0.2)}) {
    EXPECT_TRUE(near(k.cross(g, other), k.cross(g, g), 1e-15)) << k.text();
    EXPECT_TRUE(near(k.cross(other, other), k.cross(g, g), 1e-15)) << k.text();
  }
}

/// A path and a ring of labels that only rounds tell apart: six nodes each, all of degree 2 in both rings.
TEST(Graphs, WhatTheRoundsSee) {
  const auto ring = [](std::vector<std::pair<Index, Index>> pairs) {
    std::vector<Graph::Edge> edges;
    for (const auto& [a, b] : pairs) edges.push_back({a, b, ""});
    return graph_of(std::vector<std::string>(6), edges);
  };
  const Graphs hexagon{ring({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}})},
      triangles{ring({{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}})};
  EXPECT_EQ(weisfeiler_lehman(10).cross(hexagon, triangles)(0, 0), 1) << "known to be beyond the test";
  EXPECT_LT(shortest_path().cross(hexagon, triangles)(0, 0), 1);
}

TEST(Graphs, LabelsOfEdgesCount) {
  const Graphs single{graph_of({"C", "C"}, {{0, 1, ""}})}, twice{graph_of({"C", "C"}, {{0, 1, "="}})};
  EXPECT_EQ(weisfeiler_lehman(1, false).cross(single, twice)(0, 0), 4) << "labels of nodes alone";
  EXPECT_EQ(random_walk(1, 3, false).cross(single, twice)(0, 0), 4) << "walks of no edge alone";
  EXPECT_EQ(shortest_path().cross(single, twice)(0, 0), 1) << "does not read them";
}

TEST(Graphs, DecayIsStartedByTheMeanDegree) {
  const Graphs ring{graph_of({"", "", ""}, {{0, 1, ""}, {1, 2, ""}, {0, 2, ""}})}, lone{graph_of({""}, {})};
  EXPECT_DOUBLE_EQ(random_walk().start(ring, 1)[0], std::log(0.25));
  EXPECT_EQ(random_walk().start(lone, 1)[0], 0);
  EXPECT_NE(error_of([&] { random_walk().cross(ring, ring); }, Problem::usage).find("'decay' was not given"),
            std::string::npos);
  EXPECT_THROW(random_walk(-1), Error);
  EXPECT_THROW(random_walk(0.1, 21), Error);
  EXPECT_THROW(weisfeiler_lehman(-1), Error);
}

}  // namespace
}  // namespace covary::test::graphs_test
