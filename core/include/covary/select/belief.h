// What a Gaussian process believes of every candidate of a pool, while labels arrive one at a time.
//
// With n labels, K + noise = L L' on them, and m candidates, it keeps the rows of
//
//   C = K(pool, labelled) L'^-1  (m x n),   spread = k(x, x) - row sums of C^2,   base = C L^-1 y
//
// A label at candidate y costs one column, c = (k_y - C C_y')/sqrt(spread_y + noise_y): 2 m n flops, and a
// pass over C. Unknown trends are kept the same way: U = F - C L^-1 F. Equal to conditioning a Process.
//
// A candidate may be pending: asked for, not answered yet. The variance counts it, the mean does not.
#pragma once
#include "covary/select/pool.h"

namespace covary {

class Belief {
 public:
  /// Of labels with `targets` numbers each.
  explicit Belief(Pool pool, Index targets = 1, int threads = 0);

  /// A label (c) at a candidate. 2 m n flops, or m if it was the first that is pending.
  void tell(Index candidate, const Vector& label);
  /// Many at once: labels is q x c. m n q flops in matrix products.
  void tell(const std::vector<Index>& candidates, const Matrix& labels);
  /// A label that is on its way.
  void pend(Index candidate);
  /// None is.
  void drop_pending();
  /// The same candidates and labels under another kernel, trend or noise; m n^2 flops. None is pending then.
  void replace(Pool pool);

  const Pool& pool() const { return pool_; }
  int threads() const { return threads_; }
  Index labels() const { return labels_; }                        // n
  Index pending() const { return std::ssize(order_) - labels_; }  // asked for
  const std::vector<Index>& order() const { return order_; }      // the labelled, then the pending
  const Matrix& targets() const { return targets_; }              // n x c
  /// n x c and p x c: mean = known + K(., labelled) alpha + F beta, anywhere. n^2 c flops.
  struct Weights {
    Matrix alpha, beta;
  };
  Weights weights() const;
  Matrix mean() const;                       // m x c, of f
  Vector variance() const;                   // m, of f
  Vector covariance(Index candidate) const;  // m, with f there
  /// cov(f_i, f_j) for a run of candidates and some others: 2 n flops each.
  Matrix covariance(Range r, const std::vector<Index>& others) const;

  // For those who follow along, column by column.
  Eigen::Ref<const Vector> column(Index j) const;  // m: column j of C
  /// Changes when the columns so far are no longer those that were.
  Index generation() const { return generation_; }
  /// T (m x p) such that the trend adds T T' to the covariance without it; p = 0 until the labels determine
  /// it.
  Matrix trend() const;

 private:
  static constexpr Index wide = 32;  // columns in a panel: C grows without being copied
  void append(Index candidate);
  void append(const std::vector<Index>& candidates);
  void follow();  // what the latest column does to the rest
  Vector row(Index candidate) const;
  Matrix rows(const std::vector<Index>& candidates) const;
  Matrix trend_of(const Matrix& left) const;  // rows of U -> rows of T
  Eigen::Ref<Vector> place(Index j);
  void answer(Index candidate, const Vector& label);
  Matrix coefficients() const;  // p x c, of the trend; 0 until the labels determine it

  Pool pool_;
  int threads_;
  Index labels_ = 0, generation_ = 0;
  std::vector<Index> order_;
  std::vector<Matrix> panels_;  // of C
  Vector roots_;                // n: sqrt(spread + noise) when it was added; 0: it told nothing new
  Vector spread_;               // m
  Matrix left_;                 // m x p: U
  Matrix half_basis_;           // n x p: L^-1 F
  Matrix targets_, half_;       // n x c: the labels, and L^-1 of them
  Matrix base_;                 // m x c: C L^-1 y
};

}  // namespace covary
