#include "covary/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/openblas.h"
#include "covary/base/ranks.h"
#include "covary/base/runtime.h"

namespace covary {
using namespace internal;

int internal::threads_or_all(int threads) {
  if (threads > 0) return std::min(threads, openblas::most_threads());
  return ranks() ? ranks()->threads() : machine().threads;
}

void internal::parallel_for(Index tasks, int threads, const std::function<void(Index)>& f) {
  if (threads <= 1 || tasks <= 1) {
    for (Index i = 0; i < tasks; ++i) f(i);
    return;
  }
  std::atomic<Index> next{0};
  std::exception_ptr failed;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (Index i = next++; i < tasks; i = next++) f(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failed) failed = std::current_exception();
      next = tasks;
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<size_t>(std::min<Index>(threads, tasks)));
    try {
      for (Index t = 1; t < std::min<Index>(threads, tasks); ++t) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads can be had: those there are do it
    }
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

void internal::for_blocks(Index m, int threads, const std::function<void(Range)>& fn) {
  constexpr Index widest = 256, least = 64, unit = 8;
  const Index all = (m + widest - 1) / widest, each = m >= least * threads ? threads : 1;
  const Index blocks = std::max<Index>(1, (all + each - 1) / each * each);  // as many for every thread
  const Index wide = ((m + blocks - 1) / blocks + unit - 1) / unit * unit;
  if (m == 0) return;
  parallel_for((m + wide - 1) / wide, threads, [&](Index b) {
    fn({b * wide, std::min(wide, m - b * wide)});
  });
}

void internal::for_runs(Index m, int threads, const std::function<void(Range)>& fn) {
  constexpr Index run = 2048;  // a column of it stays in the first cache
  parallel_for((m + run - 1) / run, threads, [&](Index b) { fn({b * run, std::min(run, m - b * run)}); });
}

void internal::for_runs(Index m, int threads, const std::function<void(Range)>& fn,
                        const std::function<void(double share)>& watch) {
  if (!watch) return for_runs(m, threads, fn);
  std::mutex mutex;
  Index done = 0;
  for_runs(m, threads, [&](Range r) {
    fn(r);
    const std::lock_guard lock(mutex);
    watch(double(done += r.count) / double(m));
  });
}

}  // namespace covary
