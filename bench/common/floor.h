// The floor under the benchmarks: LAPACK and BLAS called bare, with as many threads as Covary uses itself.
#pragma once
#include <dlfcn.h>

#include <vector>

#include "covary/base/runtime.h"
#include "covary/base/types.h"
#include "measure.h"

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
void dpotri_(const char*, const int*, double*, const int*, int*, size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*, size_t, size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, double*, const int*, size_t, size_t);
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*,
             const int*, double*, const int*, int*, int*, size_t);
}

namespace bench {

/// OpenBLAS on all threads while this lives; Covary leaves it on one outside its own calls.
class AllThreads {
 public:
  AllThreads() { set(covary::internal::machine().threads); }
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

/// Lower triangle of C <- C + A'A: m n^2 flops for m x n.
inline void add_squares(const covary::Rows& a, covary::Matrix& c) {
  const AllThreads threads;
  const int n = static_cast<int>(a.cols()), k = static_cast<int>(a.rows());
  const int stride = static_cast<int>(a.outerStride());
  const double one = 1;
  dsyrk_("L", "T", &n, &k, &one, a.data(), &stride, &one, c.data(), &n, 1, 1);
}

/// Lower triangle of A -> its Cholesky factor: n^3/3 flops.
inline void factor(covary::Matrix& a) {
  const AllThreads threads;
  const int n = static_cast<int>(a.rows());
  int info = 0;
  dpotrf_("L", &n, a.data(), &n, &info, 1);
}

/// A = U diag(s) V' by dgesdd, U m x n for m >= n. Space is found beforehand, so that only arithmetic is
/// timed.
struct ThinSvd {
  covary::Matrix a, u, vt;
  covary::Vector s;
  std::vector<double> work;
  std::vector<int> iwork;

  ThinSvd(covary::Index m, covary::Index n)
      : a(m, n), u(m, n), vt(n, n), s(n), work(1), iwork(8 * static_cast<size_t>(n)) {
    run(-1);
    work.resize(static_cast<size_t>(work[0]));
  }
  /// Seconds.
  double decompose(const covary::Matrix& of) {
    a = of;
    const AllThreads threads;
    return seconds([&] { run(static_cast<int>(work.size())); });
  }

 private:
  void run(int size) {
    const int m = static_cast<int>(a.rows()), n = static_cast<int>(a.cols());
    int info = 0;
    dgesdd_("S", &m, &n, a.data(), &m, s.data(), u.data(), &m, vt.data(), &n, work.data(), &size,
            iwork.data(), &info, 1);
  }
};

}  // namespace bench
