// variance-reduction: the label that makes the whole pool more certain.
#include <fmt/format.h>

#include <cmath>

#include "covary/machine.h"
#include "select/shared.h"
#include "simd/simd.h"

namespace covary::strategy {
namespace {

/// Keeps the covariances of r representatives with all m candidates, without the trend's part, and takes a
/// rank one off them with every label: 4 r m flops and one pass over r m doubles a choice.
struct Reduction {
  Index most;
  Index generation = -1, seen = 0;
  std::vector<Index> some = {};
  Matrix cov = {};  // r x m

  void begin(const Belief& belief) {
    some = representatives(belief.pool().size, most);
    check_memory(8.0 * double(some.size()) * double(belief.pool().size),
                 fmt::format("covariances of {} with {} candidates", some.size(), belief.pool().size));
    cov.resize(std::ssize(some), belief.pool().size);
    for_runs(belief.pool().size, belief.threads(),
             [&](Range r) { cov.middleCols(r.first, r.count) = belief.pool().block(r, some).transpose(); });
    generation = belief.generation(), seen = 0;
  }

  Vector scores(const Sight& sight) {
    const Belief& belief = sight.belief;
    if (generation != belief.generation() || cov.cols() != belief.pool().size) begin(belief);
    const Index fresh = std::ssize(belief.order()) - seen;
    const Matrix trend = belief.trend(), trend_some = trend(some, Eigen::all);
    Matrix columns(belief.pool().size, fresh);
    for (Index j = 0; j < fresh; ++j) columns.col(j) = belief.column(seen + j);
    const Matrix columns_some = columns(some, Eigen::all);
    const Vector variance = belief.variance() + belief.pool().noise;
    Vector out(belief.pool().size);
    const Matrix trend_square = trend_some.transpose() * trend_some;
    for_runs(out.size(), belief.threads(), [&](Range r) {
      const simd::Loops& loops = simd::loops();
      const Index n = cov.rows();
      for (Index i = r.first; i < r.end(); ++i) {
        double* own = cov.col(i).data();
        double square = fresh ? 0 : loops.dot(own, own, n);
        for (Index j = 0; j < fresh; ++j)
          square = loops.subtract_and_square(columns_some.col(j).data(), columns(i, j), own, n);
        for (Index j = 0; j < trend.cols(); ++j)  // |own + trend_some t|^2
          square += trend(i, j) *
                    (2 * loops.dot(trend_some.col(j).data(), own, n) + trend_square.col(j).dot(trend.row(i)));
        out[i] = variance[i] > 0 ? std::max(0.0, square) / variance[i] / double(n) : 0;
      }
    });
    seen += fresh;
    return out;
  }
  std::string reason(const Sight& sight, Index i) const {
    const Belief& belief = sight.belief;
    const Vector variance = belief.variance();
    const double own = variance[i] + belief.pool().noise[i], now = variance(some).mean();
    const Matrix column = belief.covariance({i, 1}, some);
    const double gain = own > 0 ? column.squaredNorm() / own / double(some.size()) : 0;
    return fmt::format("makes the pool {:.2g} % more certain: root mean variance {:.3g} to {:.3g}",
                       now > 0 ? 100 * gain / now : 0, std::sqrt(now), std::sqrt(std::max(0.0, now - gain)));
  }
};

}  // namespace

StrategyEntry variance_reduction() {
  return {"variance-reduction",
          "mean_t cov(t, x)^2 / (var f(x) + noise) over the pool",
          "the expected drop of the average variance everywhere else; over 1000 of a larger pool",
          {"reference"},
          [](const Arguments& a) { return Strategy(Reduction{a.integer("reference", 1000, 1, 100000)}); }};
}

}  // namespace covary::strategy
