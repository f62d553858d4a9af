// --inference: an approximation by inducing points, from fit to files, predictions and checks.
#include <cmath>

#include "torture/torture.h"

namespace covary::cli::inference_test {
namespace {

class InferenceOption : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string rows = "x,y\n";
    for (int i = 0; i < 80; ++i) {
      const double x = 0.1 * i;
      rows += std::to_string(x) + "," + std::to_string(std::sin(x) + 0.1 * std::sin(77.7 * i)) + "\n";
    }
    file("rows.csv", rows);
    file("more.csv", "x,y\n9,0.4\n9.5,0\n");
    file("at.csv", "x\n0.05\n3.3\n9\n");
  }
  Outcome fit(const std::string& inference, const std::string& more = "") {
    return shell("$covary fit rows.csv -t y --kernel 'se(lengthscale=1)' --inference '" + inference +
                 "' -o m.json " + more);
  }
};

TEST_F(InferenceOption, IsSaidKeptAndUsed) {
  const Outcome o = fit("inducing(12)");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("inducing(points=12)"), std::string::npos) << o.out;
  EXPECT_NE(o.err.find("12 inducing points, optimized, stand for 80 inputs"), std::string::npos) << o.err;
  const Outcome fixed = fit("inducing(12, fixed=1)");
  EXPECT_NE(fixed.err.find("12 of 80 inputs are inducing points"), std::string::npos) << fixed.err;
  ASSERT_EQ(fit("inducing(12)").code, 0);
  EXPECT_NE(contents(path("m.json")).find("\"inference\":\"inducing(points=12)\""), std::string::npos);
  EXPECT_EQ(shell("$covary predict m.json at.csv").code, 0);
  EXPECT_EQ(shell("$covary check m.json").code, 0);
  EXPECT_EQ(shell("$covary tell m.json more.csv -o later.json").code, 0);
  EXPECT_NE(fit("inducing(12)", "--json -q").out.find("\"inference\": \"inducing(points=12)\""),
            std::string::npos);
}

TEST_F(InferenceOption, WithAllRowsItIsExact) {
  ASSERT_EQ(fit("exact()", "-q").code, 0);
  const Outcome exact = shell("$covary predict m.json at.csv -q");
  ASSERT_EQ(fit("inducing(points=100)", "-q").code, 0);
  const Outcome all = shell("$covary predict m.json at.csv -q");
  for (const char* column : {"mean", "sd"}) {
    const std::vector<double> a = covary::cli::column(exact.out, column),
                              b = covary::cli::column(all.out, column);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << column;
  }
}

TEST_F(InferenceOption, WhatDoesNotFitIsRefused) {
  EXPECT_TRUE(fails(fit("sparse()"), 2, "there is no inference 'sparse'"));
  EXPECT_TRUE(fails(fit("inducing(points=0)"), 2, "points must be a whole number from 1"));
  EXPECT_TRUE(fails(fit("inducing(9)", "--objective leave-one-out"), 2, "use exact()"));
  EXPECT_TRUE(fails(fit("inducing(9)", "--noise 0"), 2, "the noise must be above 0"));
  EXPECT_TRUE(fails(shell("$covary fit rows.csv -t y --model ridge --inference 'exact()'"), 2,
                    "--inference does not apply to --model ridge"));
}

}  // namespace
}  // namespace covary::cli::inference_test
