#include "covary/algebra/gram.h"

#include <algorithm>

#include "covary/base/parallel.h"

namespace covary {
using namespace internal;
namespace {

constexpr Index tile = 128;

struct Tile {
  Range rows, columns;
};

/// The tiles of a lower triangle of size n in some of its columns, from a multiple of the tile on.
std::vector<Tile> lower_tiles(Index n, Range columns) {
  std::vector<Tile> all;
  for (Index j = columns.first; j < columns.end(); j += tile)
    for (Index i = j; i < n; i += tile)
      all.push_back({{i, std::min(tile, n - i)}, {j, std::min(tile, n - j)}});
  return all;
}

}  // namespace

void internal::fill_panel(const Gram& gram, Range columns, Eigen::Ref<Matrix> out, int threads) {
  const std::vector<Tile> tiles = lower_tiles(gram.size, columns);
  parallel_for(std::ssize(tiles), threads, [&](Index t) {
    const auto& [r, c] = tiles[static_cast<size_t>(t)];
    out.block(r.first - columns.first, c.first - columns.first, r.count, c.count) = gram.block(r, c);
  });
}

void internal::fill_lower(const Gram& gram, Eigen::Ref<Matrix> out, int threads) {
  fill_panel(gram, {0, gram.size}, out, threads);
}

Vector internal::pullback_lower(const Gram& gram, const std::function<Matrix(Range, Range)>& weights,
                                int threads) {
  return pullback_panel(gram, {0, gram.size}, weights, threads);
}

Vector internal::pullback_panel(const Gram& gram, Range columns,
                                const std::function<Matrix(Range, Range)>& weights, int threads) {
  const std::vector<Tile> tiles = lower_tiles(gram.size, columns);
  std::vector<Vector> parts(tiles.size());
  parallel_for(std::ssize(tiles), threads, [&](Index t) {
    const auto& [r, c] = tiles[static_cast<size_t>(t)];
    const double twice =
        r.first == c.first ? 1 : 2;  // tiles off the diagonal stand for their mirror image too
    parts[static_cast<size_t>(t)] = gram.pullback(r, c, twice * weights(r, c));
  });
  if (parts.empty()) return gram.pullback({0, 0}, {0, 0}, Matrix(0, 0));
  Vector sum = parts[0];
  for (size_t t = 1; t < parts.size(); ++t) sum += parts[t];
  return sum;
}

Matrix internal::tall_block(Index n, const std::function<Matrix(Range)>& rows, Index columns) {
  Matrix out(n, columns);
  for (Index i = 0; i < n; i += tile) {
    const Range r{i, std::min(tile, n - i)};
    out.middleRows(r.first, r.count) = rows(r);
  }
  return out;
}

}  // namespace covary
