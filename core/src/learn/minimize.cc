#include "covary/learn/minimize.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "base/constants.h"

namespace covary {
using namespace internal;
namespace {

struct Point {
  Vector x, gradient;
  double value = infinity;
};

/// A search and its state. Each step: a quasi-Newton direction in the free variables, then a line search
/// along the path x(t) = clamp(x + t d) for the weak Wolfe conditions.
class Descent {
 public:
  /// curvature: second derivatives to begin with, positive definite, or empty.
  Descent(const Smooth& f, const Vector& lower, const Vector& upper, const MinimizeOptions& options,
          Matrix curvature)
      : f_(f), lower_(lower), upper_(upper), options_(options), curvature_(std::move(curvature)) {}

  Minimum run(const Vector& x0) {
    at_ = evaluate(clamped(x0));
    if (!std::isfinite(at_.value)) return finish(false, "the start is outside the domain");
    while (true) {
      if (projected_gradient() <= options_.gradient_tolerance) return finish(true, "the gradient vanished");
      if (exhausted())
        return finish(false, stopped_ ? "stopped by the caller" : "the evaluations were used up");
      const double before = at_.value;
      if (!step()) {
        if (exhausted()) continue;
        if (pairs_.empty()) return finish(true, "no further decrease can be found");
        pairs_.clear();
        continue;
      }
      ++iterations_;
      const double change = before - at_.value;
      if (change <= options_.value_tolerance * std::max({1.0, std::abs(before), std::abs(at_.value)}))
        return finish(true, "the value no longer changes");
    }
  }

 private:
  struct Pair {
    Vector s, y;
  };

  Vector clamped(const Vector& x) const { return x.cwiseMax(lower_).cwiseMin(upper_); }
  bool exhausted() {
    stopped_ = stopped_ || (options_.stop && options_.stop());
    return stopped_ || evaluations_ >= options_.max_evaluations;
  }

  Point evaluate(Vector x) {
    ++evaluations_;
    auto [value, gradient] = f_(x);
    if (!std::isfinite(value) || gradient.size() != x.size() || !gradient.allFinite())
      return {std::move(x), {}, infinity};
    return {std::move(x), std::move(gradient), value};
  }

  double projected_gradient() const {
    return at_.x.size() ? (clamped(at_.x - at_.gradient) - at_.x).cwiseAbs().maxCoeff() : 0;
  }

  /// 1 where the variable can move downhill, 0 where a bound holds it.
  Vector free() const {
    Vector mask(at_.x.size());
    for (Index i = 0; i < mask.size(); ++i) {
      const bool held =
          (at_.x[i] <= lower_[i] && at_.gradient[i] > 0) || (at_.x[i] >= upper_[i] && at_.gradient[i] < 0);
      mask[i] = held ? 0 : 1;
    }
    return mask;
  }

  /// -H g in the free variables, H from the pairs (two-loop recursion).
  Vector direction() const {
    const Vector mask = free();
    Vector d = -at_.gradient.cwiseProduct(mask);
    std::vector<Pair> use;
    for (const Pair& p : pairs_) {
      Pair m{p.s.cwiseProduct(mask), p.y.cwiseProduct(mask)};
      if (m.s.dot(m.y) > 1e-16 * m.y.squaredNorm()) use.push_back(std::move(m));
    }
    if (use.empty() && curvature_.size() == 0)
      return d * std::min(1.0, options_.first_step / std::max(1e-300, d.cwiseAbs().maxCoeff()));
    Vector a(std::ssize(use));
    for (Index i = std::ssize(use) - 1; i >= 0; --i) {
      const auto& [s, y] = use[static_cast<size_t>(i)];
      a[i] = s.dot(d) / s.dot(y);
      d -= a[i] * y;
    }
    if (curvature_.size())
      d = newton(d, mask);
    else
      d *= use.back().s.dot(use.back().y) / use.back().y.squaredNorm();
    for (Index i = 0; i < a.size(); ++i) {
      const auto& [s, y] = use[static_cast<size_t>(i)];
      d += (a[i] - y.dot(d) / s.dot(y)) * s;
    }
    return d;
  }

  /// C^-1 d in the free variables, C the curvature among them.
  Vector newton(const Vector& d, const Vector& mask) const {
    Matrix c = mask.asDiagonal() * curvature_ * mask.asDiagonal();
    for (Index i = 0; i < mask.size(); ++i)
      if (mask[i] == 0) c(i, i) = 1;
    return c.llt().solve(d);
  }

  bool step() {
    Vector d = direction();
    if (!(d.dot(at_.gradient) < 0)) {
      if (pairs_.empty()) return false;
      pairs_.clear();
      d = direction();
      if (!(d.dot(at_.gradient) < 0)) return false;
    }
    const double longest = d.cwiseAbs().maxCoeff();
    if (longest > options_.longest_step) d *= options_.longest_step / longest;
    Point next = line_search(d);
    if (!(next.value < at_.value)) return false;
    Pair p{next.x - at_.x, next.gradient - at_.gradient};
    if (p.s.dot(p.y) > 1e-12 * p.s.norm() * p.y.norm()) {
      pairs_.push_back(std::move(p));
      if (std::ssize(pairs_) > options_.memory) pairs_.pop_front();
    }
    at_ = std::move(next);
    return true;
  }

  /// A point on the path with enough decrease, and where possible with the slope down to 0.9 of what it was.
  Point line_search(const Vector& d) {
    constexpr double decrease = 1e-4, curvature = 0.9;
    const double slope = d.dot(at_.gradient), most = options_.longest_step / d.cwiseAbs().maxCoeff();
    double low = 0, high = infinity, t = 1;
    double low_value = at_.value, low_slope = slope, high_value = infinity, high_slope = 0;
    Point best = at_;
    for (int tries = 0; tries < 30 && !exhausted(); ++tries) {
      Point p = evaluate(clamped(at_.x + t * d));
      const bool bent = (p.x - at_.x - t * d).cwiseAbs().maxCoeff() > 1e-12;  // a bound was met on the way
      const bool enough = p.value <= at_.value + decrease * at_.gradient.dot(p.x - at_.x);
      const double there = std::isfinite(p.value) ? d.dot(p.gradient) : 0;
      if (enough && p.value < best.value) best = p;
      if (enough && (bent || there >= curvature * slope || t >= most)) return best;
      if (enough)
        low = t, low_value = p.value, low_slope = there;
      else
        high = t, high_value = p.value, high_slope = bent ? 0 : there;
      if (high < infinity && (high - low) * d.cwiseAbs().maxCoeff() < 1e-14) break;
      t = high == infinity ? std::min(most, 4 * t)
                           : between(low, low_value, low_slope, high, high_value, high_slope);
    }
    return best;
  }

  /// The minimizer of the cubic through two values and slopes, kept well inside the interval.
  static double between(double a, double fa, double ga, double b, double fb, double gb) {
    const double width = b - a;
    double t = a + 0.5 * width;
    if (!std::isfinite(fb)) return a + 0.25 * width;
    if (gb == 0) {  // quadratic
      const double curve = (fb - fa - ga * width) / (width * width);
      if (curve > 0) t = a - ga / (2 * curve);
    } else {
      const double c = ga + gb - 3 * (fb - fa) / width, square = c * c - ga * gb;
      if (square >= 0) t = b - width * (gb + std::sqrt(square) - c) / (gb - ga + 2 * std::sqrt(square));
    }
    if (!std::isfinite(t)) t = a + 0.5 * width;
    return std::clamp(t, a + 0.1 * width, b - 0.1 * width);
  }

  Minimum finish(bool converged, std::string why) const {
    return {at_.x, at_.gradient, at_.value, evaluations_, iterations_, converged, std::move(why)};
  }

  const Smooth& f_;
  const Vector &lower_, &upper_;
  const MinimizeOptions& options_;
  const Matrix curvature_;
  Point at_;
  std::deque<Pair> pairs_;
  int evaluations_ = 0, iterations_ = 0;
  bool stopped_ = false;
};

/// A logarithm x of a length-scale, as the search sees it: u = -log(1 + exp(2 (flat - x)))/2, which is x -
/// flat far below `flat` and -exp(2 (flat - x))/2 far above it. There a kernel is a straight function of u,
/// however long the length-scale is, where in x it would be ever flatter.
class Bent {
 public:
  Bent(const Vector& flat, const Vector& lower, const Vector& upper)
      : flat_(flat), lower_(lower), upper_(upper) {}

  Vector to(Vector x) const {
    for (Index i = 0; i < x.size(); ++i)
      if (bends(i)) x[i] = to(x[i] - flat_[i]);
    return x;
  }
  Vector from(const Vector& u) const {
    Vector x = u;
    for (Index i = 0; i < x.size(); ++i)
      if (bends(i))
        x[i] = flat_[i] + (u[i] < -300 ? u[i] : std::min(100.0, -0.5 * std::log(std::expm1(-2 * u[i]))));
    return x.cwiseMax(lower_).cwiseMin(upper_);
  }
  /// dx/du.
  Vector slope(const Vector& x) const {
    Vector s = Vector::Ones(x.size());
    for (Index i = 0; i < x.size(); ++i)
      if (bends(i)) s[i] += std::exp(2 * (x[i] - flat_[i]));
    return s;
  }

 private:
  bool bends(Index i) const { return flat_[i] < infinity; }
  static double to(double over) { return over < -300 ? over : -0.5 * std::log1p(std::exp(-2 * over)); }
  const Vector &flat_, &lower_, &upper_;
};

/// Second derivatives at x by differences of the gradient, made positive definite: |lambda| for every
/// eigenvalue, none below 1e-4 of the largest. Empty if f has no gradient somewhere.
Matrix curvature(const Smooth& f, const Vector& x, const Vector& lower, const Vector& upper) {
  constexpr double h = 1e-4;
  const Index p = x.size();
  const Vector at = x.cwiseMax(lower).cwiseMin(upper), gradient = f(at).second;
  Matrix second(p, p);
  for (Index i = 0; i < p; ++i) {
    Vector moved = at;
    moved[i] += upper[i] - at[i] > at[i] - lower[i] ? h : -h;
    const Vector there = f(moved).second;
    if (gradient.size() != p || there.size() != p) return {};
    second.col(i) = (there - gradient) / (moved[i] - at[i]);
  }
  if (!second.allFinite()) return {};
  const Eigen::SelfAdjointEigenSolver<Matrix> by(0.5 * (second + second.transpose()));
  const Vector size = by.eigenvalues().cwiseAbs();
  if (by.info() != Eigen::Success || !(size.maxCoeff() > 0)) return {};
  return by.eigenvectors() * size.cwiseMax(1e-4 * size.maxCoeff()).asDiagonal() *
         by.eigenvectors().transpose();
}

Minimum search_from(const Smooth& f, const Smooth& alike, const Vector& x0, const Vector& lower,
                    const Vector& upper, const MinimizeOptions& options) {
  Matrix second = alike ? curvature(alike, x0, lower, upper) : Matrix();
  return Descent(f, lower, upper, options, std::move(second)).run(x0);
}

}  // namespace

Minimum internal::minimize(const Smooth& f, const Vector& x0, const Vector& lower, const Vector& upper,
                           const MinimizeOptions& options) {
  if (options.flat.size() == 0) return search_from(f, options.alike, x0, lower, upper, options);
  const Bent bent(options.flat, lower, upper);
  const auto in_u = [&bent](const Smooth& g) -> Smooth {
    if (!g) return {};
    return [&bent, &g](const Vector& u) {
      const Vector x = bent.from(u);
      auto [value, gradient] = g(x);
      if (gradient.size() == x.size()) gradient = gradient.cwiseProduct(bent.slope(x)).eval();
      return std::pair<double, Vector>(value, std::move(gradient));
    };
  };
  Minimum m = search_from(in_u(f), in_u(options.alike), bent.to(x0), bent.to(lower), bent.to(upper), options);
  m.x = bent.from(m.x);
  if (m.gradient.size()) m.gradient = m.gradient.cwiseQuotient(bent.slope(m.x)).eval();
  return m;
}

}  // namespace covary
