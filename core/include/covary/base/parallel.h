// Independent tasks and runs of rows across threads.
#pragma once
#include <functional>

#include "covary/base/types.h"

namespace covary::internal {

/// f(0), ..., f(tasks - 1), each once, on up to `threads` threads; rethrows the first exception.
void parallel_for(Index tasks, int threads, const std::function<void(Index)>& f);

/// 0 means all cores.
int threads_or_all(int threads);

/// fn(range) for the blocks of m points that predictions work in, across threads.
void for_blocks(Index m, int threads, const std::function<void(Range)>& fn);

/// fn(run) for runs of points of a fixed length, across threads: what is computed for a point does not depend
/// on their number.
void for_runs(Index m, int threads, const std::function<void(Range)>& fn);

/// The same, and `watch` is called with the share of points that is done, from any thread but never concurrently;
/// it may be empty.
void for_runs(Index m, int threads, const std::function<void(Range)>& fn,
              const std::function<void(double share)>& watch);

}  // namespace covary::internal
