// A pool's candidates near the separators of a classifier by hashing, for any kernel with few explicit features.
//
// f is affine in the features phi, f(x) = a + beta'phi(x) with L beta = f(S) - a: r + 1 values of f give it.
#pragma once
#include "covary/select/explicit_features.h"
#include "covary/select/hyperplane_hash.h"
#include "covary/select/pool.h"

namespace covary::internal {

class HashedSeparator {
 public:
  static constexpr Index most_rank = 512;  // of a kernel that can be hashed

  /// Throws Problem::usage if the kernel has more features.
  HashedSeparator(const Pool& pool, Index bits, int threads);
  /// Candidates that were looked at, and |f| of the nearest machine of c.
  std::vector<std::pair<Index, double>> nearest(const PoolClassifier& c,
                                                const std::function<bool(Index)>& open) const;

 private:
  ExplicitFeatures features_;
  Eigen::RowVectorXd middle_;  // r: of the features
  double constant_ = 1;
  std::vector<HyperplaneHash>
      hashes_;  // a single one would find the same part of a separator again and again
};

/// How well hashing did, where it was checked against the scan of all candidates.
struct HashRecall {
  Index looked = 0, of = 0;  // candidates, in all calls
  Index checks = 0, first = 0, near = 0;
  /// So many of `all` open candidates were nearer than the one found.
  void add(Index nearer, Index all) { ++checks, first += nearer == 0, near += 100 * nearer <= all; }
  std::string text() const;
};

}  // namespace covary::internal
