// Ridge along a path: against least squares on augmented rows, refits, and what must hold along any path.
#include "covary/linear/ridge.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "support.h"

namespace covary::test::ridge_test {
namespace {

using By = RidgeOptions::By;

struct Regression {
  std::string name;
  Matrix phi;
  Vector y, scale;
};

/// n x N with the first `free` columns not penalized, the very first of them an intercept, the others far
/// from 0 by `offset`.
Regression random_problem(std::uint64_t seed, Index n, Index columns, Index free, double offset = 0) {
  Random rng(seed);
  Regression p;
  p.name = "n=" + std::to_string(n) + " N=" + std::to_string(columns) + " free=" + std::to_string(free);
  p.phi = rng.normal(n, columns);
  for (Index j = 0; j < columns; ++j) p.phi.col(j).array() += offset * (j % 3 == 1 ? 1 : 0);
  if (free > 0) p.phi.col(0).setOnes();
  p.y = p.phi.rightCols(std::min<Index>(columns, 3)).rowwise().sum() + rng.normal(n, 1);
  p.scale = rng.normal(columns, 1).array().exp();
  p.scale.head(free).setZero();
  return p;
}

std::vector<Regression> problems() {
  std::vector<Regression> all;
  std::uint64_t seed = 100;
  for (const auto& [n, columns] : std::vector<std::pair<Index, Index>>{
           {40, 7}, {40, 39}, {40, 40}, {41, 40}, {15, 40}, {3, 9}, {1300, 12}, {9, 1}})
    for (const Index free : {0, 1, 3})
      if (free < columns && free < n) all.push_back(random_problem(++seed, n, columns, free));
  return all;
}

/// min |[Phi; sqrt(penalty) scale] w - [y; 0]| by a complete orthogonal decomposition.
Vector augmented(const Regression& p, double penalty) {
  const Index n = p.phi.rows(), columns = p.phi.cols();
  Matrix a = Matrix::Zero(n + columns, columns);
  a.topRows(n) = p.phi;
  a.bottomRows(columns).diagonal() = std::sqrt(penalty) * p.scale;
  return a.completeOrthogonalDecomposition().solve(internal::concat(p.y, Vector::Zero(columns)));
}

/// Root mean squared error of each row from a fit to all others.
double refits(const Regression& p, double penalty) {
  double sum = 0;
  for (Index i = 0; i < p.y.size(); ++i) {
    std::vector<Index> rows;
    for (Index k = 0; k < p.y.size(); ++k)
      if (k != i) rows.push_back(k);
    const Vector w = augmented({"", p.phi(rows, Eigen::all), p.y(rows), p.scale}, penalty);
    sum += std::pow(p.y[i] - p.phi.row(i).dot(w), 2);
  }
  return std::sqrt(sum / double(p.y.size()));
}

RidgeOptions on(const Regression& p, const Vector& penalties = {}, By by = By::leave_one_out) {
  RidgeOptions o;
  o.scale = p.scale, o.penalties = penalties, o.by = by;
  return o;
}

RidgeOptions given(const Regression& p, double penalty) {
  return on(p, Vector::Constant(1, penalty), By::given);
}

const Vector& few() {
  static const Vector v = (Vector(4) << 1e-3, 0.1, 3, 400).finished();
  return v;
}

TEST(Ridge, WeightsSolveTheAugmentedProblem) {
  for (const Regression& p : problems()) {
    SCOPED_TRACE(p.name);
    RidgeOptions o = on(p, few());
    o.refine = false;
    const RidgePath path = ridge_path(p.phi, p.y, o);
    ASSERT_EQ(path.weights.cols(), 4);
    for (Index l = 0; l < 4; ++l) {
      const Vector w = augmented(p, few()[l]);
      EXPECT_TRUE(near(path.weights.col(l), w, 1e-9)) << few()[l];
      EXPECT_NEAR(path.rss[l], (p.y - p.phi * w).squaredNorm(), 1e-9 * p.y.squaredNorm());
    }
  }
}

TEST(Ridge, LeaveOneOutIsThatOfRefits) {
  for (const Regression& p : problems()) {
    if (p.phi.rows() > 100) continue;
    SCOPED_TRACE(p.name);
    for (Index l = 0; l < 4; ++l) {
      const double expected = refits(p, few()[l]);
      EXPECT_NEAR(ridge_path(p.phi, p.y, given(p, few()[l])).leave_one_out[0], expected, 1e-8 * expected)
          << few()[l];
    }
  }
}

TEST(Ridge, FreedomAndGeneralizedCrossValidationAreTheirFormulas) {
  for (const Regression& p : problems()) {
    const Index n = p.phi.rows();
    if (n > 100) continue;
    SCOPED_TRACE(p.name);
    const RidgePath path = ridge_path(p.phi, p.y, given(p, 0.7));
    double trace = 0;
    for (Index i = 0; i < n; ++i)
      trace += p.phi.row(i).dot(augmented({"", p.phi, Vector::Unit(n, i), p.scale}, 0.7));
    EXPECT_NEAR(path.freedom[0], trace, 1e-9 * double(n));
    const double gcv = double(n) * path.rss[0] / std::pow(double(n) - trace, 2);
    EXPECT_NEAR(path.generalized[0], gcv, 1e-8 * gcv);
  }
}

TEST(Ridge, EvidenceIsTheDensityOfY) {
  for (const auto& [n, columns] : {std::pair<Index, Index>{30, 6}, {12, 20}}) {
    const Regression p = random_problem(7, n, columns, 0);
    for (const double penalty : {0.05, 2.0}) {
      const Matrix prior = p.phi * p.scale.cwiseAbs2().cwiseInverse().asDiagonal() * p.phi.transpose();
      Matrix ratio = prior / penalty;
      ratio.diagonal().array() += 1;
      const double variance = p.y.dot(solved(ratio, p.y).col(0)) / double(n);  // the most likely noise
      const double expected = log_density(p.y, variance * ratio);
      EXPECT_NEAR(ridge_path(p.phi, p.y, given(p, penalty)).log_evidence[0], expected,
                  1e-10 * std::abs(expected));
    }
  }
}

TEST(Ridge, AlongThePathFreedomFallsAndResidualsRise) {
  for (const Regression& p : problems()) {
    SCOPED_TRACE(p.name);
    const RidgePath path = ridge_path(p.phi, p.y, on(p, Vector()));
    ASSERT_GE(path.penalties.size(), 100);
    for (Index l = 1; l < path.penalties.size(); ++l) {
      EXPECT_GT(path.penalties[l], path.penalties[l - 1]);
      EXPECT_LT(path.freedom[l], path.freedom[l - 1]);
      EXPECT_GE(path.rss[l], path.rss[l - 1] * (1 - 1e-14));
    }
  }
}

TEST(Ridge, APointOfThePathIsThatPenaltyAlone) {
  const Regression p = random_problem(8, 60, 9, 1);
  const RidgePath path = ridge_path(p.phi, p.y, on(p));
  for (Index l = 0; l < path.penalties.size(); l += 9) {
    const RidgePath one = ridge_path(p.phi, p.y, given(p, path.penalties[l]));
    EXPECT_TRUE(near(one.weights, path.weights.col(l), 1e-12));
    EXPECT_NEAR(one.leave_one_out[0], path.leave_one_out[l], 1e-12 * one.leave_one_out[0]);
    EXPECT_EQ(one.log_evidence[0], path.log_evidence[l]);
  }
}

TEST(Ridge, TheBestIsBestAndRefinedBetweenItsNeighbors) {
  const Regression p = random_problem(9, 60, 20, 1);
  for (const By by : {By::leave_one_out, By::generalized, By::evidence}) {
    const auto cost = [&](const RidgePath& path, Index l) {
      if (by == By::evidence) return -path.log_evidence[l];
      return by == By::generalized ? path.generalized[l] : path.leave_one_out[l];
    };
    const RidgePath path = ridge_path(p.phi, p.y, on(p, Vector(), by));
    SCOPED_TRACE(path.chosen_by);
    EXPECT_EQ(path.penalties.size(), 101);
    EXPECT_FALSE(path.at_end);
    for (Index l = 0; l < 101; ++l) EXPECT_LE(cost(path, path.best), cost(path, l));
    const double best = path.penalties[path.best];
    for (const double factor : {0.9, 0.96, 1.04, 1.1}) {
      const RidgePath other = ridge_path(p.phi, p.y, given(p, factor * best));
      EXPECT_LT(cost(path, path.best), cost(other, 0)) << factor;
    }
  }
}

TEST(Ridge, ColumnsFarFromZeroAreProjectedOutWell) {
  Regression p = random_problem(10, 300, 8, 1, 1e6);
  p.scale.tail(7).setOnes();
  Regression centered = p;
  for (Index j = 1; j < 8; ++j) centered.phi.col(j).array() -= centered.phi.col(j).mean();
  const RidgePath far = ridge_path(p.phi, p.y, on(p, few())),
                  near_by = ridge_path(centered.phi, p.y, on(p, few()));
  EXPECT_TRUE(near(far.weights.bottomRows(7), near_by.weights.bottomRows(7), 1e-8));
  EXPECT_TRUE(near(far.leave_one_out, near_by.leave_one_out, 1e-8));
  EXPECT_TRUE(near(far.freedom, near_by.freedom, 1e-8));
}

TEST(Ridge, TheOrderOfRowsBlocksAndThreadsDoNotMatter) {
  const Regression p = random_problem(11, 5000, 6, 1);
  std::vector<Index> turned;
  for (Index i = 0; i < 5000; ++i) turned.push_back((7 * i + 3) % 5000);
  const RidgePath a = ridge_path(p.phi, p.y, on(p, few()));
  const RidgePath b = ridge_path(p.phi(turned, Eigen::all), p.y(turned), on(p, few()));
  EXPECT_TRUE(near(a.weights.leftCols(4), b.weights.leftCols(4), 1e-9));
  EXPECT_TRUE(near(a.leave_one_out, b.leave_one_out, 1e-9));
  Index asked = 0;
  const internal::RowBlocks made{5000, 6, [&](Range r) -> Matrix {
                                   asked = std::max(asked, r.count);
                                   return p.phi.middleRows(r.first, r.count);
                                 }};
  RidgeOptions one = on(p, few());
  one.threads = 1;
  const RidgePath c = ridge_path(made, p.y, one);
  EXPECT_TRUE(same_bits(c.weights, a.weights));
  EXPECT_TRUE(same_bits(c.leave_one_out, a.leave_one_out));
  EXPECT_LT(asked, 2000) << "never all rows at once";
}

TEST(Ridge, DependentColumnsAreNoTrouble) {
  for (const Index n : {50, 12, 8}) {
    Regression p = random_problem(12, n, 12, 1);
    p.phi.col(5) = 2 * p.phi.col(4);
    p.phi.col(7).setZero();
    p.phi.col(9).setConstant(3);  // the intercept again
    for (const double penalty : {1e-2, 1.0}) {
      const RidgePath path = ridge_path(p.phi, p.y, given(p, penalty));
      EXPECT_TRUE(near(path.weights.col(0), augmented(p, penalty), 1e-9)) << n;
      const double expected = refits(p, penalty);
      EXPECT_NEAR(path.leave_one_out[0], expected, 1e-8 * expected) << n;
    }
  }
}

TEST(Ridge, DependentColumnsThatAreNotPenalizedAreLeftOut) {
  for (const Index n : {50, 12, 8}) {
    Regression p = random_problem(13, n, 12, 3);
    p.phi.col(2) = 2 * p.phi.col(0) - p.phi.col(1);
    const RidgePath path = ridge_path(p.phi, p.y, given(p, 0.3));
    EXPECT_TRUE(mentions(path.notes, "1 unpenalized columns are linearly dependent on others")) << n;
    EXPECT_EQ(path.weights(2, 0), 0);
    std::vector<Index> others{0, 1};
    for (Index j = 3; j < 12; ++j) others.push_back(j);
    const Regression less{"", p.phi(Eigen::all, others), p.y, p.scale(others)};
    const RidgePath same = ridge_path(less.phi, p.y, given(less, 0.3));
    EXPECT_TRUE(near(Matrix(path.weights(others, Eigen::all)), same.weights, 1e-9)) << n;
    EXPECT_NEAR(path.leave_one_out[0], same.leave_one_out[0], 1e-9 * same.leave_one_out[0]) << n;
    EXPECT_NEAR(path.freedom[0], same.freedom[0], 1e-9 * same.freedom[0]) << n;
  }
}

TEST(Ridge, NothingPenalizedIsLeastSquares) {
  Regression p = random_problem(14, 40, 5, 5);
  const RidgePath path = ridge_path(p.phi, p.y, on(p));
  EXPECT_TRUE(near(path.weights.col(path.best), qr_solved(p.phi, p.y), 1e-10));
  EXPECT_NEAR(path.freedom[0], 5, 1e-12);
  EXPECT_TRUE(mentions(path.notes, "makes no difference"));
}

TEST(Ridge, AnEndOfThePathIsSaidInWords) {
  Random rng(15);
  Regression p = random_problem(15, 80, 4, 0);
  p.y = p.phi.rowwise().sum();
  const RidgePath exact = ridge_path(p.phi, p.y, on(p));
  EXPECT_TRUE(exact.at_end);
  EXPECT_EQ(exact.best, 0);
  EXPECT_TRUE(mentions(exact.notes, "the smallest tried"));
  Matrix pair(2, 1);  // each row misleads about the other
  pair << 1, 1;
  const RidgePath none = ridge_path(pair, Vector(Eigen::Vector2d(1, -1)));
  EXPECT_TRUE(none.at_end);
  EXPECT_EQ(none.best, none.penalties.size() - 1);
  EXPECT_TRUE(mentions(none.notes, "the largest tried"));
}

TEST(Ridge, ARowThatAloneTellsAFreeColumnDoesNotCount) {
  for (const Index n : {50, 8}) {
    Regression p = random_problem(16, n, 12, 2);
    p.phi.col(1) = Vector::Unit(n, n - 1);
    const RidgePath path = ridge_path(p.phi, p.y, given(p, 0.3));
    EXPECT_TRUE(mentions(path.notes, "leave-one-out covers " + std::to_string(n - 1) + " rows"));
    EXPECT_TRUE(std::isfinite(path.leave_one_out[0]));
  }
}

/// All but leave-one-out, which `b` does not have.
void expect_same_path(const RidgePath& a, const RidgePath& b, double tolerance) {
  EXPECT_TRUE(near(a.penalties, b.penalties, 1e-6));  // of the refined one, where the evidence is flat
  EXPECT_EQ(a.best, b.best);
  EXPECT_TRUE(near(a.freedom, b.freedom, 1e-6));
  EXPECT_NEAR(a.log_evidence[a.best], b.log_evidence[b.best], tolerance * std::abs(a.log_evidence[a.best]));
  EXPECT_TRUE(near(a.weights, b.weights, 1e-6));
  EXPECT_TRUE(b.leave_one_out.array().isNaN().all());
}

TEST(Ridge, WithoutLeaveOneOutEachRowIsAskedForOnce) {
  for (const Regression& p : problems()) {
    SCOPED_TRACE(p.name);
    Vector asked = Vector::Zero(p.phi.rows());
    const internal::RowBlocks counting{p.phi.rows(), p.phi.cols(), [&](Range r) -> Matrix {
                                         asked.segment(r.first, r.count).array() += 1;
                                         return p.phi.middleRows(r.first, r.count);
                                       }};
    RidgeOptions o = on(p, {}, By::evidence);
    o.threads = 1;
    const RidgePath with = ridge_path(counting, p.y, o);
    asked.setZero();
    o.leave_one_out = false;
    expect_same_path(with, ridge_path(counting, p.y, o), 1e-15);
    EXPECT_TRUE((asked.array() == 1).all());
  }
}

TEST(Ridge, FromTheTriangleOfTheRows) {
  for (const Regression& p : problems()) {
    SCOPED_TRACE(p.name);
    const Index n = p.phi.rows(), columns = p.phi.cols();
    RidgeOptions o = on(p, {}, By::evidence);
    std::swap(o.scale[0], o.scale[columns - 1]);  // columns that are not penalized anywhere
    expect_same_path(
        ridge_path(p.phi, p.y, o),
        ridge_path(internal::triangle(internal::row_blocks(p.phi), p.y, internal::Triangle(columns)), n, o),
        1e-12);
  }
}

TEST(Ridge, BadInputsAreNamed) {
  const Regression p = random_problem(17, 20, 4, 1);
  const auto told = [](const std::function<void()>& f, Problem kind, const std::string& words) {
    const std::string said = error_of(f, kind);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  told([&] { ridge_path(p.phi, p.y.head(19), on(p)); }, Problem::usage, "phi has 20 rows, y has 19");
  told([&] { ridge_path(Matrix(0, 4), Vector(0), on(p)); }, Problem::data, "found 0 x 4");
  told([&] { ridge_path(Matrix(20, 0), p.y); }, Problem::data, "found 20 x 0");
  Matrix phi = p.phi;
  phi(7, 2) = std::nan("");
  told([&] { ridge_path(phi, p.y, on(p)); }, Problem::data, "phi: row 8, column 3: expected a finite number");
  Vector y = p.y;
  y[4] = -INFINITY;
  told([&] { ridge_path(p.phi, y, on(p)); }, Problem::data, "y: row 5: expected a finite number, found -inf");
  RidgeOptions o = on(p);
  o.scale = Vector::Ones(3);
  told([&] { ridge_path(p.phi, p.y, o); }, Problem::usage,
       "scale: expected one for each of 4 columns, found 3");
  o.scale = Eigen::Vector4d(1, 1, -2, 1);
  told([&] { ridge_path(p.phi, p.y, o); }, Problem::usage,
       "scale: column 3: expected 0 or a positive number");
  told([&] { ridge_path(p.phi, p.y, on(p, Eigen::Vector2d(1, 0))); }, Problem::usage,
       "penalty 2: expected a positive number, found 0");
  told([&] { ridge_path(p.phi, p.y, on(p, few(), By::given)); }, Problem::usage,
       "a given penalty: expected one, found 4");
  o = on(p);
  o.lower = 3, o.upper = 2;
  told([&] { ridge_path(p.phi, p.y, o); }, Problem::usage, "0 < lower < upper, found 100 from 3 to 2");
  told([&] { ridge_path(p.phi.topRows(1), p.y.head(1), on(p)); }, Problem::data,
       "1 unpenalized columns and a penalty to choose needs 3 rows, found 1");
  told([&] { ridge_path(p.phi, Vector::Constant(20, 1e5), on(p)); }, Problem::data,
       "explain all 20 rows exactly: no residuals to choose a penalty by");
  o = on(p);
  o.leave_one_out = false;
  told([&] { ridge_path(p.phi, p.y, o); }, Problem::usage, "by leave-one-out needs leave-one-out");
  told(
      [&] {
        ridge_path(internal::triangle(internal::row_blocks(p.phi), p.y, internal::Triangle(4)), 20, on(p));
      },
      Problem::usage, "a triangle has no rows to leave out");
  const internal::RowBlocks wrong{20, 4, [](Range r) -> Matrix { return Matrix::Ones(r.count, 3); }};
  told([&] { ridge_path(wrong, p.y, on(p)); }, Problem::usage,
       "expected 20 x 4 for rows 1 to 20, found 20 x 3");
}

}  // namespace
}  // namespace covary::test::ridge_test
