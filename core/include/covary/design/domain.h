// A domain of inputs in which the next measurement is searched: for each column an interval, a lattice or a list.
//
//   temp=20:90       an interval
//   ph=5:9:0.1       a lattice: 5, 5.1, ..., 9
//   catalyst=Pd,Pt   a list, of numbers or categories
#pragma once
#include <string>
#include <vector>

#include "covary/model/fitted_model.h"

namespace covary {

/// The values that one column may take.
struct DomainAxis {
  std::string name;
  double lower = 0, upper = 0;           // ends of the interval or lattice
  double step = 0;                       // of a lattice, which begins at lower; 0: an interval
  std::vector<std::string> values = {};  // a list in their place
};

/// "NAME=LOWER:UPPER", "NAME=LOWER:UPPER:STEP" or "NAME=VALUE,VALUE,...".
DomainAxis parse_axis(const std::string& text);

namespace internal {

/// The axes of a model's columns. Every column that predictions depend on must have one.
class Domain {
 public:
  struct Column {
    Index at = 0;  // of the inputs
    double lower = 0, upper = 0, step = 0;
    Index places = 0;    // of a lattice or a list; 0: an interval
    Vector values = {};  // of a list
    double value(Index place) const;
    Index nearest(double x) const;  // of a lattice or a list
  };
  /// Throws Problem::usage for an unknown, repeated or missing column and for a domain without volume.
  Domain(const std::vector<DomainAxis>& axes, const FittedModel& model);

  const std::vector<Column>& columns() const { return columns_; }
  /// How many points there are; infinity where a column has an interval.
  double size() const;
  /// From the unit cube (n x columns) to inputs (n x d): lattices and lists are rounded down.
  Matrix inputs(const Matrix& u) const;
  /// The nearest input of the domain: lattices and lists are rounded to, intervals clipped to.
  Matrix nearest(const Rows& x) const;

 private:
  std::vector<Column> columns_;
  Vector held_;  // d: what columns without an axis are held at
};

/// n x c points of the unit cube, by a randomly shifted Sobol sequence; uniform beyond 1000 columns.
Matrix quasi_random(Index n, Index c, std::uint64_t seed);

}  // namespace internal

}  // namespace covary
