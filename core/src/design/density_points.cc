#include "design/density_points.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "covary/base/error.h"
#include "covary/table/grid.h"

namespace covary::design {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr int halton_bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71};
constexpr double widths[] = {1.5, 0.7, 0.3};  // of the normals, in parts of the covariance of the sample
constexpr Index centers_each = 200;           // normals
constexpr double uniform_share = 0.1;
constexpr Index least_each = 500;  // points of a round
constexpr int most_rounds = 15;
constexpr double least_share = 0.1;  // effective points of a round

/// The digits of i in the base, mirrored at the point.
double radical_inverse(Index i, int base) {
  double out = 0, digit = 1.0 / base;
  for (; i > 0; i /= base, digit /= base) out += double(i % base) * digit;
  return out;
}

/// The parameters that are not held.
std::vector<Index> moving(const std::vector<ParameterPrior>& prior) {
  std::vector<Index> out;
  for (size_t k = 0; k < prior.size(); ++k)
    if (!prior[k].held()) out.push_back(Index(k));
  return out;
}

/// A mixture of normals in coordinates in which each is spherical, and uniform ones over the unit cube.
struct Mixture {
  Matrix centers;      // c x d, of u = root^-1 x
  Matrix root;         // d x d, lower
  double log_det = 0;  // of root
  Vector log_width;    // c

  Matrix draw(Index count, Random& rng) const {
    const Index d = root.rows();
    Matrix out(count, d);
    for (Index i = 0; i < count; ++i) {
      if (rng.uniform() < uniform_share) {
        for (double& v : out.row(i)) v = rng.uniform();
        continue;
      }
      const Index c = rng.integer(centers.rows());
      const Vector z = rng.normal(d, 1).col(0) * std::exp(log_width[c]);
      out.row(i) = (root * (centers.row(c).transpose() + z)).transpose();
    }
    return out;
  }
  /// m: at points x of the unit cube. m c d flops and m c exponentials.
  Vector log_density(const Matrix& x) const {
    const auto d = double(root.rows());
    const Matrix u = root.triangularView<Eigen::Lower>().solve(x.transpose()).transpose();
    const double level = -d / 2 * std::log(2 * std::numbers::pi) - log_det - std::log(double(centers.rows()));
    Vector out(x.rows());
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector square = (centers.rowwise() - u.row(i)).rowwise().squaredNorm();
      const Vector logs =
          (-0.5 * square.array() * (-2 * log_width.array()).exp()) - d * log_width.array() + level;
      const double normals = std::log1p(-uniform_share) + log_sum_exp(logs);
      out[i] = log_sum_exp(Eigen::Vector2d(normals, std::log(uniform_share)));
    }
    return out;
  }
};

/// m: exp(beta l), normalized, with the largest beta up to 1 that leaves `least` effective points, 1/sum p^2; whether
/// beta is 1.
std::pair<Vector, bool> tempered(const Vector& l, double least) {
  const auto at = [&](double beta) -> Vector {
    const Vector scaled = l.array().isFinite().select(beta * l.array(), none);
    return (scaled.array() - log_sum_exp(scaled)).exp();
  };
  const auto enough = [&](double beta) { return 1 / at(beta).squaredNorm() >= least; };
  if (enough(1)) return {at(1), true};
  double low = 0, high = 1;
  for (int i = 0; i < 60 && !(low > 0 && high < 1.01 * low); ++i) {  // in log units
    const double next = low > 0 ? std::sqrt(low * high) : high / 8;
    (enough(next) ? low : high) = next;
  }
  return {at(low), false};
}

/// Around points of x (m x d) resampled with probabilities p; the width of a kernel density estimate of so many
/// points, (4/((d + 2) c))^(1/(d + 4)), and less.
Mixture mixture_around(const Matrix& x, const Vector& p, Random& rng) {
  const auto d = double(x.cols());
  const Eigen::RowVectorXd mean = p.transpose() * x;
  const Matrix centered = x.rowwise() - mean;
  Matrix covariance = centered.transpose() * p.asDiagonal() * centered;
  covariance.diagonal().array() += 1e-6;  // a thousandth of the range
  Mixture out;
  out.root = covariance.llt().matrixL();
  out.log_det = out.root.diagonal().array().log().sum();
  const std::vector<Index> rows = systematic(p, centers_each, rng);
  out.centers = out.root.triangularView<Eigen::Lower>().solve(x(rows, Eigen::all).transpose()).transpose();
  const double bandwidth = std::pow(4 / ((d + 2) * double(centers_each)), 1 / (d + 4));
  out.log_width.resize(centers_each);
  for (Index c = 0; c < centers_each; ++c) out.log_width[c] = std::log(bandwidth * widths[c % 3]);
  return out;
}

}  // namespace

double log_sum_exp(const Vector& v) {
  const double top = v.size() ? v.maxCoeff() : none;
  if (!std::isfinite(top)) return top;
  return top + std::log((v.array() - top).exp().sum());
}

std::vector<Index> systematic(const Vector& p, Index count, Random& rng) {
  std::vector<Index> out;
  const double total = p.sum(), start = rng.uniform();
  double sum = 0;
  for (Index i = 0; i < p.size() && std::ssize(out) < count; ++i) {
    sum += p[i] / total * double(count);
    while (std::ssize(out) < count && start + double(out.size()) < sum) out.push_back(i);
  }
  Index last = 0;
  p.maxCoeff(&last);
  while (std::ssize(out) < count) out.push_back(last);  // what rounding left
  std::sort(out.begin(), out.end());
  return out;
}

Matrix halton(const std::vector<ParameterPrior>& prior, Index first, Index count, std::uint64_t seed) {
  Random rng(seed);
  Matrix out(count, std::ssize(prior));
  for (Index k = 0, used = 0; k < out.cols(); ++k) {
    const ParameterPrior& p = prior[static_cast<size_t>(k)];
    const double shift = rng.uniform();
    for (Index i = 0; i < count; ++i) {
      double u = used < std::ssize(halton_bases) ? radical_inverse(first + i + 1, halton_bases[used])
                                                 : rng.uniform();
      u = u + shift < 1 ? u + shift : u + shift - 1;
      out(i, k) = p.held() ? p.low : p.low + u * (p.high - p.low);
    }
    used += !p.held();
  }
  return out;
}

WeightedPoints grid(const std::vector<ParameterPrior>& prior, const std::vector<Index>& count) {
  if (count.size() != prior.size())
    throw Error(Problem::usage, fmt::format("grid: {} counts for {} parameters", count.size(), prior.size()));
  std::vector<GridAxis> axes;
  double points = 1;
  WeightedPoints out{{}, {}, Vector::Zero(std::ssize(prior))};
  for (size_t k = 0; k < prior.size(); ++k) {
    const ParameterPrior& p = prior[k];
    if (!p.held() && count[k] < 2)
      throw Error(Problem::usage, fmt::format("grid: {}: expected 2 points or more from {} to {}, found {}",
                                              p.name, p.low, p.high, count[k]));
    axes.push_back({p.name, p.low, p.high, p.held() ? 1 : count[k]});
    points *= double(axes.back().count);
    if (!p.held()) out.step[Index(k)] = (p.high - p.low) / double(count[k] - 1);
  }
  if (points > double(internal::grid_largest))
    throw Error(Problem::limit, fmt::format("the grid would have {:.0f} points, at most {} are possible",
                                            points, internal::grid_largest));
  out.points = grid_points(axes);
  out.log_volume = Vector::Zero(out.points.rows());
  for (Index k = 0; k < out.points.cols(); ++k) {
    const ParameterPrior& p = prior[static_cast<size_t>(k)];
    if (p.held()) continue;
    const double margin = out.step[k] / 4;  // of rounding: a border point stands for half a cell
    for (Index i = 0; i < out.points.rows(); ++i) {
      const double at = out.points(i, k);
      const bool border = at < p.low + margin || at > p.high - margin;
      out.log_volume[i] += std::log(border ? out.step[k] / 2 : out.step[k]);
    }
  }
  return out;
}

WeightedPoints importance(const std::vector<ParameterPrior>& prior, Index count, std::uint64_t seed,
                          const std::function<Vector(const Rows&)>& log_density) {
  const std::vector<Index> free = moving(prior);
  const Index each = std::max<Index>(least_each, count / 10), d = std::ssize(free);
  Random rng(seed);
  double log_box = 0;
  for (const Index k : free)
    log_box += std::log(prior[static_cast<size_t>(k)].high - prior[static_cast<size_t>(k)].low);
  const std::vector<ParameterPrior> unit(static_cast<size_t>(d));
  const auto in_ranges = [&](const Matrix& u) {
    Matrix x(u.rows(), std::ssize(prior));
    for (Index k = 0; k < x.cols(); ++k) x.col(k).setConstant(prior[static_cast<size_t>(k)].low);
    for (Index j = 0; j < d; ++j) {
      const ParameterPrior& p = prior[static_cast<size_t>(free[static_cast<size_t>(j)])];
      x.col(free[static_cast<size_t>(j)]) = p.low + (p.high - p.low) * u.col(j).array();
    }
    return x;
  };
  const auto inside = [](const Matrix& u) {
    std::vector<Index> rows;
    for (Index i = 0; i < u.rows(); ++i)
      if (u.row(i).minCoeff() >= 0 && u.row(i).maxCoeff() <= 1) rows.push_back(i);
    return rows;
  };
  Matrix u = halton(unit, 0, each, rng.fork());
  Vector log_q = Vector::Zero(u.rows());  // of what the points were drawn from
  std::optional<Mixture> q;
  for (int round = 0; round < most_rounds; ++round) {
    const Vector log_weight = log_density(in_ranges(u)) - log_q;
    if (!std::isfinite(log_sum_exp(log_weight))) break;  // nothing has a density: the caller says so
    const auto [p, whole] = tempered(log_weight, least_share * double(each));
    q = mixture_around(u, p, rng);
    if (whole && round > 1) break;
    const Matrix drawn = q->draw(each, rng);
    u = drawn(inside(drawn), Eigen::all).eval();
    log_q = q->log_density(u);
  }
  if (!q) return {in_ranges(u), Vector::Constant(u.rows(), log_box - std::log(double(each))), {}};
  const Matrix drawn = q->draw(count, rng);
  u = drawn(inside(drawn), Eigen::all).eval();
  return {in_ranges(u), (log_box - std::log(double(count)) - q->log_density(u).array()).matrix(), {}};
}

}  // namespace covary::design
