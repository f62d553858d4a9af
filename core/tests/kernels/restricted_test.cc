// Single parameters that are kept or bounded inside a kernel: what is learned, what is printed, what is
// refused.
#include <gtest/gtest.h>

#include "covary/kernels/expression.h"
#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::restricted_test {
namespace {

std::string printed(const std::string& text) { return parse<Row>(text).text(); }

TEST(Restricted, IsPrintedBackTheSame) {
  for (const char* text :
       {"periodic(period=fixed(365.25))", "se(lengthscale=0.1..10)", "se(lengthscale=2 in 0.1..10)",
        "se(lengthscale=[fixed(1), 2 in 0.5..4, 3])", "se(lengthscale=[fixed(1), 0.5..4])",
        "periodic(lengthscale=1..2, period=fixed(12))", "polynomial(degree=3, offset=fixed(1))",
        "2.5 * matern52(lengthscale=1..1000) + se(lengthscale=3)", "constant(variance=0.5..2) * se()"})
    EXPECT_EQ(printed(printed(text)), printed(text)) << text;
  EXPECT_EQ(printed("periodic(period=fixed(365.25))"), "periodic(period=fixed(365.25))");
  EXPECT_EQ(printed("se(lengthscale=1..10)"), "se(lengthscale=1..10)");
  EXPECT_EQ(printed("se(lengthscale=[fixed(1), .5...75])"), "se(lengthscale=[fixed(1), 0.5..0.75])");
}

TEST(Restricted, KeptParametersAreNotLearned) {
  const Kernel<Row> k = parse<Row>("periodic(lengthscale=0.7, period=fixed(2))");
  ASSERT_EQ(k.theta().size(), 1);
  EXPECT_TRUE(k.parameters()[1].fixed);
  EXPECT_DOUBLE_EQ(k.with(Vector::Constant(1, std::log(3.0))).parameters()[1].value, 2);
  EXPECT_DOUBLE_EQ(k.with(Vector::Constant(1, std::log(3.0))).parameters()[0].value, 3);
}

TEST(Restricted, ARangeHoldsForEveryColumn) {
  const Kernel<Row> k = parse<Row>("se(lengthscale=0.5..2)").sized(Matrix::Ones(2, 3));
  ASSERT_EQ(k.parameters().size(), 3U);
  for (const Parameter& p : k.parameters()) {
    EXPECT_EQ(p.lower, 0.5);
    EXPECT_EQ(p.upper, 2);
  }
}

TEST(Restricted, FitKeepsToThem) {
  Random rng(5);
  const Matrix x = Vector::LinSpaced(60, 0, 12);
  const Vector y = (x.col(0).array() * (2 * 3.14159265 / 3)).sin() + 0.1 * rng.normal(60, 1).array();
  const auto learned = [&](const char* kernel) { return fit<Row>({parse<Row>(kernel)}, x, y).summary; };
  const Summary kept = learned("periodic(period=fixed(2.5))");
  EXPECT_NE(kept.kernel.find("period=fixed(2.5)"), std::string::npos) << kept.kernel;
  const Summary bounded = learned("periodic(period=1..2)");
  for (const FittedParameter& p : bounded.parameters)
    if (p.name == "period") {
      EXPECT_LE(p.value, 2 + 1e-12);
    }
  const Summary free = learned("periodic(period=2.5)");
  EXPECT_GT(free.log_marginal_likelihood, kept.log_marginal_likelihood + 10);
}

// A number that the answer left by more than a factor of two is said.
TEST(Restricted, AGivenNumberThatWasLeftIsSaid) {
  const Matrix x = Vector::LinSpaced(40, 0, 10);
  const Vector y = x.col(0).array().sin();
  const Summary s = fit<Row>({parse<Row>("se(lengthscale=50)")}, x, y).summary;
  std::string notes;
  for (const std::string& n : s.notes) notes += n + "\n";
  EXPECT_NE(notes.find("was given as 50"), std::string::npos) << notes;
  EXPECT_NE(notes.find("fixed(50)"), std::string::npos) << notes;
}

TEST(Restricted, MistakesSayWhereAndWhat) {
  const auto said = [](const char* text) { return error_of([&] { parse<Row>(text); }, Problem::usage); };
  EXPECT_NE(said("se(lengthscale=10..1)").find("0 < LOW < HIGH"), std::string::npos);
  EXPECT_NE(said("se(lengthscale=-1..1)").find("0 < LOW < HIGH"), std::string::npos);
  EXPECT_NE(said("se(lengthscale=1..)").find("upper end"), std::string::npos);
  EXPECT_NE(said("se(lengthscale=20 in 1..10)").find("outside its range 1..10"), std::string::npos);
  EXPECT_NE(said("se(lengthscale=fixed())").find("a number"), std::string::npos);
  EXPECT_NE(said("se(lengthscale=free(1))").find("expected a number or a list"), std::string::npos);
  EXPECT_NE(said("polynomial(degree=2..3)").find("degree"), std::string::npos);
  EXPECT_NE(said("periodic(period=fixed(-1))").find("period"), std::string::npos);
}

}  // namespace
}  // namespace covary::test::restricted_test
