#include "covary/select/pool.h"

#include <algorithm>
#include <numeric>

#include "covary/random.h"
#include "parallel.h"

namespace covary {

std::vector<Index> everyone(Index m) {
  std::vector<Index> all(static_cast<size_t>(m));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::vector<Index> representatives(Index m, Index most) {
  return m <= most ? everyone(m) : Random(1).subset(m, most);
}

void for_runs(Index m, int threads, const std::function<void(Range)>& fn) {
  constexpr Index run = 2048;  // a column of it stays in the first cache
  parallel_for((m + run - 1) / run, threads, [&](Index b) { fn({b * run, std::min(run, m - b * run)}); });
}

}  // namespace covary
