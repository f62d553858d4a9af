// Explicit features phi(x) of a row: the columns that weights multiply.
//
//   Features f = parse_features("1, x1*x2^2, splines(temp, knots=8)", columns).placed(x);
//   Matrix phi = f(x);
//
// A list has items between commas: formulas (formula.h), one feature each, and maps, several each:
//
//   polynomial(degree=2)       x, ..., x^degree of every column
//   interactions(degree=2)     the columns, and products of up to `degree` different ones
//   splines(knots=8)           of every column: natural cubic splines, straight lines beyond the outermost
//   knots.
//                              Feature j is 1 at knot j and 0 at the others, so that its weight is the value
//                              of the curve there; they sum to 1, so leave the constant feature 1 out. Knots
//                              stand at quantiles of the column's different values, or where knots=[...] says
//   bumps(centers=10, width=W) exp(-r^2/2), r = distance to a center in units of width. Of one column:
//   centers
//                              evenly over its range. Of several: in all of them together, at rows chosen
//                              farthest-first, distances in units of the columns' ranges.
//                              Width, if not given: the mean distance of a center to the nearest other
//   fourier(features=500, kernel=se(), seed=1)
//                              random waves, so that phi(x).phi(z) is about kernel(x, z): the error falls as
//                              1/sqrt(features). An approximation, unlike the kernel itself
//
// A map uses all columns, or those named first: polynomial(temp, degree=3), bumps([lat, lon], 20).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "covary/kernels/held.h"

namespace covary {

namespace internal {
struct FeatureItem;
}  // namespace internal

/// Immutable; copies share, and threads need no locks.
class Features {
 public:
  Features(std::vector<internal::FeatureItem> items, std::vector<std::string> columns);

  /// Reads back to features of the same bits, placed or not.
  std::string text() const;
  /// N.
  Index size() const;
  /// The columns of a row, d.
  const std::vector<std::string>& columns() const;
  /// N, for people: "x1*x2^2", "temp^3", "spline(temp, 3)", "bump(x, 0.5)", "fourier(17)". Once placed.
  const std::vector<std::string>& names() const;

  /// n x N, for x n x d. Once placed. A row's bits do not depend on the rows around it. Throws a data Error
  /// with the row where a value is not finite; `before` rows stand before x (negative: unknown, not said).
  Matrix operator()(const Rows& x, Index before = 0) const;

  /// Whether knots, centers, widths or a kernel's parameters are still to be found from data.
  bool needs_data() const;
  /// With those found from x (n x d); placed features stay as they are.
  Features placed(const Rows& x) const;

 private:
  void check_placed() const;
  void check_columns(const Rows& x) const;

  struct Held;
  std::shared_ptr<const Held> held_;
};

/// `columns` are the names of a row's columns. Throws a usage Error with the position of what is wrong, a
/// limit Error for more than 100 000 features.
Features parse_features(const std::string& text, const std::vector<std::string>& columns);

/// The same of rows with some columns held; its text is the same.
Features parse_features(const std::string& text, const std::vector<std::string>& columns,
                        const internal::HeldColumns& held);

namespace internal {
/// The columns that any of the features reads, ascending.
std::vector<Index> columns_used(const std::string& features, const std::vector<std::string>& columns);
}  // namespace internal

}  // namespace covary
