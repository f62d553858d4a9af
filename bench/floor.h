// The floor under the benchmarks: LAPACK and BLAS called bare, with as many threads as Covary uses itself.
#pragma once
#include <dlfcn.h>

#include "covary/machine.h"
#include "covary/types.h"

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
void dpotri_(const char*, const int*, double*, const int*, int*, size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*, size_t, size_t);
}

namespace bench {

/// OpenBLAS on all threads while this lives; Covary leaves it on one outside its own calls.
class AllThreads {
 public:
  AllThreads() { set(covary::machine().threads); }
  ~AllThreads() { set(1); }
  AllThreads(const AllThreads&) = delete;
  AllThreads& operator=(const AllThreads&) = delete;

 private:
  static void set(int threads) {
    static const auto function =
        reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (function) function(threads);
  }
};

/// A -> lower triangle of its inverse, by dpotrf and dpotri: n^3 flops.
inline bool factor_and_invert(covary::Matrix& a) {
  const AllThreads threads;
  const int n = static_cast<int>(a.rows());
  int info = 0;
  dpotrf_("L", &n, a.data(), &n, &info, 1);
  if (info == 0) dpotri_("L", &n, a.data(), &n, &info, 1);
  return info == 0;
}

/// C <- A B, square: 2 n^3 flops.
inline void multiply(const covary::Matrix& a, const covary::Matrix& b, covary::Matrix& c) {
  const AllThreads threads;
  const int n = static_cast<int>(a.rows());
  const double one = 1, zero = 0;
  dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n, 1, 1);
}

}  // namespace bench
