#include "place.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "matrix.h"

namespace covary::internal {
namespace {

constexpr double gib = 1 << 30;

/// Bytes of the largest share of n^2 numbers on a grid.
double share_of(Index n, int p) {
  const auto [rows, columns] = grid_of(p);
  const auto most = [n](int parts) {
    const Index tiles = (n + tile_rows - 1) / tile_rows, own = (tiles + parts - 1) / parts;
    return double(std::min(n, own * tile_rows));
  };
  return 8 * most(rows) * most(columns);
}

class ClusterPlace final : public Place {
 public:
  ClusterPlace(World& world, std::optional<Index> smallest) : world_(world), smallest_(smallest) {}
  std::string name() const override { return "cluster"; }
  std::string text() const override {
    const auto [rows, columns] = grid_of(world_.count());
    return fmt::format("{} rank{}{}, {} thread{} each", world_.count(), world_.count() == 1 ? "" : "s",
                       world_.count() == 1 ? "" : fmt::format(" as {} x {}", rows, columns), world_.threads(),
                       world_.threads() == 1 ? "" : "s");
  }
  bool collective() const override { return true; }
  Index smallest() const override {
    if (smallest_) return *smallest_;
    if (world_.count() == 1) return std::numeric_limits<Index>::max();
    return std::max<Index>(smallest_remote, tile_rows * grid_of(world_.count()).second);
  }

  /// Every rank asks for what is free on its machine, of which the ranks there have equal shares.
  void check_fits(Index n) const override {
    if (n < smallest_.value_or(smallest_remote) || (world_.count() == 1 && !smallest_)) return;
    check_tiles(n);
    const double bytes = share_of(n, world_.count());
    constexpr double most = 16 * gib;  // ScaLAPACK counts the numbers of a rank in int
    if (bytes > most)
      throw Error(
          Problem::limit,
          fmt::format("a covariance matrix of {} rows needs {:.3g} GiB on each of {} ranks, ScaLAPACK takes "
                      "{:.3g}: start {} ranks or more",
                      n, bytes / gib, world_.count(), most / gib, ranks_for(n, most)));
    const double free = double(memory_available()) / world_.on_this_machine();
    if (bytes > free)
      throw Error(
          Problem::limit,
          fmt::format(
              "a covariance matrix of {} rows needs {:.3g} GiB on each of {} ranks, {:.3g} GiB are free "
              "for each on this machine: start {} ranks or more on as many machines as it takes",
              n, bytes / gib, world_.count(), free / gib, ranks_for(n, free)));
  }
  std::shared_ptr<RemoteMatrix> matrix(Index n) const override {
    check_fits(n);
    return cluster_matrix(world_, n);
  }

 private:
  void check_tiles(Index n) const {
    const auto [rows, columns] = grid_of(world_.count());
    const Index tiles = (n + tile_rows - 1) / tile_rows;
    if (columns <= tiles) return;
    throw Error(
        Problem::limit,
        fmt::format("{} rows are {} x {} tiles of {}: {} ranks as {} x {} are more than that; start fewer", n,
                    tiles, tiles, tile_rows, world_.count(), rows, columns));
  }
  static int ranks_for(Index n, double bytes) {
    int p = 1;
    while (p < (1 << 20) && share_of(n, p * p) > bytes) ++p;
    return p * p;
  }
  World& world_;
  std::optional<Index> smallest_;
};

}  // namespace

std::shared_ptr<const Place> cluster_place_of(World& world, std::optional<Index> smallest) {
  return std::make_shared<const ClusterPlace>(world, smallest);
}

}  // namespace covary::internal
