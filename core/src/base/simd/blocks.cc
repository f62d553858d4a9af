// Compiled once for each instruction set (COVARY_ISA); includes nothing with inline functions.
#include "base/simd/blocks.h"

#include "base/simd/elementary.h"

namespace covary::simd::COVARY_ISA {
namespace {

using std::ptrdiff_t;
using Lanes __attribute__((vector_size(64), may_alias)) = double;
using Bits __attribute__((vector_size(64), may_alias)) = long long;

inline Lanes all(double x) { return Lanes{} + x; }
inline Lanes* eights(double* x) { return reinterpret_cast<Lanes*>(x); }
inline const Lanes* eights(const double* x) { return reinterpret_cast<const Lanes*>(x); }

// exp(x) for x <= 0, as exp_one has it; 0 below -708.
inline Lanes exp_below(Lanes x) {
  constexpr double shift = 0x1.8p52;
  const Lanes y = x < -708.0 ? all(-708.0) : x;
  const Lanes kd = y * 1.4426950408889634074 + shift;
  const Lanes k = kd - shift;
  const Lanes r = (y - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  Lanes p = exp_rest(r);
  const Lanes e = 1.0 + (r + r * r * p);
  const Bits scale = (((reinterpret_cast<Bits>(kd) << 12) >> 12) + 1023) << 52;
  return x < -708.0 ? all(0.0) : e * reinterpret_cast<Lanes>(scale);
}

// x <- c sqrt(x)
void roots(Lanes* x, ptrdiff_t n, double c) {
  double* const s = reinterpret_cast<double*>(x);
  for (ptrdiff_t i = 0; i < n * block_lanes; ++i) s[i] = c * __builtin_sqrt(s[i]);
}

void logs(const Lanes* u, ptrdiff_t n, Lanes* out) {
  const double* const x = reinterpret_cast<const double*>(u);
  double* const o = reinterpret_cast<double*>(out);
  for (ptrdiff_t i = 0; i < n * block_lanes; ++i) o[i] = log1p_one(x[i]);
}

// s -> f(s) in `value` and, where wanted, -2 f'(s), or -2 f'(s) s if `together`. value may be s.
template <bool slopes, bool together>
void apply(const BlockFactor& f, Lanes* s, ptrdiff_t n, Lanes* value, Lanes* slope, Lanes* alpha_slope) {
  switch (f.profile) {
    case Profile::se:
      for (ptrdiff_t i = 0; i < n; ++i) {
        const Lanes si = s[i], e = exp_below(-0.5 * si);
        value[i] = e;
        if (slopes) slope[i] = together ? e * si : e;
      }
      return;
    case Profile::matern12:
      roots(s, n, 1);
      for (ptrdiff_t i = 0; i < n; ++i) {
        const Lanes r = s[i], e = exp_below(-r);
        value[i] = e;
        if (slopes) slope[i] = together ? e * r : (r > 0.0 ? e / r : all(0.0));
      }
      return;
    case Profile::matern32:
      roots(s, n, 1.7320508075688772);
      for (ptrdiff_t i = 0; i < n; ++i) {
        const Lanes r = s[i], e = exp_below(-r);
        value[i] = (1.0 + r) * e;
        if (slopes) slope[i] = together ? r * r * e : 3.0 * e;
      }
      return;
    case Profile::matern52:
      roots(s, n, 2.23606797749979);
      for (ptrdiff_t i = 0; i < n; ++i) {
        const Lanes r = s[i], e = exp_below(-r), t = r * r * (1.0 / 3);
        value[i] = (1.0 + r + t) * e;
        if (slopes) slope[i] = together ? (1.0 + r) * e * t : (5.0 / 3) * (1.0 + r) * e;
      }
      return;
    case Profile::rational_quadratic:
      for (ptrdiff_t i = 0; i < n; ++i) s[i] *= 0.5 / f.alpha;
      logs(s, n, value);
      for (ptrdiff_t i = 0; i < n; ++i) {
        const Lanes u = s[i], log = value[i], k = exp_below(-f.alpha * log), h = k / (1.0 + u);
        value[i] = k;
        if (slopes) slope[i] = together ? 2 * f.alpha * u * h : h;
        if (alpha_slope) alpha_slope[i] = f.alpha * (u * h - k * log);
      }
  }
}

// The scaled squared distances of point j from those before it.
void distances(const BlockFactor& f, ptrdiff_t r, ptrdiff_t j, const Lanes* x, Lanes* s) {
  for (ptrdiff_t c = 0; c < f.coordinates; ++c) {
    const Lanes* const xc = x + f.coordinate[c] * r;
    const Lanes at = xc[j];
    const double w = f.weight[c];
    if (c == 0)
      for (ptrdiff_t k = 0; k < j; ++k) s[k] = w * ((at - xc[k]) * (at - xc[k]));
    else
      for (ptrdiff_t k = 0; k < j; ++k) s[k] += w * ((at - xc[k]) * (at - xc[k]));
  }
  if (f.coordinates == 0)
    for (ptrdiff_t k = 0; k < j; ++k) s[k] = Lanes{};
}

void factor_row(const BlockFactor& f, ptrdiff_t r, ptrdiff_t j, const Lanes* x, Lanes* s, Lanes* value,
                Lanes* slope, Lanes* alpha_slope) {
  distances(f, r, j, x, s);
  if (!slope) return apply<false, false>(f, s, j, value, nullptr, alpha_slope);
  if (f.together) return apply<true, true>(f, s, j, value, slope, alpha_slope);
  apply<true, false>(f, s, j, value, slope, alpha_slope);
}

inline Lanes* row_of(double* const* slopes, int which, ptrdiff_t j) {
  return which < 0 ? nullptr : eights(slopes[which]) + triangle(j - 1);
}

inline void multiply_row(Lanes* row, const Lanes* by, ptrdiff_t n) {
  if (row)
    for (ptrdiff_t k = 0; k < n; ++k) row[k] *= by[k];
}

// Row j of a term: its values, and its factors' slopes times the variance and the other factors.
void term_row(const BlockTerm& t, ptrdiff_t r, ptrdiff_t j, const Lanes* x, Lanes* value,
              double* const* slopes, Lanes* scratch) {
  Lanes *const s = scratch, *const one = scratch + r;
  for (ptrdiff_t k = 0; k < j; ++k) value[k] = all(t.variance);
  for (ptrdiff_t i = 0; i < t.factors; ++i) {
    const BlockFactor& f = t.factor[i];
    Lanes *const slope = row_of(slopes, f.slope, j), *const alpha = row_of(slopes, f.alpha_slope, j);
    factor_row(f, r, j, x, s, one, slope, alpha);
    multiply_row(slope, value, j);
    multiply_row(alpha, value, j);
    for (ptrdiff_t before = 0; before < i; ++before) {
      multiply_row(row_of(slopes, t.factor[before].slope, j), one, j);
      multiply_row(row_of(slopes, t.factor[before].alpha_slope, j), one, j);
    }
    multiply_row(value, one, j);
  }
  if (Lanes* const own = row_of(slopes, t.slope, j))
    for (ptrdiff_t k = 0; k < j; ++k) own[k] = value[k];
}

void covariances(ptrdiff_t r, const double* x_, const BlockTerm* terms, ptrdiff_t count,
                 const double* diagonal, double* k_, double* const* slopes, double* scratch_) {
  const Lanes* const x = eights(x_);
  Lanes *const scratch = eights(scratch_), *const other = scratch + 2 * r;
  double own = 0;
  for (ptrdiff_t t = 0; t < count; ++t) own += terms[t].variance;
  for (ptrdiff_t j = 0; j < r; ++j) {
    Lanes* const k = eights(k_) + triangle(j);
    for (ptrdiff_t t = 0; t < count; ++t) {
      term_row(terms[t], r, j, x, t ? other : k, slopes, scratch);
      if (t)
        for (ptrdiff_t i = 0; i < j; ++i) k[i] += other[i];
    }
    k[j] = own + eights(diagonal)[j];
  }
}

// Entries (j0 + a, k0 + b) of L, from the columns before k0 and the triangle at k0.
template <int tall, int wide>
inline void tile(Lanes* k, const Lanes* inverse, ptrdiff_t j0, ptrdiff_t k0) {
  Lanes* rows[tall];
  const Lanes* columns[wide];
  Lanes t[tall][wide];
  for (int a = 0; a < tall; ++a) rows[a] = k + triangle(j0 + a);
  for (int b = 0; b < wide; ++b) columns[b] = k + triangle(k0 + b);
  for (int a = 0; a < tall; ++a)
    for (int b = 0; b < wide; ++b) t[a][b] = rows[a][k0 + b];
  for (ptrdiff_t q = 0; q < k0; ++q) {
    Lanes l[wide];
    for (int b = 0; b < wide; ++b) l[b] = columns[b][q];
    for (int a = 0; a < tall; ++a) {
      const Lanes x = rows[a][q];
      for (int b = 0; b < wide; ++b) t[a][b] -= x * l[b];
    }
  }
  for (int b = 0; b < wide; ++b) {
    for (int q = 0; q < b; ++q) {
      const Lanes l = columns[b][k0 + q];
      for (int a = 0; a < tall; ++a) t[a][b] -= t[a][q] * l;
    }
    for (int a = 0; a < tall; ++a) rows[a][k0 + b] = t[a][b] *= inverse[k0 + b];
  }
}

// The triangle at k0.
template <int wide>
inline void corner(Lanes* k, Lanes* inverse, ptrdiff_t k0, double level) {
  Lanes* rows[wide];
  Lanes t[wide][wide];
  for (int a = 0; a < wide; ++a) rows[a] = k + triangle(k0 + a);
  for (int a = 0; a < wide; ++a)
    for (int b = 0; b <= a; ++b) t[a][b] = rows[a][k0 + b];
  alignas(64) double least[wide][block_lanes];
  for (int a = 0; a < wide; ++a) *eights(least[a]) = level * t[a][a];
  for (ptrdiff_t q = 0; q < k0; ++q)
    for (int a = 0; a < wide; ++a)
      for (int b = 0; b <= a; ++b) t[a][b] -= rows[a][q] * rows[b][q];
  for (int b = 0; b < wide; ++b) {
    for (int q = 0; q < b; ++q)
      for (int a = b; a < wide; ++a) t[a][b] -= t[a][q] * t[b][q];
    alignas(64) double pivot[block_lanes];
    *eights(pivot) = t[b][b];
    for (ptrdiff_t l = 0; l < block_lanes; ++l)
      pivot[l] = pivot[l] > least[b][l] ? 1 / __builtin_sqrt(pivot[l]) : 0.0;
    inverse[k0 + b] = *eights(pivot);
    for (int a = b; a < wide; ++a) rows[a][k0 + b] = t[a][b] *= inverse[k0 + b];
  }
}

template <int wide>
void columns_at(Lanes* k, Lanes* inverse, ptrdiff_t k0, ptrdiff_t end, double level) {
  corner<wide>(k, inverse, k0, level);
  ptrdiff_t j = k0 + wide;
  for (; j + 4 <= end; j += 4) tile<4, wide>(k, inverse, j, k0);
  for (; j + 2 <= end; j += 2) tile<2, wide>(k, inverse, j, k0);
  for (; j < end; ++j) tile<1, wide>(k, inverse, j, k0);
}

void factorize(ptrdiff_t r, ptrdiff_t c, double level, double* k_, double* inverse_) {
  Lanes *const k = eights(k_), *const inverse = eights(inverse_);
  const ptrdiff_t m = r - 1;
  ptrdiff_t k0 = 0;
  for (; k0 + 4 <= m; k0 += 4) columns_at<4>(k, inverse, k0, r + c, level);
  if (m - k0 == 3) columns_at<3>(k, inverse, k0, r + c, level);
  if (m - k0 == 2) columns_at<2>(k, inverse, k0, r + c, level);
  if (m - k0 == 1) columns_at<1>(k, inverse, k0, r + c, level);
  const Lanes* const last = k + triangle(m);
  for (ptrdiff_t i = r + c; i-- > m;) {  // its own pivot last: the others need what is before it alone
    Lanes* const row = k + triangle(i);
    Lanes sum = row[m];
    for (ptrdiff_t q = 0; q < m; ++q) sum -= last[q] * row[q];
    row[m] = sum;
  }
}

void solve_back(ptrdiff_t r, ptrdiff_t c, const double* inverse_, double* k_) {
  Lanes* const k = eights(k_);
  const ptrdiff_t m = r - 1;
  for (ptrdiff_t i = 0; i <= c; i += 2) {
    Lanes *const b = k + triangle(m + i), *const b2 = i < c ? k + triangle(m + i + 1) : nullptr;
    for (ptrdiff_t j = m; j-- > 0;) {
      const Lanes* const l = k + triangle(j);
      const Lanes inverse = eights(inverse_)[j], x = b[j] *= inverse;
      if (b2) {
        const Lanes x2 = b2[j] *= inverse;
        for (ptrdiff_t q = 0; q < j; ++q) b[q] -= l[q] * x, b2[q] -= l[q] * x2;
      } else {
        for (ptrdiff_t q = 0; q < j; ++q) b[q] -= l[q] * x;
      }
    }
  }
}

void multiply(ptrdiff_t r, const double* slope, double diagonal, const double* v_, double* u_) {
  const Lanes* const v = eights(v_);
  Lanes* const u = eights(u_);
  for (ptrdiff_t j = 0; j < r; ++j) {
    const Lanes* const d = eights(slope) + triangle(j - 1);
    const Lanes vj = v[j];
    Lanes sum = diagonal * vj;
    for (ptrdiff_t k = 0; k < j; ++k) {
      sum += d[k] * v[k];
      u[k] += d[k] * vj;
    }
    u[j] = sum;
  }
}

void multiply_squares(ptrdiff_t r, const double* slope, const double* x_, const double* v_, double* u_) {
  const Lanes *const v = eights(v_), *const x = eights(x_);
  Lanes* const u = eights(u_);
  for (ptrdiff_t j = 0; j < r; ++j) {
    const Lanes* const d = eights(slope) + triangle(j - 1);
    const Lanes vj = v[j], xj = x[j];
    Lanes sum = {};
    for (ptrdiff_t k = 0; k < j; ++k) {
      const Lanes off = xj - x[k], q = off * off * d[k];
      sum += q * v[k];
      u[k] += q * vj;
    }
    u[j] = sum;
  }
}

void sums(ptrdiff_t n, const double* a, const double* b, double* out) {
  Lanes sum = {};
  for (ptrdiff_t i = 0; i < n; ++i) sum += eights(a)[i] * eights(b)[i];
  *eights(out) = sum;
}

}  // namespace

extern const BlockLoops block_table;
const BlockLoops block_table{covariances, factorize, solve_back, multiply, multiply_squares, sums};

}  // namespace covary::simd::COVARY_ISA
