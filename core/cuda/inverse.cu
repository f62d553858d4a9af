// L -> W = L^-1 -> K^-1 = W'W, both in place.
//
// With L = [L1 0; L21 L2]:  W21 = -W2 L21 W1. Blocks of up to 64 rows are inverted one by one, then merged in pairs
// from below: small pairs side by side as batched products, large ones by two triangular products in place.
#include "state.cuh"

namespace covary::internal {
namespace {

constexpr int base = 64;

/// The diagonal block of rows first, ..., first + b - 1 -> its inverse, by columns: one thread each.
__global__ void invert_blocks(double* k, long long n, int b) {
  extern __shared__ double shared[];
  double *l = shared, *w = shared + base * (base + 1);
  const long long first = blockIdx.x * (long long)b;
  const int rows = int(n - first < b ? n - first : b), j = threadIdx.x;
  constexpr int ld = base + 1;
  double* block = k + first * (n + 1);
  if (j < rows)
    for (int i = 0; i < rows; ++i) l[j * ld + i] = i >= j ? block[i + j * n] : 0;
  __syncthreads();
  if (j < rows) {
    for (int i = 0; i < rows; ++i) {
      double sum = i == j ? 1 : 0;
      for (int q = j; q < i; ++q) sum -= l[q * ld + i] * w[j * ld + q];
      w[j * ld + i] = i < j ? 0 : sum / l[i * ld + i];
    }
    for (int i = j; i < rows; ++i) block[i + j * n] = w[j * ld + i];
  }
}

/// 0 above the diagonal, inside the diagonal blocks of `wide` rows.
__global__ void clear_above(double* k, long long n, long long wide) {
  const long long j = blockIdx.x, first = j / wide * wide;
  for (long long i = first + threadIdx.x; i < j; i += blockDim.x) k[i + j * n] = 0;
}

/// out (m x m, full) <- the lower triangle of a, 0 above.
__global__ void copy_triangle(const double* a, long long lda, long long m, double* out) {
  const long long j = blockIdx.x;
  for (long long i = threadIdx.x; i < m; i += blockDim.x) out[i + j * m] = i >= j ? a[i + j * lda] : 0;
}

const double one = 1, minus = -1, zero = 0;

/// Pairs of blocks of `s` rows that begin at 0, 2s, ...: all whole pairs at once.
void merge_batched(CudaState& t, long long s, long long pairs) {
  const long long stride = 2 * s * (t.n + 1), square = s * s;
  double *w1 = t.at(0, 0), *w2 = t.at(s, s), *l21 = t.at(s, 0), *space = t.work.data();
  check(cublasDgemmStridedBatched_64(t.blas, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &one, l21, t.n, stride, w1, t.n,
                                     stride, &zero, space, s, square, pairs),
        "triangular inverse");
  check(cublasDgemmStridedBatched_64(t.blas, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &minus, w2, t.n, stride, space, s,
                                     square, &zero, l21, t.n, stride, pairs),
        "triangular inverse");
}

/// One pair: rows first, ..., first + s - 1, and `rest` rows after them.
void merge(CudaState& t, long long first, long long s, long long rest) {
  double* l21 = t.at(first + s, first);
  check(cublasDtrmm_64(t.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rest, s,
                       &minus, t.at(first + s, first + s), t.n, l21, t.n, l21, t.n),
        "triangular inverse");
  check(cublasDtrmm_64(t.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rest, s,
                       &one, t.at(first, first), t.n, l21, t.n, l21, t.n),
        "triangular inverse");
}

}  // namespace

/// n^3/3 flops.
void invert_triangle(CudaState& t) {
  const long long n = t.n;
  long long parts = 1;
  while ((n + parts - 1) / parts > base) parts *= 2;
  long long s = (n + parts - 1) / parts;  // so that the halves of every level are alike
  if (s < base) s = (s + 7) / 8 * 8;
  constexpr int bytes = 2 * base * (base + 1) * int(sizeof(double));
  check(cudaFuncSetAttribute(invert_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
  invert_blocks<<<unsigned((n + s - 1) / s), base, bytes>>>(t.k.data(), n, int(s));
  check(cudaGetLastError(), "triangular inverse");
  long long wide = s;
  while (wide <= batched_up_to) wide *= 2;
  clear_above<<<unsigned(n), 128>>>(t.k.data(), n, wide);
  check(cudaGetLastError(), "triangular inverse");
  for (; s < n; s *= 2) {
    long long first = 0;
    if (s <= batched_up_to && n >= 2 * s) {
      merge_batched(t, s, n / (2 * s));
      first = n / (2 * s) * 2 * s;
    }
    for (; first + s < n; first += 2 * s) merge(t, first, s, n - first - s < s ? n - first - s : s);
  }
}

/// W -> W'W by blocks of rows from above, each of which meets only what stands below it: n^3/3 flops.
void multiply_triangle(CudaState& t) {
  const long long n = t.n;
  for (long long i = 0; i < n; i += diagonal_block) {
    const long long b = n - i < diagonal_block ? n - i : diagonal_block, below = n - i - b;
    copy_triangle<<<unsigned(b), 256>>>(t.at(i, i), n, b, t.work.data());
    check(cudaGetLastError(), "inverse");
    if (i > 0) {
      check(cublasDtrmm_64(t.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, b, i,
                           &one, t.at(i, i), n, t.at(i, 0), n, t.at(i, 0), n),
            "inverse");
      if (below > 0)
        check(cublasDgemm_64(t.blas, CUBLAS_OP_T, CUBLAS_OP_N, b, i, below, &one, t.at(i + b, i), n, t.at(i + b, 0), n,
                             &one, t.at(i, 0), n),
              "inverse");
    }
    check(cublasDsyrk_64(t.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, b, b, &one, t.work.data(), b, &zero, t.at(i, i),
                         n),
          "inverse");
    if (below > 0)
      check(cublasDsyrk_64(t.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, b, below, &one, t.at(i + b, i), n, &one,
                           t.at(i, i), n),
            "inverse");
  }
}

}  // namespace covary::internal
