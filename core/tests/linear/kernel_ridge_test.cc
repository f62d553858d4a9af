// Kernel ridge: against the equations that define it, against refits, and against the process it is the mean
// of.
#include "covary/linear/kernel_ridge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "process/pretenders.h"

namespace covary::test::kernel_ridge_test {
namespace {

using By = KernelRidgeOptions::By;

struct Data {
  Matrix x, at;
  Vector y;
};

/// n rows and 6 repeats of them; of the points that `entry` takes.
Data data(std::uint64_t seed, Index n, Index d, const Entry<Row>& entry = registry<Row>()[0]) {
  const Matrix x = with_repeats(points_for(entry, seed, n, d), 6);
  return {x, points_for(entry, seed + 1, 25, d), random_targets(seed + 2, x)};
}

KernelRidgeOptions given(double penalty) {
  KernelRidgeOptions o;
  o.penalty = penalty;
  return o;
}

const Kernel<Row>& kernel() {
  static const Kernel<Row> k = parse<Row>("1.4 * matern52(0.9)");
  return k;
}

std::vector<Index> all_but(Index n, Index left_out) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (i != left_out) rows.push_back(i);
  return rows;
}

/// Each row from a fit to all others.
Vector refitted(const Kernel<Row>& k, const Data& d, double penalty, const Mean<Row>& mean) {
  Vector out(d.y.size());
  for (Index i = 0; i < out.size(); ++i) {
    const std::vector<Index> rows = all_but(out.size(), i);
    out[i] = kernel_ridge<Row>(k, pick(d.x, rows), d.y(rows), given(penalty), mean)(d.x.row(i))[0];
  }
  return out;
}

TEST(KernelRidge, SolvesItsEquations) {
  const Data d = data(1, 40, 2);
  for (const char* trend : {"zero", "constant", "linear", "polynomial(degree=2)", "constant(0.7)"}) {
    const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(0.3), parse_mean(trend));
    const Matrix k = kernel().cross(d.x, d.x), f = r.mean.basis_at(d.x);
    const Vector left = k * r.coefficients + 0.3 * r.coefficients + f * r.basis_coefficients;
    EXPECT_TRUE(near(left, d.y - r.mean.known_at(d.x), 1e-11)) << trend;
    EXPECT_LT((f.transpose() * r.coefficients).norm(), 1e-10) << trend;
    EXPECT_TRUE(near(r(d.x), d.y - 0.3 * r.coefficients, 1e-11)) << trend;
    EXPECT_EQ(r.chosen_by, "given");
  }
}

TEST(KernelRidge, IsTheLeastOfItsCosts) {
  const Data d = data(2, 20, 1);
  const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(0.5));
  const Matrix k = kernel().cross(d.x, d.x);
  const auto cost = [&](const Vector& a, double level) {
    return (d.y - k * a - Vector::Constant(d.y.size(), level)).squaredNorm() + 0.5 * a.dot(k * a);
  };
  const double least = cost(r.coefficients, r.trend_coefficients()[0]);
  Random rng(3);
  for (int round = 0; round < 50; ++round) {
    const Vector step = rng.normal(d.y.size(), 1) * std::pow(10.0, -round % 5);
    EXPECT_GE(cost(r.coefficients + step, r.trend_coefficients()[0] + 0.1 * rng.normal()), least);
  }
}

TEST(KernelRidge, IsTheMeanOfAProcessForEveryRegisteredKernel) {
  Random rng(4);
  for (const Entry<Row>& entry : registry<Row>())
    for (const char* trend : {"zero", "constant", "linear"}) {
      SCOPED_TRACE(entry.name + ", " + trend);
      const Data d = data(5, 35, 3, entry);
      const Kernel<Row> k = parsed_call(random_call(rng, entry, 3));
      const KernelRidge<Row> r = kernel_ridge<Row>(k, d.x, d.y, given(0.2), parse_mean(trend));
      const Process<Row> same = Process<Row>(k, parse_mean(trend), Noise::of(0.2)).condition(d.x, d.y);
      EXPECT_TRUE(near(r(d.at), same.mean(d.at), 1e-9));
      const Process<Row> p = internal::process_of(r);
      EXPECT_TRUE(near(p.mean(d.at), r(d.at), 1e-9));
      EXPECT_TRUE(near(p.coefficients(), r.trend_coefficients(), 1e-8));
      EXPECT_NEAR(p.noise().variance, 0.2 * r.variance, 1e-14 * r.variance);
    }
}

TEST(KernelRidge, ItsProcessHasTheMostLikelyScale) {
  const Data d = data(6, 30, 2);
  const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(0.1), zero_mean<Row>());
  const auto evidence = [&](double scale) {
    return Process<Row>(scale * kernel(), zero_mean<Row>(), Noise::of(scale * 0.1))
        .condition(d.x, d.y)
        .log_evidence();
  };
  for (const double factor : {0.8, 0.99, 1.01, 1.25})
    EXPECT_GT(evidence(r.variance), evidence(factor * r.variance)) << factor;
}

TEST(KernelRidge, ClosedFormLeaveOneOutIsThatOfRefits) {
  for (const char* trend : {"zero", "constant", "linear"})
    for (const double penalty : {1e-3, 0.3, 40.0}) {
      const Data d = data(7, 24, 2);
      const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(penalty), parse_mean(trend));
      const double refits = std::sqrt(
          (d.y - refitted(kernel(), d, penalty, parse_mean(trend))).squaredNorm() / double(d.y.size()));
      EXPECT_NEAR(r.leave_one_out, refits, 1e-8 * refits) << trend << ", " << penalty;
      const LeaveOneOut process =
          Process<Row>(kernel(), parse_mean(trend), Noise::of(penalty)).condition(d.x, d.y).leave_one_out();
      EXPECT_NEAR(r.leave_one_out, process.rmse, 1e-8 * refits) << trend << ", " << penalty;
    }
}

TEST(KernelRidge, GeneralizedCrossValidationAndFreedomAreTheirFormulas) {
  const Data d = data(8, 30, 2);
  const Index n = d.y.size();
  for (const double penalty : {1e-2, 1.0}) {
    const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(penalty));
    Matrix hat(n, n);
    for (Index j = 0; j < n; ++j)
      hat.col(j) = kernel_ridge<Row>(kernel(), d.x, Vector::Unit(n, j), given(penalty))(d.x);
    EXPECT_NEAR(r.freedom, hat.trace(), 1e-9 * hat.trace());
    const double gcv = double(n) * (d.y - hat * d.y).squaredNorm() / std::pow(double(n) - hat.trace(), 2);
    EXPECT_NEAR(r.generalized, gcv, 1e-8 * gcv);
  }
}

TEST(KernelRidge, TheChosenPenaltyBeatsEveryOther) {
  const Data d = data(9, 50, 1);
  for (const By by : {By::leave_one_out, By::generalized}) {
    KernelRidgeOptions o;
    o.by = by;
    const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, o);
    const auto value = [&](const KernelRidgeFit& f) {
      return by == By::generalized ? f.generalized : f.leave_one_out;
    };
    EXPECT_FALSE(r.at_end);
    EXPECT_LE(value(r), (by == By::generalized ? r.curve.generalized : r.curve.leave_one_out).minCoeff());
    for (const double factor : {0.5, 0.99, 1.01, 2.0})
      EXPECT_LE(value(r), value(kernel_ridge<Row>(kernel(), d.x, d.y, given(factor * r.penalty)))) << factor;
    EXPECT_EQ(r.chosen_by, by == By::generalized ? "generalized cross-validation" : "leave-one-out");
    const KernelRidge<Row> again = kernel_ridge<Row>(kernel(), d.x, d.y, given(r.penalty));
    EXPECT_TRUE(near(again(d.at), r(d.at), 1e-12));
  }
}

TEST(KernelRidge, TheCurveIsThatOfSinglePenalties) {
  const Data d = data(10, 30, 2);
  const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y);
  const PenaltyCurve& c = r.curve;
  for (Index l = 1; l < c.penalty.size(); ++l) {
    EXPECT_GT(c.penalty[l], c.penalty[l - 1]);
    EXPECT_LT(c.freedom[l], c.freedom[l - 1]);
  }
  for (Index l = 20; l < c.penalty.size(); l += 7) {
    const KernelRidge<Row> one = kernel_ridge<Row>(kernel(), d.x, d.y, given(c.penalty[l]));
    EXPECT_NEAR(c.leave_one_out[l], one.leave_one_out, 1e-10 * one.leave_one_out);
    EXPECT_NEAR(c.generalized[l], one.generalized, 1e-10 * one.generalized);
    EXPECT_NEAR(c.freedom[l], one.freedom, 1e-10 * one.freedom);
  }
}

TEST(KernelRidge, TheOrderOfRowsAndThreadsDoNotMatter) {
  const Data d = data(11, 40, 2);
  std::vector<Index> turned;
  for (Index i = 0; i < d.y.size(); ++i) turned.push_back((7 * i + 3) % d.y.size());
  const KernelRidge<Row> a = kernel_ridge<Row>(kernel(), d.x, d.y, given(0.05));
  const KernelRidge<Row> b = kernel_ridge<Row>(kernel(), pick(d.x, turned), d.y(turned), given(0.05));
  EXPECT_TRUE(near(a(d.at), b(d.at), 1e-9));
  EXPECT_NEAR(a.leave_one_out, b.leave_one_out, 1e-9 * a.leave_one_out);
  EXPECT_TRUE(near(Vector(a.coefficients(turned)), b.coefficients, 1e-9));
  KernelRidgeOptions one = given(0.05);
  one.threads = 1;
  EXPECT_TRUE(near(kernel_ridge<Row>(kernel(), d.x, d.y, one)(d.at), a(d.at), 1e-9));
}

TEST(KernelRidge, AHugePenaltyLeavesTheTrendAndATinyOneInterpolates) {
  const Matrix x = random_points(12, 30, 1);
  const Vector y = random_targets(13, x);
  const KernelRidge<Row> flat = kernel_ridge<Row>(kernel(), x, y, given(1e12), parse_mean("linear"));
  Matrix f(30, 2);
  f << Vector::Ones(30), x;
  const Vector line = qr_solved(f, y);
  EXPECT_TRUE(near(flat.trend_coefficients(), line, 1e-9));
  EXPECT_TRUE(near(flat(x), f * line, 1e-9));
  EXPECT_NEAR(flat.freedom, 2, 1e-9);
  const KernelRidge<Row> exact = kernel_ridge<Row>(parse<Row>("matern12(1)"), x, y, given(1e-12));
  EXPECT_TRUE(near(exact(x), y, 1e-9));
  EXPECT_NEAR(exact.freedom, 30, 1e-6);
}

TEST(KernelRidge, AnEndOfTheRangeIsSaidInWords) {
  const Matrix x = Vector::LinSpaced(40, 0, 6);
  const KernelRidge<Row> exact =
      kernel_ridge<Row>(parse<Row>("linear(1)"), x, Vector(3 * x.col(0)), {}, zero_mean<Row>());
  EXPECT_TRUE(exact.at_end);
  EXPECT_EQ(exact.penalty, exact.curve.penalty[0]);
  EXPECT_TRUE(mentions(exact.notes, "the smallest tried"));
  Vector noise(40);  // alternates: a smooth kernel can only make it worse
  for (Index i = 0; i < 40; ++i) noise[i] = i % 2 ? 1 : -1;
  const KernelRidge<Row> none = kernel_ridge<Row>(parse<Row>("se(2)"), x, noise);
  EXPECT_TRUE(none.at_end);
  EXPECT_EQ(none.penalty, none.curve.penalty.tail(1)[0]);
  EXPECT_TRUE(mentions(none.notes, "the largest tried"));
  const KernelRidge<Row> level = kernel_ridge<Row>(parse<Row>("2.5"), x, noise);
  EXPECT_TRUE(mentions(level.notes, "the kernel adds nothing to the trend"));
  EXPECT_FALSE(level.at_end);
  EXPECT_LT(level(x).norm(), 1e-12) << "the mean of the noise is 0";
}

TEST(KernelRidge, ARowTheTrendNeedsDoesNotCount) {
  Matrix x = Matrix::Zero(12, 1);
  x(11, 0) = 1;  // the slope hangs on this one
  const Vector y = random_targets(14, random_points(15, 12, 1));
  const KernelRidge<Row> r = kernel_ridge<Row>(parse<Row>("se(1)"), x, y, given(1), parse_mean("linear"));
  EXPECT_TRUE(mentions(r.notes, "leave-one-out covers 11 rows"));
  EXPECT_TRUE(std::isfinite(r.leave_one_out));
}

TEST(KernelRidge, AFunctionThatIsNoKernelIsRefused) {
  const Data d = data(16, 30, 2);
  for (const std::optional<double> penalty : {std::optional<double>(), std::optional<double>(5)}) {
    KernelRidgeOptions o;
    o.penalty = penalty;
    const std::string said = error_of(
        [&] {
          kernel_ridge<Row>(Sigmoid{1.5, -1}, d.x, d.y, o);
        },
        Problem::numerical);
    EXPECT_NE(said.find("kernel 'sigmoid()' is not positive semi-definite: smallest eigenvalue -"),
              std::string::npos);
    EXPECT_NE(said.find("on 36 points"), std::string::npos);
  }
  EXPECT_NE(
      error_of([&] { kernel_ridge<Row>(Lopsided{}, d.x, d.y); }, Problem::numerical).find("not symmetric"),
      std::string::npos);
}

TEST(KernelRidge, BadInputsAreNamed) {
  const Data d = data(17, 10, 2);
  const auto told = [&](const std::function<void()>& f, Problem p, const std::string& words) {
    const std::string said = error_of(f, p);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  const auto fit = [&](const Matrix& x, const Vector& y, const KernelRidgeOptions& o = {}) {
    kernel_ridge<Row>(kernel(), x, y, o);
  };
  told([&] { fit(d.x, d.y.head(9)); }, Problem::usage, "16 points were given with 9 observations");
  Matrix x = d.x;
  x(3, 1) = std::nan("");
  told([&] { fit(x, d.y); }, Problem::data, "x: row 4, column 2");
  Vector y = d.y;
  y[6] = INFINITY;
  told([&] { fit(d.x, y); }, Problem::data, "y: row 7");
  for (const double penalty : {0.0, -1.0, double(NAN), double(INFINITY)})
    told([&] { fit(d.x, d.y, given(penalty)); }, Problem::usage,
         "penalty: expected a positive number, found");
  KernelRidgeOptions o;
  o.lower = 10, o.upper = 1;
  told([&] { fit(d.x, d.y, o); }, Problem::usage, "0 < lower < upper, found 10 to 1");
  told([&] { fit(d.x.topRows(1), d.y.head(1)); }, Problem::data,
       "1 trend coefficients and a penalty to choose needs 3 rows, found 1");
  told([&] { fit(d.x.topRows(1), d.y.head(1), given(1)); }, Problem::data, "needs 2 rows, found 1");
  told([&] { fit(Matrix(0, 2), Vector(0)); }, Problem::data, "no observations");
  told([&] { kernel_ridge<Row>(parse<Row>("se()"), d.x, d.y); }, Problem::usage, "lengthscale");
  const KernelRidge<Row> r = kernel_ridge<Row>(kernel(), d.x, d.y, given(1));
  told([&] { r(x); }, Problem::data, "x: row 4, column 2");
}

TEST(KernelRidge, AConstantYLeavesNothingToChoose) {
  const Data d = data(18, 20, 2);
  const Vector y = Vector::Constant(d.y.size(), 3.7e5);
  EXPECT_NE(error_of([&] { kernel_ridge<Row>(kernel(), d.x, y); }, Problem::data)
                .find("the trend explains all 26 rows"),
            std::string::npos);
  EXPECT_NE(error_of([&] { kernel_ridge<Row>(kernel(), d.x, Vector::Zero(26)); }, Problem::data)
                .find("the trend explains all 26 rows"),
            std::string::npos);
  EXPECT_TRUE(near(kernel_ridge<Row>(kernel(), d.x, y, given(1))(d.at), Vector::Constant(25, 3.7e5), 1e-12));
  const KernelRidge<Row> zero = kernel_ridge<Row>(kernel(), d.x, Vector::Zero(26), given(1));
  EXPECT_TRUE(zero(d.at).isZero(0));
  EXPECT_NE(error_of([&] { internal::process_of(zero); }, Problem::data).find("the trend explains every row"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::kernel_ridge_test
