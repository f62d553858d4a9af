// Covariances and contracted gradients in tiles of 64 x 64: a kernel for se and Matern with a length-scale for each
// of up to 32 columns, and an interpreter for every other program.
#include "state.cuh"

namespace covary::internal {
namespace {

constexpr int side = 64, threads = 256, lanes = threads / side;

/// Tile t of a lower triangle, by rows: t = i (i + 1)/2 + j.
__device__ void tile_of(long long t, long long& i, long long& j) {
  i = (long long)((sqrt(8.0 * double(t) + 1) - 1) / 2);
  while (i * (i + 1) / 2 > t) --i;
  while ((i + 1) * (i + 2) / 2 <= t) ++i;
  j = t - i * (i + 1) / 2;
}

/// G_ij, twice below the diagonal, of which each entry stands for two.
__device__ double weight_of(const double* k, long long n, const double* a, long long c, double m, long long i,
                            long long j) {
  double g = -m * k[i + j * n];
  for (long long l = 0; l < c; ++l) g += a[i + l * n] * a[j + l * n];
  return i == j ? 0.5 * g : g;
}

/// The sum of one number of each thread; in thread 0, in a fixed order.
__device__ double block_sum(double value, double* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  const double out = shared[0];
  __syncthreads();
  return out;
}

// ---------------------------------------------------------------------------------------------- any program

__global__ void __launch_bounds__(threads)
    interpret_lower(const KernelProgram* program, const double* x, long long n, double* k, long long tiles) {
  const KernelProgram& p = *program;
  double v[KernelProgram::most_steps];
  const int row = threadIdx.x % side, lane = threadIdx.x / side;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long bi, bj;
    tile_of(t, bi, bj);
    const long long i = bi * side + row;
    for (long long j = bj * side + lane; j < (bj + 1) * side && j <= i && i < n; j += lanes)
      k[i + j * n] = program::value(p, PointView{x + i, n}, PointView{x + j, n}, v);
  }
}

__global__ void __launch_bounds__(threads) interpret_cross(const KernelProgram* program, const double* x, long long n,
                                                           const double* z, long long m, double* out) {
  const KernelProgram& p = *program;
  double v[KernelProgram::most_steps];
  const long long i = blockIdx.x * (long long)threads + threadIdx.x;
  for (long long j = blockIdx.y; j < m && i < n; j += gridDim.y)
    out[i + j * n] = program::value(p, PointView{x + i, n}, PointView{z + j, m}, v);
}

template <int most>
__global__ void __launch_bounds__(threads)
    interpret_slopes(const KernelProgram* program, const double* x, const double* k, long long n, const double* a,
                     long long c, double m, long long tiles, double* parts) {
  __shared__ double shared[threads];
  const KernelProgram& p = *program;
  double v[KernelProgram::most_steps], u[KernelProgram::most_steps], sums[most];
  for (int q = 0; q < most; ++q) sums[q] = 0;
  const auto add = [&](int slot, double value) { sums[slot] += value; };
  const int row = threadIdx.x % side, lane = threadIdx.x / side;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long bi, bj;
    tile_of(t, bi, bj);
    const long long i = bi * side + row;
    for (long long j = bj * side + lane; j < (bj + 1) * side && j <= i && i < n; j += lanes) {
      const PointView pi{x + i, n}, pj{x + j, n};
      program::value(p, pi, pj, v);
      program::slopes(p, pi, pj, v, u, weight_of(k, n, a, c, m, i, j), add);
    }
  }
  for (int q = 0; q < p.slots; ++q) {
    const double sum = block_sum(sums[q], shared);
    if (threadIdx.x == 0) parts[blockIdx.x * (long long)p.slots + q] = sum;
  }
}

/// out_q = sum over blocks, in their order.
__global__ void add_parts(const double* parts, int blocks, int slots, double* out) {
  for (int q = threadIdx.x; q < slots; q += blockDim.x) {
    double sum = 0;
    for (int b = 0; b < blocks; ++b) sum += parts[b * (long long)slots + q];
    out[q] = sum;
  }
}

// ----------------------------------------------------------------------------------- variance * f(r) of D columns

/// What one stationary kernel needs, by value.
struct Radial {
  int d;
  double variance;
  int column[32];
  double weight[32];
};

template <int D>
struct Tile {
  double a[D];  // this thread's row
  __device__ void load(const Radial& r, const double* x, long long n, long long i, long long first, double* columns) {
    for (int e = threadIdx.x; e < side * D; e += threads) {
      const long long j = first + e % side;
      const int q = e / side;
      columns[(e % side) * D + q] = q < r.d && j < n ? x[j + r.column[q] * n] : 0;
    }
#pragma unroll
    for (int q = 0; q < D; ++q) a[q] = q < r.d && i < n ? x[i + r.column[q] * n] : 0;
    __syncthreads();
  }
};

template <Step kind, int D>
__global__ void __launch_bounds__(threads)
    radial_lower(const __grid_constant__ Radial r, const double* x, long long n, double* k, long long tiles) {
  __shared__ double columns[side * D];
  Tile<D> tile;
  const int row = threadIdx.x % side, lane = threadIdx.x / side;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long bi, bj;
    tile_of(t, bi, bj);
    const long long i = bi * side + row;
    tile.load(r, x, n, i, bj * side, columns);
    for (int c = lane; c < side; c += lanes) {
      const long long j = bj * side + c;
      if (j > i || i >= n) break;
      double s = 0;
#pragma unroll
      for (int q = 0; q < D; ++q) {
        const double e = tile.a[q] - columns[c * D + q];
        s += r.weight[q] * e * e;
      }
      k[i + j * n] = r.variance * program::profile(kind, s);
    }
    __syncthreads();
  }
}

/// parts: D sums of G_ij variance h (a_q - b_q)^2 weight_q, then that of G_ij k_ij.
template <Step kind, int D>
__global__ void __launch_bounds__(threads)
    radial_slopes(const __grid_constant__ Radial r, const double* x, const double* k, long long n, const double* a,
                  long long c, double m, long long tiles, double* parts) {
  __shared__ double columns[side * D];
  __shared__ double shared[threads];
  Tile<D> tile;
  double sums[D + 1];
#pragma unroll
  for (int q = 0; q <= D; ++q) sums[q] = 0;
  const int row = threadIdx.x % side, lane = threadIdx.x / side;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long bi, bj;
    tile_of(t, bi, bj);
    const long long i = bi * side + row;
    tile.load(r, x, n, i, bj * side, columns);
    for (int e = lane; e < side; e += lanes) {
      const long long j = bj * side + e;
      if (j > i || i >= n) break;
      double s = 0, square[D];
#pragma unroll
      for (int q = 0; q < D; ++q) {
        const double difference = tile.a[q] - columns[e * D + q];
        square[q] = r.weight[q] * difference * difference;
        s += square[q];
      }
      const double g = r.variance * weight_of(k, n, a, c, m, i, j);
      const double h = g * program::profile_slope(kind, s);
#pragma unroll
      for (int q = 0; q < D; ++q) sums[q] += h * square[q];
      sums[D] += g * program::profile(kind, s);
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q <= D; ++q) {
    const double sum = block_sum(sums[q], shared);
    if (threadIdx.x == 0) parts[blockIdx.x * (long long)(D + 1) + q] = sum;
  }
}

/// The program as one stationary kernel with or without a variance; d = 0 if it is another.
Radial radial_of(const KernelProgram& p) {
  Radial r{};
  const KernelStep& s = p.step[0];
  const bool alone = p.steps == 1 || (p.steps == 2 && p.step[1].kind == Step::scaled);
  if (!alone || s.kind < Step::se || s.kind > Step::matern52 || s.count > 32) return r;
  r.d = s.count;
  r.variance = p.steps == 2 ? p.step[1].number : 1;
  for (int i = 0; i < r.d; ++i) r.column[i] = p.column[s.first + i], r.weight[i] = p.weight[s.first + i];
  return r;
}

long long tiles_of(long long n) {
  const long long t = (n + side - 1) / side;
  return t * (t + 1) / 2;
}

int blocks_for(long long tiles) {
  int processors = 1, device = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  return int(tiles < processors * 8LL ? (tiles > 0 ? tiles : 1) : processors * 8LL);
}

/// launch.operator()<kind, D>() of the smallest D that holds d columns.
template <Step kind, class Launch>
void by_columns(int d, const Launch& launch) {
  if (d <= 2)
    launch.template operator()<kind, 2>();
  else if (d <= 4)
    launch.template operator()<kind, 4>();
  else if (d <= 8)
    launch.template operator()<kind, 8>();
  else if (d <= 16)
    launch.template operator()<kind, 16>();
  else
    launch.template operator()<kind, 32>();
}

template <class Launch>
void by_kind(Step kind, int d, const Launch& launch) {
  if (kind == Step::se)
    by_columns<Step::se>(d, launch);
  else if (kind == Step::matern12)
    by_columns<Step::matern12>(d, launch);
  else if (kind == Step::matern32)
    by_columns<Step::matern32>(d, launch);
  else
    by_columns<Step::matern52>(d, launch);
}

int padded_columns(int d) { return d <= 2 ? 2 : d <= 4 ? 4 : d <= 8 ? 8 : d <= 16 ? 16 : 32; }

}  // namespace

void fill_lower(CudaState& s) {
  const long long tiles = tiles_of(s.n);
  const int blocks = blocks_for(tiles);
  const Radial r = radial_of(s.host_program);
  if (r.d > 0)
    by_kind(s.host_program.step[0].kind, r.d, [&]<Step kind, int D>() {
      radial_lower<kind, D><<<blocks, threads>>>(r, s.x.data(), s.n, s.k.data(), tiles);
    });
  else
    interpret_lower<<<blocks, threads>>>(s.program.data(), s.x.data(), s.n, s.k.data(), tiles);
  check(cudaGetLastError(), "filling the covariances");
}

void fill_cross(const CudaState& s, const double* z, long long m, double* out) {
  const dim3 grid(unsigned((s.n + threads - 1) / threads), unsigned(m < 256 ? m : 256));
  interpret_cross<<<grid, threads>>>(s.program.data(), s.x.data(), s.n, z, m, out);
  check(cudaGetLastError(), "filling the covariances with new points");
}

void contract(CudaState& s, const double* a, long long c, double m, double* out) {
  const KernelProgram& p = s.host_program;
  for (int q = 0; q < p.slots; ++q) out[q] = 0;
  if (p.slots == 0) return;
  const long long tiles = tiles_of(s.n);
  const int blocks = blocks_for(tiles);
  const Radial r = radial_of(p);
  const int wide = r.d > 0 ? padded_columns(r.d) + 1 : p.slots;
  Space<double> parts(blocks * (long long)wide), sums(wide), left(s.n * c);
  left.from(a, s.n * c);
  const double *x = s.x.data(), *k = s.k.data();
  if (r.d > 0)
    by_kind(p.step[0].kind, r.d, [&]<Step kind, int D>() {
      radial_slopes<kind, D><<<blocks, threads>>>(r, x, k, s.n, left.data(), c, m, tiles, parts.data());
    });
  else if (p.slots <= 16)
    interpret_slopes<16>
        <<<blocks, threads>>>(s.program.data(), x, k, s.n, left.data(), c, m, tiles, parts.data());
  else
    interpret_slopes<KernelProgram::most_slots>
        <<<blocks, threads>>>(s.program.data(), x, k, s.n, left.data(), c, m, tiles, parts.data());
  check(cudaGetLastError(), "contracting the gradient");
  add_parts<<<1, 128>>>(parts.data(), blocks, wide, sums.data());
  check(cudaGetLastError(), "contracting the gradient");
  double host[KernelProgram::most_slots];
  sums.to(host, wide);
  if (r.d == 0) {
    for (int q = 0; q < p.slots; ++q) out[q] = host[q];
    return;
  }
  for (int i = 0; i < r.d; ++i)
    if (p.slot[p.step[0].first + i] >= 0) out[p.slot[p.step[0].first + i]] += host[i];
  if (p.steps == 2 && p.step[1].slot >= 0) out[p.step[1].slot] += host[wide - 1];
}

}  // namespace covary::internal
