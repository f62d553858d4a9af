// C <- C + alpha A B in tiles that stay in registers, A and B packed so that a tile reads them in order. For machines
// without BLAS.
#include "base/simd/simd.h"

namespace covary::simd::COVARY_ISA {
namespace {

using std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr int register_numbers = 8;
#elif defined(__AVX__)
constexpr int register_numbers = 4;
#else
constexpr int register_numbers = 2;
#endif
constexpr int tile_rows = 2 * register_numbers, tile_columns = 4;  // a tile

using Held __attribute__((vector_size(8 * register_numbers), aligned(8), may_alias)) = double;
inline Held load(const double* x) { return *reinterpret_cast<const Held*>(x); }
inline void store(double* x, Held s) { *reinterpret_cast<Held*>(x) = s; }

/// Panels of `least` of the n lines of a matrix, `depth` deep, the last filled up with zeros: panel after panel,
/// each step of the depth together.
template <int least>
void pack(const Strided& a, ptrdiff_t first, ptrdiff_t n, ptrdiff_t from, ptrdiff_t depth, double factor,
          double* to) {
  for (ptrdiff_t i = first; i < first + n; i += least)
    for (ptrdiff_t k = from; k < from + depth; ++k)
      for (int r = 0; r < least; ++r)
        *to++ = i + r < first + n ? factor * a.data[(i + r) * a.line + k * a.step] : 0.0;
}

/// The tile sum over the depth, column after column.
inline void tile(const double* a, const double* b, ptrdiff_t depth, double* out) {
  Held sum[tile_columns][2] = {};
  for (ptrdiff_t k = 0; k < depth; ++k) {
    const Held low = load(a + k * tile_rows), high = load(a + k * tile_rows + register_numbers);
    for (int j = 0; j < tile_columns; ++j) {
      const double t = b[k * tile_columns + j];
      sum[j][0] += low * t;
      sum[j][1] += high * t;
    }
  }
  for (int j = 0; j < tile_columns; ++j)
    store(out + j * tile_rows, sum[j][0]), store(out + j * tile_rows + register_numbers, sum[j][1]);
}

void add(const double* sums, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t below, double* c, ptrdiff_t ldc) {
  for (ptrdiff_t j = 0; j < columns; ++j) {
    const ptrdiff_t from = j - below > 0 ? j - below : 0;
    for (ptrdiff_t i = from; i < rows; ++i) c[i + j * ldc] += sums[i + j * tile_rows];
  }
}

}  // namespace

void add_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t depth, double alpha, const Strided& a, const Strided& b,
                 bool lower, double* c, ptrdiff_t ldc, double* space);
void add_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t depth, double alpha, const Strided& a, const Strided& b,
                 bool lower, double* c, ptrdiff_t ldc, double* space) {
  double *const rows = space, *const columns = space + product_rows * product_depth;
  double sums[tile_rows * tile_columns];
  for (ptrdiff_t k = 0; k < depth; k += product_depth) {
    const ptrdiff_t slice = depth - k < product_depth ? depth - k : product_depth;
    for (ptrdiff_t j = 0; j < n; j += product_columns) {
      const ptrdiff_t nj = n - j < product_columns ? n - j : product_columns;
      pack<tile_columns>(b, j, nj, k, slice, 1, columns);
      for (ptrdiff_t i = 0; i < m; i += product_rows) {
        const ptrdiff_t mi = m - i < product_rows ? m - i : product_rows;
        if (lower && i + mi <= j) continue;
        pack<tile_rows>(a, i, mi, k, slice, alpha, rows);
        for (ptrdiff_t q = 0; q < nj; q += tile_columns)
          for (ptrdiff_t p = 0; p < mi; p += tile_rows) {
            const ptrdiff_t below = i + p - (j + q);  // rows of the tile's corner below the diagonal
            if (lower && below + tile_rows <= 0) continue;
            tile(rows + p * slice, columns + q * slice, slice, sums);
            add(sums, mi - p < tile_rows ? mi - p : tile_rows, nj - q < tile_columns ? nj - q : tile_columns,
                lower ? below : tile_columns, c + i + p + (j + q) * ldc, ldc);
          }
      }
    }
  }
}

}  // namespace covary::simd::COVARY_ISA
