// A process whose kernel has a large common part, against weight space in long double: inputs far from 0 cost
// no accuracy.
#include "covary/kernels/common_offset.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "covary/process/process.h"
#include "support.h"

namespace covary::test::shared_part_test {
namespace {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

LongMatrix with_column(const LongMatrix& a, Long value) {
  LongMatrix out(a.rows(), a.cols() + 1);
  out << a, LongVector::Constant(a.rows(), value);
  return out;
}

/// Kernels as features with weights N(0, 1), plus a kernel that is no sum of features.
struct Model {
  const char* kernel;
  std::function<LongMatrix(const LongMatrix&)> features;
  const char* other = "";
};

LongMatrix scaled_columns(const LongMatrix& x, Eigen::Matrix<Long, 3, 1> factors) {
  return x * factors.asDiagonal();
}

const std::vector<Model> models{
    {"linear([0.7, 1.3, 2])",
     [](const LongMatrix& x) {
       return scaled_columns(x, {1 / 0.7L, 1 / 1.3L, 0.5L});
     }},
    {"2.5 * linear(1.3)", [](const LongMatrix& x) { return LongMatrix(x * (std::sqrt(2.5L) / 1.3L)); }},
    {"fixed(4) * linear(1) + 9", [](const LongMatrix& x) { return with_column(2 * x, 3); }},
    {"on(1, linear(0.5)) + on([2, 3], 4 * linear(1)) + 0.3 * se(1)",
     [](const LongMatrix& x) { return LongMatrix(2 * x); }, "0.3 * se(1)"},
};

/// y = phi w + beta + other + noise, w ~ N(0, 1), beta flat if there is one: least squares by QR of what has
/// been whitened, over the rows of the prior.
struct Oracle {
  const Model& model;
  bool trend;
  Matrix x;
  Vector y;
  double noise;
  LongMatrix factor, q, r;  // Cholesky factor of other + noise; A = Q R
  LongVector weights, alpha;

  Oracle(const Model& m, bool t, const Matrix& points, const Vector& seen, double v)
      : model(m), trend(t), x(points), y(seen), noise(v) {
    LongMatrix k = other(x, x);
    k.diagonal().array() += noise;
    factor = Eigen::LLT<LongMatrix>(k).matrixL();
    const LongMatrix f = design(x);
    const Index n = f.rows(), p = f.cols(), proper = p - trend;
    LongMatrix a = LongMatrix::Zero(n + proper, p);
    a.topRows(n) = solved(f);
    a.bottomLeftCorner(proper, proper).setIdentity();
    const Eigen::HouseholderQR<LongMatrix> qr(a);
    q = qr.householderQ() * LongMatrix::Identity(n + proper, p);
    r = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
    const LongVector right = solved(y.cast<Long>());
    weights = r.triangularView<Eigen::Upper>().solve(q.topRows(n).transpose() * right);
    alpha = factor.transpose().triangularView<Eigen::Upper>().solve(right - a.topRows(n) * weights);
  }

  LongMatrix solved(const LongMatrix& b) const { return factor.triangularView<Eigen::Lower>().solve(b); }
  LongMatrix other(const Matrix& a, const Matrix& b) const {
    if (!*model.other) return LongMatrix::Zero(a.rows(), b.rows());
    return parse<Row>(model.other).cross(a, b).cast<Long>();
  }
  LongMatrix design(const Matrix& at) const {
    const LongMatrix f = model.features(at.cast<Long>());
    return trend ? with_column(f, 1) : f;
  }
  Vector mean(const Matrix& at) const { return (design(at) * weights + other(at, x) * alpha).cast<double>(); }
  Matrix covariance(const Matrix& at) const {
    const LongMatrix half = solved(other(x, at)),
                     u = design(at).transpose() - solved(design(x)).transpose() * half;
    const LongMatrix part = r.transpose().triangularView<Eigen::Lower>().solve(u);
    return (other(at, at) - half.transpose() * half + part.transpose() * part).cast<double>();
  }
  double evidence() const {  // log N(y; beta, K), beta at its estimate
    const Index p = r.cols() - trend;
    const LongVector residual = y.cast<Long>() - design(x) * weights;
    const Long squares = residual.dot(alpha) + weights.head(p).squaredNorm();
    const Long determinant =
        2 * factor.diagonal().array().log().sum() + 2 * r.diagonal().head(p).array().abs().log().sum();
    return double(-0.5L * (squares + determinant + Long(y.size()) * std::log(2 * std::numbers::pi_v<Long>)));
  }
};

std::vector<Index> all_but(Index n, Index out) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (i != out) rows.push_back(i);
  return rows;
}

struct Setting {
  double offset;
  Index n;
  bool trend;
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.offset << ", " << s.n << " rows"; }

class FarFromZero : public ::testing::TestWithParam<Setting> {
 protected:
  Matrix x = random_points(131, GetParam().n, 3).array() + GetParam().offset,
         at = random_points(132, 6, 3).array() + GetParam().offset;
  Vector y = random_targets(133, x.array() - GetParam().offset);
  double noise = 0.7;
  Process<Row> prior(const Model& m) const {
    return Process<Row>(parse<Row>(m.kernel), parse_mean(GetParam().trend ? "constant" : "zero"),
                        Noise::of(noise));
  }
  Oracle oracle(const Model& m, const std::vector<Index>& rows) const {
    return {m, GetParam().trend, x(rows, Eigen::all), y(rows), noise};
  }
  Oracle oracle(const Model& m) const { return oracle(m, all_but(x.rows(), -1)); }
};

TEST_P(FarFromZero, PredictionsAndEvidence) {
  for (const Model& m : models) {
    SCOPED_TRACE(m.kernel);
    const Process<Row> p = prior(m).condition(x, y);
    const Oracle o = oracle(m);
    EXPECT_TRUE(near(p.mean(at), o.mean(at), 1e-9));
    EXPECT_TRUE(near(p.variance(at), o.covariance(at).diagonal(), 1e-9));
    EXPECT_TRUE(near(p.joint(at).covariance(), o.covariance(at), 1e-9));
    EXPECT_NEAR(p.log_evidence(), o.evidence(), 1e-9 * std::abs(o.evidence()));
    EXPECT_EQ(p.kernel().text(), parse<Row>(m.kernel).text());
    if (GetParam().trend) {
      EXPECT_NEAR(p.coefficients()[0] / double(o.weights[o.weights.size() - 1]), 1, 1e-9);
      EXPECT_EQ(p.coefficients().size(), 1);
      EXPECT_EQ(p.coefficient_covariance().size(), 1);
    }
  }
}

TEST_P(FarFromZero, LeaveOneOut) {
  if (x.rows() == 1 && GetParam().trend) GTEST_SKIP() << "nothing is left to tell the trend";
  for (const Model& m : models) {
    SCOPED_TRACE(m.kernel);
    const LeaveOneOut loo = prior(m).condition(x, y).leave_one_out();
    for (Index i = 0; i < x.rows(); ++i) {
      const Oracle o = oracle(m, all_but(x.rows(), i));
      const double variance = o.covariance(x.row(i))(0, 0) + noise;
      EXPECT_NEAR(loo.mean[i], o.mean(x.row(i))[0], 1e-9 * std::sqrt(variance)) << i;
      EXPECT_NEAR(loo.variance[i], variance, 1e-9 * variance) << i;
    }
  }
}

TEST_P(FarFromZero, UpdatesAreRefits) {
  for (const Model& m : models) {
    SCOPED_TRACE(m.kernel);
    const Process<Row> whole = prior(m).condition(x, y);
    Process<Row> steps = prior(m);
    for (Index i = 0; i < x.rows(); ++i) steps = steps.condition(x.row(i), y.segment(i, 1));
    EXPECT_TRUE(near(steps.mean(at), whole.mean(at), 1e-8));
    EXPECT_TRUE(near(steps.joint(at).covariance(), whole.joint(at).covariance(), 1e-8));
    EXPECT_NEAR(steps.log_evidence(), whole.log_evidence(), 1e-8 * std::abs(whole.log_evidence()));
  }
}

TEST_P(FarFromZero, BatchesOfAnySizeGiveTheSameBits) {
  for (const Model& m : models) {
    const Process<Row> p = prior(m).condition(x, y);
    const Marginals all = p.predict(at);
    for (Index i = 0; i < at.rows(); ++i) {
      EXPECT_TRUE(same_bits(p.predict(at.row(i)).mean, all.mean.segment(i, 1)));
      EXPECT_TRUE(same_bits(p.predict(at.row(i)).variance, all.variance.segment(i, 1)));
    }
  }
}

/// The data's pull on a path is what conditioning on other observations would give.
TEST_P(FarFromZero, PathsArePulledByTheData) {
  for (const Model& m : models) {
    Process<Row> exact(parse<Row>(m.kernel), zero_mean<Row>(), Noise::of(1e-8));
    const Path<Row> path = exact.condition(x, y).path(3, 64);
    EXPECT_TRUE(near(path(x), exact.condition(x, y).mean(x), 1e-3)) << m.kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Offsets, FarFromZero,
                         ::testing::Values(Setting{0, 40, false}, Setting{0, 40, true}, Setting{0, 3, false},
                                           Setting{0, 3, true}, Setting{0, 2, true}, Setting{1e3, 40, false},
                                           Setting{1e3, 40, true}, Setting{1e3, 3, true},
                                           Setting{1e3, 2, false}, Setting{1e6, 40, false},
                                           Setting{1e6, 40, true}, Setting{1e6, 3, false},
                                           Setting{1e6, 3, true}, Setting{1e6, 2, false},
                                           Setting{1e6, 2, true}, Setting{1e6, 1, false}),
                         [](const auto& tested) {
                           return "at" + std::to_string(int(tested.param.offset)) + "_rows" +
                                  std::to_string(tested.param.n) + (tested.param.trend ? "_trend" : "");
                         });

/// A flat straight trend makes a linear kernel superfluous: predictions do not change.
TEST(SharedPart, WhatTheTrendHoldsAlready) {
  for (const double offset : {0.0, 1e6}) {
    const Matrix x = random_points(141, 25, 2).array() + offset,
                 at = random_points(142, 6, 2).array() + offset;
    const Vector y = random_targets(143, x.array() - offset);
    const auto conditioned = [&](const char* kernel) {
      return Process<Row>(parse<Row>(kernel), parse_mean("linear"), Noise::of(0.1)).condition(x, y);
    };
    const Process<Row> both = conditioned("matern32(1) + linear(0.3) + 5"), one = conditioned("matern32(1)");
    EXPECT_TRUE(near(both.mean(at), one.mean(at), 1e-9));
    EXPECT_TRUE(near(both.joint(at).covariance(), one.joint(at).covariance(), 1e-9));
    EXPECT_TRUE(near(both.leave_one_out().mean, one.leave_one_out().mean, 1e-9));
    EXPECT_TRUE(near(both.leave_one_out().variance, one.leave_one_out().variance, 1e-9));
  }
}

/// The same trend, whether it says that it has a level or not.
TEST(SharedPart, ALevelThatIsNotToldOf) {
  const Matrix x = random_points(144, 25, 2).array() + 100, at = random_points(145, 6, 2).array() + 100;
  const Vector y = random_targets(146, x);
  const Mean<Row> told = constant_mean<Row>();
  Mean<Row> untold = told;
  untold.level = false;
  const auto conditioned = [&](const Mean<Row>& m) {
    return Process<Row>(parse<Row>("linear([1, 2]) + 0.1 * se(1)"), m, Noise::of(0.1)).condition(x, y);
  };
  const Process<Row> a = conditioned(told), b = conditioned(untold);
  EXPECT_TRUE(near(a.joint(at).covariance(), b.joint(at).covariance(), 1e-9));
  EXPECT_TRUE(near(a.mean(at), b.mean(at), 1e-9));
  EXPECT_NEAR(a.log_evidence(), b.log_evidence(), 1e-9);
  EXPECT_TRUE(near(a.coefficients(), b.coefficients(), 1e-9));
  EXPECT_TRUE(near(a.coefficient_covariance(), b.coefficient_covariance(), 1e-9));
  EXPECT_TRUE(near(a.path(3, 32)(at), b.path(3, 32)(at), 1e-8));
}

TEST(SharedPart, TheSumOfItsPartsIsTheKernel) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Kernel<Row> k = random_kernel(seed, 3);
    const Matrix x = random_points(seed + 500, 9, 3).array() + 4, a = random_points(seed, 6, 3),
                 b = random_points(seed + 1, 5, 3);
    const internal::CommonOffset<Row> s = internal::shared_part<Row>(k, x);
    Matrix sum = s.rest.cross(a, b);
    Vector diagonal = s.rest.diag(a);
    if (s.along) {
      ASSERT_EQ(s.along(a).cols(), 1);
      const Vector left = s.along(a).array() + s.level, right = s.along(b).array() + s.level;
      sum += left * right.transpose();
      diagonal += left.cwiseAbs2();
    }
    EXPECT_TRUE(near(sum, k.cross(a, b), 1e-13)) << k.text();
    EXPECT_TRUE(near(diagonal, k.diag(a), 1e-13)) << k.text();
  }
}

TEST(SharedPart, OnlyExplicitFeaturesAreShared) {
  const Matrix x = random_points(1, 9, 2).array() + 4;
  const auto features = [&](const char* text) { return parse<Row>(text).split(x).center.size(); };
  for (const char* text : {"se(1)", "linear(1) * se(1)", "polynomial(degree=2, offset=1)", "2 * matern32(1)"})
    EXPECT_EQ(features(text), 0) << text;
  EXPECT_EQ(features("linear(1)"), 2);
  EXPECT_EQ(features("linear(1) + on(2, linear(1)) + 3 + se(1)"), 4);
  EXPECT_EQ(features("3 * (linear(1) + se(1))"), 2);
  EXPECT_EQ(features("fixed(2 * linear(1)) + se(1)"), 2);
  EXPECT_FALSE(internal::shared_part<Row>(parse<Row>("linear(1)"), Matrix::Zero(3, 2)).along)
      << "no direction";
}

/// Of three columns, each with its own offset: the last is near 0.
TEST(SharedPart, WhatIsLeftIsSmall) {
  Matrix x = random_points(2, 50, 3);
  x.col(0).array() += 1e6, x.col(1).array() -= 1e8;
  const internal::CommonOffset<Row> s = internal::shared_part<Row>(parse<Row>("linear(1)"), x);
  EXPECT_LT(s.rest.diag(x).maxCoeff(), 40);
  EXPECT_NEAR(s.level / std::hypot(1e6, 1e8), 1, 1e-6);
}

TEST(SharedPart,
     WithoutNoiseASingularRestIsNotUsed) {  // three points decide three weights; two directions do not
  const Matrix x = random_points(3, 3, 3).array() + 5, at = random_points(4, 5, 3);
  const Vector y = random_targets(5, x), w = x.fullPivLu().solve(y);
  const Process<Row> p = Process<Row>(parse<Row>("linear(1)")).condition(x, y);
  EXPECT_EQ(p.conditioning().jitter, 0);
  EXPECT_TRUE(near(p.mean(at), at * w, 1e-11));
  EXPECT_LT(p.variance(at).maxCoeff(), 1e-12);
  const Process<Row> one = Process<Row>(parse<Row>("4 + linear(1)")).condition(x.topRows(1), y.head(1));
  EXPECT_EQ(one.conditioning().jitter, 0);
  EXPECT_NEAR(one.mean(x.topRows(1))[0], y[0], 1e-14);
}

TEST(SharedPart, ALargeLevelDrownsNothing) {  // a level of variance 1e12 is a flat one
  const Matrix x = random_points(6, 30, 1), at = random_points(7, 9, 1);
  const Vector y = random_targets(8, x);
  const Process<Row> vague = Process<Row>(parse<Row>("se(1) + 1e12"), {}, Noise::of(0.01)).condition(x, y),
                     flat = Process<Row>(parse<Row>("se(1)"), constant_mean<Row>(), Noise::of(0.01))
                                .condition(x, y);
  EXPECT_TRUE(near(vague.mean(at), flat.mean(at), 1e-10));
  EXPECT_TRUE(near(vague.joint(at).covariance(), flat.joint(at).covariance(), 1e-10));
}

}  // namespace
}  // namespace covary::test::shared_part_test
