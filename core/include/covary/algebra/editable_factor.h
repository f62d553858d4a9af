// A Cholesky factor K = L L' that is edited in place: rows come, go and change, each at O(n^2).
//
// Factor (factor.h) is immutable and shared; this is its growing sibling. It carries right-hand sides R
// along: Z = L^-1 R goes through every edit by the same rotations, so that no edit needs a solve of its own.
#pragma once
#include "covary/algebra/factor.h"

namespace covary {

/// Storage has room to spare and grows by half when it is full, so that appending seldom copies.
/// An edit that returns false or throws has changed nothing.
class EditableFactor {
 public:
  /// An empty factor that carries so many right-hand sides.
  explicit EditableFactor(Index carried = 0) : c_(carried), z_(carried, 0) {}
  /// Of K, carrying the columns of `right` (n x c).
  EditableFactor(const Factor& factor, const Matrix& right);

  Index size() const { return n_; }
  Index carried() const { return c_; }
  Eigen::Ref<const Matrix> halves() const { return z_.topLeftCorner(c_, n_); }  // c x n: (L^-1 R)'
  double log_determinant() const;                                               // of K

  /// K <- [K B; B' S], R <- [R; right]: B n x q, S q x q, right q x c. n^2 q flops. False unless positive
  /// definite to rounding.
  bool append(const Matrix& b, const Matrix& s, const Matrix& right, int threads = 1);
  /// The same with L^-1 B known: n q^2 flops.
  bool append_half(const Matrix& half, const Matrix& s, const Matrix& right);
  /// Without row and column i: the trailing block is L33 L33' + l l', a sum, so nothing is lost. Up to 3 n^2
  /// flops.
  void remove(Index i);
  /// K_ii <- K_ii + v, by rotations: up to 3 n^2 flops. A negative v is taken off by rotations too
  /// [linpack1979]; false where that would leave less than 1e-5 of the conditional variance: factorize anew.
  bool add_to_diagonal(Index i, double v);
  /// R_ic <- R_ic + v: (n - i)^2 flops.
  void add_to_right(Index i, Index c, double v);
  /// Right-hand side c is another one (n): n^2 flops.
  void replace_right(Index c, const Vector& right);
  /// More right-hand sides (n x m), behind the others: n^2 m flops.
  void carry(const Matrix& right, int threads = 1);
  /// Without right-hand side c.
  void drop(Index c) noexcept;

  Vector half_solve(Vector b) const;             // L^-1 b: n^2 flops, one pass over L
  Vector half_solve_transposed(Vector b) const;  // L'^-1 b
  Vector solve(Vector b) const { return half_solve_transposed(half_solve(std::move(b))); }  // K^-1 b
  Matrix half_solve(const Matrix& b, int threads) const;  // L^-1 B: n x m, each column whatever the others
  Matrix half_solve_transposed(Matrix b, int threads) const;  // L'^-1 B
  Matrix inverse(int threads) const;                          // n x n: K^-1, both triangles; 2n^3/3 flops
  Matrix lower_copy() const { return lower(); }               // n x n: L, 0 above the diagonal
  /// The columns `which` of L L': n x k.
  Matrix columns(const std::vector<Index>& which) const;
  /// L Z_c: what right-hand side c has become.
  Vector right(Index c) const;
  /// A Factor of the current K, its condition estimated anew: O(n^2), and copies as many doubles.
  Factor factor() const;

 private:
  Eigen::Ref<const Matrix> lower() const { return l_.topLeftCorner(n_, n_); }
  void reserve(Index n);
  Index room() const { return l_.cols(); }
  double* column(Index j) { return l_.data() + j * l_.rows(); }
  const double* column(Index j) const { return l_.data() + j * l_.rows(); }
  void forward(Index first, double* x) const;  // x <- L^-1 x, x being 0 before `first`
  /// [L w] Q = [L' 0] for the columns from `first` on, w being 0 before; t (c): what w has of R.
  void absorb(Index first, Vector& w, Vector& t);
  /// [L 0] Q = [L' x] where a = L^-1 x is 0 before `first` and rest^2 = 1 - |a|^2.
  void release(Index first, const Vector& a, double rest);
  Index n_ = 0, c_ = 0;
  Matrix l_;  // rows x room, the identity beyond n; rows a little longer than room: no column begins where
              // another does in cache
  Matrix z_;  // at least c x room: right-hand sides of one row stand together
};

}  // namespace covary
