// Vecchia's density: a warp for each block, whose factor stays in shared memory.
#include <algorithm>
#include <vector>

#include "state.cuh"

namespace covary::internal {
namespace {

constexpr int warp = 32, most_warps = 8;

struct Warp {
  int own;
  static constexpr int count = warp;
  __device__ void meet() const { __syncwarp(); }
};

__device__ double warp_sum(double value) {
  for (int step = warp / 2; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

/// Each warp takes the points warp, warp + all warps, ...
__device__ long long first_point() { return blockIdx.x * (long long)(blockDim.x / warp) + threadIdx.x / warp; }
__device__ long long step_of_points() { return gridDim.x * (long long)(blockDim.x / warp); }
__device__ double* memory_of_warp(double* shared, long long space) { return shared + threadIdx.x / warp * space; }

__global__ void whiten_points(const KernelProgram* kernel, BlockPoints p, BlockNumbers y, long long space, double* out,
                              double* log_d, int* singular) {
  extern __shared__ double shared[];
  block::Block b(p, y.width, memory_of_warp(shared, space));
  const Warp lanes{int(threadIdx.x % warp)};
  for (long long at = first_point(); at < p.n; at += step_of_points())
    if (!block::whiten(*kernel, p, y, at, b, lanes, out, log_d)) *singular = 1;
}

/// parts: of each warp the sums of its slopes, those of the noise last.
template <int most>
__global__ void slopes_of_points(const KernelProgram* kernel, BlockPoints p, BlockNumbers y, long long space,
                                 double* parts, int* singular) {
  extern __shared__ double shared[];
  block::Block b(p, y.width, memory_of_warp(shared, space));
  const Warp lanes{int(threadIdx.x % warp)};
  double sums[most], noise = 0;
  for (int q = 0; q < most; ++q) sums[q] = 0;
  const auto add = [&](int slot, double value) { sums[slot] += value; };
  const auto add_noise = [&](double value) { noise += value; };
  for (long long at = first_point(); at < p.n; at += step_of_points())
    if (!block::slopes(*kernel, p, y, at, b, lanes, add, add_noise)) *singular = 1;
  const int slots = kernel->slots;
  double* own = parts + first_point() * (slots + 1);
  for (int q = 0; q < slots; ++q) {
    const double sum = warp_sum(sums[q]);
    if (lanes.own == 0) own[q] = sum;
  }
  noise = warp_sum(noise);
  if (lanes.own == 0) own[slots] = noise;
}

struct Launch {
  int warps = 1, blocks = 1;
  long long space = 0;
  size_t bytes = 0;
};

/// As many warps in a block as half of what a multiprocessor has holds, and enough blocks to fill the device.
template <class Kernel>
Launch launch_of(const CudaBlocks& s, int width, Kernel kernel) {
  Launch out;
  out.space = block::space(s.points.most, s.points.d, width);
  int device = 0, most_bytes = 0, processors = 1, resident = 1;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  const long long bytes = out.space * (long long)sizeof(double);
  if (bytes > most_bytes)
    throw std::runtime_error("blocks of " + std::to_string(s.points.most + 1) + " points of " +
                             std::to_string(s.points.d) + " columns need " + std::to_string(bytes) +
                             " bytes of shared memory, there are " + std::to_string(most_bytes) + ": ask for fewer neighbors");
  out.warps = int(std::clamp<long long>(most_bytes / 2 / bytes, 1, most_warps));
  out.bytes = size_t(out.warps * bytes);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(out.bytes)), "shared memory");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, out.warps * warp, out.bytes), "occupancy");
  const long long wanted = (s.points.n + out.warps - 1) / out.warps;
  out.blocks = int(std::max<long long>(1, std::min<long long>(wanted, (long long)processors * std::max(resident, 1))));
  return out;
}

/// The kernel and the numbers, on the device.
BlockNumbers send(CudaBlocks& s, const KernelProgram& kernel, const double* columns, int width, const double* noise) {
  s.kernel.from(&kernel, 1);
  if (s.columns.count() != s.points.n * width) s.columns = Space<double>(s.points.n * width);
  s.columns.from(columns, s.points.n * width);
  s.noise.from(noise, s.points.n);
  const int none = 0;
  s.singular.from(&none, 1);
  return {s.columns.data(), s.noise.data(), width};
}

bool was_singular(const CudaBlocks& s) {
  int out = 0;
  s.singular.to(&out, 1);
  return out != 0;
}

template <int most>
void sum_slopes(CudaBlocks& s, const KernelProgram& kernel, const BlockNumbers& y, std::vector<double>& sums) {
  const Launch l = launch_of(s, 1, slopes_of_points<most>);
  const long long rows = (long long)l.blocks * l.warps, wide = kernel.slots + 1;
  Space<double> parts(rows * wide);
  slopes_of_points<most><<<l.blocks, l.warps * warp, l.bytes>>>(s.kernel.data(), s.points, y, l.space, parts.data(),
                                                                s.singular.data());
  check(cudaGetLastError(), "slopes of the density");
  std::vector<double> all(size_t(rows * wide));
  parts.to(all.data(), rows * wide);
  for (long long i = 0; i < rows; ++i)  // in a fixed order
    for (long long q = 0; q < wide; ++q) sums[size_t(q)] += all[size_t(i * wide + q)];
}

}  // namespace

double bytes_for_blocks(long long n, int d, int most, int width) {
  return double(n) * (8.0 * (d + 2 * width + 2) + 4.0 * most) + (1 << 20);
}

CudaBlocks* new_blocks(int device, long long n, int d, int most, const double* x, const int* sets) {
  auto s = std::make_unique<CudaBlocks>();
  s->device = device;
  s->x = Space<double>(n * d);
  s->sets = Space<int>(n * most);
  s->noise = Space<double>(n);
  s->log_d = Space<double>(n);
  s->kernel = Space<KernelProgram>(1);
  s->singular = Space<int>(1);
  if (d > 0) s->x.from(x, n * d);
  if (most > 0) s->sets.from(sets, n * most);
  s->points = {s->x.data(), s->sets.data(), n, d, most};
  return s.release();
}

/// 2 n (r^3/6 + r^2 width/2) flops, r = most + 1, and n r^2/2 covariances.
bool whiten_blocks(CudaBlocks& s, const KernelProgram& kernel, const double* columns, int width, const double* noise,
                   double* out, double* log_d) {
  const BlockNumbers y = send(s, kernel, columns, width, noise);
  if (s.whitened.count() != s.points.n * width) s.whitened = Space<double>(s.points.n * width);
  const Launch l = launch_of(s, width, whiten_points);
  whiten_points<<<l.blocks, l.warps * warp, l.bytes>>>(s.kernel.data(), s.points, y, l.space, s.whitened.data(),
                                                       s.log_d.data(), s.singular.data());
  check(cudaGetLastError(), "factorizing blocks");
  if (was_singular(s)) return false;
  s.whitened.to(out, s.points.n * width);
  s.log_d.to(log_d, s.points.n);
  return true;
}

/// The same, two triangular solves and the slopes of n r^2/2 covariances. out: kernel.slots, then that of the noise.
bool slopes_of_blocks(CudaBlocks& s, const KernelProgram& kernel, const double* residual, const double* noise,
                      double* out) {
  const BlockNumbers y = send(s, kernel, residual, 1, noise);
  std::vector<double> sums(size_t(kernel.slots + 1), 0.0);
  if (kernel.slots <= 16)
    sum_slopes<16>(s, kernel, y, sums);
  else
    sum_slopes<KernelProgram::most_slots>(s, kernel, y, sums);
  std::copy(sums.begin(), sums.end(), out);
  return !was_singular(s);
}

}  // namespace covary::internal
