// covary check and compare: what they say is what the numbers say.
#include <cmath>

#include "run_command.h"

namespace covary::cli::check_test {
namespace {

class Check : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,y\n";
    for (int i = 0; i < 40; ++i) {
      const double x = 0.25 * i, wiggle = 0.1 * std::sin(37.0 * i * i);
      csv += std::to_string(x) + "," + std::to_string(std::sin(x) + wiggle) + "\n";
    }
    data_ = file("data.csv", csv);
  }
  std::string model(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"fit", data_, "--target", "y", "-o", path("m.json")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(covary(words).code, 0);
    return path("m.json");
  }
  nlohmann::json checked(std::vector<std::string> words) const {
    words.insert(words.begin(), "check");
    words.emplace_back("--json");
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }
  std::string data_;
};

TEST_F(Check, LeaveOneOutAsFitSaysIt) {
  const nlohmann::json fit = fitted({data_, "--target", "y", "-o", path("m.json")});
  const nlohmann::json check = checked({path("m.json")});
  EXPECT_EQ(check["n"], 40);
  EXPECT_NEAR(check["rmse"], fit["loo"]["rmse"], 1e-12);
  EXPECT_NEAR(check["nlpd"], fit["loo"]["nlpd"], 1e-12);
  EXPECT_NEAR(check["skill"], fit["loo"]["skill"], 1e-12);
}

TEST_F(Check, FromTheDataIsFromTheModel) {
  nlohmann::json a = checked({model()}), b = checked({data_, "--target", "y"});
  EXPECT_EQ(b["worst"][0]["row"].get<std::string>().substr(0, 5), "line ");
  EXPECT_EQ(a["worst"][0]["row"], b["worst"][0]["row"]);  // the model knows the lines it was fitted to
  a.erase("worst"), b.erase("worst");
  EXPECT_EQ(a, b);
}

TEST_F(Check, AsManyFoldsAsRowsAreLeaveOneOut) {
  const std::string m = model();
  const nlohmann::json loo = checked({m}), folds = checked({m, "--folds", "40"});
  EXPECT_NEAR(loo["nlpd"], folds["nlpd"], 1e-8);
  EXPECT_NEAR(loo["crps"], folds["crps"], 1e-8);
  EXPECT_NE(folds["how"], loo["how"]);
}

TEST_F(Check, RefitLearnsAnew) {
  const std::string m = model();
  const nlohmann::json kept = checked({m, "--folds", "4"}), anew = checked({m, "--folds", "4", "--refit"});
  EXPECT_NE(kept["nlpd"], anew["nlpd"]);
  EXPECT_NEAR(kept["rmse"].get<double>(), anew["rmse"].get<double>(), 0.3);
  EXPECT_TRUE(fails(covary({"check", m, "--refit"}), 2, "--folds"));
  EXPECT_TRUE(fails(covary({"check", m, "--folds", "41"}), 2, "2 to 40"));
}

TEST_F(Check, NoiseFromAColumn) {
  std::string csv = "x,sd,y\n";
  for (int i = 0; i < 20; ++i)
    csv += std::to_string(0.5 * i) + "," + (i % 2 ? "0.3" : "0.05") + "," +
           std::to_string(std::cos(0.5 * i)) + "\n";
  const std::string data = file("sd.csv", csv);
  ASSERT_EQ(covary({"fit", data, "--target", "y", "--noise", "column:sd", "-o", path("m.json")}).code, 0);
  const nlohmann::json loo = checked({path("m.json")}), folds = checked({path("m.json"), "--folds", "20"});
  EXPECT_NEAR(loo["nlpd"], folds["nlpd"], 1e-8);
}

TEST_F(Check, EveryRowWritten) {
  const Outcome o = covary({"check", model(), "--rows", path("rows.csv")});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string rows = contents(path("rows.csv"));
  const std::vector<double> y = column(rows, "y"), mean = column(rows, "mean"), sd = column(rows, "sd"),
                            z = column(rows, "standardized");
  ASSERT_EQ(y.size(), 40U);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(z[i], (y[i] - mean[i]) / sd[i], 1e-12);
  EXPECT_NE(o.out.find("verdict: "), std::string::npos);
}

TEST_F(Check, PeopleGetAVerdict) {
  const Outcome o = covary({"check", model(), "--worst", "3"});
  for (const char* part : {"rmse ", "crps ", "99 %", "PIT", "worst rows", "verdict: "})
    EXPECT_NE(o.out.find(part), std::string::npos) << part << "\n" << o.out;
}

TEST_F(Check, IntervalsThatAreTooNarrowAreCalledThat) {
  const Outcome o = covary({"check", data_, "--target", "y", "--kernel", "fixed(1 * se(lengthscale=1))",
                            "--mean", "zero", "--noise", "0.0001"});
  EXPECT_NE(o.out.find("verdict: intervals are too narrow: "), std::string::npos) << o.out;
}

TEST_F(Check, RowsThatTheTrendCannotMiss) {
  const std::string two = file("two.csv", "x,y\n1,2\n2,3\n"), one = file("one.csv", "x,y\n1,2\n");
  EXPECT_TRUE(
      fails(covary({"check", two, "--target", "y", "--mean", "linear"}), 4,
            "line 2 cannot be predicted from the others: without it the trend (linear) is not determined"));
  EXPECT_TRUE(fails(covary({"check", one, "--target", "y"}), 3, "at least two rows"));
  EXPECT_EQ(covary({"check", two, "--target", "y"}).code, 0);
  const nlohmann::json fit = fitted({two, "--target", "y", "--mean", "linear"});
  EXPECT_TRUE(fit["loo"]["rmse"].is_null());
  const Outcome o =
      covary({"compare", two, "--target", "y", "-m", "linear", "-k", "se()", "-k", "matern32()"});
  EXPECT_NE(o.out.find("leave-one-out is not defined"), std::string::npos) << o.out << o.err;
}

TEST_F(Check, OptionsThatWouldBeIgnoredAreRefused) {
  EXPECT_TRUE(fails(covary({"check", model(), "--kernel", "se()"}), 2,
                    "--kernel applies to a table that is fitted first"));
  EXPECT_TRUE(fails(covary({"check", model(), "--target", "y"}), 2,
                    "--target applies to a table that is fitted first"));
}

class Calibrated : public Check {};

// As wide as check says they should be, and of y.
TEST_F(Calibrated, WidthsAreThoseOfCheck) {
  const std::string m = model(), points = file("p.csv", "x\n1\n20\n");
  const nlohmann::json check = checked({m});
  double z = 0;
  for (const auto& c : check["coverage"])
    if (c["percent"] == 90) z = c["calibrated_z"];
  const Outcome o = covary({"predict", m, points, "--calibrated", "--interval", "90"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(notes(o, "calibrated by 40 leave-one-out errors: 90 % is "));
  const std::string plain = covary({"predict", m, points, "--of", "y"}).out;
  EXPECT_EQ(column(o.out, "sd"), column(plain, "sd"));
  for (size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(column(o.out, "upper")[i] - column(o.out, "lower")[i], 2 * z * column(o.out, "sd")[i], 1e-12);
  EXPECT_NEAR(z, 1.645, 0.6);
}

TEST_F(Calibrated, WhatItRefuses) {
  const std::string m = model(), points = file("p.csv", "x\n1\n");
  EXPECT_TRUE(fails(covary({"predict", m, points, "--calibrated", "--of", "f"}), 2, "of observations"));
  EXPECT_TRUE(fails(covary({"predict", m, points, "--calibrated", "--interval", "99", "-o", "o.csv"}), 5,
                    "needs 99 observations, the model has 40: the most they allow is 97.56 %"));
  EXPECT_FALSE(fs::exists(path("o.csv")));
  EXPECT_EQ(covary({"predict", m, points, "--calibrated", "--of", "y"}).code, 0);
}

class Compare : public Check {};

TEST_F(Compare, BestFirstAndInWords) {
  const Outcome o =
      covary({"compare", data_, "--target", "y", "--kernel", "linear()", "--kernel", "se()", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json all = nlohmann::json::parse(o.out);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["asked"], "se()");
  EXPECT_EQ(all[0]["words"], "the best");
  EXPECT_EQ(all[1]["words"], "very strong evidence against it");
  EXPECT_NEAR(
      all[1]["behind"].get<double>(),
      all[0]["log_marginal_likelihood"].get<double>() - all[1]["log_marginal_likelihood"].get<double>(),
      1e-9);
  EXPECT_NEAR(all[0]["log_marginal_likelihood"],
              fitted({data_, "--target", "y", "--kernel", "se()"})["log_marginal_likelihood"], 1e-9);
}

TEST_F(Compare, MeansToo) {
  const Outcome o = covary({"compare", data_, "--target", "y", "-k", "se()", "-m", "zero", "-m", "linear"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("se(), mean zero"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("se(), mean linear"), std::string::npos);
  EXPECT_NE(o.out.find("leave-one-out"), std::string::npos);
}

TEST_F(Compare, SlipsAreSaidBeforeLearning) {
  EXPECT_TRUE(
      fails(covary({"compare", data_, "--target", "y", "-k", "se()", "-k", "mattern52()"}), 2, "matern52"));
  EXPECT_TRUE(fails(covary({"compare", data_, "--target", "y", "-m", "lineal"}), 2, "linear"));
}

}  // namespace
}  // namespace covary::cli::check_test
