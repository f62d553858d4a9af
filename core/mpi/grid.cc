#include "grid.h"

#include <algorithm>

#include "scalapack.h"

namespace covary::internal {

std::pair<int, int> grid_of(int p) {
  int rows = 1;
  for (int r = 1; r * r <= p; ++r)
    if (p % r == 0) rows = r;
  return {rows, p / rows};
}

Grid::Grid(World& w) : world(w) {
  std::tie(rows, columns) = grid_of(world.count());
  context = system_ = Csys2blacs_handle(world.comm());
  Cblacs_gridinit(&context, "Row", rows, columns);
  int r = 0, c = 0;
  Cblacs_gridinfo(context, &r, &c, &row, &column);
}

Grid::~Grid() {
  Cblacs_gridexit(context);
  Cfree_blacs_system_handle(system_);
}

Layout::Layout(const Grid& g, Index rows, Index columns, int w)
    : n(int(rows)), m(int(columns)), width(w), grid(&g) {
  const int zero = 0;
  local_rows = numroc_(&n, &tile_rows, &g.row, &zero, &g.rows);
  local_columns = numroc_(&m, &width, &g.column, &zero, &g.columns);
  const int leading = std::max(1, local_rows);
  int info = 0;
  descinit_(descriptor, &n, &m, &tile_rows, &width, &zero, &zero, &g.context, &leading, &info);
}

std::vector<OwnTile> own_lower_tiles(const Layout& a) {
  std::vector<OwnTile> out;
  for (Index j = 0; j < a.local_columns; j += tile_rows) {
    const Index column = a.column(j);
    for (Index i = 0; i < a.local_rows; i += tile_rows) {
      const Index row = a.row(i);
      if (row < column) continue;
      out.push_back({{row, std::min<Index>(tile_rows, a.n - row)},
                     {column, std::min<Index>(tile_rows, a.n - column)},
                     i,
                     j});
    }
  }
  return out;
}

}  // namespace covary::internal
