// variance-reduction: the label that most reduces the mean variance of the candidates without one.
#include <fmt/format.h>

#include <cmath>

#include "base/simd/simd.h"
#include "covary/base/runtime.h"
#include "select/shared.h"

namespace covary::strategy {
using namespace internal;
namespace {

/// Keeps the covariances of r representatives of the candidates without a label with all m candidates,
/// without the trend's part, and takes a rank one off them with every label: 4 r m flops and one pass over r
/// m doubles a choice. A representative that has a label now is one no more: its row is 0.
struct Reduction {
  Index most;
  Index generation = -1, seen = 0;
  std::vector<Index> some = {};  // ascending
  std::vector<Index> left = {};  // those of them that have no label yet
  Matrix cov = {};               // r x m
  std::vector<Index> gone = {};  // rows of it that are 0

  void begin(const PoolPosterior& belief) {
    some = left = select::unlabelled(belief, most);
    gone.clear();
    check_memory(8.0 * double(some.size()) * double(belief.pool().size),
                 fmt::format("covariances of {} with {} candidates", some.size(), belief.pool().size));
    cov.resize(std::ssize(some), belief.pool().size);
    const ConditionalCovariance& given = belief.without_trend();
    const ConditionalCovariance::Prepared others = given.prepare(some);
    belief.runs("covariances",
                [&](Range r) { cov.middleCols(r.first, r.count) = given.covariance(r, others).transpose(); });
    generation = belief.generation(), seen = std::ssize(belief.order());
  }

  /// Representatives that were labelled since the last call.
  void drop_labelled(const PoolPosterior& belief) {
    for (Index j = seen; j < std::ssize(belief.order()); ++j) {
      const Index z = belief.order()[static_cast<size_t>(j)];
      const auto at = std::lower_bound(left.begin(), left.end(), z);
      if (at == left.end() || *at != z) continue;
      left.erase(at);
      gone.push_back(std::lower_bound(some.begin(), some.end(), z) - some.begin());
      cov.row(gone.back()).setZero();
    }
  }

  Vector scores(const StrategyInput& sight) {
    const PoolPosterior& belief = sight.belief;
    if (generation != belief.generation() || cov.cols() != belief.pool().size) begin(belief);
    drop_labelled(belief);
    if (left.empty()) begin(belief);
    const Index fresh = std::ssize(belief.order()) - seen;
    const Matrix trend = belief.trend();
    Matrix trend_some = trend(some, Eigen::all), columns(belief.pool().size, fresh);
    for (Index j = 0; j < fresh; ++j) columns.col(j) = belief.without_trend().column(seen + j);
    Matrix columns_some = columns(some, Eigen::all);
    for (const Index g : gone) trend_some.row(g).setZero(), columns_some.row(g).setZero();
    const Vector variance = belief.variance() + belief.pool().noise;
    Vector out(belief.pool().size);
    const Matrix trend_square = trend_some.transpose() * trend_some;
    belief.runs("scores", [&](Range r) {
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
        out[i] = variance[i] > 0 ? std::max(0.0, square) / variance[i] / double(left.size()) : 0;
      }
    });
    seen += fresh;
    return out;
  }
  std::string reason(const StrategyInput& sight, Index i) const {
    const PoolPosterior& belief = sight.belief;
    const Vector variance = belief.variance();
    const double own = variance[i] + belief.pool().noise[i], now = variance(left).mean();
    const Matrix column = belief.covariance({i, 1}, left);
    const double gain = own > 0 ? column.squaredNorm() / own / double(left.size()) : 0;
    const double before = std::sqrt(now), after = std::sqrt(std::max(0.0, now - gain));
    return fmt::format("reduces the root mean square sd of the pool by {:.2g} %: {:.3g} to {:.3g}",
                       before > 0 ? 100 * (1 - after / before) : 0, before, after);
  }
};

int reference_points(const Arguments& a) { return a.integer("reference", 1000, 1, 100000); }

}  // namespace

StrategyEntry variance_reduction() {
  StrategyEntry e{"variance-reduction",
                  "mean_t cov(t, x)^2 / (var f(x) + noise) over candidates t without a label",
                  "the drop of the average variance over at most 1000 candidates without a label",
                  {"reference"},
                  [](const Arguments& a) { return Strategy(Reduction{reference_points(a)}); }};
  e.bytes = [](const Arguments& a, Index m) {
    return 8 * double(std::min<Index>(reference_points(a), m)) * double(m);
  };
  e.reference = "cohn1996";
  return e;
}

}  // namespace covary::strategy
