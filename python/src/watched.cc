#include "watched.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace covary::python {
namespace {

namespace nb = nanobind;
using namespace std::chrono_literals;

/// Threads whose work nobody waits for.
struct GivenUp {
  std::mutex mutex;
  std::vector<std::thread> threads;
};
GivenUp& given_up() {
  static GivenUp all;
  return all;
}

void give_up(std::thread thread) {
  GivenUp& all = given_up();
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(std::move(thread));
}

bool ready(const std::future<void>& done, std::chrono::milliseconds within) {
  const nb::gil_scoped_release free;
  return done.wait_for(within) == std::future_status::ready;
}

/// Without the GIL: what the thread lets go of may be Python's.
void join(std::thread& thread) {
  const nb::gil_scoped_release free;
  thread.join();
}

}  // namespace

void watched(std::function<void(const Wanted&)> work) {
  const auto wanted = std::make_shared<std::atomic<bool>>(true);
  std::packaged_task<void()> task([work = std::move(work), wanted] { work(wanted); });
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  while (!ready(done, 20ms)) {
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error interrupt;  // takes the signal's exception
    *wanted = false;
    if (ready(done, 300ms))
      join(thread);
    else
      give_up(std::move(thread));
    throw nb::python_error(std::move(interrupt));
  }
  join(thread);
  done.get();
}

void finish_watched() {
  const nb::gil_scoped_release free;
  GivenUp& all = given_up();
  const std::lock_guard lock(all.mutex);
  for (std::thread& t : all.threads) t.join();
  all.threads.clear();
}

}  // namespace covary::python
