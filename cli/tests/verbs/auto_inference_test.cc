// --inference auto on the command line: --dry-run shows the choice and all alternatives; what was chosen is kept and said.
#include <cmath>

#include "torture/torture.h"

namespace covary::cli::auto_inference_test {
namespace {

class AutoInference : public Command {
 protected:
  /// Quasi-random points of so many columns and a smooth function of them.
  void table(const std::string& name, int rows, int columns) const {
    std::string text = "y";
    for (int k = 0; k < columns; ++k) text += ",x" + std::to_string(k + 1);
    text += '\n';
    for (int i = 0; i < rows; ++i) {
      double y = 0.1 * std::sin(7777.7 * i);
      std::string cells;
      for (int k = 0; k < columns; ++k) {
        const double x = std::fmod((i + 1) * std::sqrt(double(2 + 3 * k)), 1.0);
        y += std::sin((3 + k) * x), cells += ',' + std::to_string(x);
      }
      text += std::to_string(y) + cells + '\n';
    }
    file(name, text);
  }
  nlohmann::json dry(const std::string& more) const {
    const Outcome o = shell("$covary fit big.csv -t y --dry-run --json " + more);
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }
  /// Nothing to learn: only conditioning takes time.
  const std::string given = "--kernel 'fixed(2 * matern32(lengthscale=0.5))' --noise 0.01 ";
};

TEST_F(AutoInference, FewRowsAreExactAndTheTableIsShownAllTheSame) {
  table("big.csv", 200, 2);
  const nlohmann::json j = dry("");
  EXPECT_EQ(j["inference"], "exact()");
  ASSERT_GE(j["inferences"].size(), 3U);
  EXPECT_TRUE(j["inferences"][0]["chosen"]);
  const Outcome o = shell("$covary fit big.csv -t y --dry-run");
  for (const char* name : {"exact()", "vecchia(neighbors=30)", "inducing(points=512)", "chosen"})
    EXPECT_NE(o.out.find(name), std::string::npos) << o.out;
}

TEST_F(AutoInference, ManyRowsAreNot) {
  table("big.csv", 25000, 2);
  const nlohmann::json j = dry("");
  EXPECT_NE(j["inference"], "exact()");
  EXPECT_GT(j["inferences"][0]["seconds"], 600);
  const nlohmann::json forced = dry("--inference 'exact()'");
  EXPECT_EQ(forced["inference"], "exact()");
  EXPECT_TRUE(forced["inferences"][0]["chosen"]);
}

TEST_F(AutoInference, TheChoiceIsSaidKeptAndTold) {
  table("big.csv", 3300, 2);
  file("more.csv", "y,x1,x2\n1,0.5,0.5\n");
  file("at.csv", "x1,x2\n0.3,0.3\n");
  const Outcome o = shell("$covary fit big.csv -t y " + given + "--max-seconds 0.05 -o m.covary");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("inference auto: "), std::string::npos) << o.err;
  EXPECT_NE(o.out.find(", approximate"), std::string::npos) << o.out;
  const Outcome p = shell("$covary predict m.covary at.csv --json");
  EXPECT_NE(p.err.find("approximate: predictions by "), std::string::npos) << p.err;
  EXPECT_TRUE(nlohmann::json::parse(p.out)["approximate"]) << p.out;
  EXPECT_EQ(shell("$covary tell m.covary more.csv -o told.covary").code, 0);
  EXPECT_NE(shell("$covary predict told.covary at.csv").err.find("approximate: "), std::string::npos);
  const Outcome check = shell("$covary check m.covary --json");
  ASSERT_EQ(check.code, 0) << check.err;
  const nlohmann::json a = nlohmann::json::parse(check.out)["approximation"];
  EXPECT_EQ(a["rows"], 2000);
  EXPECT_NEAR(double(a["log_density_per_row"]), double(a["exact_log_density_per_row"]), 0.05);
  EXPECT_LT(double(a["mean_difference_in_sds"]), 0.3);
}

TEST_F(AutoInference, ExactModelsAreNotSaidToBeApproximate) {
  table("big.csv", 60, 1);
  file("at.csv", "x1\n0.3\n");
  ASSERT_EQ(shell("$covary fit big.csv -t y -q -o m.json").code, 0);
  EXPECT_EQ(shell("$covary predict m.json at.csv").err, "");
  EXPECT_EQ(shell("$covary check m.json --json").out.find("approximation"), std::string::npos);
}

TEST_F(AutoInference, AConstantColumnIsLeftOutOfTheDistances) {
  table("big.csv", 3300, 2);
  ASSERT_EQ(shell("awk -F, 'NR==1{print $0 \",c\"} NR>1{print $0 \",7\"}' big.csv > constant.csv").code, 0);
  const Outcome o =
      shell("$covary fit constant.csv -t y " + given + "--inference vecchia -o m.covary --json -q");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["inference"], "vecchia(neighbors=30)");
}

TEST_F(AutoInference, TooLittleMemoryIsRefusedWithTheFigure) {
  table("big.csv", 20000, 2);
  const Outcome o = shell("ulimit -v 1500000; $covary fit big.csv -t y --threads 1 --inference 'exact()'");
  EXPECT_TRUE(fails(o, 5, "the covariance of 20000 distinct rows needs 2.98 GiB of memory"));
}

/// The first Ctrl-C ends the search: the model is written, and says so.
TEST_F(AutoInference, InterruptKeepsTheBestSoFar) {
  table("big.csv", 2500, 6);
  const pid_t child = start({"fit", "big.csv", "-t", "y", "--keep-best", "--inference", "exact()", "--starts",
                             "30", "-o", "m.json"},
                            file(".stdin", ""), path(".stdout"), path(".stderr"));
  ::usleep(2'000'000);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  const Outcome o{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(path(".stdout")),
                  contents(path(".stderr"))};
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("the search ends and the best parameters so far are kept"), std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("the search was stopped on request"), std::string::npos) << o.err;
  EXPECT_EQ(shell("$covary predict m.json --grid 'x1=0.5,x2=0.5,x3=0.5,x4=0.5,x5=0.5,x6=0.5' -q").code, 0);
}

}  // namespace
}  // namespace covary::cli::auto_inference_test
