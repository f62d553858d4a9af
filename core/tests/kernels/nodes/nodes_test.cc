// Kernels of nodes against functions of the Laplacian, their limits, and the Matern process that grids tend to.
#include "covary/kernels/nodes/nodes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance.h"
#include "covary/kernels/stationary.h"

namespace covary::test::nodes_test {
namespace {

using Edges = std::vector<Network::NamedEdge>;

Matrix all_nodes(const Network& n) {
  return Vector::LinSpaced(std::ssize(n.nodes), 0, double(n.nodes.size() - 1));
}

/// A random tree with some edges more, weights from 0.2 to 2.
std::shared_ptr<const Network> random_network(std::uint64_t seed, Index n) {
  Random rng(seed);
  Edges edges;
  for (Index i = 1; i < n; ++i)
    edges.push_back({std::to_string(rng.integer(i)), std::to_string(i), 0.2 + 1.8 * rng.uniform()});
  for (Index i = 3; i < n; i += 3)
    if (edges[size_t(i - 1)].from != "0") edges.push_back({"0", std::to_string(i), 0.2 + rng.uniform()});
  return read_network(edges);
}

/// The grid of d = 1 or 2 dimensions with `side` nodes along each, spacing h: weights 1/h^2.
std::shared_ptr<const Network> grid(Index side, int d, double h) {
  const auto name = [&](Index i, Index j) { return std::to_string(i * side + j); };
  std::vector<std::string> nodes;
  Edges edges;
  for (Index i = 0; i < (d == 2 ? side : 1); ++i)
    for (Index j = 0; j < side; ++j) {
      nodes.push_back(name(i, j));
      if (j > 0) edges.push_back({name(i, j - 1), name(i, j), 1 / (h * h)});
      if (i > 0) edges.push_back({name(i - 1, j), name(i, j), 1 / (h * h)});
    }
  return read_network(edges, nodes);
}

Matrix unit_mean(const Matrix& k) { return k / k.diagonal().mean(); }

/// exp(a) by its series, scaled and squared.
Matrix exponential(const Matrix& a) {
  constexpr int squarings = 12;
  const Matrix small = a / std::pow(2.0, squarings);
  Matrix term = Matrix::Identity(a.rows(), a.rows()), sum = term;
  for (int k = 1; k <= 12; ++k) term = (term * small / k).eval(), sum += term;
  for (int k = 0; k < squarings; ++k) sum = (sum * sum).eval();
  return sum;
}

TEST(Diffusion, IsTheExponentialOfTheLaplacian) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto n = random_network(seed, 20);
    const Matrix x = all_nodes(*n);
    for (const double beta : {0.01, 0.5, 3.0})
      EXPECT_TRUE(near(diffusion(n, beta).cross(x, x),
                       unit_mean(exponential(-beta * internal::laplacian(*n))), 1e-11));
  }
}

TEST(Diffusion, IsTheIdentityAtFirstAndOneLevelAtLast) {
  const auto n = random_network(1, 20);
  const Matrix x = all_nodes(*n);
  EXPECT_TRUE(near(diffusion(n, 1e-12).cross(x, x), Matrix::Identity(20, 20), 1e-10));
  EXPECT_TRUE(near(diffusion(n, 1e6).cross(x, x), Matrix::Ones(20, 20), 1e-8));
}

TEST(GraphMatern, IsAPowerOfTheShiftedLaplacian) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto n = random_network(seed, 20);
    const Matrix x = all_nodes(*n), l = internal::laplacian(*n);
    for (const double kappa : {0.3, 2.0, 20.0})
      for (int nu = 1; nu <= 3; ++nu) {
        const Matrix inverse = inverse_of(l + 2 * nu / (kappa * kappa) * Matrix::Identity(20, 20));
        Matrix power = inverse;
        for (int i = 1; i < nu; ++i) power = (power * inverse).eval();
        EXPECT_TRUE(near(graph_matern(n, nu, kappa).cross(x, x), unit_mean(power), 1e-11));
      }
  }
}

TEST(GraphMatern, TendsToDiffusionAsNuGrows) {
  const auto n = random_network(2, 15);
  const Matrix x = all_nodes(*n), limit = diffusion(n, 0.5).cross(x, x);
  double last = 1;
  for (const double nu : {10.0, 100.0, 1000.0}) {
    const double off = (graph_matern(n, nu, 1).cross(x, x) - limit).cwiseAbs().maxCoeff();
    EXPECT_LT(off, 0.15 * last);
    last = off;
  }
  EXPECT_LT(last, 1e-3);
}

/// Largest error of the correlations of the node in the middle with those 1/2 and 1 from it, against matern32 of
/// length-scale 1. In d dimensions nu = 3/2 + d/2 and kappa = sqrt(nu/(3/2)). The grid is 8 wide, its border too far
/// to count; its spacing is h.
double off_matern(int d, double h) {
  const auto half = static_cast<Index>(4 / h), side = 2 * half + 1,
             middle = d == 1 ? half : half * side + half;
  const double nu = 1.5 + 0.5 * d;
  const Kernel<Row> k = graph_matern(grid(side, d, h), nu, std::sqrt(nu / 1.5));
  double worst = 0;
  for (const double distance : {0.5, 1.0}) {
    const Matrix a = Matrix::Constant(1, 1, double(middle)), b = a.array() + distance / h;
    const double correlation = k.cross(a, b)(0, 0) / std::sqrt(k.diag(a)[0] * k.diag(b)[0]);
    const double exact = matern32(1.0).cross(Matrix::Zero(1, 1), Matrix::Constant(1, 1, distance))(0, 0);
    worst = std::max(worst, std::abs(correlation - exact));
  }
  return worst;
}

/// The discrete Laplace operator is of second order in the spacing of the grid.
TEST(GraphMatern, TendsToTheMaternProcessOnALine) {
  const double coarse = off_matern(1, 0.125), fine = off_matern(1, 0.0625), finer = off_matern(1, 0.03125);
  EXPECT_NEAR(coarse / fine, 4, 0.2);
  EXPECT_NEAR(fine / finer, 4, 0.1);
  EXPECT_LT(finer, 5e-4);
}

/// 6.4 % at a spacing of half a length-scale, 2.5 % at a quarter (and 0.7 % at an eighth).
TEST(GraphMatern, TendsToTheMaternProcessOfThePlane) {
  const double coarse = off_matern(2, 0.5), fine = off_matern(2, 0.25);
  EXPECT_LT(fine, 0.025);
  EXPECT_GT(coarse / fine, 2.5);
}

TEST(Nodes, PartsThatAreNotConnectedAreIndependent) {
  const auto n = read_network({{"a", "b"}, {"c", "d", 3}}, {"island"});
  const Matrix x = all_nodes(*n);
  for (const Kernel<Row>& k : {diffusion(n, 0.7), graph_matern(n, 1.3, 2)}) {
    const Matrix c = k.cross(x, x);
    EXPECT_NEAR(c.trace(), 5, 1e-13);
    EXPECT_GT(c(1, 2), 0.1);
    EXPECT_GT(c(3, 4), 0.1);
    EXPECT_LT(c.block(1, 3, 2, 2).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT(c.block(0, 1, 1, 4).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(Nodes, ConformOnALargerNetwork) {
  const auto n = random_network(4, 60);
  Random rng(5);
  Matrix a(40, 1), b(30, 1);
  for (double& v : a.reshaped()) v = double(rng.integer(60));
  for (double& v : b.reshaped()) v = double(rng.integer(60));
  for (const Kernel<Row>& k : {diffusion(n, 0.7), graph_matern(n, 1.3, 2)}) {
    expect_none(conformance::pullback<Row>(k, a, b));
    expect_none(conformance::tiles<Row>(k, a, b));
    expect_none(conformance::thread_safety<Row>(k.with(k.theta()), a, b));
  }
}

TEST(Nodes, ANetworkIsNeededAndItsCodesAlone) {
  const Matrix x = Matrix::Zero(1, 1);
  for (const char* text : {"diffusion(beta=1)", "graph_matern(nu=1, kappa=2)"}) {
    const Kernel<Row> k = parse<Row>(text);
    EXPECT_NE(error_of([&] { k.cross(x, x); }, Problem::usage).find("needs a network"), std::string::npos);
    EXPECT_NE(error_of([&] { k.start(x, 1); }, Problem::usage).find("--graph FILE"), std::string::npos);
    const Kernel<Row> bound = internal::bind_network(k, random_network(1, 5));
    EXPECT_EQ(bound.text(), k.text());
    EXPECT_TRUE(bound.cross(x, x).allFinite());
    const std::string said = error_of([&] { bound.cross(x, x.array() + 5); }, Problem::data);
    EXPECT_NE(said.find("no node has the code 5: the network has 5 nodes"), std::string::npos) << said;
  }
  EXPECT_EQ(internal::bind_network(se(2.0), random_network(1, 5)).text(), "se(lengthscale=2)");
}

}  // namespace
}  // namespace covary::test::nodes_test
