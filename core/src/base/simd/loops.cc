// Compiled once for each instruction set (COVARY_ISA); includes nothing with inline functions, so that no
// code for a newer processor can leak into the rest of the program.
#include "base/simd/elementary.h"
#include "base/simd/simd.h"

namespace covary::simd::COVARY_ISA {

// solve.cc
void solve_lower(const double* l, std::ptrdiff_t ldl, std::ptrdiff_t n, double* x, std::ptrdiff_t ldx,
                 std::ptrdiff_t m, double* space);

// product.cc
void add_product(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t depth, double alpha, const Strided& a,
                 const Strided& b, bool lower, double* c, std::ptrdiff_t ldc, double* space);

namespace {

using std::ptrdiff_t;

// exp(x) = 2^k exp(r), |r| <= log(2)/2, with a polynomial of degree 13 (remainder below 5e-18).
inline double exp_one(double x) {
  const double y = x < -708.0 ? -708.0 : (x > 709.78 ? 709.78 : x);
  constexpr double shift = 0x1.8p52;
  const double kd = y * 1.4426950408889634074 + shift;
  const double k = kd - shift;
  const double r = (y - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  const double p = exp_rest(r);
  const double e = 1.0 + (r + r * r * p);
  // 2^k by its bits, in two halves so that k = 1024 does not overflow: the low bits of kd hold k.
  const long long bits = __builtin_bit_cast(long long, kd);
  const long long half = (bits << 12) >> 13;  // floor(k / 2): sign-extended from the 52 bits of the mantissa
  const long long whole = (bits << 12) >> 12;
  const double s1 = __builtin_bit_cast(double, (half + 1023) << 52);
  const double s2 = __builtin_bit_cast(double, (whole - half + 1023) << 52);
  const double v = e * s1 * s2;
  return x < -708.0 ? 0.0 : (x > 709.78 ? __builtin_inf() : v);
}

void exp_all(double* x, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) x[i] = exp_one(x[i]);
}

// sin(pi x) = +- sin(pi t), t = x - round(x): the Taylor polynomial of degree 21 on |pi t| <= pi/2.
inline double sin_pi_one(double x) {
  constexpr double shift = 0x1.8p52;
  const double y = x > 1e15 || x < -1e15 ? 0.0 : x;
  const double kd = y + shift;
  const double z = (y - (kd - shift)) * 3.14159265358979323846, z2 = z * z;
  double p = 1.9572941063391263e-20;    // 1/21!
  p = p * z2 - 8.22063524662433e-18;    // 1/19!
  p = p * z2 + 2.8114572543455206e-15;  // 1/17!
  p = p * z2 - 7.647163731819816e-13;   // 1/15!
  p = p * z2 + 1.6059043836821613e-10;  // 1/13!
  p = p * z2 - 2.505210838544172e-08;   // 1/11!
  p = p * z2 + 2.7557319223985893e-06;  // 1/9!
  p = p * z2 - 0.0001984126984126984;   // 1/7!
  p = p * z2 + 0.008333333333333333;    // 1/5!
  p = p * z2 - 0.16666666666666666;     // 1/3!
  const double s = z + z * z2 * p;
  const long long odd = __builtin_bit_cast(long long, kd) << 63;  // the sign bit of odd multiples
  return __builtin_bit_cast(double, __builtin_bit_cast(long long, s) ^ odd);
}

void sin_pi_all(double* x, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) x[i] = sin_pi_one(x[i]);
}

void log1p_all(double* x, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) x[i] = log1p_one(x[i]);
}

constexpr ptrdiff_t lanes = 32;

void squared_distances(const double* a, ptrdiff_t lda, ptrdiff_t na, const double* b, ptrdiff_t ldb,
                       ptrdiff_t nb, ptrdiff_t d, const double* weight, double* out) {
  const ptrdiff_t whole = na - na % lanes;
  for (ptrdiff_t i = 0; i < whole; i += lanes)
    for (ptrdiff_t j = 0; j < nb; ++j) {
      double sum[lanes] = {};
      for (ptrdiff_t k = 0; k < d; ++k) {
        const double* const ak = a + i + k * lda;
        const double bk = b[j + k * ldb], wk = weight[k];
        for (ptrdiff_t l = 0; l < lanes; ++l) {
          const double t = ak[l] - bk;
          sum[l] += wk * (t * t);
        }
      }
      double* const o = out + i + j * na;
      for (ptrdiff_t l = 0; l < lanes; ++l) o[l] = sum[l] < 1e300 ? sum[l] : 1e300;
    }
  for (ptrdiff_t j = 0; j < nb; ++j)
    for (ptrdiff_t i = whole; i < na; ++i) {
      double sum = 0;
      for (ptrdiff_t k = 0; k < d; ++k) {
        const double t = a[i + k * lda] - b[j + k * ldb];
        sum += weight[k] * (t * t);
      }
      out[i + j * na] = sum < 1e300 ? sum : 1e300;
    }
}

void weighted_squares(const double* a, ptrdiff_t lda, ptrdiff_t na, const double* b, ptrdiff_t ldb,
                      ptrdiff_t nb, ptrdiff_t d, const double* h, double* out) {
  const ptrdiff_t whole = na - na % lanes;
  for (ptrdiff_t k = 0; k < d; ++k) {
    const double* const ak = a + k * lda;
    const double* const bk = b + k * ldb;
    double total = 0;
    for (ptrdiff_t i = 0; i < whole; i += lanes) {
      double sum[lanes] = {};
      for (ptrdiff_t j = 0; j < nb; ++j) {
        const double* const hj = h + i + j * na;
        for (ptrdiff_t l = 0; l < lanes; ++l) {
          const double t = ak[i + l] - bk[j];
          sum[l] += hj[l] * (t * t);
        }
      }
      for (ptrdiff_t l = 0; l < lanes; ++l) total += sum[l];
    }
    for (ptrdiff_t j = 0; j < nb; ++j)
      for (ptrdiff_t i = whole; i < na; ++i) {
        const double t = ak[i] - bk[j];
        total += h[i + j * na] * (t * t);
      }
    out[k] = total;
  }
}

// One wave at `lanes` rows, of which the first `rows` are there: every entry goes through the same
// instructions.
template <bool whole>
inline void wave(const double* a, ptrdiff_t lda, ptrdiff_t rows, const double* w, ptrdiff_t d, double phase,
                 double amplitude, double* out) {
  double sum[lanes];
  for (ptrdiff_t l = 0; l < lanes; ++l) sum[l] = phase;
  for (ptrdiff_t k = 0; k < d; ++k) {
    const double* const ak = a + k * lda;
    for (ptrdiff_t l = 0; l < lanes; ++l) sum[l] += (whole || l < rows ? ak[l] : 0.0) * w[k];
  }
  for (ptrdiff_t l = 0; l < lanes; ++l) sum[l] = amplitude * sin_pi_one(sum[l]);
  for (ptrdiff_t l = 0; l < (whole ? lanes : rows); ++l) out[l] = sum[l];
}

void waves(const double* a, ptrdiff_t lda, ptrdiff_t na, const double* w, ptrdiff_t d, ptrdiff_t m,
           const double* phase, double amplitude, double* out) {
  constexpr ptrdiff_t block = 8 * lanes;  // rows that stay near while every wave passes over them
  for (ptrdiff_t from = 0; from < na; from += block) {
    const ptrdiff_t to = na - from < block ? na : from + block;
    for (ptrdiff_t j = 0; j < m; ++j) {
      ptrdiff_t i = from;
      for (; i + lanes <= to; i += lanes)
        wave<true>(a + i, lda, lanes, w + j * d, d, phase[j], amplitude, out + i + j * na);
      if (i < to) wave<false>(a + i, lda, to - i, w + j * d, d, phase[j], amplitude, out + i + j * na);
    }
  }
}

double dot(const double* a, const double* b, ptrdiff_t n) {
  const ptrdiff_t whole = n - n % lanes;
  double sum[lanes] = {};
  for (ptrdiff_t i = 0; i < whole; i += lanes)
    for (ptrdiff_t l = 0; l < lanes; ++l) sum[l] += a[i + l] * b[i + l];
  double total = 0;
  for (ptrdiff_t l = 0; l < lanes; ++l) total += sum[l];
  for (ptrdiff_t i = whole; i < n; ++i) total += a[i] * b[i];
  return total;
}

// Eight at once, wherever they begin.
using Eight __attribute__((vector_size(64), aligned(8), may_alias)) = double;
inline Eight eight(const double* x) { return *reinterpret_cast<const Eight*>(x); }

void dot_four(const double* a, ptrdiff_t lda, const double* x, ptrdiff_t n, double* out) {
  const double *const a0 = a, *const a1 = a + lda, *const a2 = a1 + lda, *const a3 = a2 + lda;
  Eight s0 = {}, s1 = {}, s2 = {}, s3 = {};
  ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Eight v = eight(x + i);
    s0 += eight(a0 + i) * v;
    s1 += eight(a1 + i) * v;
    s2 += eight(a2 + i) * v;
    s3 += eight(a3 + i) * v;
  }
  double t0 = 0, t1 = 0, t2 = 0, t3 = 0;
  for (ptrdiff_t l = 0; l < 8; ++l) t0 += s0[l], t1 += s1[l], t2 += s2[l], t3 += s3[l];
  for (; i < n; ++i) t0 += a0[i] * x[i], t1 += a1[i] * x[i], t2 += a2[i] * x[i], t3 += a3[i] * x[i];
  out[0] = t0, out[1] = t1, out[2] = t2, out[3] = t3;
}

void subtract_four(const double* a, ptrdiff_t lda, const double* w, double* __restrict x, ptrdiff_t n) {
  const double *const a0 = a, *const a1 = a + lda, *const a2 = a1 + lda, *const a3 = a2 + lda;
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  for (ptrdiff_t i = 0; i < n; ++i) x[i] -= (a0[i] * w0 + a1[i] * w1) + (a2[i] * w2 + a3[i] * w3);
}

double subtract_and_square(const double* a, double w, double* __restrict x, ptrdiff_t n) {
  Eight sum = {};
  ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Eight v = eight(x + i) - w * eight(a + i);
    *reinterpret_cast<Eight*>(x + i) = v;
    sum += v * v;
  }
  double total = 0;
  for (ptrdiff_t l = 0; l < 8; ++l) total += sum[l];
  for (; i < n; ++i) {
    x[i] -= w * a[i];
    total += x[i] * x[i];
  }
  return total;
}

void rotate_two(double* __restrict a, double* __restrict b, double* __restrict w, ptrdiff_t n,
                const double* turns) {
  const double ca = turns[0], sa = turns[1], cb = turns[2], sb = turns[3];
  for (ptrdiff_t i = 0; i < n; ++i) {
    const double u = ca * w[i] - sa * a[i];
    a[i] = ca * a[i] + sa * w[i];
    w[i] = cb * u - sb * b[i];
    b[i] = cb * b[i] + sb * u;
  }
}

#define COVARY_TEXT_(x) #x
#define COVARY_TEXT(x) COVARY_TEXT_(x)

}  // namespace

extern const BlockLoops block_table;  // blocks.cc
extern const Loops table;
const Loops table{COVARY_TEXT(COVARY_ISA), exp_all,    sin_pi_all,  log1p_all,   squared_distances,
                  weighted_squares,        waves,      dot,         dot_four,    subtract_four,
                  subtract_and_square,     rotate_two, solve_lower, add_product, &block_table};

}  // namespace covary::simd::COVARY_ISA
