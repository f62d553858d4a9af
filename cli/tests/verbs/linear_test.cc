// Linear, ridge, Bayesian linear and kernel ridge models through every verb.
#include <cmath>

#include "run_command.h"

namespace covary::cli::linear_test {
namespace {

const std::vector<std::string> kinds{"linear", "ridge", "bayes", "kernel-ridge", "gp"};

class LinearFamily : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,z,y\n";
    for (int i = 0; i < 40; ++i) {
      const double x = 0.1 * i, z = std::sin(3.0 * i), y = 1 + 2 * x - z + 0.2 * std::sin(37.0 * i * i);
      csv += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(y) + "\n";
    }
    data_ = file("data.csv", csv);
  }
  std::string model(const std::string& kind, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"fit", data_, "--target",           "y", "--model",
                                   kind,  "-o",  path(kind + ".json"), "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return path(kind + ".json");
  }
  std::string data_;
};

TEST_F(LinearFamily, EveryVerbOnEveryModel) {
  for (const std::string& kind : kinds) {
    const std::string m = model(kind);
    const Outcome predicted = covary({"predict", m, data_, "--of", "y", "-q"});
    ASSERT_EQ(predicted.code, 0) << kind << predicted.err;
    const std::vector<double> mean = column(predicted.out, "mean"), lower = column(predicted.out, "lower"),
                              y = column(predicted.out, "y");
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_LT(std::abs(mean[i] - y[i]), 0.5) << kind;
      EXPECT_LT(lower[i], mean[i]);
    }
    const Outcome check = covary({"check", m});
    EXPECT_EQ(check.code, 0) << check.err;
    EXPECT_NE(check.out.find("verdict: "), std::string::npos);
    EXPECT_EQ(covary({"check", m, "--folds", "4", "--refit"}).code, 0) << kind;
    const Outcome sample = covary({"sample", m, data_, "-n", "2", "-q"});
    EXPECT_EQ(column(sample.out, "sample_2").size(), 40) << kind << sample.err;
    EXPECT_EQ(covary({"plot", m, "-o", path("p.svg")}).code, 0) << kind;
    EXPECT_EQ(covary({"predict", m, data_, "--calibrated", "-q"}).code, 0) << kind;
    EXPECT_EQ(covary({"predict", m, data_, "--joint", path("c.csv"), "-q"}).code, 0) << kind;
  }
}

TEST_F(LinearFamily, CoefficientsForPrograms) {
  for (const std::string kind : {"linear", "ridge", "bayes"}) {
    const nlohmann::json j = fitted({data_, "--target", "y", "--model", kind, "--basis", "x, z, x*z"});
    EXPECT_EQ(j["model"], kind);
    ASSERT_EQ(j["coefficients"].size(), 4);
    EXPECT_EQ(j["coefficients"][0]["name"], "intercept");
    EXPECT_EQ(j["coefficients"][3]["name"], "x*z");
    EXPECT_NEAR(j["coefficients"][1]["value"], 2, 0.2);
    EXPECT_GT(j["coefficients"][1]["sd"], 0);
    EXPECT_NEAR(j["residual_sd"], 0.14, 0.05);
    EXPECT_EQ(j["log_marginal_likelihood"].is_null(), kind == "linear");
  }
}

// A line from either side: the same evidence, means and standard deviations.
TEST_F(LinearFamily, TheLinearKernelIsTheLine) {
  const std::vector<std::string> common{"--target", "y", "--noise", "0.05", "-f", "x,z"};
  std::vector<std::string> a{data_,           "--model", "bayes", "--prior-sd",  "0.5",
                             "--standardize", "no",      "-o",    path("a.json")},
      b{data_, "--kernel", "fixed(linear(lengthscale=2))", "-o", path("b.json")};
  a.insert(a.end(), common.begin(), common.end()), b.insert(b.end(), common.begin(), common.end());
  const double one = fitted(a)["log_marginal_likelihood"], two = fitted(b)["log_marginal_likelihood"];
  EXPECT_NEAR(one, two, 1e-9);
  const std::string p = covary({"predict", path("a.json"), data_, "-q"}).out,
                    q = covary({"predict", path("b.json"), data_, "-q"}).out;
  for (const std::string name : {"mean", "sd", "lower", "upper"}) {
    const std::vector<double> u = column(p, name), v = column(q, name);
    for (size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], v[i], 1e-9) << name;
  }
}

TEST_F(LinearFamily, StudentIntervalsOfALine) {
  const std::string three = file("three.csv", "x,y\n0,0\n1,1.2\n2,1.8\n");
  ASSERT_EQ(covary({"fit", three, "--target", "y", "--model", "linear", "-o", path("m.json")}).code, 0);
  const std::string out = covary({"predict", path("m.json"), three, "-q"}).out;
  const double half = column(out, "upper")[0] - column(out, "mean")[0];
  EXPECT_NEAR(half / column(out, "sd")[0], 12.706204736, 1e-6) << "one degree of freedom";
}

TEST_F(LinearFamily, CompareAcrossModels) {
  const Outcome o =
      covary({"compare", data_, "--target", "y", "--model", "linear", "--model", "bayes", "--model", "gp",
              "--kernel", "se()", "--basis", "x", "--basis", "x, z", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json all = nlohmann::json::parse(o.out);
  ASSERT_EQ(all.size(), 5);  // two lines, two bayes, one gp
  EXPECT_EQ(all[0]["model"], "bayes");
  EXPECT_EQ(all[0]["asked"], "x, z");
  EXPECT_TRUE(all[3]["log_marginal_likelihood"].is_null()) << "those without evidence are last";
  EXPECT_LT(all[3]["loo"]["nlpd"], all[4]["loo"]["nlpd"]) << "and ranked by leave-one-out";
  EXPECT_NE(covary({"compare", data_, "--target", "y", "--model", "linear", "--model", "gp", "-k", "se()"})
                .out.find("no evidence: nothing was assumed"),
            std::string::npos);
}

TEST_F(LinearFamily, Sides) {
  const std::string few = file("few.csv", "x,y\n0,0\n1,1.2\n2,1.8\n3,3.1\n4,3.9\n");
  const std::vector<std::string> words{
      few, "--target", "y", "--model", "bayes", "--basis", "bumps(x, centers=20)"};
  std::vector<std::string> forced = words;
  forced.insert(forced.end(), {"--side", "weights"});
  const nlohmann::json a = fitted(words), b = fitted(forced);
  EXPECT_EQ(a["side"], "functions");
  EXPECT_EQ(b["side"], "weights");
  EXPECT_NEAR(a["log_marginal_likelihood"], b["log_marginal_likelihood"], 1e-9);
}

TEST_F(LinearFamily, Mistakes) {
  const auto fit = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", data_, "--target", "y"});
    return covary(more);
  };
  EXPECT_TRUE(
      fails(fit({"--model", "linear", "--kernel", "se()"}), 2, "--kernel does not apply to --model linear"));
  EXPECT_TRUE(fails(fit({"--basis", "x"}), 2, "--basis does not apply to --model gp"));
  EXPECT_TRUE(fails(fit({"--model", "linear", "--penalty", "1"}), 2, "--penalty does not apply"));
  EXPECT_TRUE(fails(fit({"--model", "ridge", "--prior-sd", "1"}), 2, "--prior-sd does not apply"));
  EXPECT_TRUE(fails(fit({"--model", "ridge", "--penalty", "much"}), 2, "found 'much'"));
  EXPECT_TRUE(fails(fit({"--model", "ridge", "--penalty", "-1"}), 2, "-1"));
  EXPECT_TRUE(fails(fit({"--model", "bayes", "--noise", "column:z"}), 2, "column:z"));
  EXPECT_TRUE(fails(fit({"--model", "liner"}), 2, "linear"));
  EXPECT_TRUE(fails(fit({"--model", "linear", "--basis", "x, w"}), 2, "position 4"));
  EXPECT_TRUE(fails(fit({"--model", "linear", "--basis", "x, exp(1000*x)"}), 3, "exp(1000*x)"));
  EXPECT_TRUE(fails(fit({"--model", "linear", "--basis", "x, 2*x", "--undetermined", "error"}), 3, "'2*x'"));
  EXPECT_TRUE(fails(fit({"--model", "linear", "--dry-run"}), 2, "--dry-run"));
  EXPECT_TRUE(fails(fit({"--model", "kernel-ridge", "--penalty", "evidence"}), 2, "kernel ridge chooses"));
}

// NIST's certified values through the real command.
TEST_F(LinearFamily, CertifiedDigits) {
  std::ifstream in(std::string(COVARY_SHARED_DATA) + "/nist_strd.json");
  if (!in) GTEST_SKIP() << "shared data: nist_strd.json";
  const nlohmann::json all = nlohmann::json::parse(in);
  std::string csv = "a,b,c,d,e,f,y\n";
  const nlohmann::json& set = all["Longley"];
  for (size_t i = 0; i < set["y"].size(); ++i) {
    for (size_t j = 1; j < 7; ++j) csv += set["design"][i][j].dump() + ",";
    csv += set["y"][i].dump() + "\n";
  }
  const nlohmann::json j = fitted({file("longley.csv", csv), "--target", "y", "--model", "linear"});
  for (size_t k = 0; k < 7; ++k) {
    const double value = set["certified"]["coefficients"][k], sd = set["certified"]["standard_deviations"][k];
    EXPECT_NEAR(j["coefficients"][k]["value"], value, 1e-10 * std::abs(value));
    EXPECT_NEAR(j["coefficients"][k]["sd"], sd, 1e-9 * sd);
  }
  const double residual = set["certified"]["residual_sd"];
  EXPECT_NEAR(j["residual_sd"], residual, 1e-9 * residual);
}

}  // namespace
}  // namespace covary::cli::linear_test
