#include "parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "covary/machine.h"
#include "openblas.h"

namespace covary {

int threads_or_all(int threads) {
  return threads > 0 ? std::min(threads, openblas::most_threads()) : machine().threads;
}

void parallel_for(Index tasks, int threads, const std::function<void(Index)>& f) {
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

}  // namespace covary
