#include "address_space.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace covary::cli {
namespace {

constexpr const char* setting = "OPENBLAS_NUM_THREADS";

/// The lesser of `ulimit -v` and `ulimit -d`, in bytes.
double limit() {
  double least = 1e300;
  for (const auto what : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit is {};
    if (::getrlimit(what, &is) == 0 && is.rlim_cur != RLIM_INFINITY)
      least = std::min(least, static_cast<double>(is.rlim_cur));
  }
  return least;
}

}  // namespace

void restart_if_cramped(char** arguments) {
  constexpr double each = 256 << 20;
  const double threads = std::max(1U, std::thread::hardware_concurrency());
  const char* now = std::getenv(setting);
  if (limit() > (threads + 1) * each || (now != nullptr && std::string_view(now) == "1")) return;
  ::setenv(setting, "1", 1);
  ::execv("/proc/self/exe", arguments);
  ::execvp(arguments[0], arguments);  // without /proc
}

}  // namespace covary::cli
