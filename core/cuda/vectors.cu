// Diagonals, norms and sums of squares.
#include <vector>

#include "state.cuh"

namespace covary::internal {
namespace {

constexpr int threads = 256;

__global__ void diagonal_add(double* k, long long n, const double* values) {
  const long long i = blockIdx.x * (long long)threads + threadIdx.x;
  if (i < n) k[i * (n + 1)] += values[i];
}

__global__ void diagonal_get(const double* k, long long n, double* values) {
  const long long i = blockIdx.x * (long long)threads + threadIdx.x;
  if (i < n) values[i] = k[i * (n + 1)];
}

/// out_i = sum_(j <= i) |K_ij|: a thread for each row.
__global__ void row_sums(const double* k, long long n, double* out) {
  const long long i = blockIdx.x * (long long)threads + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (long long j = 0; j <= i; ++j) sum += fabs(k[i + j * n]);
  out[i] = sum;
}

/// The sum of one number of each thread, in thread 0.
__device__ double sum_of_block(double value) {
  __shared__ double shared[threads];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  return shared[0];
}

/// out_j += sum_(i > j) |K_ij|: a block for each column.
__global__ void column_sums(const double* k, long long n, double* out) {
  const long long j = blockIdx.x;
  double sum = 0;
  for (long long i = j + 1 + threadIdx.x; i < n; i += threads) sum += fabs(k[i + j * n]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[j] += sum;
}

__global__ void squares(const double* b, long long n, double* out) {
  const long long j = blockIdx.x;
  double sum = 0;
  for (long long i = threadIdx.x; i < n; i += threads) sum += b[i + j * n] * b[i + j * n];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[j] = sum;
}

__global__ void identity(double* b, long long n) {
  const long long j = blockIdx.x;
  for (long long i = threadIdx.x; i < n; i += threads) b[i + j * n] = i == j ? 1 : 0;
}

unsigned blocks(long long n) { return unsigned((n + threads - 1) / threads); }

}  // namespace

void add_diagonal(CudaState& s, const double* values) {
  Space<double> v(s.n);
  v.from(values, s.n);
  diagonal_add<<<blocks(s.n), threads>>>(s.k.data(), s.n, v.data());
  check(cudaGetLastError(), "diagonal");
  check(cudaDeviceSynchronize(), "diagonal");
}

void get_diagonal(CudaState& s, double* values) {
  Space<double> v(s.n);
  diagonal_get<<<blocks(s.n), threads>>>(s.k.data(), s.n, v.data());
  check(cudaGetLastError(), "diagonal");
  v.to(values, s.n);
}

double one_norm(CudaState& s) {
  Space<double> sums(s.n);
  row_sums<<<blocks(s.n), threads>>>(s.k.data(), s.n, sums.data());
  column_sums<<<unsigned(s.n), threads>>>(s.k.data(), s.n, sums.data());
  check(cudaGetLastError(), "norm");
  std::vector<double> host(static_cast<size_t>(s.n));
  sums.to(host.data(), s.n);
  double most = 0;
  for (const double v : host) most = v > most || v != v ? v : most;
  return most;
}

void column_squares(const double* b, long long n, long long m, double* out) {
  squares<<<unsigned(m), threads>>>(b, n, out);
  check(cudaGetLastError(), "column sums");
}

void set_identity(double* b, long long n, long long count) {
  identity<<<unsigned(count), threads>>>(b, n);
  check(cudaGetLastError(), "identity");
}

}  // namespace covary::internal
