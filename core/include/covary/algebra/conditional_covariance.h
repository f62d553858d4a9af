// The covariances of n variables given noisy observations of some of them, one more at a time: a partial
// Cholesky decomposition.
//
//   cov(f | S) = K - G G',   G = K_:S L'^-1  (n x s),   K_SS + noise = L L'
//   another i:   g = (K_:i - G G_i') / sqrt(remaining_i + noise_i),   remaining <- remaining - g o g
//
// Every greedy choice (sensors, labels, inducing points, pivots) is this update with a rule for the next i.
//
// Where the s initial observations would make G too large, only L (s x s) is kept: rows of G are then solved for,
// G G_i' = K_:S L'^-1 G_i', and memory is a few numbers per variable.
#pragma once
#include "covary/algebra/covariances.h"

namespace covary {

class ConditionalCovariance {
 public:
  /// An observation whose variance is at most `nothing` times the prior's is redundant: its column of G is 0.
  explicit ConditionalCovariance(Covariances k = {}, int threads = 1, double nothing = 0);
  /// Called with the share of a long computation that is done, from any thread but never concurrently.
  void watched_by(std::function<void(double share)> watch) { watch_ = std::move(watch); }

  const Covariances& prior() const { return k_; }
  Index size() const { return k_.size; }                    // n
  Index count() const { return std::ssize(rows_); }         // s
  const std::vector<Index>& rows() const { return rows_; }  // S, in the order they came
  const Vector& remaining() const { return remaining_; }    // n: diag cov(f | S)
  const Vector& roots() const { return roots_; }            // s: diag L; 0: a redundant observation
  Index first_kept() const { return dense_; }               // columns of G before it are not kept
  Eigen::Ref<const Vector> column(Index j) const;           // n: column j of G, from first_kept() on
  Matrix rows_of_g(const std::vector<Index>& some) const;   // q x s; s^2 flops each without columns

  /// One column of K and 2 n s flops.
  void condition_on(Index i, double noise);
  /// The same with column i of K, which the caller has: K may have no blocks.
  void condition_on(Index i, double noise, const Eigen::Ref<const Vector>& column);
  /// Several, with the noise of each: n s q flops in matrix products.
  void condition_on(const std::vector<Index>& some, const Vector& noise);
  /// The initial observations, of which only L is kept: n s^2 flops, s^2 doubles. `right` (s x c) becomes L^-1 of
  /// it, then seen(run, L^-1 K(some, run)) for runs of variables, from any thread. False, and nothing is done,
  /// if one of them is redundant: then L is singular.
  bool begin_with(const std::vector<Index>& some, const Vector& noise, Matrix& right,
                  const std::function<void(Range, const Matrix&)>& seen);
  /// Truncates to the first s observations; not fewer than the initial ones.
  void truncate(Index s);
  /// Room for so many more: n doubles each.
  void reserve(Index more);

  /// Some variables made ready: s^2 flops each, once for all runs.
  struct Prepared {
    std::vector<Index> at;
    Matrix own;      // q x s: their rows of G
    Matrix weights;  // first_kept() x q: L'^-1 of those, for the observations whose columns are not kept
  };
  Prepared prepare(std::vector<Index> at) const;
  /// cov(f_i, f_j | S) for a run of variables i and those: 2 s flops each.
  Matrix covariance(Range r, const Prepared& others) const;
  /// n: with variable i.
  Vector covariance(Index i) const;

 private:
  struct Panel {
    Index first;  // column of G
    Matrix g;     // n x width, 0 beyond s: G grows without being copied
  };
  void subtract(Range r, const Prepared& others, Matrix& part) const;
  void add_column(Index i, double noise, const std::function<void(Range, Matrix&)>& fill);
  void took(Index i, double root);
  void reduce(Range r, const Eigen::Ref<const Vector>& g);
  size_t panel_of(Index j) const;
  Index room() const { return panels_.empty() ? dense_ : panels_.back().first + panels_.back().g.cols(); }

  Covariances k_;
  int threads_;
  double nothing_;
  std::function<void(double)> watch_ = {};
  std::vector<Index> rows_;
  Vector remaining_, roots_;
  Index dense_ = 0;         // so many observations have L in the place of their columns of G
  Matrix lower_;            // dense x dense: L
  Vector dense_remaining_;  // n: what those leave
  std::vector<Panel> panels_;
};

}  // namespace covary
