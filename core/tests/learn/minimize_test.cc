// The minimizer on problems whose answer is known.
#include "covary/learn/minimize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace covary::test::optimize_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Answer = std::pair<double, Vector>;

Vector everywhere(Index n, double v) { return Vector::Constant(n, v); }

internal::Minimum unbounded(const internal::Smooth& f, const Vector& x0,
                            const internal::MinimizeOptions& o = {}) {
  return internal::minimize(f, x0, everywhere(x0.size(), -infinity), everywhere(x0.size(), infinity), o);
}

/// sum_i w_i (x_i - c_i)^2 with weights from 1 to `condition`.
struct Quadratic {
  Vector w, c;
  Quadratic(Index n, double condition) : w(n), c(Vector::LinSpaced(n, -2, 2)) {
    for (Index i = 0; i < n; ++i) w[i] = std::pow(condition, double(i) / double(std::max<Index>(1, n - 1)));
  }
  Answer operator()(const Vector& x) const {
    const Vector off = x - c;
    return {off.dot(w.cwiseProduct(off)), 2 * w.cwiseProduct(off)};
  }
};

Answer rosenbrock(const Vector& x) {
  double f = 0;
  Vector g = Vector::Zero(x.size());
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    f += a * a + 100 * b * b;
    g[i] += -2 * a - 400 * b * x[i];
    g[i + 1] += 200 * b;
  }
  return {f, g};
}

TEST(Minimize, Quadratics) {
  for (const Index n : {1, 2, 10, 50})
    for (const double condition : {1.0, 1e3}) {
      const Quadratic q(n, condition);
      internal::MinimizeOptions o;
      o.value_tolerance = 1e-14, o.gradient_tolerance = 1e-7;
      const internal::Minimum m = unbounded(q, everywhere(n, 5), o);
      EXPECT_TRUE(m.converged) << m.stopped;
      EXPECT_LT((m.x - q.c).cwiseAbs().maxCoeff(), 1e-4) << n << ", " << condition;
      EXPECT_LT(m.value, 1e-8);
      EXPECT_EQ(m.value, q(m.x).first);
      EXPECT_TRUE(same_bits(m.gradient, q(m.x).second));
      EXPECT_LT(m.evaluations, 1.2 * 255) << "SciPy's L-BFGS-B takes 255 for the hardest";
    }
}

/// A step too far along a cubic is followed by one to its minimum.
TEST(Minimize, CubicsTakeThreeEvaluations) {
  for (const double at : {0.05, 0.08, 0.1}) {
    const internal::Minimum m = unbounded(
        [at](const Vector& x) {
          const double u = x[0] / at;
          return Answer{u * u * u - 3 * u, everywhere(1, 3 * (u * u - 1) / at)};
        },
        everywhere(1, 0));
    EXPECT_NEAR(m.x[0], at, 1e-12);
    EXPECT_EQ(m.evaluations, 3);
  }
}

TEST(Minimize, Rosenbrock) {
  for (const Index n : {2, 5, 10}) {
    internal::MinimizeOptions o;
    o.value_tolerance = 1e-14;
    const internal::Minimum m = unbounded(rosenbrock, everywhere(n, -1.2), o);
    const bool global = (m.x - Vector::Ones(n)).cwiseAbs().maxCoeff() < 1e-4;
    EXPECT_TRUE(m.converged) << m.stopped;
    EXPECT_TRUE(global || n > 3) << m.x.transpose();  // from four variables on there is a second minimum
    EXPECT_LT(m.gradient.cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT(m.evaluations, 300);
  }
}

/// A quadratic, a box around 0 that is open on some sides, and a start that may lie outside.
struct Boxed {
  Quadratic q;
  Vector lower, upper, x0;
  Boxed(Index n, Random& rng) : q(n, 100), lower(n), upper(n), x0(n) {
    for (Index i = 0; i < n; ++i) {
      q.c[i] = 3 * rng.normal();
      lower[i] = rng.uniform() < 0.2 ? -infinity : -1.5 + rng.uniform();
      upper[i] = rng.uniform() < 0.2 ? infinity : 0.5 + rng.uniform();
      x0[i] = 4 * rng.normal();
    }
  }
  /// The minimum of a separable quadratic in a box is its center clamped to the box.
  void expect_minimum(const internal::MinimizeOptions& options) const {
    const internal::Minimum m = internal::minimize(q, x0, lower, upper, options);
    EXPECT_TRUE(m.converged) << m.stopped;
    EXPECT_LT((m.x - q.c.cwiseMax(lower).cwiseMin(upper)).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_TRUE((m.x.array() >= lower.array()).all() && (m.x.array() <= upper.array()).all());
  }
};

TEST(Minimize, BoundsThatBind) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    internal::MinimizeOptions exact;
    exact.value_tolerance = 1e-12;
    Boxed(1 + rng.integer(8), rng).expect_minimum(exact);
  }
}

TEST(Minimize, RosenbrockInABox) {
  const Vector lower = Eigen::Vector2d(-2, -2), upper = Eigen::Vector2d(0.5, 2);
  internal::MinimizeOptions o;
  o.value_tolerance = 1e-14;
  const internal::Minimum m = internal::minimize(rosenbrock, Eigen::Vector2d(-1.2, 1), lower, upper, o);
  EXPECT_NEAR(m.x[0], 0.5, 1e-12);
  EXPECT_NEAR(m.x[1], 0.25, 1e-6);
}

TEST(Minimize, AStartOutsideIsMovedIntoTheBox) {
  const Quadratic q(3, 1);
  int outside = 0;
  const internal::Smooth watched = [&](const Vector& x) {
    outside += (x.array() < -1).any() || (x.array() > 1).any();
    return q(x);
  };
  const internal::Minimum m =
      internal::minimize(watched, Eigen::Vector3d(50, -50, 1e300), everywhere(3, -1), everywhere(3, 1));
  EXPECT_EQ(outside, 0) << "f is never asked outside the box";
  EXPECT_LT((m.x - Eigen::Vector3d(-1, 0, 1)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Minimize, ABoxWithoutRoom) {
  const Quadratic q(2, 1);
  const internal::Minimum m =
      internal::minimize(q, Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1), Eigen::Vector2d(1, 1));
  EXPECT_TRUE(m.converged);
  EXPECT_TRUE(same_bits(m.x, Eigen::Vector2d(1, 1)));
}

TEST(Minimize, NothingToMinimizeOver) {
  const internal::Minimum m = internal::minimize(
      [](const Vector&) {
        return Answer{3.0, Vector(0)};
      },
      Vector(0), Vector(0), Vector(0));
  EXPECT_TRUE(m.converged);
  EXPECT_EQ(m.value, 3);
  EXPECT_EQ(m.evaluations, 1);
}

/// What an input of length-scale exp(x) adds to minus the evidence: its effect has the variance s = 1e6
/// exp(-2 x), and was seen to be b. Best is s = b - 1, or none.
struct Fading {
  Vector b;
  Answer operator()(const Vector& x) const {
    const Vector s = 1e6 * (-2 * x).array().exp(), one = (1 + s.array()).inverse();
    return {(0.5 * (s.array() + 1).log() + 0.5 * b.array() * one.array()).sum(),
            -s.array() * one.array() * (1 - b.array() * one.array())};
  }
};

TEST(Minimize, WhereItIsFlatTheBestIsFoundInFewerSteps) {
  const Fading f{Eigen::Vector4d(0.3, 0.9, 1.1, 5)};
  internal::MinimizeOptions o, bent;
  o.value_tolerance = 1e-14;
  bent = o;
  bent.flat = everywhere(4, 7);
  const Vector lower = everywhere(4, -11.5), upper = everywhere(4, 11.5);
  const internal::Minimum plain = internal::minimize(f, everywhere(4, 1), lower, upper, o),
                          found = internal::minimize(f, everywhere(4, 1), lower, upper, bent);
  EXPECT_TRUE(found.converged) << found.stopped;
  EXPECT_LE(found.value, plain.value + 1e-9);
  EXPECT_NEAR(1e6 * std::exp(-2 * found.x[2]), 0.1, 1e-4);
  EXPECT_NEAR(1e6 * std::exp(-2 * found.x[3]), 4, 1e-3);
  EXPECT_EQ(found.value, f(found.x).first);
  EXPECT_LT((found.gradient - f(found.x).second).cwiseAbs().maxCoeff(), 1e-12) << "in x, not as it searches";
  EXPECT_LT(found.evaluations, plain.evaluations);
}

/// Wherever a variable is said to be flat, the minimum of a convex function is the same.
TEST(Minimize, WhatIsCalledFlatDoesNotMoveTheMinimum) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    const Boxed problem(1 + rng.integer(6), rng);
    internal::MinimizeOptions o;
    o.value_tolerance = 1e-13, o.flat = Vector(problem.x0.size());
    for (double& level : o.flat) level = rng.uniform() < 0.3 ? infinity : 4 + rng.normal();
    problem.expect_minimum(o);
  }
}

TEST(Minimize, FarOutInTheFlatNothingOverflows) {
  const Fading f{Eigen::Vector2d(0.5, 0.9)};
  internal::MinimizeOptions o;
  o.flat = everywhere(2, 7);
  for (const double x0 : {-300.0, -3.0, 50.0, 1e3, 1e300}) {
    const internal::Minimum m = unbounded(f, everywhere(2, x0), o);
    EXPECT_TRUE(m.x.allFinite() && m.gradient.allFinite()) << x0;
    EXPECT_NEAR(m.value, 0.7, 1e-6) << x0;
  }
}

/// Second derivatives of a like function begin the search; with the function's own a quadratic takes one
/// step.
TEST(Minimize, TheCurvatureOfALikeFunctionSparesSteps) {
  const Quadratic q(10, 1e3);
  internal::MinimizeOptions o, own, other;
  o.value_tolerance = 1e-14;
  o.longest_step = 100;
  own = other = o;
  own.alike = q;
  other.alike = [&](const Vector& x) {
    const auto [value, gradient] = q(x + everywhere(10, 0.1));
    return Answer{value, 1.5 * gradient};
  };
  const internal::Minimum plain = unbounded(q, everywhere(10, 5), o),
                          quick = unbounded(q, everywhere(10, 5), own),
                          near = unbounded(q, everywhere(10, 5), other);
  EXPECT_LE(quick.evaluations, 4);
  EXPECT_LE(2 * near.evaluations, plain.evaluations);
  for (const internal::Minimum& m : {quick, near}) EXPECT_LT((m.x - q.c).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Minimize, AFunctionThatIsNotAlikeDoesNotMoveTheMinimum) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    const Boxed problem(1 + rng.integer(6), rng);
    const Index n = problem.x0.size();
    const Matrix second = rng.normal(n, n);  // indefinite
    internal::MinimizeOptions o;
    o.value_tolerance = 1e-13;
    o.alike = [&](const Vector& x) { return Answer{0, second * x}; };
    problem.expect_minimum(o);
    o.alike = [](const Vector&) { return Answer{infinity, Vector(0)}; };
    problem.expect_minimum(o);
  }
}

/// -log(x) + x, undefined for x <= 0: the search backs off from infinities and NaN of any kind.
TEST(Minimize, BacksOffFromOutsideTheDomain) {
  for (const double bad : {infinity, -infinity, std::nan("")}) {
    const internal::Smooth f = [&](const Vector& x) {
      if (x[0] <= 0) return Answer{bad, Vector(0)};
      return Answer{x[0] - std::log(x[0]), everywhere(1, 1 - 1 / x[0])};
    };
    for (const double x0 : {1e-6, 0.5, 30.0}) {
      const internal::Minimum m = unbounded(f, everywhere(1, x0));
      EXPECT_NEAR(m.x[0], 1, 1e-4) << "from " << x0;
    }
  }
}

TEST(Minimize, AStartOutsideTheDomainIsSaid) {
  const internal::Minimum m = unbounded(
      [](const Vector& x) {
        return Answer{infinity, x};
      },
      everywhere(2, 0));
  EXPECT_FALSE(m.converged);
  EXPECT_EQ(m.value, infinity);
  EXPECT_EQ(m.stopped, "the start is outside the domain");
}

TEST(Minimize, TheCallerCanStopIt) {
  int asked = 0;
  internal::MinimizeOptions o;
  o.stop = [&] { return ++asked > 5; };
  const internal::Minimum m = unbounded(rosenbrock, everywhere(8, -1.2), o);
  EXPECT_FALSE(m.converged);
  EXPECT_EQ(m.stopped, "stopped by the caller");
  EXPECT_LE(m.evaluations, 7);
  EXPECT_LE(m.value, rosenbrock(everywhere(8, -1.2)).first) << "what was reached is kept";
}

TEST(Minimize, EvaluationsAreLimited) {
  int asked = 0;
  internal::MinimizeOptions o;
  o.max_evaluations = 10;
  const internal::Minimum m =
      unbounded([&](const Vector& x) { return ++asked, rosenbrock(x); }, everywhere(8, -1.2), o);
  EXPECT_LE(asked, 10);
  EXPECT_EQ(m.evaluations, asked);
  EXPECT_EQ(m.stopped, "the evaluations were used up");
}

TEST(Minimize, NeverThrowsOnWildFunctions) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random rng(seed);
    const internal::Smooth f = [&](const Vector& x) {  // neither continuous nor with the right gradient
      return Answer{rng.uniform() < 0.2 ? infinity : rng.normal() * 1e3, rng.normal(x.size(), 1) * 1e5};
    };
    EXPECT_NO_THROW({
      const internal::Minimum m =
          internal::minimize(f, everywhere(4, 0), everywhere(4, -3), everywhere(4, 3));
      EXPECT_LE(m.evaluations, 1000);
    });
  }
}

}  // namespace
}  // namespace covary::test::optimize_test
