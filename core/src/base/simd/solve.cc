// x <- L^-1 x by rows and columns of its own order: entry (i, j) is x_ij - L_i0 x_0j - L_i1 x_1j - ..., one
// fused step after the other, divided by L_ii. Whatever columns stand beside j, its bits are the same.
//
// One column reads L once and is as fast as memory. Many are taken in tiles that stay in registers; part of
// the columns of L, packed, stays in cache.
#include "base/simd/simd.h"

namespace covary::simd::COVARY_ISA {
namespace {

using std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr int width = 8, deep = 4;  // numbers in a register, registers in the height of a tile
#elif defined(__AVX__)
constexpr int width = 4, deep = 2;
#else
constexpr int width = 2, deep = 2;
#endif
constexpr int tall = width * deep, wide = 6;  // a tile
constexpr ptrdiff_t part = solve_part;        // columns of L at a time

using Some __attribute__((vector_size(8 * width), aligned(8), may_alias)) = double;
inline Some some(const double* x) { return *reinterpret_cast<const Some*>(x); }
inline void put(double* x, Some s) { *reinterpret_cast<Some*>(x) = s; }

/// `depth` columns of `tall` rows of L.
void pack(const double* l, ptrdiff_t ldl, ptrdiff_t depth, double* panel) {
  for (ptrdiff_t k = 0; k < depth; ++k)
    for (int v = 0; v < tall; v += width) put(panel + k * tall + v, some(l + k * ldl + v));
}

/// A tile of x, less panel (tall x depth) times done (depth x columns, row after row).
template <int columns>
inline void subtract(const double* panel, const double* done, ptrdiff_t depth, double* x, ptrdiff_t ldx) {
  Some tile[columns][deep];
  for (int j = 0; j < columns; ++j)
    for (int v = 0; v < deep; ++v) tile[j][v] = some(x + v * width + j * ldx);
  for (ptrdiff_t k = 0; k < depth; ++k) {
    Some column[deep];
    for (int v = 0; v < deep; ++v) column[v] = some(panel + k * tall + v * width);
    for (int j = 0; j < columns; ++j) {
      const double t = done[k * columns + j];
      for (int v = 0; v < deep; ++v) tile[j][v] -= column[v] * t;
    }
  }
  for (int j = 0; j < columns; ++j)
    for (int v = 0; v < deep; ++v) put(x + v * width + j * ldx, tile[j][v]);
}

/// The tile on the diagonal: its triangle, then `done`.
template <int columns>
inline void finish(const double* triangle, double* done, double* x, ptrdiff_t ldx) {
  for (int k = 0; k < tall; ++k)
    for (int j = 0; j < columns; ++j) {
      double* const xj = x + j * ldx;
      const double t = xj[k] / triangle[k * tall + k];
      xj[k] = done[k * columns + j] = t;
      for (int i = k + 1; i < tall; ++i) xj[i] -= triangle[k * tall + i] * t;
    }
}

template <int columns>
void take(const double* panel, double* done, ptrdiff_t depth, bool diagonal, double* x, ptrdiff_t ldx) {
  subtract<columns>(panel, done, depth, x, ldx);
  if (diagonal) finish<columns>(panel + depth * tall, done + depth * columns, x, ldx);
}
constexpr decltype(&take<1>) takes[wide] = {take<1>, take<2>, take<3>, take<4>, take<5>, take<6>};

void solve_many(const double* l, ptrdiff_t ldl, ptrdiff_t n, double* x, ptrdiff_t ldx, ptrdiff_t m,
                double* space) {
  double *const panel = space, *const done = space + 32 * part;
  for (ptrdiff_t from = 0; from < n; from += part) {
    const ptrdiff_t to = n - from < part ? n : from + part;
    for (ptrdiff_t i = from; i < n; i += tall) {
      const bool diagonal = i < to;
      const ptrdiff_t depth = diagonal ? i - from : to - from;
      pack(l + i + from * ldl, ldl, diagonal ? depth + tall : depth, panel);
      for (ptrdiff_t j = 0; j < m; j += wide) {
        const ptrdiff_t columns = m - j < wide ? m - j : wide;
        takes[columns - 1](panel, done + j * part, depth, diagonal, x + i + j * ldx, ldx);
      }
    }
  }
}

void solve_one(const double* l, ptrdiff_t ldl, ptrdiff_t n, double* __restrict x) {
  constexpr int columns = 8;  // of L in one pass
  for (ptrdiff_t k = 0; k < n; k += columns) {
    const double* const lk = l + k * ldl;
    double t[columns];
    for (int c = 0; c < columns; ++c) {
      t[c] = x[k + c] /= lk[k + c + c * ldl];
      for (int r = c + 1; r < columns; ++r) x[k + r] -= lk[k + r + c * ldl] * t[c];
    }
    for (ptrdiff_t i = k + columns; i < n; i += width) {
      Some s = some(x + i);
      for (int c = 0; c < columns; ++c) s -= some(lk + i + c * ldl) * t[c];
      put(x + i, s);
    }
  }
}

}  // namespace

void solve_lower(const double* l, ptrdiff_t ldl, ptrdiff_t n, double* x, ptrdiff_t ldx, ptrdiff_t m,
                 double* space);
void solve_lower(const double* l, ptrdiff_t ldl, ptrdiff_t n, double* x, ptrdiff_t ldx, ptrdiff_t m,
                 double* space) {
  if (m > 4) return solve_many(l, ldl, n, x, ldx, m, space);
  for (ptrdiff_t j = 0; j < m; ++j) solve_one(l, ldl, n, x + j * ldx);
}

}  // namespace covary::simd::COVARY_ISA
