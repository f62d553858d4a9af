#include "covary/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include "covary/error.h"
#include "openblas.h"
#include "simd/simd.h"

#ifdef COVARY_LAPACK
#include <dlfcn.h>
#endif

namespace covary {
namespace openblas {
namespace {

#ifdef COVARY_LAPACK
template <class F>
F symbol(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

/// The kernels this processor deserves, or "" if OpenBLAS cannot have chosen worse.
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

/// Chooses again, by the route OpenBLAS reads its environment. Returns the core it runs on then.
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

void set_threads([[maybe_unused]] int threads) {
#ifdef COVARY_LAPACK
  static const auto set = symbol<void (*)(int)>("openblas_set_num_threads");
  if (set) set(threads);
#endif
}

}  // namespace openblas

const Machine& machine() { return openblas::prepare(); }

std::string Machine::text() const {
  std::string kernels;
  if (!core.empty())
    kernels = fmt::format(" ({} kernels{})", core, repaired.empty() ? "" : ", put right from " + repaired);
  return fmt::format("{}{}, {} thread{}, {} loops", blas, kernels, threads, threads == 1 ? "" : "s", loops);
}

std::uint64_t memory_available() {
  std::ifstream in("/proc/meminfo");
  for (std::string key; in >> key; in.ignore(256, '\n')) {
    std::uint64_t kib = 0;
    if (key == "MemAvailable:" && in >> kib) return kib * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();  // unknown: nothing is refused
}

void check_memory(double bytes, const std::string& what) {
  const double free = static_cast<double>(memory_available());
  constexpr double gib = 1 << 30;
  if (bytes > free)
    throw Error(Problem::limit, fmt::format("{} needs {:.3g} GiB of memory, {:.3g} GiB are free", what,
                                            bytes / gib, free / gib));
}

}  // namespace covary
