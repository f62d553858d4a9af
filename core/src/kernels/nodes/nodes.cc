// K = V diag(g(lambda)) V' / mean(g(lambda)), L = V diag(lambda) V' the Laplacian of a network.
#include "covary/kernels/nodes/nodes.h"

#include <fmt/format.h>

#include "covary/base/random.h"
#include "covary/kernels/registry.h"
#include "kernels/categories/codes.h"
#include "kernels/nodes/spectrum.h"

namespace covary {
using namespace internal;
namespace {

/// The geometric mean of the least positive eigenvalue and the mean of all: between the slowest wave of the network
/// and the degree of a node. 1 if there are no edges.
double middle(const Vector& lambda) {
  const double large = lambda.mean(), floor = 1e-9 * large;
  double least = large;
  for (const double v : lambda)
    if (v > floor) least = std::min(least, v);
  return large > 0 ? std::sqrt(least * large) : 1;
}

/// g = exp(-beta lambda).
struct Diffusion {
  static constexpr const char* name = "diffusion";
  double beta;

  FilterValues at(const Vector& lambda) const { return {-beta * lambda, -beta * lambda}; }
  Vector theta() const { return Vector::Constant(1, std::log(beta)); }
  static Diffusion of(const Vector& t) { return {std::exp(t[0])}; }
  std::vector<Parameter> parameters() const { return {{"beta", Role::shape, beta}}; }
  static Vector start(const Vector& lambda) { return Vector::Constant(1, -std::log(middle(lambda))); }
};

/// g = (1 + u)^-nu, u = kappa^2 lambda/(2 nu):
/// dlog g/dlog nu = nu (u/(1 + u) - log(1 + u)), dlog g/dlog kappa = -2 nu u/(1 + u).
struct GraphMatern {
  static constexpr const char* name = "graph_matern";
  double nu, kappa;

  FilterValues at(const Vector& lambda) const {
    const Eigen::ArrayXd u = kappa * kappa / (2 * nu) * lambda.array(), share = u / (1 + u), logs = u.log1p();
    FilterValues g{-nu * logs, Matrix(lambda.size(), 2)};
    g.slopes.col(0) = nu * (share - logs), g.slopes.col(1) = -2 * nu * share;
    return g;
  }
  Vector theta() const { return Eigen::Vector2d(std::log(nu), std::log(kappa)); }
  static GraphMatern of(const Vector& t) { return {std::exp(t[0]), std::exp(t[1])}; }
  std::vector<Parameter> parameters() const {
    return {{"nu", Role::shape, nu}, {"kappa", Role::shape, kappa}};
  }
  static Vector start(const Vector& lambda) {  // nu = 3/2, and u = 1 in the middle
    return Eigen::Vector2d(std::log(1.5), 0.5 * std::log(3 / middle(lambda)));
  }
};

template <class Filter>
struct OfNodes {
  Filter filter;
  std::shared_ptr<const Spectrum> spectrum = {};          // null: of no network yet
  std::shared_ptr<const FilteredSpectrum> filtered = {};  // null without a network

  static OfNodes on(std::shared_ptr<const Spectrum> s, const Filter& f) {
    if (!s) return {f};
    return {f, s, std::make_shared<const FilteredSpectrum>(s, [f](const Vector& v) { return f.at(v); })};
  }
  Matrix cross(Rows a, Rows b) const {
    const std::vector<Index> i = codes(a), j = codes(b);
    return filtered->covariance()(i, j);
  }
  Vector diag(Rows a) const {
    const std::vector<Index> i = codes(a);
    return filtered->covariance().diagonal()(i);
  }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {
    const std::vector<Index> i = codes(a), j = codes(b);
    const std::vector<Matrix>& slopes = filtered->slopes();
    Vector g(std::ssize(slopes));
    for (Index p = 0; p < g.size(); ++p) g[p] = slopes[size_t(p)](i, j).cwiseProduct(w).sum();
    return g;
  }
  Matrix pullback_inputs(Rows a, Rows, const Matrix&) const { return Matrix::Zero(a.rows(), a.cols()); }
  Vector theta() const { return filter.theta(); }
  OfNodes with(const Vector& t) const { return on(spectrum, Filter::of(t)); }
  Expression node() const { return call_node(Filter::name, parameters()); }
  std::vector<Parameter> parameters() const { return filter.parameters(); }
  Vector start(Rows, double) const { return check_network(), Filter::start(spectrum->values()); }
  // Rows of R Z/sqrt(M), K = R R' and Z standard normal. 2 N^2 M flops, once.
  FeatureMap<Row> features(Random& rng, Index m) const {
    check_network();
    const auto drawn = std::make_shared<const Matrix>(filtered->root() * rng.normal(spectrum->nodes(), m) /
                                                      std::sqrt(double(m)));
    return {m, [this_ = *this, drawn](Rows x) -> Matrix {
              const std::vector<Index> i = this_.codes(x);
              return (*drawn)(i, Eigen::all);
            }};
  }

 private:
  void check_network() const {
    if (!spectrum)
      throw Error(
          Problem::usage,
          fmt::format("{} needs a network: the edges between its nodes (--graph FILE)", Filter::name));
  }
  std::vector<Index> codes(Rows x) const {
    check_given(parameters());
    std::vector<Index> all = codes_of(Filter::name, x);
    check_network();
    for (const Index code : all)
      if (code >= spectrum->nodes())
        throw Error(Problem::data, fmt::format("{}: no node has the code {}: the network has {} nodes",
                                               Filter::name, code, spectrum->nodes()));
    return all;
  }
};

/// The kernel on a network, if it is one of this filter.
template <class Filter>
Kernel<Row> bound(const Kernel<Row>& k, const std::shared_ptr<const Network>& network) {
  const auto* unbound = k.as<OfNodes<Filter>>();
  return unbound ? Kernel<Row>(OfNodes<Filter>::on(spectrum_of(network), unbound->filter)) : k;
}

Kernel<Row> unbound_diffusion(double beta) {
  if (!std::isnan(beta)) check_range("diffusion", "beta", beta);
  return OfNodes<Diffusion>{{beta}};
}

Kernel<Row> unbound_matern(double nu, double kappa) {
  if (!std::isnan(nu)) check_range("graph_matern", "nu", nu, 1e-6, 1e6);
  if (!std::isnan(kappa)) check_range("graph_matern", "kappa", kappa);
  return OfNodes<GraphMatern>{{nu, kappa}};
}

}  // namespace

Kernel<Row> internal::bind_network(const Kernel<Row>& kernel, std::shared_ptr<const Network> network) {
  return network ? bound<GraphMatern>(bound<Diffusion>(kernel, network), network) : kernel;
}

Kernel<Row> diffusion(std::shared_ptr<const Network> network, double beta) {
  return bind_network(unbound_diffusion(beta), std::move(network));
}

Kernel<Row> graph_matern(std::shared_ptr<const Network> network, double nu, double kappa) {
  return bind_network(unbound_matern(nu, kappa), std::move(network));
}

namespace entries {

Entry<Row> diffusion() {
  return {"diffusion",
          "exp(-beta L), L the Laplacian of the network",
          "nodes of a network, very smooth along its edges",
          {"beta"},
          [](const Arguments& a) { return unbound_diffusion(a.number("beta")); },
          1,
          Nature::local,
          Reads::nodes};
}

Entry<Row> graph_matern() {
  return {"graph_matern",
          "(2 nu/kappa^2 I + L)^-nu, L the Laplacian of the network",
          "nodes of a network, with smoothness nu along its edges",
          {"nu", "kappa"},
          [](const Arguments& a) { return unbound_matern(a.number("nu"), a.number("kappa")); },
          1,
          Nature::local,
          Reads::nodes};
}

}  // namespace entries
}  // namespace covary
