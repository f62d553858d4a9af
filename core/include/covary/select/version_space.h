// The version space: the linear separators that agree with every label so far [cohn1994, balcan2016].
//
//   V = {w : y_i w'x_i > 0 for all i},   region of disagreement = {x : w'x > 0 > v'x for some w, v in V}
//
// Outside of the region the label of a point is inferred: all of V agree on it. A point x on whose label s one member
// of V was asked is outside exactly if s x lies in the cone of the y_i x_i. Non-negative least squares [lawson1974],
//
//   min |Z a - s x| over a >= 0,   column i of Z is y_i x_i / |x_i|,
//
// either ends at 0, and the d columns it rests on are a simplicial cone that decides other points too; or its residual
// is a direction into which separators can turn until they have x on the other side, which decides others as well.
// Both kinds of certificates are kept: few problems are solved. d^3 flops a step of one, about d steps.
#pragma once
#include <string>
#include <vector>

#include "covary/base/error.h"
#include "covary/base/types.h"

namespace covary {

/// No separator agrees with all labels: `labels` of them, counted from 0 in the order they were told, cannot hold
/// together.
class EmptyVersionSpace : public Error {
 public:
  EmptyVersionSpace(const std::string& what, std::vector<Index> labels)
      : Error(Problem::data, what), labels_(std::move(labels)) {}
  const std::vector<Index>& labels() const { return labels_; }

 private:
  std::vector<Index> labels_;
};

class VersionSpace {
 public:
  /// Of separators through the origin of d features; with a constant among the features they have an offset.
  explicit VersionSpace(Index features);

  /// The label (1 or -1) of a point (d). Throws EmptyVersionSpace, with at most d + 1 labels that contradict each
  /// other, if no separator is left; nothing has changed then.
  void tell(const Eigen::Ref<const Vector>& x, int label);
  /// m: 1 or -1 where all separators agree, 0 in the region of disagreement. x: m x d.
  Eigen::VectorXi agreed(Rows x);

  Index labels() const { return labels_; }
  /// d, |w| = 1: the member whose smallest angle to a label's own hyperplane is the largest; 0 without labels.
  const Vector& middle() const { return middle_; }
  double margin() const { return margin_; }  // the sine of that angle
  Index solved() const { return solved_; }   // least squares problems so far

 private:
  /// The decision on one point: the label that all agree on, or 0, and the certificate.
  struct Decision {
    int side = 0;
    Vector member = {};
    Matrix cone = {};
  };
  struct Undecided;
  void settle_middle();
  Decision decide(const Vector& unit, double own);
  void keep(const Decision& d);

  Index labels_ = 0, solved_ = 0;
  Matrix z_;                 // d x n: y_i x_i / |x_i|
  Matrix span_;              // d x r: an orthonormal basis of those
  Vector middle_, outside_;  // d: a direction orthogonal to all labelled points, or 0
  double margin_ = 0;
  std::vector<Vector> others_;  // further members
  std::vector<Matrix> cones_;   // inverse bases, d x d
};

namespace internal {
/// min |A a - b| over a >= 0 [lawson1974].
struct NonNegative {
  std::vector<Index> support;  // of a
  Vector residual;             // b - A a
};
NonNegative non_negative_least_squares(const Matrix& a, const Vector& b);

/// "the labels of rows 4 and 9 (counted from 1) contradict every separator ...": `which` count from 0.
EmptyVersionSpace contradicting(const std::string& things, const std::vector<Index>& which);

/// "4", "4 and 9", "4, 9 and 13": from numbers that count from 0.
std::string counted_from_one(const std::vector<Index>& numbers);
}  // namespace internal

}  // namespace covary
