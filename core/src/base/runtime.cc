#include "covary/base/runtime.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include "base/openblas.h"
#include "base/simd/simd.h"
#include "covary/base/error.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/heap.h>
#include <malloc.h>
#else
#include <sys/sysinfo.h>
#endif

#ifdef COVARY_LAPACK
#include <dlfcn.h>
#endif

#ifdef COVARY_LAPACK
extern "C" void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
#endif

namespace covary {
using namespace internal;
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();  // nothing is refused

#ifdef __EMSCRIPTEN__
/// Of the tab: what the heap may grow by, and what is free inside it.
std::uint64_t machine_memory() {
  const struct mallinfo held = ::mallinfo();
  return std::uint64_t{emscripten_get_heap_max()} - emscripten_get_heap_size() +
         static_cast<unsigned>(held.fordblks);
}

std::uint64_t room_under_limits() { return unknown; }
#else
/// Of the machine: what could be had without pushing anything out, or at least what is free.
std::uint64_t machine_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string key; in >> key; in.ignore(256, '\n')) {
    std::uint64_t kib = 0;
    if (key == "MemAvailable:" && in >> kib) return kib * 1024;
  }
  struct sysinfo is {};  // without /proc
  return ::sysinfo(&is) == 0 ? (is.freeram + is.bufferram) * is.mem_unit : unknown;
}

/// What this process may still allocate under `ulimit -v` and `ulimit -d`.
std::uint64_t room_under_limits() {
  std::array<std::uint64_t, 6> pages{};  // size resident shared text lib data
  std::ifstream in("/proc/self/statm");
  for (std::uint64_t& p : pages) in >> p;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto room = [&](auto what, std::uint64_t used) {
    struct rlimit limit {};
    if (::getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
    return limit.rlim_cur > used * page ? limit.rlim_cur - used * page : 0;
  };
  return std::min(room(RLIMIT_AS, pages[0]), room(RLIMIT_DATA, pages[5]));
}
#endif

}  // namespace

namespace openblas {
namespace {

int most = std::numeric_limits<int>::max();  // threads; NOLINT: found once, by look()

#ifdef COVARY_LAPACK
/// Address space that OpenBLAS keeps for each thread that calls it, with room to spare. It searches forever for
/// what it cannot have.
constexpr double buffer = 160 << 20;

/// How many threads have their buffers under `ulimit -v`, half of the rest left to everything else.
int threads_that_fit() {
  const std::uint64_t room = room_under_limits();
  if (room == unknown) return std::numeric_limits<int>::max();
  const double rest = static_cast<double>(room) - buffer;
  if (rest < 0)
    throw Error(Problem::limit,
                fmt::format("OpenBLAS needs {:.2g} GiB of address space, {:.2g} GiB are left under ulimit -v",
                            buffer / double{1 << 30}, static_cast<double>(room) / double{1 << 30}));
  return 1 + static_cast<int>(rest / (2 * buffer));
}

template <class F>
F symbol(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

/// The right OpenBLAS kernels for this processor, or "" if OpenBLAS cannot have chosen worse ones.
std::string deserved() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return "";
}

bool before_avx2(const std::string& core) {
  static constexpr std::array<const char*, 16> old{"Katmai",       "Coppermine", "Northwood",   "Prescott",
                                                   "Banias",       "Core2",      "Penryn",      "Dunnington",
                                                   "Atom",         "Nehalem",    "Athlon",      "Opteron",
                                                   "Opteron_SSE3", "Barcelona",  "Sandybridge", "Nano"};
  return std::find(old.begin(), old.end(), core) != old.end();
}

/// Overrides the choice through OpenBLAS's own environment variable. Returns the core it then runs on.
std::string choose_again(const std::string& core, const char* (*corename)()) {
  const auto quit = symbol<void (*)()>("gotoblas_dynamic_quit");
  const auto init = symbol<void (*)()>("gotoblas_dynamic_init");
  if (!quit || !init) return corename();
  setenv("OPENBLAS_CORETYPE", core.c_str(), 0);
  quit();
  init();
  unsetenv("OPENBLAS_CORETYPE");
  return corename();
}

/// This thread has its buffer from the first call on.
void take_buffer() {
  const int n = 2;
  int info = 0;
  std::array<double, 4> a{2, 1, 1, 2};
  dpotrf_("L", &n, a.data(), &n, &info, 1);
}

Machine look() {
  Machine m;
  m.loops = simd::loops().name;
  m.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  m.blas = "LAPACK";
  const auto corename = symbol<const char* (*)()>("openblas_get_corename");
  if (!corename) return m;
  const auto config = symbol<const char* (*)()>("openblas_get_config");
  const std::string words = config ? config() : "OpenBLAS";
  m.blas = words.substr(0, words.find(' ', words.find(' ') + 1));
  m.core = corename();
  if (!std::getenv("OPENBLAS_CORETYPE") && before_avx2(m.core) && !deserved().empty()) {
    const std::string chosen = choose_again(deserved(), corename);
    if (chosen != m.core) m.repaired = m.core, m.core = chosen;
  }
  if (const auto threads = symbol<int (*)()>("openblas_get_num_threads")) m.threads = std::max(1, threads());
  most = threads_that_fit();
  m.threads = std::min(m.threads, most);
  if (most < std::numeric_limits<int>::max()) take_buffer();
  set_threads(1);
  return m;
}
#else
Machine look() {
  Machine m;
  m.blas = "Eigen";
  m.loops = simd::loops().name;
  m.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return m;
}
#endif

}  // namespace

const Machine& prepare() {
  static const Machine found = look();
  return found;
}

int most_threads() { return prepare(), most; }

void set_threads([[maybe_unused]] int threads) {
#ifdef COVARY_LAPACK
  static const auto set = symbol<void (*)(int)>("openblas_set_num_threads");
  if (set) set(std::min(threads, most));
#endif
}

}  // namespace openblas

const Machine& internal::machine() { return openblas::prepare(); }

std::string Machine::text() const {
  std::string kernels;
  if (!core.empty())
    kernels = fmt::format(" ({} kernels{})", core, repaired.empty() ? "" : "; " + repaired + " overridden");
  return fmt::format("{}{}, {} thread{}, {} loops", blas, kernels, threads, threads == 1 ? "" : "s", loops);
}

std::uint64_t internal::memory_available() { return std::min(machine_memory(), room_under_limits()); }

void internal::check_memory(double bytes, const std::string& what) {
  const double free = static_cast<double>(memory_available());
  constexpr double gib = 1 << 30;
  if (bytes > free)
    throw Error(Problem::limit, fmt::format("{} needs {:.3g} GiB of memory, {:.3g} GiB are free", what,
                                            bytes / gib, free / gib));
}

}  // namespace covary
