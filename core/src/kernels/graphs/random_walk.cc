// The random-walk kernel: common walks of up to `steps` edges, those of s edges weighted by decay^s.
#include <algorithm>
#include <cmath>

#include "covary/kernels/graphs/graphs.h"
#include "kernels/graphs/neighbors.h"
#include "kernels/sets/sparse_kernel.h"

namespace covary {
using namespace internal;
namespace {

/// A graph whose neighbors are in the order of the labels of their edges, and its walks with itself.
struct WalkGraph {
  Neighbors graph;
  Vector own;  // steps + 1
};

using WalkCounts = std::vector<double>;

/// A_X x, x: n_G x n_H by rows, for the nodes u of G one by one: with t_e = sum of the rows of x that edges labelled e
/// lead to from u, y_uv = sum_e sum of the entries of t_e that such edges lead to from v, where the labels of u and v
/// are equal. n_H edges_G + n_G edges_H additions.
WalkCounts next_walks(const Neighbors& g, const Neighbors& h, const WalkCounts& x) {
  const size_t n = h.count();
  WalkCounts y(x.size()), t(n);
  for (size_t u = 0; u < g.count(); ++u)
    for (size_t p = g.start[u]; p < g.start[u + 1];) {
      const Key edge = g.other[p].edge;
      std::fill(t.begin(), t.end(), 0);
      for (; p < g.start[u + 1] && g.other[p].edge == edge; ++p)
        for (size_t v = 0; v < n; ++v) t[v] += x[g.other[p].node * n + v];
      for (size_t v = 0; v < n; ++v) {
        if (g.label[u] != h.label[v]) continue;
        for (size_t q = h.start[v]; q < h.start[v + 1]; ++q)
          if (h.other[q].edge == edge) y[u * n + v] += t[h.other[q].node];
      }
    }
  return y;
}

/// steps + 1: w_s = 1' A_X^s 1.
Vector common_walks(const Neighbors& g, const Neighbors& h, int steps) {
  WalkCounts x(g.count() * h.count());
  for (size_t u = 0; u < g.count(); ++u)
    for (size_t v = 0; v < h.count(); ++v) x[u * h.count() + v] = g.label[u] == h.label[v] ? 1 : 0;
  Vector w(steps + 1);
  for (Index s = 0; s <= steps; ++s) {
    if (s) x = next_walks(g, h, x);
    w[s] = std::accumulate(x.begin(), x.end(), 0.0);
  }
  return w;
}

struct RandomWalk {
  double decay;
  int steps;
  bool normalized;

  std::vector<WalkGraph> prepare(std::span<const Graph> x) const {
    std::vector<WalkGraph> all;
    for (const Graph& graph : x) {
      Neighbors g = neighbors(graph);
      for (size_t v = 0; v < g.count(); ++v)
        std::sort(g.other.begin() + std::ptrdiff_t(g.start[v]),
                  g.other.begin() + std::ptrdiff_t(g.start[v + 1]),
                  [](const Neighbor& a, const Neighbor& b) { return a.edge < b.edge; });
      Vector own = common_walks(g, g, steps);
      all.push_back({std::move(g), std::move(own)});
    }
    return all;
  }
  Matrix cross(std::span<const WalkGraph> a, std::span<const WalkGraph> b) const {
    check_given(parameters());
    Matrix k(std::ssize(a), std::ssize(b));
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i)
        k(Index(i), Index(j)) = value(common_walks(a[i].graph, b[j].graph, steps));
    return normalized ? normalized_sums(std::move(k), own(a), own(b)) : k;
  }
  Vector diag(std::span<const WalkGraph> a) const {
    return normalized ? Vector::Ones(std::ssize(a)) : own(a);
  }
  /// d sum_s decay^s w_s/dlog decay = sum_s s decay^s w_s; normalized by c = sqrt(k_G k_H),
  /// d(k/c) = (dk - k (dk_G/k_G + dk_H/k_H)/2)/c.
  Vector pullback(std::span<const WalkGraph> a, std::span<const WalkGraph> b, const Matrix& w) const {
    check_given(parameters());
    double sum = 0;
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i) {
        const Vector walks = common_walks(a[i].graph, b[j].graph, steps);
        double d = slope(walks);
        if (normalized) {
          const double ka = value(a[i].own), kb = value(b[j].own), size = std::sqrt(ka * kb);
          const double both = slope(a[i].own) / ka + slope(b[j].own) / kb;
          d = size > 0 ? (d - value(walks) * both / 2) / size : 0;
        }
        sum += w(Index(i), Index(j)) * d;
      }
    return Vector::Constant(1, sum);
  }
  Matrix cross(std::span<const Graph> a, std::span<const Graph> b) const {
    return cross(prepare(a), prepare(b));
  }
  Vector diag(std::span<const Graph> a) const { return diag(prepare(a)); }
  Vector pullback(std::span<const Graph> a, std::span<const Graph> b, const Matrix& w) const {
    return pullback(prepare(a), prepare(b), w);
  }
  Vector theta() const { return Vector::Constant(1, std::log(decay)); }
  RandomWalk with(const Vector& t) const { return {std::exp(t[0]), steps, normalized}; }
  Expression node() const {
    return call_node("random_walk", parameters(),
                     {{"steps", {double(steps)}}, normalized_argument(normalized)});
  }
  std::vector<Parameter> parameters() const { return {{"decay", Role::scale, decay}}; }
  /// A step in the product graph has as many choices as the squared mean degree: decay is one over that.
  Vector start(std::span<const Graph> x, double) const {
    double nodes = 0, ends = 0;
    for (const Graph& g : x) nodes += double(g.nodes.size()), ends += 2 * double(g.edges.size());
    return Vector::Constant(1, ends > 0 ? 2 * std::log(nodes / ends) : 0);
  }

 private:
  double value(const Vector& walks) const {
    double k = 0;
    for (Index s = steps; s >= 0; --s) k = k * decay + walks[s];
    return k;
  }
  double slope(const Vector& walks) const {
    double d = 0;
    for (Index s = steps; s >= 1; --s) d = d * decay + double(s) * walks[s];
    return d * decay;
  }
  Vector own(std::span<const WalkGraph> x) const {
    check_given(parameters());
    Vector all(std::ssize(x));
    for (size_t i = 0; i < x.size(); ++i) all[Index(i)] = value(x[i].own);
    return all;
  }
};

}  // namespace

Kernel<Graph> random_walk(double decay, int steps, bool normalized) {
  if (!std::isnan(decay)) check_range("random_walk", "decay", decay);
  check_range("random_walk", "steps", steps, 1, 20);
  return RandomWalk{decay, steps, normalized};
}

namespace graph_entries {

Entry<Graph> random_walk() {
  return {"random_walk",
          "sum over s up to steps of decay^s times the common walks of s edges",
          "small graphs with labels: common walks",
          {"decay", "steps", "normalized"},
          [](const Arguments& a) {
            return covary::random_walk(a.number("decay"), a.integer("steps", 8, 1, 20), normalized_in(a));
          },
          0,
          Nature::local,
          Reads::numbers,
          {"steps", "normalized"}};
}

}  // namespace graph_entries
}  // namespace covary
