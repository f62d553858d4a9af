// A grid of ranks, and matrices in tiles that go around it: tile (I, J) is held by rank (I mod rows, J mod columns).
#pragma once
#include <memory>
#include <vector>

#include "world.h"

namespace covary::internal {

constexpr int tile_rows = 128;  // as the host fills covariances: its tiles are these

/// The ranks of the present group, as near to a square as their number allows, with no more rows than columns.
class Grid {
 public:
  explicit Grid(World& world);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  World& world;
  int rows = 1, columns = 1, row = 0, column = 0;
  int context = -1;

 private:
  int system_ = -1;
};

/// The shape that Grid takes of p ranks.
std::pair<int, int> grid_of(int p);

/// n x m in tiles of tile_rows x width, as ScaLAPACK describes it.
struct Layout {
  Layout(const Grid& grid, Index n, Index m, int width);
  int n, m, width;
  int local_rows, local_columns;
  int descriptor[9] = {};
  const Grid* grid;

  Index row(Index local) const { return global(local, tile_rows, grid->rows, grid->row); }
  Index column(Index local) const { return global(local, width, grid->columns, grid->column); }

 private:
  static Index global(Index local, Index side, Index count, Index own) {
    return (local / side * count + own) * side + local % side;
  }
};

/// A tile of the lower triangle that this rank holds: its rows and columns in the matrix and in the local part.
struct OwnTile {
  Range rows, columns;
  Index local_row, local_column;
  bool diagonal() const { return rows.first == columns.first; }
};
std::vector<OwnTile> own_lower_tiles(const Layout& layout);

}  // namespace covary::internal
