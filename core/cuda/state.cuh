// One covariance matrix on a device, and the errors of the calls that work on it.
#pragma once
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "algebra/remote/block_program.h"
#include "algebra/remote/cuda_module.h"

namespace covary::internal {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
inline void check(cublasStatus_t s, const char* what) {
  if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(s));
}
inline void check(cusolverStatus_t s, const char* what) {
  if (s != CUSOLVER_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": cuSOLVER status " + std::to_string(int(s)));
}

/// Device memory that is freed with its owner.
template <class T>
class Space {
 public:
  Space() = default;
  explicit Space(long long count) : count_(count) {
    if (count > 0) check(cudaMalloc(&data_, size_t(count) * sizeof(T)), "device memory");
  }
  Space(Space&& other) noexcept { *this = static_cast<Space&&>(other); }
  Space& operator=(Space&& other) noexcept {
    T* data = other.data_;
    const long long count = other.count_;
    other.data_ = nullptr, other.count_ = 0;
    if (data_) cudaFree(data_);
    data_ = data, count_ = count;
    return *this;
  }
  ~Space() {
    if (data_) cudaFree(data_);
  }
  T* data() const { return data_; }
  long long count() const { return count_; }
  void from(const T* host, long long count) {
    check(cudaMemcpy(data_, host, size_t(count) * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  void to(T* host, long long count) const {
    check(cudaMemcpy(host, data_, size_t(count) * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
  }

 private:
  T* data_ = nullptr;
  long long count_ = 0;
};

constexpr long long diagonal_block = 2048;  // of K^-1 = W'W
constexpr long long batched_up_to = 512;    // blocks of the triangular inverse that are multiplied side by side

struct CudaState {
  int device = 0;
  long long n = 0;
  Space<double> k;     // n x n, the lower triangle
  Space<double> work;  // shared by all that needs space for a moment
  Space<int> info;
  Space<double> x;  // n x d
  Space<KernelProgram> program;
  KernelProgram host_program;
  int d = 0;
  size_t factor_bytes = 0, factor_host_bytes = 0;
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;

  double* at(long long i, long long j) const { return k.data() + i + j * n; }
  ~CudaState() {
    if (params) cusolverDnDestroyParams(params);
    if (solver) cusolverDnDestroy(solver);
    if (blas) cublasDestroy(blas);
  }
};

/// Points with their neighbors on a device, and room for what is computed from them.
struct CudaBlocks {
  int device = 0;
  BlockPoints points{};
  Space<double> x, columns, noise, whitened, log_d;
  Space<int> sets, singular;
  Space<KernelProgram> kernel;
};

/// Doubles that `work` has at least: levels of the triangular inverse, a diagonal block of K^-1.
inline long long work_size(long long n) {
  const long long levels = (n + 2 * batched_up_to) * (batched_up_to / 2), block = diagonal_block * diagonal_block;
  return levels > block ? levels : block;
}

// fill.cu
void fill_lower(CudaState& s);
void fill_cross(const CudaState& s, const double* z, long long m, double* out);
void contract(CudaState& s, const double* a, long long c, double m, double* out);
// inverse.cu
void invert_triangle(CudaState& s);
void multiply_triangle(CudaState& s);
// blocks.cu: false where a block is singular
double bytes_for_blocks(long long n, int d, int most, int width);
CudaBlocks* new_blocks(int device, long long n, int d, int most, const double* x, const int* sets);
bool whiten_blocks(CudaBlocks& s, const KernelProgram& kernel, const double* columns, int width, const double* noise,
                   double* out, double* log_d);
bool slopes_of_blocks(CudaBlocks& s, const KernelProgram& kernel, const double* residual, const double* noise,
                      double* out);
// vectors.cu
double one_norm(CudaState& s);
void add_diagonal(CudaState& s, const double* values);
void get_diagonal(CudaState& s, double* values);
/// out_j = sum_i b_ij^2 of n x m.
void column_squares(const double* b, long long n, long long m, double* out);
/// The identity in the first `count` rows of n x count, 0 below.
void set_identity(double* b, long long n, long long count);

}  // namespace covary::internal
