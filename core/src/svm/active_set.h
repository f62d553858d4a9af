// The widest margin on a dense kernel matrix, in double and exact to rounding: an active set method.
//
//   maximize  y'w - w'Kw/2   over  sum w = 0,  0 <= y_i w_i <= bound
//
// Some weights are free, the others stand at an end of their range. At the optimum e = y - Kw, the gradient,
// is the same for all free ones (it is the separator's offset), not above it where a weight could grow and
// not below it where one could shrink. A step moves the free ones to their optimum, as far as the ranges
// allow, then frees the weight that violates this most.
#pragma once
#include <vector>

#include "covary/algebra/editable_factor.h"

namespace covary {

class ActiveSet {
 public:
  /// Borrows k (m x m, its mean diagonal about 1) and y (m: 1 or -1); `start` (m) is within the ranges and
  /// sums to 0 to rounding. Bounds (m) may be infinite.
  ActiveSet(const Matrix& k, const Vector& y, const Vector& bound, Vector start);

  /// Moves until no weight violates by more than the tolerance or rounding. False if the objective has no
  /// maximum, or none that rounding lets one see. O(m f + f^2) a step for f free ones.
  bool solve(double tolerance);

  const Vector& weights() const { return w_; }
  Index steps() const { return steps_; }
  /// After solve has failed: the point that it wanted to move without end.
  Index stuck() const { return stuck_; }

 private:
  struct Reach {
    double length;  // infinite if nothing stops it
    Index stop;     // what stops it, by its place
  };
  double rounding() const;
  double offset() const;
  double spread() const;
  bool begin();
  bool run(double tolerance);
  void settle();
  bool enter(Index j);
  void leave(Index place);
  void to_end(Index i);
  Index worst(double tolerance) const;
  Vector newton() const;
  Vector flat(const Vector& column) const;
  Reach reach(const std::vector<Index>& which, const Vector& d) const;
  void advance(const std::vector<Index>& which, const Vector& d, double length);

  const Matrix& k_;
  const Vector& y_;
  Vector low_, high_;        // m: the range of each weight
  Vector w_, e_;             // m
  std::vector<Index> free_;  // f
  std::vector<bool> is_free_;
  EditableFactor factor_;  // of K + 1 over the free ones: with a sum of 0 the 1 changes nothing, and it is
                           // regular where K is on those sums
  Vector root_;            // m: of the diagonal
  Index steps_ = 0, stuck_ = -1;
};

}  // namespace covary
