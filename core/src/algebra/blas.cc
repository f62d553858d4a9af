// By LAPACK and BLAS; blas_eigen.cc replaces it where there is none.
#include "algebra/blas.h"

#ifdef COVARY_LAPACK

#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/openblas.h"
#include "covary/base/error.h"

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
void dpotri_(const char*, const int*, double*, const int*, int*, size_t);
void dtrtri_(const char*, const char*, const int*, double*, const int*, int*, size_t, size_t);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
            const double*, const int*, double*, const int*, size_t, size_t, size_t, size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*, size_t, size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, double*, const int*, size_t, size_t);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dgeqrt_(const int*, const int*, const int*, double*, const int*, double*, const int*, double*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*,
             int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*,
             const int*, int*, size_t, size_t);
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*,
             const int*, double*, const int*, int*, int*, size_t);
void dpocon_(const char*, const int*, const double*, const int*, const double*, double*, double*, int*, int*,
             size_t);
}

namespace covary::blas {
namespace {

/// Holds BLAS: shared for one thread, alone for several.
class Gate {
 public:
  explicit Gate(int threads) : alone_(threads > 1) {
    openblas::prepare();
    if (alone_)
      mutex().lock(), openblas::set_threads(threads);
    else
      mutex().lock_shared();
  }
  ~Gate() {
    if (alone_)
      openblas::set_threads(1), mutex().unlock();
    else
      mutex().unlock_shared();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

 private:
  static std::shared_mutex& mutex() {
    static std::shared_mutex m;
    return m;
  }
  bool alone_;
};

int as_int(Index n) { return static_cast<int>(n); }
int stride(const ConstBlock& a) { return as_int(std::max<Index>({1, a.outerStride(), a.rows()})); }
int stride(const Block& a) { return as_int(std::max<Index>({1, a.outerStride(), a.rows()})); }

}  // namespace

Index cholesky(Block a, int threads) {
  const Gate gate(threads);
  const int n = as_int(a.rows()), lda = stride(a);
  int info = 0;
  dpotrf_("L", &n, a.data(), &lda, &info, 1);
  return info;
}

void inverse_from_cholesky(Block l, int threads) {
  const Gate gate(threads);
  const int n = as_int(l.rows()), ldl = stride(l);
  int info = 0;
  dpotri_("L", &n, l.data(), &ldl, &info, 1);
}

static void solve(const char* transposed, const ConstBlock& l, Block b, int threads) {
  if (b.cols() == 0 || b.rows() == 0) return;
  const Gate gate(threads);
  const int n = as_int(b.rows()), m = as_int(b.cols()), ldl = stride(l), ldb = stride(b);
  const double one = 1;
  dtrsm_("L", "L", transposed, "N", &n, &m, &one, l.data(), &ldl, b.data(), &ldb, 1, 1, 1, 1);
}

void invert_lower(Block l, int threads) {
  const Gate gate(threads);
  const int n = as_int(l.rows()), ldl = stride(l);
  int info = 0;
  dtrtri_("L", "N", &n, l.data(), &ldl, &info, 1, 1);
}

void solve_lower(ConstBlock l, Block b, int threads) { solve("N", l, b, threads); }
void solve_lower_transposed(ConstBlock l, Block b, int threads) { solve("T", l, b, threads); }

static void product(const char* transposed, double alpha, const ConstBlock& a, const ConstBlock& b,
                    double beta, Block c, int threads) {
  if (c.size() == 0) return;
  const Gate gate(threads);
  const int m = as_int(c.rows()), n = as_int(c.cols()), k = as_int(b.rows());
  const int lda = stride(a), ldb = stride(b), ldc = stride(c);
  dgemm_(transposed, "N", &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(), &ldc, 1, 1);
}

void multiply(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int threads) {
  product("N", alpha, a, b, beta, c, threads);
}
void multiply_transposed(double alpha, ConstBlock a, ConstBlock b, double beta, Block c, int threads) {
  product("T", alpha, a, b, beta, c, threads);
}

static void update(const char* transposed, Index inner, double alpha, const ConstBlock& a, double beta,
                   Block c, int threads) {
  const Gate gate(threads);
  const int n = as_int(c.rows()), k = as_int(inner), lda = stride(a), ldc = stride(c);
  dsyrk_("L", transposed, &n, &k, &alpha, a.data(), &lda, &beta, c.data(), &ldc, 1, 1);
}

void rank_update(double alpha, ConstBlock a, double beta, Block c, int threads) {
  update("N", a.cols(), alpha, a, beta, c, threads);
}
void rank_update_transposed(double alpha, ConstBlock a, double beta, Block c, int threads) {
  update("T", a.rows(), alpha, a, beta, c, threads);
}

Vector reflect(Block a, int threads) {
  const Gate gate(threads);
  const int m = as_int(a.rows()), n = as_int(a.cols()), lda = stride(a), space = 64 * std::max(n, 1);
  Vector tau(std::max(1, std::min(m, n)));
  std::vector<double> work(static_cast<size_t>(space));
  int info = 0;
  dgeqrf_(&m, &n, a.data(), &lda, tau.data(), work.data(), &space, &info);
  return tau;
}

void form_orthogonal(Block a, const Vector& reflections, int threads) {
  const Gate gate(threads);
  const int m = as_int(a.rows()), n = as_int(a.cols()), lda = stride(a), space = 64 * std::max(n, 1);
  std::vector<double> work(static_cast<size_t>(space));
  int info = 0;
  dorgqr_(&m, &n, &n, a.data(), &lda, reflections.data(), work.data(), &space, &info);
}

void reduce(Block a, int threads) {
  const int m = as_int(a.rows()), n = as_int(a.cols()), lda = stride(a), k = std::min(m, n);
  if (k == 0) return;
  const Gate gate(threads);
  const int panel = std::min(k, n < 128 ? 16 : 32);  // measured: 1.7 times dgeqrf at 50 columns, 1.15 at 500
  std::vector<double> t(static_cast<size_t>(panel) * static_cast<size_t>(k)),
      work(static_cast<size_t>(panel) * static_cast<size_t>(n));
  int info = 0;
  dgeqrt_(&m, &n, &panel, a.data(), &lda, t.data(), &panel, work.data(), &info);
}

static Vector eigen(const char* what, Block a, int threads) {
  const int n = as_int(a.rows()), lda = stride(a);
  if (n == 0) return Vector(0);
  if (n > 32000)  // LAPACK counts its working space in ints
    throw Error(Problem::limit, "eigenvalues of a matrix of " + std::to_string(n) + " rows: 32000 at most");
  const Gate gate(threads);
  Vector values(n);
  double space = 0;
  int whole_space = 0, info = 0, ask = -1;
  dsyevd_(what, "L", &n, a.data(), &lda, values.data(), &space, &ask, &whole_space, &ask, &info, 1, 1);
  const int size = static_cast<int>(space);
  std::vector<double> work(static_cast<size_t>(size));
  std::vector<int> iwork(static_cast<size_t>(whole_space));
  dsyevd_(what, "L", &n, a.data(), &lda, values.data(), work.data(), &size, iwork.data(), &whole_space, &info,
          1, 1);
  if (info != 0) throw Error(Problem::numerical, "the eigenvalues of a symmetric matrix did not converge");
  return values;
}

Vector eigenvalues(Block a, int threads) { return eigen("N", a, threads); }
Vector eigenvectors(Block a, int threads) { return eigen("V", a, threads); }

Singular singular(Block a, int threads) {
  const int m = as_int(a.rows()), n = as_int(a.cols()), k = std::min(m, n), lda = stride(a),
            ldu = std::max(1, m);
  Singular out{Matrix(m, k), Vector(k), Matrix(n, k)};
  if (k == 0) return out;
  if (k > 20000)  // LAPACK counts its working space in ints
    throw Error(Problem::limit, "singular values of rank " + std::to_string(k) + ": 20000 at most");
  const Gate gate(threads);
  Matrix vt(k, n);
  std::vector<int> iwork(8 * static_cast<size_t>(k));
  std::vector<double> work(1);
  int info = 0;
  for (int size = -1, pass = 0; pass < 2; ++pass) {  // the first asks for the space
    dgesdd_("S", &m, &n, a.data(), &lda, out.s.data(), out.u.data(), &ldu, vt.data(), &k, work.data(), &size,
            iwork.data(), &info, 1);
    size = static_cast<int>(work[0]);
    work.resize(static_cast<size_t>(size));
  }
  if (info != 0) throw Error(Problem::numerical, "the singular values of a matrix did not converge");
  out.v = vt.transpose();
  return out;
}

double reciprocal_condition(ConstBlock l, double norm) {
  const Gate gate(1);
  const int n = as_int(l.rows()), ldl = stride(l);
  std::vector<double> work(3 * static_cast<size_t>(n));
  std::vector<int> iwork(static_cast<size_t>(n));
  double rcond = 0;
  int info = 0;
  dpocon_("L", &n, l.data(), &ldl, &norm, &rcond, work.data(), iwork.data(), &info, 1);
  return rcond;
}

}  // namespace covary::blas

#endif
