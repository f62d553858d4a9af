// The posterior of a Gaussian process at every candidate of a pool, updated as labels arrive one at a time.
//
// With n labels, K + noise = L L' on them, and m candidates, it keeps the rows of
//
//   C = K(pool, labelled) L'^-1  (m x n),   base = C L^-1 y
//
// as a ConditionalCovariance: a label costs one column, 2 m n flops. Unknown trends are kept the same way:
// U = F - C L^-1 F. Equal to conditioning a Process.
//
// A candidate may be pending: suggested, but not labelled yet. The variance counts it, the mean does not.
#pragma once
#include "covary/algebra/conditional_covariance.h"
#include "covary/select/pool.h"

namespace covary {

class PoolPosterior {
 public:
  static constexpr Index most_kept = Index{1} << 26;  // numbers of C: 512 MiB

  /// Each label has `targets` numbers. C may have up to `most` numbers for the initial labels.
  explicit PoolPosterior(Pool pool, Index targets = 1, int threads = 0, Index most = most_kept);
  /// Called with the share of a long computation that is done, from any thread but never concurrently.
  using Watch = std::function<void(const char* work, double share)>;
  void watched_by(Watch watch);
  /// fn(run) for runs of candidates across threads (for_runs), with progress reports.
  void runs(const char* work, const std::function<void(Range)>& fn) const;

  /// A label (c) at a candidate. 2 m n flops, or m if it was the first that is pending.
  void tell(Index candidate, const Vector& label);
  /// Many at once: labels is q x c. m n q flops in matrix products.
  void tell(const std::vector<Index>& candidates, const Matrix& labels);
  /// A pending label.
  void pend(Index candidate);
  /// Withdraws all pending labels.
  void drop_pending();
  /// The same candidates and labels under another kernel, trend or noise; m n^2 flops. None is pending then.
  void replace(Pool pool);

  const Pool& pool() const { return pool_; }
  int threads() const { return threads_; }
  Index labels() const { return labels_; }                           // n
  Index pending() const { return given_.count() - labels_; }         // asked for
  const std::vector<Index>& order() const { return given_.rows(); }  // the labelled, then the pending
  auto targets() const { return targets_.topRows(labels_); }         // n x c
  /// The covariances given the labelled and the pending, without what the trend adds to them.
  const ConditionalCovariance& without_trend() const { return given_; }
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
  /// Changes when earlier columns have changed.
  Index generation() const { return generation_; }
  /// T (m x p) such that the trend adds T T' to the covariance without it; p = 0 until the labels determine
  /// it.
  Matrix trend() const;

 private:
  void append(Index candidate);
  void follow(Index j);  // what column j of C does to the trend
  bool begin_without_columns(const std::vector<Index>& candidates, const Matrix& labels);
  Matrix trend_of(const Matrix& left) const;  // rows of U -> rows of T
  void answer(Index candidate, const Vector& label);
  Matrix coefficients() const;  // p x c, of the trend; 0 until the labels determine it

  Pool pool_;
  int threads_;
  Index most_;
  Index labels_ = 0, generation_ = 0;
  Watch watch_ = {};
  ConditionalCovariance given_;  // the labelled, then the pending
  Matrix first_left_;            // m x p: residual of F given the labels without columns
  Matrix left_;                  // m x p: U
  Matrix half_basis_;            // n x p: L^-1 F
  Matrix targets_, half_;        // n x c, more rows kept ready: the labels, and L^-1 of them
  Matrix base_;                  // m x c: C L^-1 y
};

}  // namespace covary
