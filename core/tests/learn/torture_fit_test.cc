// Inputs that must not hurt: cases of learning.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "covary/kernels/stationary.h"
#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::torture_fit_test {
namespace {

Model<Row> model(const std::string& kernel = "se()", const Noise& noise = Noise::learn(),
                 const std::string& mean = "constant") {
  return {parse<Row>(kernel), parse_mean(mean), noise};
}

struct Line {
  Matrix x;
  Vector y;
};

Line line(Index n, double noise = 0.1) {
  const Matrix x = Vector::LinSpaced(n, -2, 2);
  return {x, random_targets(151, x, noise)};
}

Index mentions_of(const Summary& s, const std::string& words) {
  Index n = 0;
  for (const std::string& note : s.notes) n += note.find(words) != std::string::npos;
  return n;
}

bool finite(const Summary& s) {
  return std::isfinite(s.log_marginal_likelihood) && std::isfinite(s.log_prior) &&
         std::isfinite(s.loo_rmse) && !std::isnan(s.loo_nlpd) && std::isfinite(s.noise_variance);
}

TEST(TortureFit, Case01ExactDuplicatesWithoutNoise) {
  const Line d = line(15, 0);
  const FitResult<Row> f =
      fit<Row>(model("se()", Noise::none()), with_repeats(d.x, 5), internal::concat(d.y, d.y.head(5)));
  EXPECT_EQ(mentions_of(f.summary, "5 rows merged"), 1);
  EXPECT_TRUE(finite(f.summary)) << f.summary.text();
  EXPECT_TRUE(near(f.process.mean(d.x), d.y, 1e-6));
  EXPECT_LT(f.process.variance(d.x).maxCoeff(), 1e-9);
}

TEST(TortureFit, Case01ExactDuplicatesByLeaveOneOut) {
  const Line d = line(15, 0);
  FitOptions o;
  o.objective = ObjectiveKind::leave_one_out;
  const FitResult<Row> f = fit<Row>(model("matern52()", Noise::none()), with_repeats(d.x, 5),
                                    internal::concat(d.y, d.y.head(5)), o);
  EXPECT_TRUE(finite(f.summary)) << f.summary.text();
  EXPECT_TRUE(near(f.process.mean(d.x), d.y, 1e-6));
}

TEST(TortureFit, Case02DuplicatesThatDisagreeWithoutNoise) {
  const Line d = line(15, 0);
  const FitResult<Row> f = fit<Row>(model("se()", Noise::none()), with_repeats(d.x, 3),
                                    internal::concat(d.y, d.y.head(3).array() + 1));
  EXPECT_EQ(mentions_of(f.summary, "noise cannot be 0"), 1) << f.summary.text();
  EXPECT_TRUE(finite(f.summary)) << f.summary.text();
  EXPECT_NEAR(f.summary.noise_variance, 0.5, 1e-9) << "within/(n - distinct) = 3 * (1/4 + 1/4) / 3";
  EXPECT_GE(f.process.variance(d.x.topRows(3), Of::y).minCoeff(), 0.5);
}

TEST(TortureFit, Case04ConstantTarget) {
  const Matrix x = Vector::LinSpaced(12, -2, 2), at = Vector::LinSpaced(5, -10, 10);
  for (const double level : {0.0, 5.0, -1e-7, 1e12}) {
    const FitResult<Row> f = fit<Row>(model(), x, Vector::Constant(12, level));
    EXPECT_EQ(mentions_of(f.summary, "target is constant"), 1) << level;
    EXPECT_TRUE(finite(f.summary)) << f.summary.text();
    const Vector mean = f.process.mean(at) * f.scale;
    EXPECT_LE((mean.array() - level).abs().maxCoeff(), 1e-12 * std::abs(level)) << level;
    EXPECT_TRUE(f.process.variance(at).allFinite());
    EXPECT_GT(f.process.variance(at).maxCoeff(), 0) << level;
  }
}

TEST(TortureFit, Case05SizesOfY) {
  const Line d = line(25);
  const Matrix at = Vector::LinSpaced(9, -3, 3);
  const FitResult<Row> one = fit<Row>(model(), d.x, d.y);
  const Vector mean = one.process.mean(at), sd = one.process.predict(at).sd();
  for (const double c : {1e12, 1e-12, 1e150, 1e-150, 1e300, 1e-300}) {
    const FitResult<Row> f = fit<Row>(model(), d.x, c * d.y);
    EXPECT_TRUE(finite(f.summary)) << c;
    EXPECT_TRUE(near(f.process.mean(at) * f.scale / c, mean, 1e-5)) << c;
    EXPECT_TRUE(near(f.process.predict(at).sd() * f.scale / c, sd, 1e-5)) << c;
    EXPECT_NEAR(f.summary.log_marginal_likelihood, one.summary.log_marginal_likelihood - 25 * std::log(c),
                1e-5)
        << c;
    EXPECT_NEAR(f.summary.loo_nlpd, one.summary.loo_nlpd + std::log(c), 1e-5) << c;
  }
}

TEST(TortureFit, Case05KnownTrendsAndNoiseOfHugeTargets) {
  const Line d = line(25);
  const Matrix at = Vector::LinSpaced(9, -3, 3);
  const FitResult<Row> one = fit<Row>(model("se()", Noise::learn(), "constant(2)"), d.x, d.y);
  const FitResult<Row> f = fit<Row>({parse<Row>("se()"), constant_mean<Row>(2e120)}, d.x, 1e120 * d.y);
  EXPECT_TRUE(near(f.process.mean(at) * (f.scale / 1e120), one.process.mean(at), 1e-5));
  const FitResult<Row> g = fit<Row>(model("se()", Noise::of(1e-242)), d.x, 1e-120 * d.y);
  const FitResult<Row> h = fit<Row>(model("se()", Noise::of(0.01)), d.x, d.y);
  EXPECT_TRUE(near(g.process.mean(at) * (g.scale / 1e-120), h.process.mean(at), 1e-5));
}

TEST(TortureFit, Case06OffsetOfX) {
  const Line d = line(33);
  const Matrix at = Vector::LinSpaced(9, -3, 3), moved = d.x.array() + 0x1p27;
  const Matrix exact = moved.array() - 0x1p27;
  for (const char* mean : {"constant", "linear"}) {
    const FitResult<Row> one = fit<Row>(model("se()", Noise::learn(), mean), exact, d.y);
    const FitResult<Row> far = fit<Row>(model("se()", Noise::learn(), mean), moved, d.y);
    EXPECT_TRUE(near(far.process.mean(at.array() + 0x1p27), one.process.mean(at), 1e-6)) << mean;
    EXPECT_NEAR(far.summary.log_marginal_likelihood, one.summary.log_marginal_likelihood, 1e-6) << mean;
  }
}

TEST(TortureFit, Case07ConstantAndIdenticalColumns) {
  const Line d = line(25);
  Matrix x(25, 3);
  x << d.x, Vector::Constant(25, 7), d.x;
  FitOptions o;
  o.columns = {"a", "b", "c"};
  const FitResult<Row> f = fit<Row>(model(), x, d.y, o);
  EXPECT_EQ(mentions_of(f.summary, "column 'b' is constant: only the prior says"), 1) << f.summary.text();
  EXPECT_EQ(mentions_of(f.summary, "'a' and 'c' are identical"), 1) << f.summary.text();
  EXPECT_TRUE(finite(f.summary));
  EXPECT_TRUE(near(f.process.mean(x), fit<Row>(model(), d.x, d.y).process.mean(d.x), 0.05));
  EXPECT_TRUE(finite(fit<Row>(model("se()", Noise::learn(), "linear"), x, d.y, o).summary));
}

TEST(TortureFit, Case08FewRowsAndNoColumns) {
  EXPECT_NE(
      error_of([] { fit<Row>(model(), Matrix(0, 2), Vector(0)); }, Problem::data).find("at least one row"),
      std::string::npos);
  EXPECT_NE(error_of([] { fit<Row>(model(), Matrix(5, 0), Vector::Ones(5)); }, Problem::data)
                .find("no input columns"),
            std::string::npos);
  for (const Index n : {1, 2, 3})
    for (const char* mean : {"zero", "constant", "linear"})
      for (const Noise& noise : {Noise::learn(), Noise::none()}) {
        const Line d = line(40);
        SCOPED_TRACE(std::to_string(n) + " " + mean + " " + noise.text());
        const FitResult<Row> f = fit<Row>(model("se()", noise, mean), d.x.topRows(n), d.y.head(n));
        EXPECT_EQ(mentions_of(f.summary, "the prior decides"), 1) << f.summary.text();
        const Marginals m = f.process.predict(Vector::LinSpaced(5, -9, 9));
        EXPECT_TRUE(m.mean.allFinite() && m.variance.allFinite());
        EXPECT_GE(m.variance.minCoeff(), 0);
        EXPECT_GT(m.variance.maxCoeff(), 1e-4) << "few rows do not make one sure";
      }
}

TEST(TortureFit, Case08FewSmallObservationsUnderKnownNoise) {
  for (const Index n : {1, 2, 3})
    for (const double size : {1e-3, 0.1, 1.0})
      for (const bool by_row : {false, true}) {
        SCOPED_TRACE(fmt::format("{} rows of size {}", n, size));
        const Line d = line(40);
        const Noise noise = by_row ? Noise::rows(Vector::Constant(n, 0.5)) : Noise::of(0.25);
        const FitResult<Row> f =
            fit<Row>(model("se()", noise, "zero"), d.x.topRows(n), size / 10 * d.y.head(n).normalized());
        EXPECT_GT(f.process.predict(Vector::LinSpaced(5, -9, 9)).variance.maxCoeff(), 0.02 * 0.25)
            << "a few observations below the noise do not say that there is no signal\n"
            << f.summary.text();
      }
}

/// Many columns: points must not all be strangers to each other from the start.
void expect_many_columns(Index n, Index d) {
  const Matrix x = random_points(152, n, d);
  const Vector w = random_points(153, d, 1) / std::sqrt(double(d));
  FitOptions o;
  o.max_seconds = 20;
  const FitResult<Row> f = fit<Row>(model(), x, x * w, o);
  EXPECT_TRUE(finite(f.summary));
  Matrix k = f.process.kernel().cross(x, x);
  const double variance = k(0, 0);
  k.diagonal().setZero();
  EXPECT_TRUE(k.maxCoeff() > 0.01 * variance ||
              mentions_of(f.summary, "nearly uncorrelated under this kernel"))
      << f.summary.text();
  const Kernel<Row> start = se().sized(x);
  Matrix first = start.with(start.start(x, 1)).cross(x, x);
  EXPECT_GT(first.minCoeff(), 0.1) << "the start is scaled by the number of columns";
}
TEST(TortureFit, Case09ManyColumns) { expect_many_columns(40, 500); }
TEST(TortureFit, Case09TenThousandColumnsSlow) { expect_many_columns(200, 10000); }

TEST(TortureFit, Case10PureNoise) {
  Index said = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix x = random_points(400 + seed, 60, 1 + static_cast<Index>(seed % 4));
    const FitResult<Row> f = fit<Row>(model(), x, random_points(500 + seed, 60, 1));
    const Index notes = mentions_of(f.summary, "no structure found");
    EXPECT_LE(notes, 1);
    said += notes;
    EXPECT_LE(f.summary.notes.size(), 3U) << "one warning, not one for each parameter\n" << f.summary.text();
  }
  EXPECT_GE(said, 19) << "of 20: now and then noise looks like structure";
}

TEST(TortureFit, Case10StructureIsNotCalledNoise) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Matrix x = random_points(600 + seed, 60, 1 + static_cast<Index>(seed % 4));
    const FitResult<Row> f =
        fit<Row>(model(), x, random_targets(700 + seed, x, 0.3 + 0.4 * double(seed % 3)));
    EXPECT_EQ(mentions_of(f.summary, "no structure found"), 0) << f.summary.text();
  }
}

TEST(TortureFit, Case13NoiseFree) {
  for (const char* kernel : {"se()", "matern52()", "matern12()"}) {
    const Line d = line(30, 0);
    const FitResult<Row> f = fit<Row>(model(kernel, Noise::none()), d.x, d.y);
    EXPECT_GT(f.summary.evaluations, 5) << kernel;
    const Kernel<Row> k = parse<Row>(kernel).amplified().sized(d.x);
    const Kernel<Row> start = k.with(k.start(d.x, 1));
    EXPECT_NE(f.summary.kernel, start.text()) << "the start came back";
    EXPECT_TRUE(near(f.process.mean(d.x), d.y, 1e-6)) << kernel;
    EXPECT_TRUE(finite(f.summary)) << kernel;
  }
  const Matrix dense = Vector::LinSpaced(200, 0, 1);
  const FitResult<Row> f = fit<Row>(model("se()", Noise::none()), dense, dense.col(0).array().sin().matrix());
  EXPECT_TRUE(finite(f.summary)) << f.summary.text();
  EXPECT_LT((f.process.mean(dense) - dense.col(0).array().sin().matrix()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(TortureFit, Case36MoreParametersThanPoints) {
  const Matrix x = random_points(156, 6, 9);
  const FitResult<Row> f = fit<Row>(model("se() + linear()"), x, random_targets(157, x));
  EXPECT_EQ(mentions_of(f.summary, "parameters were learned from 6 distinct rows"), 1) << f.summary.text();
  EXPECT_TRUE(finite(f.summary));
}

/// Not positive definite whatever its parameter.
struct Hopeless {
  double size = 1;
  Matrix cross(Rows a, Rows b) const { return Matrix::Constant(a.rows(), b.rows(), -size); }
  Vector diag(Rows a) const { return Vector::Constant(a.rows(), -size); }
  Vector pullback(Rows, Rows, const Matrix& w) const { return Vector::Constant(1, -size * w.sum()); }
  Vector theta() const { return Vector::Constant(1, std::log(size)); }
  Hopeless with(const Vector& t) const { return {std::exp(t[0])}; }
  std::string text() const { return "hopeless()"; }
};

TEST(TortureFit, Case36EveryStartFails) {
  const Line d = line(10);
  const std::string said = error_of(
      [&] {
        fit<Row>({Kernel<Row>(Hopeless{}), zero_mean<Row>(), Noise::none()}, d.x, d.y);
      },
      Problem::numerical);
  EXPECT_NE(said.find("no start could be evaluated"), std::string::npos) << said;
  EXPECT_NE(said.find("not positive definite at any of"), std::string::npos) << said;
  EXPECT_NE(said.find("'given' and others"), std::string::npos) << said;
}

TEST(TortureFit, BadValuesAreNamedAndNothingChanges) {
  Line d = line(10);
  d.x(3, 0) = std::nan("");
  EXPECT_NE(error_of([&] { fit<Row>(model(), d.x, d.y); }, Problem::data).find("row 4, column 1"),
            std::string::npos);
  d = line(10);
  d.y[6] = -INFINITY;
  EXPECT_NE(error_of([&] { fit<Row>(model(), d.x, d.y); }, Problem::data).find("row 7"), std::string::npos);
}

TEST(TortureFit, XOfEverySize) {
  const Line d = line(20);
  const Matrix at = Vector::LinSpaced(5, -2, 2);
  const FitResult<Row> one = fit<Row>(model(), d.x, d.y);
  for (const double c : {1e-80, 1e-12, 1e12, 1e80}) {
    const FitResult<Row> f = fit<Row>(model(), c * d.x, d.y);
    EXPECT_TRUE(near(f.process.mean(c * at), one.process.mean(at), 1e-4)) << c;
  }
}

}  // namespace
}  // namespace covary::test::torture_fit_test
