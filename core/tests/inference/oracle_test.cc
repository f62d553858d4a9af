// Values that others computed: mpmath with 50 digits (oracles/make_oracles.py), and the demonstration of
// GPML.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "covary/inference/evidence.h"
#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::oracle_test {
namespace {

using Json = nlohmann::json;

Vector vector_of(const Json& j) {
  const auto values = j.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

Matrix matrix_of(const Json& j) {
  Matrix m(std::ssize(j), std::ssize(j[0]));
  for (Index i = 0; i < m.rows(); ++i) m.row(i) = vector_of(j[static_cast<size_t>(i)]);
  return m;
}

const Json& oracles() {
  static const Json all = Json::parse(std::ifstream(COVARY_TEST_DATA "/oracles/oracles.json"));
  return all;
}

class Oracle : public ::testing::TestWithParam<size_t> {
 protected:
  const Json& all = oracles();
  const Json& one = all["cases"][GetParam()];
  Matrix x = matrix_of(all["x"]), at = matrix_of(all["at"]);
  Vector y = vector_of(all["y"]);
  double noise = all["noise"];
  Kernel<Row> kernel = parse<Row>(one["kernel"]);
  Mean<Row> mean = parse_mean(one["trend"]);
  Process<Row> process = Process<Row>(kernel, mean, Noise::of(noise)).condition(x, y);

  void expect_objective(ObjectiveKind objective, const std::string& name) const {
    Evidence<Row> e(kernel, mean, Noise::learn(), x, y, objective);
    const Evaluation got = e.at(internal::concat(kernel.theta(), Vector::Constant(1, std::log(noise))));
    const double value = one[name];
    EXPECT_NEAR(got.value, value, 1e-12 * std::max(1.0, std::abs(value)));
    EXPECT_TRUE(near(got.gradient, vector_of(one[name + "_gradient"]), 1e-11)) << name;
  }
};

TEST_P(Oracle, Agrees) {
  SCOPED_TRACE(kernel.text() + ", " + mean.text);
  EXPECT_TRUE(near(kernel.cross(at, x), matrix_of(one["cross"]), 1e-15));
  expect_objective(ObjectiveKind::evidence, "evidence");
  expect_objective(ObjectiveKind::leave_one_out, "loo");
  EXPECT_NEAR(process.log_evidence(), one["evidence"].get<double>(),
              1e-12 * std::abs(process.log_evidence()));
  const LeaveOneOut loo = process.leave_one_out();
  EXPECT_TRUE(near(loo.mean, vector_of(one["loo_mean"]), 1e-12));
  EXPECT_TRUE(near(loo.variance, vector_of(one["loo_variance"]), 1e-12));
  EXPECT_TRUE(near(process.mean(at), vector_of(one["mean"]), 1e-12));
  EXPECT_TRUE(near(process.variance(at), vector_of(one["variance"]), 1e-12));
}
INSTANTIATE_TEST_SUITE_P(Mpmath, Oracle, ::testing::Range(size_t{0}, oracles()["cases"].size()));

/// The 20 points of GPML's demoRegression.
struct Demo {
  Matrix x;
  Vector y;
};

Demo demo() {
  std::ifstream in(COVARY_SHARED_DATA "/gpml_demo_xy.csv");
  std::vector<double> x, y;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const size_t comma = line.find(',');
    x.push_back(std::stod(line)), y.push_back(std::stod(line.substr(comma + 1)));
  }
  return {Eigen::Map<Matrix>(x.data(), std::ssize(x), 1), Eigen::Map<Vector>(y.data(), std::ssize(y))};
}

#define SKIP_WITHOUT_SHARED_DATA()                                      \
  if (!std::filesystem::exists(COVARY_SHARED_DATA "/gpml_demo_xy.csv")) \
  GTEST_SKIP() << "gpml_demo_xy.csv is not in " COVARY_SHARED_DATA

TEST(GpmlDemo, AtTheTrueModel) {
  SKIP_WITHOUT_SHARED_DATA();
  const Demo d = demo();
  const Kernel<Row> k = parse<Row>("matern32(lengthscale=0.25)");
  const Mean<Row> mean = polynomial_mean(1, Eigen::Vector2d(1, 0.5));
  const Process<Row> p = Process<Row>(k, mean, Noise::of(0.01)).condition(d.x, d.y);
  EXPECT_NEAR(-p.log_evidence(), 11.9706317246, 1e-6);
}

TEST(GpmlDemo, AtTheLearnedSquaredExponential) {
  SKIP_WITHOUT_SHARED_DATA();
  const Demo d = demo();
  FitOptions options;
  options.prior = Prior::none;
  const FitResult<Row> f = fit<Row>({parse<Row>("se()"), zero_mean<Row>()}, d.x, d.y, options);
  EXPECT_NEAR(-f.summary.log_marginal_likelihood, 14.1310907849, 1e-6);
}

}  // namespace
}  // namespace covary::test::oracle_test
