// The functions of cuda_module.h: no exception leaves them.
#include <cstring>
#include <memory>
#include <new>

#include "state.cuh"

namespace covary::internal {
namespace {

thread_local std::string last_error;

template <class F>
int guarded(const F& f) {
  try {
    f();
    return 0;
  } catch (const std::exception& e) {
    last_error = e.what();
  } catch (...) {
    last_error = "unknown error";
  }
  cudaGetLastError();  // a failed launch must not be seen by the next call
  return 1;
}

template <class F>
int on_device(CudaState* s, const F& f) {
  return guarded([&] {
    check(cudaSetDevice(s->device), "device");
    f();
    check(cudaDeviceSynchronize(), "device");
  });
}

const double one = 1, minus = -1, zero = 0;

const char* error() { return last_error.c_str(); }

int devices(int* count) {
  return guarded([&] { check(cudaGetDeviceCount(count), "CUDA devices"); });
}

int describe(int device, CudaDevice* out) {
  return guarded([&] {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "CUDA device");
    std::strncpy(out->name, p.name, sizeof(out->name) - 1);
    out->name[sizeof(out->name) - 1] = 0;
    check(cudaDriverGetVersion(&out->driver), "CUDA driver");
    check(cudaRuntimeGetVersion(&out->runtime), "CUDA runtime");
    out->capability = p.major * 10 + p.minor;
    check(cudaSetDevice(device), "CUDA device");
    size_t free_bytes = 0, all = 0;
    check(cudaMemGetInfo(&free_bytes, &all), "CUDA memory");
    out->bytes = double(all), out->free_bytes = double(free_bytes);
  });
}

double bytes_for(long long n) { return 8.0 * (double(n) * double(n) + double(work_size(n)) + 64.0 * double(n)); }

int create(int device, long long n, CudaState** out) {
  return guarded([&] {
    check(cudaSetDevice(device), "device");
    auto s = std::make_unique<CudaState>();
    s->device = device, s->n = n;
    s->k = Space<double>(n * n);
    s->info = Space<int>(1);
    s->program = Space<KernelProgram>(1);
    check(cublasCreate(&s->blas), "cuBLAS");
    check(cusolverDnCreate(&s->solver), "cuSOLVER");
    check(cusolverDnCreateParams(&s->params), "cuSOLVER");
    check(cusolverDnXpotrf_bufferSize(s->solver, s->params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, s->k.data(), n,
                                      CUDA_R_64F, &s->factor_bytes, &s->factor_host_bytes),
          "cuSOLVER work space");
    const long long factor = (long long)(s->factor_bytes / 8 + 1), other = work_size(n);
    s->work = Space<double>(factor > other ? factor : other);
    *out = s.release();
  });
}

void destroy(CudaState* s) {
  (void)guarded([&] { check(cudaSetDevice(s->device), "device"); });
  delete s;
}

int points(CudaState* s, const KernelProgram* program, const double* x, int d) {
  return on_device(s, [&] {
    s->host_program = *program;
    s->program.from(program, 1);
    if (s->x.count() != s->n * d) s->x = Space<double>(s->n * d);
    if (d > 0) s->x.from(x, s->n * d);
    s->d = d;
  });
}

int fill(CudaState* s) {
  return on_device(s, [&] { fill_lower(*s); });
}

int put_columns(CudaState* s, long long first, long long count, const double* block) {
  return on_device(s, [&] {
    const size_t rows = size_t(s->n - first);
    check(cudaMemcpy2D(s->at(first, first), size_t(s->n) * 8, block, rows * 8, rows * 8, size_t(count),
                       cudaMemcpyHostToDevice),
          "copy to the device");
  });
}

int get_columns(CudaState* s, long long first, long long count, double* block) {
  return on_device(s, [&] {
    const size_t rows = size_t(s->n - first);
    check(cudaMemcpy2D(block, rows * 8, s->at(first, first), size_t(s->n) * 8, rows * 8, size_t(count),
                       cudaMemcpyDeviceToHost),
          "copy from the device");
  });
}

int put_diagonal(CudaState* s, const double* values) {
  return on_device(s, [&] { add_diagonal(*s, values); });
}

int take_diagonal(CudaState* s, double* values) {
  return on_device(s, [&] { get_diagonal(*s, values); });
}

int norm(CudaState* s, double* out) {
  return on_device(s, [&] { *out = one_norm(*s); });
}

int factorize(CudaState* s, long long* row) {
  return on_device(s, [&] {
    std::unique_ptr<char[]> host(s->factor_host_bytes ? new char[s->factor_host_bytes] : nullptr);
    check(cusolverDnXpotrf(s->solver, s->params, CUBLAS_FILL_MODE_LOWER, s->n, CUDA_R_64F, s->k.data(), s->n,
                           CUDA_R_64F, s->work.data(), s->factor_bytes, host.get(), s->factor_host_bytes,
                           s->info.data()),
          "Cholesky factorization");
    int info = 0;
    s->info.to(&info, 1);
    if (info < 0) throw std::runtime_error("cuSOLVER refused argument " + std::to_string(-info));
    *row = info;
  });
}

/// B <- L^-1 B, or L'^-1 B.
void solve_on(CudaState& s, bool transposed, double* b, long long m) {
  check(cublasDtrsm_64(s.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                       CUBLAS_DIAG_NON_UNIT, s.n, m, &one, s.k.data(), s.n, b, s.n),
        "triangular solve");
}

int solve(CudaState* s, int transposed, double* b, long long m) {
  return on_device(s, [&] {
    if (m == 0) return;
    Space<double> right(s->n * m);
    right.from(b, s->n * m);
    solve_on(*s, transposed != 0, right.data(), m);
    right.to(b, s->n * m);
  });
}

int invert(CudaState* s) {
  return on_device(s, [&] {
    invert_triangle(*s);
    multiply_triangle(*s);
  });
}

/// |L^-1 e_j|^2 in blocks of columns; above row j there is nothing to solve: n^3/3 flops.
int inverse_diagonal(CudaState* s, double* out) {
  return on_device(s, [&] {
    const long long wide = s->n < 512 ? s->n : 512;
    Space<double> b(s->n * wide), sums(s->n);
    for (long long j = 0; j < s->n; j += wide) {
      const long long m = s->n - j < wide ? s->n - j : wide, rest = s->n - j;
      set_identity(b.data(), rest, m);
      check(cublasDtrsm_64(s->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rest,
                           m, &one, s->at(j, j), s->n, b.data(), rest),
            "diagonal of the inverse");
      column_squares(b.data(), rest, m, sums.data() + j);
    }
    sums.to(out, s->n);
  });
}

int downdate(CudaState* s, const double* q, long long m) {
  return on_device(s, [&] {
    Space<double> right(s->n * m);
    right.from(q, s->n * m);
    check(cublasDsyrk_64(s->blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, s->n, m, &minus, right.data(), s->n, &one,
                         s->k.data(), s->n),
          "rank update");
  });
}

int contract_with(CudaState* s, const double* a, long long c, double m, double* out) {
  return on_device(s, [&] { contract(*s, a, c, m, out); });
}

int half_cross(CudaState* s, const double* z, long long m, const double* alpha, const double* half_basis, long long p,
               double* mean, double* squares, double* trend, double* gram) {
  return on_device(s, [&] {
    if (m == 0) return;
    const long long n = s->n;
    Space<double> at(m * s->d), b(n * m), weights(n), left(n * p), out(m), small(p * m);
    at.from(z, m * s->d);
    weights.from(alpha, n);
    fill_cross(*s, at.data(), m, b.data());
    check(cublasDgemv_64(s->blas, CUBLAS_OP_T, n, m, &one, b.data(), n, weights.data(), 1, &zero, out.data(), 1),
          "means");
    out.to(mean, m);
    solve_on(*s, false, b.data(), m);
    column_squares(b.data(), n, m, out.data());
    out.to(squares, m);
    if (p > 0) {
      left.from(half_basis, n * p);
      check(cublasDgemm_64(s->blas, CUBLAS_OP_T, CUBLAS_OP_N, p, m, n, &one, left.data(), n, b.data(), n, &zero,
                           small.data(), p),
            "trend");
      small.to(trend, p * m);
    }
    if (gram) {
      Space<double> square(m * m);
      check(cublasDsyrk_64(s->blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, m, n, &one, b.data(), n, &zero, square.data(),
                           m),
            "joint covariance");
      square.to(gram, m * m);
    }
  });
}

// ------------------------------------------------------------------------------------------------------ blocks

template <class F>
int with_blocks(CudaBlocks* s, const F& f) {
  return guarded([&] {
    check(cudaSetDevice(s->device), "device");
    f();
  });
}

int blocks_create(int device, long long n, int d, int most, const double* x, const int* sets, CudaBlocks** out) {
  return guarded([&] {
    check(cudaSetDevice(device), "device");
    *out = new_blocks(device, n, d, most, x, sets);
  });
}

void blocks_destroy(CudaBlocks* s) {
  (void)guarded([&] { check(cudaSetDevice(s->device), "device"); });
  delete s;
}

int blocks_whiten(CudaBlocks* s, const KernelProgram* kernel, const double* columns, int width, const double* noise,
                  double* out, double* log_d, int* singular) {
  return with_blocks(s, [&] { *singular = !whiten_blocks(*s, *kernel, columns, width, noise, out, log_d); });
}

int blocks_slopes(CudaBlocks* s, const KernelProgram* kernel, const double* residual, const double* noise, double* out,
                  int* singular) {
  return with_blocks(s, [&] { *singular = !slopes_of_blocks(*s, *kernel, residual, noise, out); });
}

}  // namespace
}  // namespace covary::internal

extern "C" const covary::internal::CudaModule* covary_cuda_module() {
  using namespace covary::internal;
  static const CudaModule all{CudaModule::interface, error,         devices,       describe,  bytes_for,
                              create,                destroy,       points,        fill,      put_columns,
                              get_columns,           put_diagonal,  take_diagonal, norm,      factorize,
                              solve,                 invert,        inverse_diagonal, downdate, contract_with,
                              half_cross,            bytes_for_blocks, blocks_create, blocks_destroy, blocks_whiten,
                              blocks_slopes};
  return &all;
}
