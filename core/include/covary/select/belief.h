// What a Gaussian process believes of every candidate of a pool, while labels arrive one at a time.
//
// With n labels, K + noise = L L' on them, and m candidates, it keeps the rows of
//
//   C = K(pool, labelled) L'^-1  (m x n),   spread = k(x, x) - row sums of C^2,   base = C L^-1 y
//
// A label at candidate y costs one column, c = (k_y - C C_y')/sqrt(spread_y + noise_y): 2 m n flops, and a
// pass over C. Unknown trends are kept the same way: U = F - C L^-1 F. Equal to conditioning a Process.
//
// Where the n labels to begin with would make C too large, only L is kept of it, n x n: rows of C are then
// solved for, C C_y' = K(pool, labelled) L'^-1 C_y', and memory is a few numbers a candidate.
//
// A candidate may be pending: asked for, not answered yet. The variance counts it, the mean does not.
#pragma once
#include "covary/select/pool.h"

namespace covary {

class Belief {
 public:
  static constexpr Index most_kept = Index{1} << 26;  // numbers of C: 512 MiB

  /// Of labels with `targets` numbers each. C may have up to `most` numbers for the labels to begin with.
  explicit Belief(Pool pool, Index targets = 1, int threads = 0, Index most = most_kept);
  /// Told what share of a long piece of work is done, from any thread but never twice at once.
  using Watch = std::function<void(const char* work, double share)>;
  void watched_by(Watch watch) { watch_ = std::move(watch); }
  /// fn(run) for runs of candidates across threads (for_runs), told to whoever watches.
  void runs(const char* work, const std::function<void(Range)>& fn) const;

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
  /// Some candidates made ready: n^2 flops each, once for all runs.
  struct Some {
    std::vector<Index> at;
    Matrix own;      // q x n: their rows of C
    Matrix weights;  // n x q: L'^-1 of those, for the labels of which C is not kept
  };
  Some ready(std::vector<Index> at) const;
  /// The covariance without what the trend adds to it.
  Matrix without_trend(Range r, const Some& others) const;

  // For those who follow along, column by column.
  Eigen::Ref<const Vector> column(Index j) const;  // m: column j of C, from first_kept() on
  Index first_kept() const { return lean_; }
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
  bool begin_lean(const std::vector<Index>& candidates, const Matrix& labels);
  Matrix lean_weights(const Matrix& own) const;
  void subtract(Range r, const Some& others, Matrix& part) const;
  Matrix rows(const std::vector<Index>& candidates) const;
  Matrix trend_of(const Matrix& left) const;  // rows of U -> rows of T
  Eigen::Ref<Vector> place(Index j);
  void answer(Index candidate, const Vector& label);
  Matrix coefficients() const;  // p x c, of the trend; 0 until the labels determine it

  Pool pool_;
  int threads_;
  Index most_;
  Index labels_ = 0, generation_ = 0;
  Index lean_ = 0;  // so many labels have L in the place of their columns of C
  Watch watch_ = {};
  std::vector<Index> order_;
  Matrix factor_;               // lean x lean: L
  Vector lean_spread_;          // m: what those leave
  Matrix lean_left_;            // m x p
  std::vector<Matrix> panels_;  // of C, from column `lean` on
  Vector roots_;                // n: sqrt(spread + noise) when it was added; 0: it told nothing new
  Vector spread_;               // m
  Matrix left_;                 // m x p: U
  Matrix half_basis_;           // n x p: L^-1 F
  Matrix targets_, half_;       // n x c: the labels, and L^-1 of them
  Matrix base_;                 // m x c: C L^-1 y
};

}  // namespace covary
