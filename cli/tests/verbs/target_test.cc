// --target 'log(y)': fitted in transformed units, answered in the units of the table.
#include <cmath>

#include "run_command.h"

namespace covary::cli::target_test {
namespace {

class TransformedTarget : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,y,logy\n";
    for (int i = 0; i < 40; ++i) {
      const double x = 0.2 * i, z = 1 + std::sin(x) + 0.2 * std::sin(37.0 * i * i);
      csv += number(x) + "," + number(std::exp(z)) + "," +
             number(std::log(std::strtod(number(std::exp(z)).c_str(), nullptr))) + "\n";
    }
    data_ = file("data.csv", csv);
    points_ = file("points.csv", "x\n0.5\n3\n9\n");
  }
  static std::string number(double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", v);
    return text;
  }
  std::string fit(const std::string& target, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"fit", data_,  "-t",       target, "-f", "x",
                                   "-k",  "se()", "--starts", "2",    "-o", path("m.json")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  }
  nlohmann::json json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }
  std::string data_, points_;
};

/// The model is that of a column of logarithms; what it says is the exponential, and exact.
TEST_F(TransformedTarget, PredictionsAreInTheUnitsOfTheTable) {
  const std::string said = fit("log(y)");
  EXPECT_NE(said.find("fitted as"), std::string::npos) << said;
  EXPECT_NE(said.find("log(y)"), std::string::npos) << said;
  const std::string y = covary({"predict", path("m.json"), points_, "--of", "y", "-i", "50,95"}).out;
  fit("logy");
  const std::string z = covary({"predict", path("m.json"), points_, "--of", "y", "-i", "50,95"}).out;
  const auto m = column(z, "mean"), s = column(z, "sd");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(column(y, "median")[i], std::exp(m[i]), 1e-5 * std::exp(m[i]));
    EXPECT_NEAR(column(y, "lower_50")[i], std::exp(column(z, "lower_50")[i]), 1e-4);
    EXPECT_NEAR(column(y, "upper_95")[i] / std::exp(column(z, "upper_95")[i]), 1, 1e-4);
    EXPECT_NEAR(column(y, "mean")[i] / std::exp(m[i] + s[i] * s[i] / 2), 1, 1e-4);
  }
}

/// Evidence and scores are of y: log(y) and y can be compared.
TEST_F(TransformedTarget, EvidenceHasTheJacobian) {
  const auto words = [&](const std::string& target) {
    return std::vector<std::string>{"fit", data_, "-t", target, "-f", "x", "-k", "se()", "--starts", "2"};
  };
  const nlohmann::json logged = json(words("log(y)")), of_z = json(words("logy")), raw = json(words("y"));
  double sum = 0;
  for (const double z : column(contents(data_), "logy")) sum += z;
  EXPECT_NEAR(logged["log_marginal_likelihood"], of_z["log_marginal_likelihood"].get<double>() - sum, 1e-4);
  EXPECT_NEAR(logged["loo"]["nlpd"], of_z["loo"]["nlpd"].get<double>() + sum / 40, 1e-4);
  EXPECT_GT(logged["log_marginal_likelihood"], raw["log_marginal_likelihood"]);
  EXPECT_EQ(logged["target"], "y");
  EXPECT_EQ(logged["target_transform"], "log");
  EXPECT_TRUE(raw["target_transform"].is_null());
  const nlohmann::json all =
      json({"compare", data_, "-t", "y", "-t", "log(y)", "-f", "x", "-k", "se()", "--starts", "2"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["target"], "log(y)");
  EXPECT_NEAR(all[0]["log_marginal_likelihood"], logged["log_marginal_likelihood"].get<double>(), 1e-3);
  EXPECT_NE(covary({"compare", data_, "-t", "y", "-t", "log(y)", "-f", "x", "-k", "se()"})
                .out.find("se() of log(y)"),
            std::string::npos);
  EXPECT_TRUE(fails(covary({"compare", data_, "-t", "y", "-t", "logy"}), 2,
                    "expected y or a transform of it, as 'log(y)', found 'logy'"));
}

TEST_F(TransformedTarget, EveryVerbTakesTheModel) {
  fit("log(y)");
  const std::string m = path("m.json");
  const nlohmann::json loo = json({"check", m});
  EXPECT_NEAR(loo["nlpd"],
              json({"fit", data_, "-t", "log(y)", "-f", "x", "-k", "se()", "--starts", "2"})["loo"]["nlpd"],
              1e-9);
  EXPECT_EQ(loo["fitted_as"], "log(y)");
  EXPECT_EQ(json({"check", m, data_})["n"], 40);
  EXPECT_EQ(json({"check", m, "--forward"})["forecast"]["n"], 20);
  EXPECT_EQ(json({"check", m, "--folds", "5", "--refit"})["n"], 40);
  for (const double v : column(covary({"sample", m, points_, "-n", "1", "--of", "y"}).out, "sample_1"))
    EXPECT_GT(v, 0);
  for (const char* kind : {"curve", "observed", "slices"})
    EXPECT_EQ(covary({"plot", m, "-o", path("p.svg"), "-k", kind, "--of", "y"}).code, 0) << kind;
  EXPECT_NE(contents(path("p.svg")).find("median of y"), std::string::npos);
  EXPECT_TRUE(notes(covary({"suggest", m, points_}), "sds and scores are of log(y)"));
  EXPECT_EQ(covary({"tell", m, file("new.csv", "x,y\n9,3\n"), "-o", path("t.json")}).code, 0);
  EXPECT_EQ(json({"check", path("t.json")})["n"], 41);
  const nlohmann::json p = json({"predict", m, points_});
  EXPECT_EQ(p["target_transform"], "log");
  EXPECT_EQ(p["mean_and_sd_by"], "closed form");
  EXPECT_GT(p["predictions"][0]["median"], 0);
  EXPECT_EQ(covary({"predict", m, points_, "--calibrated"}).code, 0);
  EXPECT_TRUE(fails(covary({"predict", m, points_, "--joint", path("j.csv")}), 2, "the model is of log(y)"));
}

TEST_F(TransformedTarget, LinearModelsToo) {
  for (const char* model : {"linear", "ridge", "bayes"}) {
    ASSERT_EQ(covary({"fit", data_, "-t", "log(y)", "-f", "x", "--model", model, "--basis", "x, sin(x)", "-o",
                      path("l.json")})
                  .code,
              0)
        << model;
    const std::string p = covary({"predict", path("l.json"), points_, "--of", "y"}).out;
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_GT(column(p, "lower")[i], 0);
      EXPECT_LT(column(p, "median")[i], column(p, "mean")[i]);
    }
    EXPECT_EQ(covary({"check", path("l.json")}).code, 0);
  }
  EXPECT_EQ(covary({"plot", path("l.json"), "-o", path("w.svg"), "-k", "weights"}).code, 0);
}

TEST_F(TransformedTarget, OutOfItsDomain) {
  const std::string zero = file("zero.csv", "x,y\n1,2\n2,0\n3,4\n");
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "log(y)"}), 3,
                    "zero.csv, line 3, column 'y': log(y) needs values above 0, found 0; log1p takes 0"));
  EXPECT_EQ(covary({"fit", zero, "-t", "log1p(y)", "--starts", "1"}).code, 0);
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "logit(y)"}), 3,
                    "line 2, column 'y': logit(y) needs values between 0 and 1"));
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "sqrt(y)"}), 3, "sqrt(y) needs values above 0, found 0"));
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "exp(y)"}), 2, "no transform of the target is named 'exp'"));
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "ln(y)"}), 2, "did you mean 'log'?"));
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "reciprocal(y)"}), 2, "the mean of 1/z does not exist"));
  EXPECT_TRUE(fails(covary({"fit", zero, "-t", "log(z)"}), 2, "no column 'z'"));
  fit("log(y)");
  EXPECT_TRUE(fails(covary({"tell", path("m.json"), file("t.csv", "x,y\n1,2\n2,-3\n")}), 3,
                    "line 3, column 'y': log(y) needs values above 0, found -3"));
  EXPECT_TRUE(
      fails(covary({"check", path("m.json"), file("t.csv", "x,y\n1,2\n2,-3\n")}), 3, "line 3, column 'y'"));
}

TEST_F(TransformedTarget, AColumnOfThatNameIsThatColumn) {
  const std::string odd = file("odd.csv", "x,log(y)\n1,-2\n2,0\n3,4\n4,5\n");
  const Outcome o = covary({"fit", odd, "-t", "log(y)", "--starts", "1"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out.find("fitted as"), std::string::npos);
}

}  // namespace
}  // namespace covary::cli::target_test
