// Elementary functions of the loops, for one instruction set (COVARY_ISA): to be included by its sources alone.
#pragma once

namespace covary::simd::COVARY_ISA {
namespace {

// (exp(r) - 1 - r)/r^2 for |r| <= log(2)/2, a polynomial of degree 11 (remainder below 5e-18); of one number or
// of several.
template <class Number>
inline Number exp_rest(Number r) {
  Number p = 1.6059043836821613e-10 * r + 2.08767569878681e-09;  // 1/13!, 1/12!
  p = p * r + 2.505210838544172e-08;                             // 1/11!
  p = p * r + 2.755731922398589e-07;                             // 1/10!
  p = p * r + 2.7557319223985893e-06;                            // 1/9!
  p = p * r + 2.48015873015873e-05;                              // 1/8!
  p = p * r + 0.0001984126984126984;                             // 1/7!
  p = p * r + 0.001388888888888889;                              // 1/6!
  p = p * r + 0.008333333333333333;                              // 1/5!
  p = p * r + 0.041666666666666664;                              // 1/4!
  p = p * r + 0.16666666666666666;                               // 1/3!
  return p * r + 0.5;
}

// log(1 + x) = k log 2 + 2 atanh(f), f = (m - 1)/(m + 1), 1 + x = m 2^k, m in [sqrt 1/2, sqrt 2).
inline double log1p_one(double x) {
  const double y = 1.0 + x;
  const double lost = (x - (y - 1.0)) / y;  // what rounding 1 + x lost
  const long long bits = __builtin_bit_cast(long long, y);
  const long long k = (bits - 0x3fe6a09e667f3bcdLL) >> 52;
  const double m = __builtin_bit_cast(double, bits - (k << 52));
  const double f = (m - 1.0) / (m + 1.0), f2 = f * f;
  double p = 1.0 / 23;
  p = p * f2 + 1.0 / 21;
  p = p * f2 + 1.0 / 19;
  p = p * f2 + 1.0 / 17;
  p = p * f2 + 1.0 / 15;
  p = p * f2 + 1.0 / 13;
  p = p * f2 + 1.0 / 11;
  p = p * f2 + 1.0 / 9;
  p = p * f2 + 1.0 / 7;
  p = p * f2 + 1.0 / 5;
  p = p * f2 + 1.0 / 3;
  const double kd = static_cast<double>(k);
  const double v =
      kd * 0x1.62e42fee00000p-1 + (2 * f + (2 * f * f2 * p + (lost + kd * 0x1.a39ef35793c76p-33)));
  return v;
}

}  // namespace
}  // namespace covary::simd::COVARY_ISA
