// The interface between the library and its CUDA module, libcovary_cuda.so, which is loaded when a device is asked for:
// plain functions and numbers. A function returns 0, or 1 after which error() has the words; memory on the host is
// column-major.
#pragma once
#include "algebra/remote/kernel_program.h"

namespace covary::internal {

struct CudaDevice {
  char name[256];
  double bytes, free_bytes;
  int driver, runtime;  // CUDA versions, 13000 for 13.0
  int capability;       // 90 for 9.0
};

struct CudaState;   // one n x n matrix on a device, and what it needs
struct CudaBlocks;  // n points with their neighbors on a device

struct CudaModule {
  static constexpr int interface = 2;
  int version;             // `interface` of the module
  const char* (*error)();  // of the last call of this thread that failed
  int (*devices)(int* count);
  int (*describe)(int device, CudaDevice* out);
  double (*bytes_for)(long long n);  // of a matrix of n rows with its work space

  int (*create)(int device, long long n, CudaState** out);
  void (*destroy)(CudaState*);
  /// The points (n x d) and the kernel that the lower triangle is filled from.
  int (*points)(CudaState*, const KernelProgram*, const double* x, int d);
  int (*fill)(CudaState*);
  /// Columns first, ..., first + count - 1, from row `first` on: a block of n - first rows.
  int (*put_columns)(CudaState*, long long first, long long count, const double* block);
  int (*get_columns)(CudaState*, long long first, long long count, double* block);
  int (*add_diagonal)(CudaState*, const double* values);
  int (*get_diagonal)(CudaState*, double* values);
  /// The largest sum of absolute values in a column of the symmetric matrix.
  int (*norm)(CudaState*, double* out);
  /// K -> L; `row`: 0, or the pivot (from 1) that was not positive.
  int (*factorize)(CudaState*, long long* row);
  /// b (n x m) <- L^-1 b, or L'^-1 b.
  int (*solve)(CudaState*, int transposed, double* b, long long m);
  /// L -> (L L')^-1, lower triangle.
  int (*invert)(CudaState*);
  int (*inverse_diagonal)(CudaState*, double* out);
  /// lower <- lower - q q', q: n x m.
  int (*downdate)(CudaState*, const double* q, long long m);
  /// sum_ij G_ij dK_ij/dtheta, G = 1/2 (A A' - m K^-1), A: n x c. `out`: as many as the program has slots.
  int (*contract)(CudaState*, const double* a, long long c, double m, double* out);
  /// Of B = k(X, Z), Z: z (m x d): mean = B'alpha; with H = L^-1 B: squares_j = |H_j|^2, trend = F'H (p x m) for
  /// F: half_basis (n x p); gram = H'H (m x m, lower triangle) unless it is null.
  int (*half_cross)(CudaState*, const double* z, long long m, const double* alpha, const double* half_basis,
                    long long p, double* mean, double* squares, double* trend, double* gram);

  // Vecchia's density (block_program.h).
  double (*bytes_for_blocks)(long long n, int d, int most, int width);
  /// x: d x n, sets: most x n.
  int (*blocks_create)(int device, long long n, int d, int most, const double* x, const int* sets,
                       CudaBlocks** out);
  void (*blocks_destroy)(CudaBlocks*);
  /// out (n x width): e_c/sqrt(d) of the columns (width x n); log_d (n). `singular`: 1 where some d is rounding.
  int (*blocks_whiten)(CudaBlocks*, const KernelProgram*, const double* columns, int width,
                       const double* noise, double* out, double* log_d, int* singular);
  /// Slopes of the log density of the residual (n): those of the program's slots, then along the noise.
  int (*blocks_slopes)(CudaBlocks*, const KernelProgram*, const double* residual, const double* noise,
                       double* out, int* singular);
};

}  // namespace covary::internal

#ifdef __CUDACC__
extern "C" __attribute__((visibility("default"))) const covary::internal::CudaModule* covary_cuda_module();
#endif
