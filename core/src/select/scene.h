// The common part of replays of pools and of streams: the rows of a repeat, the initial model, and the order of
// the runs.
#pragma once
#include <optional>

#include "covary/select/replay.h"

namespace covary {

/// One repeat's rows: the candidates, the test rows, and the initial labels.
struct Scene {
  std::vector<Index> pool;  // rows of the data
  Matrix x, test_x;
  Vector y, test_y, cost;
  std::vector<Index> start;  // of the pool
};
Scene scene(const ReplayData& data, const ReplayOptions& options, int repeat);

/// Labels to begin with.
Index start_of(const ReplayData& data, const ReplayOptions& options);
/// Of a repeat.
std::uint64_t seed_of(const ReplayOptions& options, int repeat);
/// 0, ..., n - 1 in an order of chance.
std::vector<Index> shuffled(Index n, Random& rng);

/// Throws Problem::usage or Problem::data unless data and options go together.
void check(const ReplayData& data, const ReplayOptions& options);

/// The model before any fit: parameters that were not given come from the initial labels.
Process<Row> prior_of(const Scene& s, const ReplayData& data, const Model<Row>& model);
/// Learned from labels; the search begins with `before` too. None if they do not determine it.
std::optional<Process<Row>> relearned(const Model<Row>& model, const Process<Row>* before, const Matrix& x,
                                      const Vector& y);

/// Root mean square difference, or the share of classes that differ.
double apart(const Vector& a, const Vector& b, Index kinds);

/// Every strategy in every repeat, but for those done. run(strategy, repeat, tell): tell(share of it done).
std::vector<Trial> every_run(
    const ReplayOptions& options, const std::vector<Trial>& done,
    const std::function<Trial(size_t, int, const std::function<void(double)>&)>& run);

}  // namespace covary
