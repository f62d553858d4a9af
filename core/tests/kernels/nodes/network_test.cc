// Reading a network: numbering, the Laplacian, and what is wrong with a list of edges.
#include "covary/kernels/nodes/network.h"

#include <gtest/gtest.h>

#include "support.h"

namespace covary::test::network_test {
namespace {

TEST(Network, NodesAreNumberedAsTheyAppear) {
  const auto n = read_network({{"b", "a", 2}, {"a", "c"}}, {"lake"});
  EXPECT_EQ(n->nodes, (std::vector<std::string>{"lake", "b", "a", "c"}));
  ASSERT_EQ(n->edges.size(), 2u);
  EXPECT_EQ(n->edges[1].a, 2);
  EXPECT_EQ(n->edges[1].b, 3);
  EXPECT_EQ(n->edges[1].weight, 1);
}

TEST(Network, LaplacianIsDegreesLessWeights) {
  const Matrix l = internal::laplacian(*read_network({{"a", "b", 2}, {"c", "a", 0.5}}, {"a", "b", "c", "d"}));
  Matrix expected(4, 4);
  expected << 2.5, -2, -0.5, 0, -2, 2, 0, 0, -0.5, 0, 0.5, 0, 0, 0, 0, 0;
  EXPECT_TRUE(same_bits(l, expected + Matrix::Zero(4, 4)));
}

TEST(Network, BadEdgesAreNamed) {
  const auto said = [](const std::vector<Network::NamedEdge>& edges) {
    return error_of([&] { read_network(edges); }, Problem::data);
  };
  EXPECT_NE(said({{"a", "b"}, {"c", "c"}}).find("edge 2 ('c' to 'c') joins a node with itself"),
            std::string::npos);
  EXPECT_NE(said({{"a", "b"}, {"b", "c"}, {"b", "a"}}).find("edge 3 ('b' to 'a') was given before"),
            std::string::npos);
  for (const double weight : {-1.0, 0.0, double(NAN), double(INFINITY)})
    EXPECT_NE(said({{"a", "b", weight}}).find("edge 1 ('a' to 'b') must have a positive weight, found"),
              std::string::npos);
  EXPECT_NE(said({{"a", ""}}).find("a node without a name"), std::string::npos);
  EXPECT_NE(said({}).find("it has no nodes"), std::string::npos);
}

TEST(Network, TooManyNodesAreRefusedBeforeAnythingIsComputed) {
  std::vector<Network::NamedEdge> path;
  for (Index i = 0; i < internal::most_nodes; ++i)
    path.push_back({std::to_string(i), std::to_string(i + 1), 1});
  EXPECT_NE(error_of([&] { read_network(path); }, Problem::limit).find("at most 4000 nodes, found 4001"),
            std::string::npos);
  path.pop_back();
  EXPECT_EQ(std::ssize(read_network(path)->nodes), internal::most_nodes);
}

}  // namespace
}  // namespace covary::test::network_test
