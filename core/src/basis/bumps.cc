// bumps: exp(-r^2/2) around centers, in one column or in several together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "basis/item.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

/// The given centers (m x d, or their number) and widths (d, or none).
struct Bumps {
  std::string opening;
  std::vector<Index> columns;
  std::vector<std::string> names;
  Index number;
  Matrix centers;
  Vector width;
};

std::string numbers_text(const Eigen::Ref<const Vector>& v) {
  return v.size() == 1 ? number_text(v[0]) : list_text({v.begin(), v.end()});
}

std::string bumps_text(const Bumps& b) {
  const Matrix by_rows = b.centers.transpose();
  std::string text = b.opening + "centers=";
  text += b.centers.rows() ? list_text({by_rows.reshaped().begin(), by_rows.reshaped().end()})
                           : std::to_string(b.number);
  return text + (b.width.size() ? ", width=" + numbers_text(b.width) : "") + ")";
}

/// n: the squared distance to c in units of w, each row summed in the same order whatever the block.
Vector squared(const Rows& x, const Vector& c, const Vector& w) {
  Vector s = Vector::Zero(x.rows());
  for (Index k = 0; k < x.cols(); ++k) s.array() += ((x.col(k).array() - c[k]) / w[k]).square();
  return s;
}

Vector ranges(const Rows& x, const Bumps& b) {
  const Vector low = x.colwise().minCoeff(), high = x.colwise().maxCoeff();
  Vector range = high - low;
  for (Index k = 0; k < range.size(); ++k)
    if (!(range[k] > 0 && std::isfinite(range[k])))
      throw Error(Problem::data,
                  fmt::format("features: bumps cannot be placed in column {}, which goes from {} to {}",
                              b.names[static_cast<size_t>(k)], low[k], high[k]));
  return range;
}

/// m x 1: evenly from the smallest value to the largest; one alone stands in the middle.
Matrix even_centers(const Rows& x, Index m) {
  const double low = x.minCoeff(), high = x.maxCoeff();
  if (m == 1) return Matrix::Constant(1, 1, low + (high - low) / 2);
  Matrix c(m, 1);
  for (Index j = 0; j < m; ++j) c(j, 0) = low + (high - low) * (double(j) / double(m - 1));
  return c;
}

/// m x d rows of x: the first is nearest to the middle of the ranges, each further one has the largest
/// distance from those before (farthest-first). O(n m d).
Matrix far_centers(const Rows& x, const Vector& range, Index m) {
  const Vector middle = x.colwise().minCoeff().transpose() + range / 2;
  Matrix c(m, x.cols());
  Index next = 0;
  squared(x, middle, range).minCoeff(&next);
  Vector nearest = Vector::Constant(x.rows(), std::numeric_limits<double>::infinity());
  for (Index j = 0; j < m; ++j) {
    c.row(j) = x.row(next);
    nearest = nearest.cwiseMin(squared(x, x.row(next), range));
    if (nearest.maxCoeff(&next) == 0 && j + 1 < m)
      throw Error(Problem::data,
                  fmt::format("features: {} centers of bumps cannot be placed, there are {} different rows",
                              m, j + 1));
  }
  return c;
}

/// d: the mean distance of a center to the nearest other, in units of the ranges; half of them for one alone.
Vector fitting_width(const Matrix& c, const Vector& range) {
  if (c.rows() == 1) return range / 2;
  double sum = 0;
  for (Index j = 0; j < c.rows(); ++j) {
    Vector s = squared(c, c.row(j), range);
    s[j] = std::numeric_limits<double>::infinity();
    sum += std::sqrt(s.minCoeff());
  }
  return range * (sum / double(c.rows()));
}

FeatureItem bumps_item(Bumps b);

FeatureItem placed_bumps(Bumps b, const Rows& all) {
  const Matrix x = all(Eigen::all, b.columns);
  const Vector range = ranges(x, b);
  if (b.centers.rows() == 0)
    b.centers = x.cols() == 1 ? even_centers(x, b.number) : far_centers(x, range, b.number);
  if (b.width.size() == 0) b.width = fitting_width(b.centers, range);
  for (Index k = 0; k < b.width.size(); ++k)
    if (!(b.width[k] > 0))
      throw Error(Problem::data, fmt::format("features: the centers of bumps in column {} coincide",
                                             b.names[static_cast<size_t>(k)]));
  return bumps_item(std::move(b));
}

void fill_bumps(const Bumps& b, const Rows& all, Eigen::Ref<Matrix> phi) {
  const Matrix x = all(Eigen::all, b.columns);
  for (Index j = 0; j < b.centers.rows(); ++j) {
    phi.col(j) = -0.5 * squared(x, b.centers.row(j), b.width);
    exp_in_place(phi.col(j));
  }
}

FeatureItem bumps_item(Bumps b) {
  FeatureItem item;
  item.text = bumps_text(b);
  item.size = b.number;
  item.columns = b.columns;
  const auto shared = std::make_shared<const Bumps>(std::move(b));
  if (shared->centers.rows() == 0 || shared->width.size() == 0) {
    item.place = [shared](const Rows& x) { return placed_bumps(*shared, x); };
    return item;
  }
  const std::string of =
      shared->names.size() == 1 ? shared->names[0] : fmt::format("[{}]", fmt::join(shared->names, ", "));
  for (Index j = 0; j < item.size; ++j)
    item.names.push_back(fmt::format("bump({}, {})", of, numbers_text(shared->centers.row(j).transpose())));
  item.fill = [shared](const Rows& x, Eigen::Ref<Matrix> phi) { fill_bumps(*shared, x, phi); };
  return item;
}

Matrix centers_given(const MapCall& call, Index d) {
  const std::vector<double> values = call.numbers("centers");
  const Index m = std::ssize(values) / d;
  if (m * d != std::ssize(values))
    call.fail("centers", fmt::format("centers of bumps in {} columns are {} numbers each, found {} in all", d,
                                     d, values.size()));
  return Eigen::Map<const Matrix>(values.data(), d, m).transpose();
}

Vector width_given(const MapCall& call, Index d) {
  const std::vector<double> values = call.numbers("width");
  const Index n = std::ssize(values);
  for (const double w : values)
    if (!(w > 0)) call.fail("width", fmt::format("width of bumps must be above 0, found {}", w));
  if (n > 1 && n != d)
    call.fail("width", fmt::format("width of bumps is 1 number or {}, one for each column, found {}", d, n));
  return n == 1 ? Vector(Vector::Constant(d, values[0])) : Vector(Eigen::Map<const Vector>(values.data(), n));
}

}  // namespace

std::vector<FeatureItem> make_bumps(const MapCall& call) {
  const Index d = std::ssize(call.columns);
  const MapArgument* given = call.find("centers");
  Bumps b{call.opening(), call.columns, call.column_names(), 0, Matrix(0, d), width_given(call, d)};
  if (given && given->list)
    b.centers = centers_given(call, d), b.number = b.centers.rows();
  else
    b.number = call.how_many("centers", 10);
  return {bumps_item(std::move(b))};
}

}  // namespace covary
