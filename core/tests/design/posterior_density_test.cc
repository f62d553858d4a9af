// The density from a process of the log likelihood, beside closed forms.
#include "covary/design/posterior_density.h"

#include <numbers>

#include "support.h"

namespace covary::posterior_density_test {
namespace {

/// A process given f at the rows of x, its parameters given.
FittedModel process_of(const Matrix& x, const std::function<double(const Vector&)>& f,
                       const std::string& kernel, const std::string& mean = "zero", double noise = 0) {
  ModelRecord r;
  r.request.kernel = kernel, r.request.noise = "0", r.request.mean = mean;
  for (Index k = 0; k < x.cols(); ++k) r.features.push_back(std::string(1, char('a' + k)));
  r.x = x, r.y.resize(x.rows()), r.kernel = kernel, r.mean = mean, r.noise = Noise::of(noise);
  for (Index i = 0; i < x.rows(); ++i) r.y[i] = f(x.row(i).transpose());
  return FittedModel(std::move(r));
}

Matrix line(Index n, double low, double high) { return Vector::LinSpaced(n, low, high); }

TEST(PosteriorDensity, OfANormalLikelihood) {
  const FittedModel m = process_of(
      line(25, -6, 6), [](const Vector& x) { return -x[0] * x[0] / 2; }, "1000 * se(lengthscale=2)");
  const PosteriorDensity p = grid_density(m, {{"a", -6, 6}}, {301});
  EXPECT_NEAR(p.mass().sum(), 1, 1e-12);
  EXPECT_NEAR(p.mean()[0], 0, 1e-6);
  EXPECT_NEAR(p.covariance()(0, 0), 1, 1e-3);
  EXPECT_NEAR(p.log_evidence().value, std::log(std::sqrt(2 * std::numbers::pi) / 12), 1e-3);
  EXPECT_NEAR(p.density()[150], 1 / std::sqrt(2 * std::numbers::pi), 1e-3);
  const Vector square = p.points().col(0).cwiseAbs2();
  EXPECT_NEAR(p.expectation(square).value, 1, 1e-3);
  EXPECT_LT(p.log_evidence().upper - p.log_evidence().lower, 0.1);
}

/// N(x; 2, 1) and the prior N(0, 1): N(1, 1/2), evidence N(2; 0, 2). The same from a model of the log joint.
TEST(PosteriorDensity, WithANormalPrior) {
  const ParameterPrior prior{"a", -8, 8, 0, 1};
  const auto likelihood = [](const Vector& x) {
    return -(x[0] - 2) * (x[0] - 2) / 2 - std::log(2 * std::numbers::pi) / 2;
  };
  const auto joint = [&](const Vector& x) {
    return likelihood(x) + internal::log_prior_density({prior}, Matrix(x.transpose()))[0];
  };
  const Matrix x = line(33, -8, 8);
  const std::string kernel = "2000 * se(lengthscale=2.5)";
  for (const bool added : {false, true}) {
    const FittedModel m = added ? process_of(x, joint, kernel) : process_of(x, likelihood, kernel);
    const PosteriorDensity p = grid_density(m, {prior}, {401}, {.joint = added});
    EXPECT_NEAR(p.mean()[0], 1, 1e-3);
    EXPECT_NEAR(p.covariance()(0, 0), 0.5, 1e-3);
    EXPECT_NEAR(p.log_evidence().value, -1 - std::log(4 * std::numbers::pi) / 2, 1e-3);
  }
}

struct Banana {
  std::vector<ParameterPrior> prior{{"a", -3, 3}, {"b", -3, 5}};
  FittedModel model = process_of(
      random_box(), [](const Vector& x) { return -x[0] * x[0] - 2 * std::pow(x[1] - x[0] * x[0] / 2, 2); },
      "3000 * se(lengthscale=[1.5, 3])");
  static Matrix random_box() {
    Random rng(4);
    Matrix x(150, 2);
    for (Index i = 0; i < x.rows(); ++i) x(i, 0) = -3 + 6 * rng.uniform(), x(i, 1) = -3 + 8 * rng.uniform();
    return x;
  }
};

TEST(PosteriorDensity, OnDrawnPointsAsOnAGrid) {
  const Banana banana;
  const PosteriorDensity grid = grid_density(banana.model, banana.prior, {121, 121}),
                         drawn = sampled_density(banana.model, banana.prior, 10000);
  EXPECT_GT(drawn.effective_points(), 2000);
  const double error = 4 / std::sqrt(2000.0);  // standard errors
  EXPECT_NEAR(drawn.log_evidence().value, grid.log_evidence().value, error);
  EXPECT_TRUE(test::near(drawn.mean(), grid.mean(), error));
  EXPECT_TRUE(test::near(drawn.covariance(), grid.covariance(), 1.5 * error));
  EXPECT_TRUE(drawn.log_joint().allFinite());
}

/// A density that fills a hundred-thousandth of its ranges is found.
TEST(PosteriorDensity, DrawnPointsFindANarrowDensity) {
  Random rng(5);
  Matrix x(60, 3);
  for (double& v : x.reshaped()) v = 0.7 + 0.1 * rng.normal();
  const FittedModel m = process_of(
      x, [](const Vector& at) { return -(at.array() - 0.7).square().sum() / (2 * 0.05 * 0.05); },
      "1e5 * se(lengthscale=1)", "polynomial(degree=2)");
  const PosteriorDensity p = sampled_density(m, std::vector<ParameterPrior>(3, {"", -3, 3}), 10000);
  EXPECT_GT(p.effective_points(), 1000);
  EXPECT_TRUE(test::near(p.mean(), Vector::Constant(3, 0.7), 0.02));
  const double error = 4 * std::sqrt(3 / p.effective_points());  // of variances, in four standard errors
  EXPECT_TRUE(test::near(p.covariance().diagonal(), Vector::Constant(3, 0.0025), error));
  EXPECT_NEAR(p.log_evidence().value, 3 * std::log(0.05 * std::sqrt(2 * std::numbers::pi) / 6), 0.1);
}

TEST(PosteriorDensity, SamplesHaveItsMoments) {
  const Banana banana;
  const PosteriorDensity p = grid_density(banana.model, banana.prior, {61, 81});
  const Matrix s = p.sample(40000, 7);
  EXPECT_TRUE(test::near(Vector(s.colwise().mean()), p.mean(), 0.03));
  const Matrix centered = s.rowwise() - s.colwise().mean();
  EXPECT_TRUE(test::near(Matrix(centered.transpose() * centered / 40000), p.covariance(), 0.03));
  EXPECT_EQ(s, p.sample(40000, 7));
  EXPECT_NE(s, p.sample(40000, 8));
  EXPECT_GE(s.col(0).minCoeff(), -3);
  EXPECT_GT((s.col(0).array() - p.points()(0, 0)).minCoeff(), 0);  // inside cells, not on the grid
}

/// The interval of the log evidence covers the truth as often as it says, for functions of the process.
TEST(PosteriorDensity, IntervalsCover) {
  const Matrix grid = line(61, 0, 6), x = line(6, 0.2, 5.8);
  const Process<Row> prior(parse<Row>("2 * matern52(lengthscale=1)"));
  constexpr int repeats = 100;
  int evidence = 0, mean = 0;
  for (int r = 0; r < repeats; ++r) {
    const Vector f = prior.sample(join(grid, Rows(x)), 1, std::uint64_t(r)).col(0);
    Index next = 61;
    const FittedModel m = process_of(
        x, [&](const Vector&) { return f[next++]; }, "2 * matern52(lengthscale=1)");
    const PosteriorDensity p =
        grid_density(m, {{"a", 0, 6}}, {61}, {.draws = 300, .percent = 80, .seed = std::uint64_t(r + 1000)});
    Vector w = Vector::Constant(61, 0.1);
    w[0] = w[60] = 0.05;
    const Vector mass = w.array() * f.head(61).array().exp();
    const IntervalEstimate z = p.log_evidence(), e = p.means()[0];
    const double truth = std::log(mass.sum() / 6), center = mass.dot(grid.col(0)) / mass.sum();
    evidence += z.lower <= truth && truth <= z.upper;
    mean += e.lower <= center && center <= e.upper;
  }
  EXPECT_NEAR(evidence, 80, 4 * std::sqrt(repeats * 0.16));
  EXPECT_NEAR(mean, 80, 4 * std::sqrt(repeats * 0.16));
}

/// The intervals from some of the points are those from all of them.
TEST(PosteriorDensity, DrawsAtSomePointsStandForAll) {
  const Matrix x = line(6, 0.2, 5.8);
  const FittedModel m = process_of(
      x, [](const Vector& at) { return std::sin(2 * at[0]) - at[0] / 4; }, "2 * matern52(lengthscale=1)");
  const auto width = [&](Index points) {
    const IntervalEstimate z = grid_density(m, {{"a", 0, 6}}, {points}, {.draws = 2000}).log_evidence();
    return std::pair(z.lower, z.upper);
  };
  const auto all = width(400), some = width(5000);
  EXPECT_NEAR(some.first, all.first, 0.15 * (all.second - all.first));
  EXPECT_NEAR(some.second, all.second, 0.15 * (all.second - all.first));
}

TEST(PosteriorDensity, HasNoMassNearImpossibleParameters) {
  const FittedModel m = process_of(
      line(10, 0.1, 4), [](const Vector&) { return 1.0; }, "se(lengthscale=1)", "constant");
  DensityOptions o;
  o.impossible = line(5, -4, -0.1);
  const PosteriorDensity p = grid_density(m, {{"a", -4, 4}}, {801}, o);
  for (Index i = 0; i < 801; ++i)
    EXPECT_EQ(p.density()[i] == 0, p.points()(i, 0) <= 1e-12) << p.points()(i, 0);
  EXPECT_NEAR(p.log_evidence().value, 1 + std::log(0.5), 0.01);
  o.impossible = line(300, -4, 4);
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(m, {{"a", -4, -1}}, {31}, o);
                },
                Problem::numerical)
                .find("density is 0"),
            std::string::npos);
}

TEST(PosteriorDensity, AHeldParameterIsConditionedOn) {
  const Banana banana;
  const PosteriorDensity p = grid_density(banana.model, {{"a", 1, 1}, {"b", -3, 5}}, {1, 301});
  EXPECT_NEAR(p.mean()[0], 1, 1e-12);
  EXPECT_NEAR(p.mean()[1], 0.5, 0.05);            // the middle of exp(-2 (b - 1/2)^2)
  EXPECT_NEAR(p.covariance()(1, 1), 0.25, 0.02);  // its variance
}

TEST(PosteriorDensity, SaysWhatIsDoubtful) {
  const FittedModel m = process_of(
      line(25, -6, 6), [](const Vector& x) { return -500 * x[0] * x[0]; }, "1e9 * se(lengthscale=3)");
  const auto notes = [&](const ParameterPrior& prior, Index points) {
    std::string all;
    for (const std::string& n : grid_density(m, {prior}, {points}).notes()) all += n + "\n";
    return all;
  };
  EXPECT_NE(notes({"a", -6, 6}, 50).find("few points"), std::string::npos);
  EXPECT_NE(notes({"a", 0.02, 0.2}, 500).find("border of a"), std::string::npos);
}

TEST(PosteriorDensity, RefusesWhatItCannotUse) {
  const Banana banana;
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(banana.model, {{"a", 0, 1}}, {11});
                },
                Problem::usage)
                .find("2 parameters"),
            std::string::npos);
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(banana.model, banana.prior, {5000, 5000});
                },
                Problem::limit)
                .find("25000000"),
            std::string::npos);
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(banana.model, banana.prior, {1, 9});
                },
                Problem::usage)
                .find("a: expected 2"),
            std::string::npos);
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(banana.model, banana.prior, {9, 9}, {.percent = 100});
                },
                Problem::usage)
                .find("100"),
            std::string::npos);
  ModelRecord logs = banana.model.record();
  logs.y = logs.y.array().exp() + 1, logs.request.transform = Transform("log");
  EXPECT_NE(test::error_of(
                [&] {
                  grid_density(FittedModel(logs), banana.prior, {9, 9});
                },
                Problem::usage)
                .find("log"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::posterior_density_test
