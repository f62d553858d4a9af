#include "algebra/refined_least_squares.h"

#include <cmath>
#include <limits>

#include "algebra/decompositions.h"

namespace covary {
namespace {

/// A sum of products in twice the precision [ogita2005].
class LongSum {
 public:
  explicit LongSum(double start) : sum_(start) {}
  void add(double a, double b) {
    const double product = a * b;
    low_ += std::fma(a, b, -product);
    const double sum = sum_ + product, part = sum - sum_;
    low_ += (sum_ - (sum - part)) + (product - part);
    sum_ = sum;
  }
  double value() const { return sum_ + low_; }

 private:
  double sum_, low_ = 0;
};

Vector lengths(const Rows& a) {
  Vector l = a.colwise().norm();
  for (double& v : l)
    if (!(v > 0)) v = 1;
  return l;
}

}  // namespace

LeastSquares refined_least_squares(const Rows& a, const Vector& b) {
  const Vector scale = lengths(a);  // powers of two would round nothing, but A is only read unscaled below
  const Reflections qr(a * scale.cwiseInverse().asDiagonal());
  const Index n = a.cols();
  const Matrix triangle = qr.r();
  const auto upper = triangle.triangularView<Eigen::Upper>();
  Vector w = Vector::Zero(n), r = Vector::Zero(a.rows());
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 10; ++step) {
    Vector f(a.rows()), g(n);
    for (Index i = 0; i < a.rows(); ++i) {  // b - r - A w
      LongSum sum(b[i]);
      sum.add(-1, r[i]);
      for (Index j = 0; j < n; ++j) sum.add(-a(i, j), w[j]);
      f[i] = sum.value();
    }
    for (Index j = 0; j < n; ++j) {  // -A'r, scaled
      LongSum sum(0);
      for (Index i = 0; i < a.rows(); ++i) sum.add(-a(i, j), r[i]);
      g[j] = sum.value() / scale[j];
    }
    Vector c = f;
    qr.turn(c);
    const Vector h = upper.transpose().solve(g);
    const Vector dw = upper.solve(c.head(n) - h);
    c.head(n) = h;
    qr.turn_back(c);
    const double size = dw.norm();
    if (!(size < 0.5 * before)) break;  // as good as it gets
    w += dw.cwiseQuotient(scale);
    r += c;
    before = size;
  }
  return {w, r.squaredNorm()};
}

}  // namespace covary
