// The arithmetic resources of this machine: BLAS, its kernels, threads, memory.
#pragma once
#include <cstdint>
#include <string>

#include "covary/base/types.h"

namespace covary::internal {

/// Determined once, at the first use of the library.
///
/// OpenBLAS falls back to kernels of 2004 on processors it does not know, which costs a factor of 5 to 10.
/// Such a choice is overridden (unless OPENBLAS_CORETYPE is set) and reported here. From then on OpenBLAS runs
/// on one thread except inside Covary's own large operations, which use more.
struct Machine {
  std::string blas;      // "OpenBLAS 0.3.21", "LAPACK", "Eigen"
  std::string core;      // the kernels it runs on: "SkylakeX"
  std::string repaired;  // the kernels it had chosen itself: "Prescott"; empty if not overridden
  std::string loops;     // instruction set of Covary's own loops: "avx512"
  int threads = 1;       // used when 0 threads are asked for

  /// "OpenBLAS 0.3.21 (SkylakeX kernels; Prescott overridden), 2 threads, avx512 loops"
  std::string text() const;
};
const Machine& machine();

/// Bytes that can be allocated now without pushing anything out, and within ulimit -v and -d.
std::uint64_t memory_available();

/// Throws a limit Error if `bytes` are more than is available: "WHAT needs 7.5 GiB, 3.1 GiB are free".
void check_memory(double bytes, const std::string& what);

}  // namespace covary::internal
