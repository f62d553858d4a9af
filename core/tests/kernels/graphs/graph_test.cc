// Graphs as JSON: read, refused with the edge that is wrong, and written.
#include "covary/kernels/graphs/graph.h"

#include <gtest/gtest.h>

#include "kernels/graphs/random_graphs.h"
#include "support.h"

namespace covary::test::graph_test {
namespace {

TEST(Graph, ReadsLabelsAndNumbers) {
  const Graph g = read_graph(R"({"nodes": ["C", "O", 7], "edges": [[2, 1, 1.5], [0, 1], [0, 2, "double"]]})");
  EXPECT_EQ(g.nodes, (std::vector<std::string>{"C", "O", "7"}));
  EXPECT_EQ(g.edges, (std::vector<Graph::Edge>{{0, 1, ""}, {0, 2, "double"}, {1, 2, "1.5"}}));
  EXPECT_EQ(read_graph(R"({"nodes": 3, "edges": [[0, 2]]})"), graph_of({"", "", ""}, {{2, 0, ""}}));
  EXPECT_EQ(read_graph(R"({"nodes": []})"), Graph{});
  EXPECT_EQ(read_graph(" "), Graph{});
}

TEST(Graph, ErrorsNameTheEdge) {
  const auto said = [](const std::string& cell) {
    return error_of([&] { read_graph(cell); }, Problem::data);
  };
  const auto edges = [&](const std::string& list) { return said(R"({"nodes": 3, "edges": )" + list + "}"); };
  const std::pair<std::string, const char*> all[] = {
      {edges("[[0, 1], [1, 3]]"), "edge 2 ([1, 3]): there is no node 3: nodes are numbered from 0 to 2"},
      {edges("[[-1, 0]]"), "edge 1 ([-1, 0]): there is no node -1"},
      {edges("[[1, 1]]"), "edge 1 ([1, 1]): a node cannot have an edge to itself"},
      {edges("[[0, 1], [0, 1]]"), "edge 2 ([0, 1]): it is there already"},
      {edges("[[0, 1, \"a\"], [1, 0]]"), "edge 2 ([1, 0]): it is there already; graphs are undirected"},
      {edges("[[0, 1], [0]]"), "edge 2: expected two whole numbers"},
      {edges("[[0, 1.5]]"), "edge 1: expected two whole numbers"},
      {edges("[[0, 1, \"a\", 2]]"), "edge 1: expected two whole numbers"},
      {edges("[{\"a\": 0}]"), "edge 1: expected two whole numbers"},
      {edges("[[0, 1, null]]"), "edge 1 ([0, 1]): expected a text or a number, found null"},
      {edges("7"), "\"edges\" to be a list, found number"},
      {said("[1]"), "expected {\"nodes\""},
      {said("{\"edges\": []}"), "\"nodes\" is missing"},
      {said("{\"nodes\": 2, \"directed\": true}"), "found \"directed\""},
      {said("{\"nodes\": 2, \"nodes\": 3}"), "the name 'nodes' is there twice"},
      {said("{\"nodes\": \"C\"}"), "found string"},
      {said("{\"nodes\": [[]]}"), "node 0: expected a text or a number"},
      {said("{\"nodes\": 2"), "expected JSON"},
      {said("{\"nodes\": [[[[]]]]}"), "levels of brackets"},
      {said("{\"nodes\": 0, \"edges\": [[0, 1]]}"), "there are no nodes"},
  };
  for (const auto& [found, words] : all) EXPECT_NE(found.find(words), std::string::npos) << found;
}

TEST(Graph, ErrorsSayWhatCame) {
  EXPECT_NE(
      error_of([] { read_graph(R"({"nodes":2,"edges":[[0,1.5]]})"); }, Problem::data).find("found [0,1.5]"),
      std::string::npos);
}

TEST(Graph, TooManyNodesAreALimit) {
  for (const char* cell : {"{\"nodes\": 1000001}", "{\"nodes\": 18446744073709551615}", "{\"nodes\": -1}"})
    EXPECT_NE(error_of([&] { read_graph(cell); }, Problem::limit).find("expected 0 to 1000000 nodes"),
              std::string::npos);
}

TEST(Graph, TextReadsBack) {
  for (const Graph& g : random_graphs(1, 200)) EXPECT_EQ(read_graph(text_of(g)), g) << text_of(g);
  const Graph quoted = graph_of({"a\"b", "", "\xC3\xA4"}, {{1, 0, "]\\"}});
  EXPECT_EQ(read_graph(text_of(quoted)), quoted);
  EXPECT_EQ(text_of(graph_of({"", ""}, {{1, 0, ""}})), "{\"nodes\":2,\"edges\":[[0,1]]}");
  EXPECT_NE(error_of([] { text_of(graph_of({"\xFF"}, {})); }, Problem::data).find("UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::graph_test
