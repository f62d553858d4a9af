// A Cholesky factor K = L L' that knows its condition. Immutable: editable_factor.h is edited in place.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "covary/algebra/gram.h"

namespace covary {

class Factor;
namespace internal {
class RemoteMatrix;
std::optional<Factor> factorize_regular(const Gram&, const Vector&, int);
std::optional<Factor> factorize_plain(const Gram&, const Vector&, int);
}  // namespace internal

/// Jitter and condition of a factorization.
struct Conditioning {
  double jitter = 0;                // added to every diagonal entry; 0 almost always
  double reciprocal_condition = 1;  // of the factored matrix, an estimate
  Index row = -1, twin = -1;        // with jitter: the two rows that nearly coincide
};

/// Immutable. Rows are stored in multiples of 32 (identity beyond n). The solution of a column has the same
/// bits whatever columns stand beside it.
class Factor {
 public:
  Factor() = default;
  /// Of a lower triangle that is known already; its condition is estimated if |K|_1 is given.
  static Factor of(const Matrix& lower, double norm = 0);
  Index size() const { return n_; }
  const Conditioning& conditioning() const { return conditioning_; }

  double log_determinant() const;  // of K
  Vector diagonal() const;         // n: of K. n^2 flops
  Vector pivots() const;           // n: variance of each row given those before it, L_ii^2
  Matrix lower_copy() const;       // n x n: L, 0 above the diagonal
  /// L^-1 b: n x m. n^2 m flops.
  Matrix half_solve(const Matrix& b, int threads = 1) const;
  /// L'^-1 b.
  Matrix half_solve_transposed(const Matrix& b, int threads = 1) const;
  /// K^-1 b.
  Vector solve(const Vector& b) const { return half_solve_transposed(half_solve(b)); }
  /// diag K^-1, in blocks of columns: n^3/3 flops and no second matrix.
  Vector inverse_diagonal(int threads = 1) const;
  /// L^-1, n x n, 0 above the diagonal. n^3/3 flops.
  Matrix half_inverse(int threads = 1) const;
  /// The factor of [K B; B' S]: O(n^2 q). Nothing if that is not positive definite.
  std::optional<Factor> grown(const Matrix& b, const Matrix& s, int threads = 1) const;

  /// The lower triangle for a file: its columns in order, n, n - 1, ..., 1 numbers.
  void for_columns(const std::function<void(std::span<const double>)>& take) const;
  /// Where it is held, if not here.
  const std::shared_ptr<internal::RemoteMatrix>& remote() const { return remote_; }
  /// And back: `fill` writes each column. Throws a limit Error before it starts if n^2 doubles are not there.
  static Factor from_columns(Index n, const Conditioning& conditioning,
                             const std::function<void(std::span<double>)>& fill);

 private:
  friend Factor factorize(const internal::Gram&, const Vector&, int);
  friend std::optional<Factor> internal::factorize_regular(const internal::Gram&, const Vector&, int);
  friend std::optional<Factor> internal::factorize_plain(const internal::Gram&, const Vector&, int);
  friend class EditableFactor;
  explicit Factor(Index n);
  Eigen::Ref<const Matrix> lower() const;  // n x n; only the lower triangle means anything
  /// Of K + diag(noise + jitter). The row where it broke down, or -1. With `plain` a pivot at the rounding
  /// level is as good as any.
  Index take(const internal::Gram& gram, const Vector& noise, double jitter, int threads, bool plain = false);
  Index take_remote(const internal::Gram& gram, const Vector& noise, double jitter, int threads, bool plain);
  static Factor for_gram(const internal::Gram& gram);
  Index n_ = 0;
  std::shared_ptr<Matrix> storage_;
  std::shared_ptr<internal::RemoteMatrix> remote_;  // in the place of storage_
  Vector diagonal_, pivots_;                        // of a remote one: of K, and L_ii^2
  Conditioning conditioning_;
};

/// The factor of K + diag(noise). If K is numerically singular the diagonal is raised by 1e-12 to 1e-6 of its
/// mean, and conditioning() says so; past that, throws a numerical Error with the eigenvalue that shows why.
/// n^2 doubles; throws a limit Error before it starts if they are not there.
Factor factorize(const internal::Gram& gram, const Vector& noise, int threads = 1);

namespace internal {
/// The same without raising anything: nothing if K + diag(noise) is singular to rounding.
std::optional<Factor> factorize_regular(const Gram& gram, const Vector& noise, int threads = 1);

/// The same as LAPACK sees it: nothing only if a pivot is not positive.
std::optional<Factor> factorize_plain(const Gram& gram, const Vector& noise, int threads = 1);

/// A factor that is made again and again in the same n^2 doubles, where only numbers come of it: L, then K^-1.
class FactorScratch {
 public:
  FactorScratch() = default;
  /// A matrix that is elsewhere is not copied: the copy makes one of its own.
  FactorScratch(const FactorScratch& other) : k_(other.k_) {}
  FactorScratch& operator=(const FactorScratch& other) {
    if (this != &other) k_ = other.k_, remote_.reset();
    return *this;
  }
  /// Of K + diag(noise), n^3/3 flops: as factorize() goes about it, in place. False if it is not positive
  /// definite or not finite, or, if `accurate`, singular to rounding. Throws a limit Error before it allocates
  /// more than there is.
  bool factorize(const Gram& gram, const Vector& noise, bool accurate, int threads);
  double log_determinant() const;
  void half_solve(Matrix& b, int threads) const;             // b <- L^-1 b
  void half_solve_transposed(Matrix& b, int threads) const;  // b <- L'^-1 b

  /// L -> K^-1: 2n^3/3 flops. What follows is of no meaning before it, what is above none after it.
  void invert(int threads);
  void subtract_from_inverse(const Matrix& q, int threads);  // K^-1 <- K^-1 - q q'
  Vector inverse_diagonal() const;
  Matrix inverse() const;
  /// sum_ij G_ij dK_ij/dtheta, G = 1/2 (A A' - m K^-1), of the Gram it was made from. A: n x c.
  Vector contract(const Gram& gram, const Matrix& a, double m, int threads) const;

 private:
  Matrix k_;                              // the lower triangle
  std::shared_ptr<RemoteMatrix> remote_;  // in its place
  Vector diagonal_;                       // of the remote one: of L, then of K^-1
};

/// True if a factor's diagonal fell to the rounding level of the matrix's: the factor exists but is
/// meaningless.
bool is_singular(const Eigen::Ref<const Matrix>& lower, const Vector& diagonal);

/// A root G of a positive semi-definite matrix whose entries are off by `rounding`: A = G G', m x m. Column i
/// is what row i adds to those before it, in the order of the rows or, if A is near singular, the largest
/// first; 0 where a row adds nothing.
Matrix root(const Matrix& a, double rounding = 0);
}  // namespace internal

}  // namespace covary
