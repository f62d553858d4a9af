// Inputs that must not hurt: cases of a conditioned process. Those of learning are in torture_fit_test.cc.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <thread>

#include "covary/inference/evidence.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/reparametrized.h"
#include "covary/linear/weights.h"
#include "support.h"

namespace covary::test::torture_test {
namespace {

double smooth(double x) { return std::sin(3 * x) + 0.3 * x; }

struct Line {
  Matrix x;
  Vector y;
};

Line line(Index n, double low, double high) {
  const Vector x = Vector::LinSpaced(n, low, high);
  return {x, x.unaryExpr(&smooth)};
}

TEST(Torture, Case01ExactDuplicates) {
  const Line d = line(12, -2, 2);
  const Process<Row> prior(se(0.8));
  const Process<Row> p = prior.condition(with_repeats(d.x, 4), internal::concat(d.y, d.y.head(4)));
  EXPECT_TRUE(mentions(p.notes(), "4 rows merged"));
  EXPECT_EQ(p.conditioning().jitter, 0);
  const Marginals m = p.predict(d.x);
  EXPECT_TRUE(near(m.mean, d.y, 1e-9));
  EXPECT_TRUE(same_bits(m.variance, Vector::Zero(12)));
  const Matrix at = Vector::LinSpaced(7, -3, 3);
  EXPECT_TRUE(near(p.mean(at), prior.condition(d.x, d.y).mean(at), 1e-13));
  EXPECT_TRUE(std::isfinite(p.log_evidence()));
  const LeaveOneOut loo = p.leave_one_out();
  EXPECT_TRUE(loo.mean.allFinite());
  EXPECT_FALSE(std::isnan(loo.nlpd));
}

TEST(Torture, Case02DuplicatesThatDisagree) {
  const Line d = line(12, -2, 2);
  const Process<Row> p =
      Process<Row>(se(0.8)).condition(with_repeats(d.x, 2), internal::concat(d.y, d.y.head(2).array() + 1));
  EXPECT_TRUE(mentions(p.notes(), "noise cannot be 0"));
  const Marginals m = p.predict(d.x.topRows(2), Of::y);
  EXPECT_TRUE(m.mean.allFinite());
  EXPECT_GT(m.variance.minCoeff(), 0.25)
      << "observations that differ by 1 have a variance of 1/2 between them";
  EXPECT_LT(m.variance.maxCoeff(), 1.5);
}

TEST(Torture, Case02UpdatesWithDuplicatesThatDisagreeEqualRefits) {
  const Line d = line(12, -2, 2);
  const Matrix at = Vector::LinSpaced(7, -3, 3);
  const Matrix again = d.x.topRows(3);
  const Vector off = d.y.head(3) + Eigen::Vector3d(0.3, -0.2, 0.4);
  const Process<Row> prior(matern52(0.8));
  const Process<Row> once = prior.condition(join(d.x, again), internal::concat(d.y, off));
  const Process<Row> twice = prior.condition(join(d.x, again.topRows(1)), internal::concat(d.y, off.head(1)))
                                 .condition(again.bottomRows(2), off.tail(2));
  EXPECT_TRUE(near(twice.mean(at), once.mean(at), 1e-8));
  EXPECT_TRUE(near(twice.variance(at), once.variance(at), 1e-8));
}

TEST(Torture, Case03NearDuplicates) {
  for (const char* kernel : {"se(0.8)", "matern52(0.8)", "matern32(0.8)", "matern12(0.8)"}) {
    const Line d = line(10, -2, 2);
    const Matrix close = d.x.topRows(3).array() + 1e-12;
    const Process<Row> prior(parse<Row>(kernel));
    const Process<Row> p =
        prior.condition(join(d.x, close), internal::concat(d.y, close.col(0).unaryExpr(&smooth)));
    const Matrix at = Vector::LinSpaced(41, -2, 2);
    EXPECT_LT((p.mean(at) - prior.condition(d.x, d.y).mean(at)).cwiseAbs().maxCoeff(), 1e-8) << kernel;
    EXPECT_GE(p.variance(at).minCoeff(), 0) << kernel;
    if (p.conditioning().jitter > 0) {
      EXPECT_TRUE(mentions(p.notes(), "nearly coincide")) << kernel;
    }
  }
}

TEST(Torture, Case06OffsetOfX) {
  const Line d = line(30, 0, 4);
  const Matrix at = Vector::LinSpaced(11, -0.5, 4.5);
  for (const char* kernel : {"se([1])", "matern32(1)", "se(1) * periodic(1, 2)"}) {
    const Process<Row> prior(parse<Row>(kernel), constant_mean<Row>(), Noise::of(1e-3));
    const auto rounded = [](const Matrix& m) -> Matrix {
      return (m.array() + 1e8) - 1e8;
    };  // what doubles can hold there
    const Process<Row> near_zero = prior.condition(rounded(d.x), d.y),
                       far = prior.condition(d.x.array() + 1e8, d.y);
    EXPECT_TRUE(same_bits(far.mean(at.array() + 1e8), near_zero.mean(rounded(at)))) << kernel;
    EXPECT_TRUE(same_bits(far.variance(at.array() + 1e8), near_zero.variance(rounded(at)))) << kernel;
  }
}

/// A smooth kernel on a fine grid is singular to rounding: the answer is right all the same.
void expect_dense_grid(Index n) {
  const Line d = line(n, 0, 10);
  const Process<Row> p = Process<Row>(se(1.0)).condition(d.x, d.y);
  EXPECT_GT(p.conditioning().jitter, 0);
  EXPECT_LE(p.conditioning().jitter, 1e-6);
  EXPECT_TRUE(mentions(p.notes(), "singular to rounding"));
  const Vector at = Vector::LinSpaced(777, 0.01, 9.99);
  const Marginals m = p.predict(at);
  EXPECT_LT((m.mean - at.unaryExpr(&smooth)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GE(m.variance.minCoeff(), 0);
  EXPECT_LT(m.variance.maxCoeff(), 1e-6);
}
TEST(Torture, Case14DenseGrid) { expect_dense_grid(600); }
TEST(Torture, Case14DenseGridSlow) { expect_dense_grid(5000); }

TEST(Torture, Case15VariancesAreNeverNegative) {
  for (const double offset : {0.0, 1e3, 1e8})
    for (const char* kernel :
         {"se(2)", "1e8 * se(2)", "1e-8 * matern52(3)", "se(1) + 1e6", "polynomial(degree=3, offset=1)"}) {
      const Matrix x = Vector::LinSpaced(100, 0, 1).array() + offset,
                   at = Vector::LinSpaced(901, -0.1, 1.1).array() + offset;
      const Kernel<Row> k = parse<Row>(kernel);
      const Process<Row> p =
          Process<Row>(k, {}, Noise::of(1e-12 * k.diag(x).maxCoeff())).condition(x, random_targets(1, x));
      const Marginals m = p.predict(at);
      EXPECT_GE(m.variance.minCoeff(), 0) << kernel << " at " << offset;
      EXPECT_TRUE(m.mean.allFinite() && m.sd().allFinite()) << kernel << " at " << offset;
      EXPECT_GT(m.variance.minCoeff(), 0)
          << kernel << " at " << offset << ": noise, so nothing is known exactly";
    }
}

TEST(Torture, Case16SamplingASingularJoint) {
  const Matrix at = Vector::LinSpaced(300, 0, 1);
  for (const char* kernel :
       {"se(5)", "1e10 * se(1)", "linear(1)", "polynomial(degree=2, offset=1)", "periodic(1, 0.25)"}) {
    const Kernel<Row> k = parse<Row>(kernel);
    const Matrix s = Process<Row>(k).sample(at, 4000, 3);
    ASSERT_TRUE(s.allFinite()) << kernel;
    const double scale = k.diag(at).maxCoeff();
    const Matrix c = s * s.transpose() / 4000;
    EXPECT_LT((c - k.cross(at, at)).cwiseAbs().maxCoeff(), 0.15 * scale) << kernel;
  }
}

/// k(x, z) = 1 - |x - z|: not positive semi-definite beyond a distance.
struct Tent {
  Matrix cross(Rows a, Rows b) const {
    return 1 - (a.replicate(1, b.rows()) - b.transpose().replicate(a.rows(), 1)).array().abs();
  }
  Vector diag(Rows a) const { return Vector::Ones(a.rows()); }
  Vector pullback(Rows, Rows, const Matrix&) const { return Vector(0); }
  Vector theta() const { return Vector(0); }
  Tent with(const Vector&) const { return {}; }
  std::string text() const { return "tent()"; }
};

TEST(Torture, Case17AKernelThatIsNotPositiveDefinite) {
  const Matrix x = Vector::LinSpaced(6, 0, 10);
  const std::string said =
      error_of([&] { Process<Row>(Kernel<Row>(Tent{})).condition(x, x.col(0)); }, Problem::numerical);
  EXPECT_NE(said.find("an eigenvalue is -"), std::string::npos) << said;
  const Matrix two = Vector::LinSpaced(2, 0, 1), off = Matrix::Constant(1, 1, 4);
  error_of([&] { Process<Row>(Kernel<Row>(Tent{})).condition(two, Vector::Ones(2)).predict(off); },
           Problem::numerical);
}

TEST(Torture, Case18LimitsOfParameters) {
  const Line d = line(20, -2, 2);
  const Matrix at = Vector::LinSpaced(9, -3, 3);
  for (const char* bad : {"0", "-1", "1e-320", "1e308"})
    for (const char* kernel :
         {"se(lengthscale=@)", "matern32(lengthscale=@)", "periodic(lengthscale=1, period=@)",
          "rational_quadratic(lengthscale=1, alpha=@)", "@ * se(1)", "linear(lengthscale=@)"}) {
      std::string text = kernel;
      text.replace(text.find('@'), 1, bad);
      EXPECT_THROW(parse<Row>(text), Error) << text;
    }
  EXPECT_THROW(se(std::nan("")), Error);
  const Kernel<Row> half = se(Eigen::Vector2d(1, std::nan("")));  // NaN: not given
  EXPECT_THROW(Process<Row>(half).condition(Matrix::Random(5, 2), Vector::Ones(5)), Error);
  EXPECT_THROW(matern32(INFINITY), Error);
  for (const char* good :
       {"se(1e-100)", "se(1e100)", "matern12(1e-100)", "1e100 * se(1)", "1e-100 * se(1)",
        "periodic(lengthscale=1, period=1e-100)", "periodic(lengthscale=1e-100, period=1)",
        "rational_quadratic(lengthscale=1, alpha=1e6)", "rational_quadratic(lengthscale=1, alpha=1e-6)"}) {
    const Kernel<Row> k = parse<Row>(good);
    const Marginals m =
        Process<Row>(k, {}, Noise::of(1e-3 * k.diag(at.topRows(1))[0])).condition(d.x, d.y).predict(at);
    EXPECT_TRUE(m.mean.allFinite() && m.variance.allFinite()) << good;
    EXPECT_GE(m.variance.minCoeff(), 0) << good;
  }
  for (const double noise : {1e-320, 1e300}) {
    const Process<Row> p = Process<Row>(se(1.0), {}, Noise::of(noise)).condition(d.x, d.y);
    EXPECT_TRUE(p.mean(at).allFinite()) << noise;
  }
}

/// The largest resident size so far, in bytes.
double peak_memory() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return 1024.0 * double(use.ru_maxrss);
}

void expect_bounded_memory(Index n, Index m, double most) {
  const Matrix x = random_points(141, n, 2), at = random_points(142, m, 2);
  const Process<Row> p = Process<Row>(matern32(1.0), {}, Noise::of(0.1)).condition(x, random_targets(143, x));
  (void)p.predict(at.topRows(1000));
  const double before = peak_memory();
  const Marginals all = p.predict(at);
  EXPECT_LT(peak_memory() - before, most);
  EXPECT_TRUE(all.variance.allFinite());
}

TEST(Torture, Case20ManyPredictionsBoundTheMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps freed memory";
#endif
  expect_bounded_memory(200, 100000, 30e6);  // 160 MB at once
}
TEST(Torture, Case20AMillionPredictionsSlow) { expect_bounded_memory(2000, 1000000, 200e6); }

TEST(Torture, Case21TooManyRowsForTheMemory) {
  const Index n = 600000;
  const Matrix x = Vector::LinSpaced(n, 0, 1);
  const Vector y = Vector::Zero(n);
  const Process<Row> prior(se(1.0), {}, Noise::of(0.1));
  const std::string said = error_of([&] { prior.condition(x, y); }, Problem::limit);
  EXPECT_NE(said.find("needs 2.68e+03 GiB"), std::string::npos) << said;
  EXPECT_NE(said.find("GiB are free"), std::string::npos) << said;
  error_of([&] { Evidence<Row>(se(1.0), {}, Noise::of(0.1), x, y).at(Vector::Zero(1)); }, Problem::limit);
  error_of([&] { prior.joint(x); }, Problem::limit);
  error_of([&] { prior.sample(x, 1, 1); }, Problem::limit);
  const internal::Reparametrized tied{
      se(1.0), {Vector::Zero(1), Matrix::Zero(1, 0)}, {Vector::Zero(1), Matrix::Zero(1, 0)}};
  const Matrix one = Matrix::Zero(1, 1);
  const auto known = internal::posterior(tied, {one, one, Vector::Ones(1)}, Vector(), 1);
  error_of([&] { (void)known->joint(x, 1); }, Problem::limit);
  const Weights weights(WeightPrior::isotropic(n, 1), NoisePrior::known(1));
  error_of([&] { (void)weights.condition(x.transpose(), y.head(1), {.side = Side::weights}); },
           Problem::limit);
}

TEST(Torture, Case22MoreThanTwoToThe31Elements) {
  const Index n = 200000;  // 4e10 entries: no int may hold them on the way to the figure
  const Matrix x = Vector::LinSpaced(n, 0, 1);
  const std::string said =
      error_of([&] { Process<Row>(se(1.0), {}, Noise::of(0.1)).condition(x, x.col(0)); }, Problem::limit);
  EXPECT_NE(said.find("needs 298 GiB"), std::string::npos) << said;
}

TEST(Torture, Case32SixteenThreadsOnOneModel) {
  const Matrix x = random_points(144, 130, 3), at = random_points(145, 300, 3);
  const Process<Row> p =
      Process<Row>(matern52(1.0), parse_mean("linear"), Noise::of(0.1)).condition(x, random_targets(146, x));
  const Marginals alone = p.predict(at, Of::f, 1);
  std::vector<Marginals> all(16);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 16; ++t) threads.emplace_back([&, t] { all[t] = p.predict(at); });
  }
  for (const Marginals& m : all) {
    EXPECT_TRUE(same_bits(m.mean, alone.mean));
    EXPECT_TRUE(same_bits(m.variance, alone.variance));
  }
}

TEST(Torture, Case33ThreadsAndBatches) {
  const Matrix x = random_points(147, 130, 3), at = random_points(148, 300, 3);
  const Process<Row> p =
      Process<Row>(matern52(1.0), parse_mean("linear"), Noise::of(0.1)).condition(x, random_targets(149, x));
  const Marginals all = p.predict(at, Of::f, 1);
  for (const int threads : {1, 2, 16})
    for (const Index size : {1, 7, 300})
      for (Index i = 0; i + size <= 300; i += 43) {
        const Marginals some = p.predict(at.middleRows(i, size), Of::f, threads);
        ASSERT_TRUE(same_bits(some.mean, all.mean.segment(i, size)));
        ASSERT_TRUE(same_bits(some.variance, all.variance.segment(i, size)));
      }
}

}  // namespace
}  // namespace covary::test::torture_test
