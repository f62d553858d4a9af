// cos(2 pi (x - z)/period): pure oscillations, of one column.
#include <fmt/format.h>

#include <numbers>

#include "covary/kernels/registry.h"
#include "kernels/distance.h"

namespace covary {
using namespace internal;
namespace {

struct Cosine {
  double period;

  Matrix cross(Rows a, Rows b) const { return sin_pi(2 * periods(a, b).array().abs() + 0.5); }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const {  // dk/dlog period = 2 pi u sin(2 pi u)
    const Matrix u = periods(a, b);
    return Vector::Constant(1, 2 * std::numbers::pi * w.cwiseProduct(u).cwiseProduct(sin_pi(2 * u)).sum());
  }
  Matrix pullback_inputs(Rows a, Rows b, const Matrix& w) const {  // dk/da_i = -2 pi/p sin(2 pi u)
    return -2 * std::numbers::pi / period * w.cwiseProduct(sin_pi(2 * periods(a, b))).rowwise().sum();
  }
  Vector theta() const { return Vector::Constant(1, std::log(period)); }
  Cosine with(const Vector& t) const { return {std::exp(t[0])}; }
  Expression node() const { return call_node("cosine", parameters()); }
  std::vector<Parameter> parameters() const { return {{"period", Role::period, period}}; }
  Vector start(Rows x, double) const { return Vector::Constant(1, std::log(column_spread(x).maxCoeff())); }
  FeatureMap<Row> features(Random& rng, Index m) const {
    return fourier_features(Matrix::Constant(m, 1, 2 * std::numbers::pi / period), rng);
  }

 private:
  /// u = (x - z)/period. In more columns than one cos(2 pi |u|) is not positive definite: there is no such
  /// kernel.
  Matrix periods(Rows a, Rows b) const {
    check_given(parameters());
    if (a.cols() != 1)
      throw Error(
          Problem::usage,
          fmt::format("cosine is a kernel of one column, found {}: use on(column, cosine())", a.cols()));
    return differences(a, b, 0, period);
  }
};

}  // namespace

namespace entries {

Entry<Row> cosine() {
  return {"cosine",
          "cos(2 pi (x - z)/period)",
          "pure oscillations, of one column",
          {"period"},
          [](const Arguments& a) -> Kernel<Row> {
            const double period = a.number("period");
            if (!std::isnan(period)) check_range("cosine", "period", period);
            return Cosine{period};
          },
          1,
          Nature::repeating};
}

}  // namespace entries
}  // namespace covary
