// Hyperplane hashing: the point nearest to a hyperplane, without a scan of all points [jain2010].
//
//   h(x) = sgn(x'U x),  for the hyperplane w'x = 0:  sgn(-w'U w),  U = u_1 v_1' + ... + u_q v_q', normal entries
//
// The embedding hash of the paper (U in place of all d^2 products) with its two-bit hash as q = 1: the product of
// sgn(u'x) and sgn(v'x). It agrees with probability 1/2 for a point in the hyperplane and less often for points at an
// angle to it. b bits make 2^b buckets, which are searched in decreasing probability of a near point: bits with
// a small |w'U w| are flipped first, until `look` points were seen; their distances are exact.
//
// The gain depends on the points: angles vary where a few directions have most of the variance; among isotropic
// points in 100 dimensions all angles are nearly the same, and the result is the nearest of a random sample.
#pragma once
#include <functional>
#include <vector>

#include "covary/base/types.h"

namespace covary {

struct HashOptions {
  Index bits = 0;  // 0: about 64 points a bucket
  Index look = 0;  // points at least; 0: 1 in 40, but 1000 at least
  std::uint64_t seed = 1;
  int threads = 0;  // of the construction
};

class HyperplaneHash {
 public:
  /// Of points (m x d), which are copied in single precision: m b q d flops. A constant among the columns gives
  /// hyperplanes an offset.
  explicit HyperplaneHash(Rows x, const HashOptions& options = {});

  struct Found {
    std::vector<Index> points;  // those looked at that are open
    Vector products;            // w'x of each, to single precision
    Index best = -1;            // the one with the smallest |w'x|, -1: none is open
  };
  /// look d flops. open(i): whether point i may be found.
  Found nearest(const Vector& w, const std::function<bool(Index)>& open = {}) const;

  Index size() const { return std::ssize(order_); }
  Index bits() const { return bits_; }

 private:
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
  Index bits_, look_;
  std::vector<Matrix> left_, right_;  // for each bit: d x q
  std::vector<Index> order_;          // points by their bucket
  std::vector<Index> first_;          // 2^b + 1: where each bucket begins
  Floats points_;                     // d x m, in that order
};

}  // namespace covary
