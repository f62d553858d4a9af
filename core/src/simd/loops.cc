// Compiled once for each instruction set (COVARY_ISA); includes nothing with inline functions, so that no
// code for a newer processor can leak into the rest of the program.
#include "simd.h"

namespace covary::simd::COVARY_ISA {
namespace {

using std::ptrdiff_t;

// exp(x) = 2^k exp(r), |r| <= log(2)/2, with a polynomial of degree 13 (remainder below 5e-18).
inline double exp_one(double x) {
  const double y = x < -708.0 ? -708.0 : (x > 709.78 ? 709.78 : x);
  constexpr double shift = 0x1.8p52;
  const double kd = y * 1.4426950408889634074 + shift;
  const double k = kd - shift;
  const double r = (y - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  double p = 1.6059043836821613e-10;   // 1/13!
  p = p * r + 2.08767569878681e-09;    // 1/12!
  p = p * r + 2.505210838544172e-08;   // 1/11!
  p = p * r + 2.755731922398589e-07;   // 1/10!
  p = p * r + 2.7557319223985893e-06;  // 1/9!
  p = p * r + 2.48015873015873e-05;    // 1/8!
  p = p * r + 0.0001984126984126984;   // 1/7!
  p = p * r + 0.001388888888888889;    // 1/6!
  p = p * r + 0.008333333333333333;    // 1/5!
  p = p * r + 0.041666666666666664;    // 1/4!
  p = p * r + 0.16666666666666666;     // 1/3!
  p = p * r + 0.5;
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

#define COVARY_TEXT_(x) #x
#define COVARY_TEXT(x) COVARY_TEXT_(x)

}  // namespace

extern const Loops table;
const Loops table{COVARY_TEXT(COVARY_ISA), exp_all, squared_distances, weighted_squares, dot};

}  // namespace covary::simd::COVARY_ISA
