#include "covary/select/cluster_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "covary/base/error.h"
#include "covary/base/parallel.h"
#include "covary/base/random.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index landmarks = 500;

/// n x q: d^2 between some points and others.
Matrix squared_distances(const Covariances& k, const std::vector<Index>& some,
                         const std::vector<Index>& others, int threads) {
  Matrix out(std::ssize(some), std::ssize(others));
  const Vector own = k.diagonal(some), other = k.diagonal(others);
  for_runs(out.rows(), threads, [&](Range r) {
    const std::vector<Index> rows(some.begin() + r.first, some.begin() + r.end());
    Matrix d = -2 * among(k, rows, others);
    d.colwise() += own.segment(r.first, r.count);
    d.rowwise() += other.transpose();
    out.middleRows(r.first, r.count) = d.cwiseMax(0);
  });
  return out;
}

/// d^2 -> what joining two clusters of weights w adds to the sum of squares: w_i w_j / (w_i + w_j) d^2.
Matrix joins_of(Matrix d, const Vector& weight) {
  for (Index j = 0; j < d.cols(); ++j)
    d.col(j).array() *= weight.array() * weight[j] / (weight.array() + weight[j]);
  return d;
}

/// The nearest of the clusters in use; of equals `preferred`, or else the first.
Index nearest_of(const Matrix& joins, const std::vector<Index>& used, Index to, Index preferred) {
  Index best = preferred;
  double least = preferred < 0 ? std::numeric_limits<double>::infinity() : joins(preferred, to);
  for (const Index i : used)
    if (i != to && (joins(i, to) < least || best < 0)) best = i, least = joins(i, to);
  return best;
}

}  // namespace

ClusterTree::ClusterTree(const Covariances& k, Index most, int threads)
    : points_(k.size), nodes_(static_cast<size_t>(k.size)) {
  if (k.size < 1) throw Error(Problem::data, "a tree of clusters needs 1 point or more, found none");
  if (most < 2)
    throw Error(Problem::usage,
                fmt::format("an exact tree of clusters has 2 points or more, found {}", most));
  check_memory(8.0 * double(std::min(most, k.size)) * double(std::min(most, k.size)),
               fmt::format("distances between {} points", std::min(most, k.size)));
  nodes_.reserve(static_cast<size_t>(2 * k.size - 1));
  build(k, all_indices(k.size), most, threads_or_all(threads));
  arrange();
}

Index ClusterTree::join(Index a, Index b, double height) {
  const Index node = nodes();
  nodes_.push_back({std::min(a, b), std::max(a, b), -1, size(a) + size(b), 0, height});
  nodes_[static_cast<size_t>(a)].parent = nodes_[static_cast<size_t>(b)].parent = node;
  return node;
}

/// The root of a tree of these points.
Index ClusterTree::build(const Covariances& k, const std::vector<Index>& points, Index most, int threads) {
  if (std::ssize(points) > most) return grouped(k, points, most, threads);
  const Vector weight = Vector::Ones(std::ssize(points));
  return linked(joins_of(squared_distances(k, points, points, threads), weight), weight, points);
}

/// A tree of each landmark's group, and one of the landmarks above. n points: 500 n kernel values, and those of the
/// groups. Equal points join at height 0, in any order.
Index ClusterTree::grouped(const Covariances& k, const std::vector<Index>& points, Index most, int threads) {
  std::vector<Index> marks = representatives(std::ssize(points), std::min(landmarks, most));
  for (Index& i : marks) i = points[static_cast<size_t>(i)];
  std::vector<Index> nearest(points.size());
  Vector apart(std::ssize(points));  // d^2 to it
  for_runs(apart.size(), threads, [&](Range r) {
    const std::vector<Index> rows(points.begin() + r.first, points.begin() + r.end());
    const Matrix d = squared_distances(k, rows, marks, 1);
    for (Index i = 0; i < r.count; ++i)
      apart[r.first + i] = d.row(i).minCoeff(&nearest[static_cast<size_t>(r.first + i)]);
  });
  if (apart.maxCoeff() <= 1e-13 * k.diagonal.maxCoeff() &&
      std::count(nearest.begin(), nearest.end(), 0) == std::ssize(points))
    return halved(points);
  std::vector<std::vector<Index>> groups(marks.size());
  for (size_t i = 0; i < points.size(); ++i) groups[static_cast<size_t>(nearest[i])].push_back(points[i]);
  std::vector<Index> used, roots;
  std::vector<double> weight;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) continue;
    const bool all = groups[g].size() == points.size();  // not equal, but the landmarks are
    used.push_back(marks[g]), weight.push_back(double(groups[g].size()));
    roots.push_back(all ? halved(groups[g]) : build(k, groups[g], most, threads));
  }
  const Vector w = Eigen::Map<const Vector>(weight.data(), std::ssize(weight));
  return linked(joins_of(squared_distances(k, used, used, threads), w), w, std::move(roots));
}

/// A balanced tree of points in their order.
Index ClusterTree::halved(const std::vector<Index>& points) {
  if (points.size() == 1) return points[0];
  const auto middle = points.begin() + std::ssize(points) / 2;
  const Index a = halved({points.begin(), middle});
  return join(a, halved({middle, points.end()}), 0);
}

/// Nearest-neighbor chains: two clusters that are nearest to each other join at once, which for Ward's rule gives the
/// same tree as the least join first. `joins` (n x n) follows by Lance and Williams' formula,
///   D(k, i u j) = ((w_i + w_k) D_ik + (w_j + w_k) D_jk - w_k D_ij) / (w_i + w_j + w_k).  O(n^2) flops.
Index ClusterTree::linked(Matrix joins, Vector weight, std::vector<Index> roots) {
  std::vector<Index> used = all_indices(std::ssize(roots)), chain;
  while (used.size() > 1) {
    if (chain.empty()) chain.push_back(used.front());
    for (;;) {
      const Index last = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
      const Index next = nearest_of(joins, used, last, before);
      if (next == before) break;
      chain.push_back(next);
    }
    const Index i = std::min(chain.back(), chain[chain.size() - 2]),
                j = std::max(chain.back(), chain[chain.size() - 2]);
    chain.resize(chain.size() - 2);
    const double d = joins(i, j);
    roots[static_cast<size_t>(i)] = join(roots[static_cast<size_t>(i)], roots[static_cast<size_t>(j)], d);
    used.erase(std::lower_bound(used.begin(), used.end(), j));
    for (const Index o : used) {
      if (o == i) continue;
      const double all = weight[i] + weight[j] + weight[o];
      joins(o, i) = joins(i, o) =
          ((weight[i] + weight[o]) * joins(o, i) + (weight[j] + weight[o]) * joins(o, j) - weight[o] * d) /
          all;
    }
    weight[i] += weight[j];
  }
  return roots[static_cast<size_t>(used.front())];
}

/// The points in an order in which every cluster stands together, the left below a node first.
void ClusterTree::arrange() {
  order_.resize(static_cast<size_t>(points_));
  for (Index v = root(); v >= 0; --v) {
    const Node n = at(v);
    if (is_point(v)) {
      order_[static_cast<size_t>(n.first)] = v;
      continue;
    }
    nodes_[static_cast<size_t>(n.left)].first = n.first;
    nodes_[static_cast<size_t>(n.right)].first = n.first + size(n.left);
  }
}

}  // namespace covary
