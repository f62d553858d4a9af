// Answers that are known, asked for as a user would.
#include <cmath>
#include <iterator>
#include <sstream>

#include "run_command.h"

namespace covary::cli::answers_test {
namespace {

constexpr const char* eight_points = "x,y\n-1.5,-1.6\n-0.25,0.5\n0,0.8\n1,-2\n5,0\n5.5,1\n10.5,3\n11.5,3\n";

class EightPoints : public Command {
 protected:
  nlohmann::json fit_with_noise(const std::string& noise) {
    file("eight.csv", eight_points);
    return fitted({"eight.csv", "--target", "y", "--kernel", "fixed(1.6129 * se(lengthscale=1))", "--mean",
                   "zero", "--noise", noise, "-o", "m.json"});
  }
};

TEST_F(EightPoints, WithoutNoise) {
  EXPECT_NEAR(fit_with_noise("0").at("log_marginal_likelihood"), -19.776499, 5e-7);
  const Outcome o = covary({"predict", "m.json", file("at.csv", "x\n8\n")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(column(o.out, "mean").at(0), 0.2401335, 5e-8);
  EXPECT_NEAR(std::pow(column(o.out, "sd").at(0), 2), 1.5995653, 5e-8);
}

TEST_F(EightPoints, WithNoise) {
  EXPECT_NEAR(fit_with_noise("0.01").at("log_marginal_likelihood"), -18.237265, 5e-7);
  const Outcome o = covary({"predict", "m.json", file("at.csv", "x\n8\n")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(column(o.out, "mean").at(0), 0.2328368, 5e-8);
  EXPECT_NEAR(std::pow(column(o.out, "sd").at(0), 2), 1.5999998, 5e-8);
}

TEST_F(EightPoints, ThroughEveryPointWithoutNoise) {
  fit_with_noise("0");
  const Outcome o = covary({"predict", "m.json", "eight.csv"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::vector<double> y = column(o.out, "y"), mean = column(o.out, "mean"), sd = column(o.out, "sd");
  ASSERT_EQ(y.size(), 8U);
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(mean[i], y[i], 1e-13);
    EXPECT_EQ(sd[i], 0);
  }
}

TEST_F(EightPoints, OfYAddsTheNoise) {
  fit_with_noise("0.01");
  const std::string at = file("at.csv", "x\n8\n0.3\n");
  const Outcome f = covary({"predict", "m.json", at}), y = covary({"predict", "m.json", at, "--of", "y"});
  for (size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(std::pow(column(y.out, "sd").at(i), 2) - std::pow(column(f.out, "sd").at(i), 2), 0.01, 1e-14);
}

TEST_F(EightPoints, IntervalsAreExactNormalQuantiles) {
  fit_with_noise("0.01");
  const Outcome o = covary({"predict", "m.json", file("at.csv", "x\n8\n"), "--interval", "50,95"});
  const double mean = column(o.out, "mean").at(0), sd = column(o.out, "sd").at(0);
  EXPECT_NEAR((column(o.out, "upper_95").at(0) - mean) / sd, 1.959963984540054, 1e-15);
  EXPECT_NEAR((mean - column(o.out, "lower_50").at(0)) / sd, 0.6744897501960817, 1e-15);
}

class Demonstration : public Command {
 protected:
  std::string data() const { return std::string(COVARY_SHARED_DATA) + "/gpml_demo_xy.csv"; }
};

TEST_F(Demonstration, LikelihoodAtTheTrueModel) {
  if (!fs::exists(data())) GTEST_SKIP() << data() << " is not here";
  const auto j = fitted({data(), "--target", "y", "--mean", "linear(1, 0.5)", "--kernel",
                         "fixed(1 * matern32(lengthscale=0.25))", "--noise", "0.01"});
  EXPECT_NEAR(j.at("log_marginal_likelihood"), -11.9706317246, 1e-6);
}

TEST_F(Demonstration, LikelihoodAtTheLearnedModel) {
  if (!fs::exists(data())) GTEST_SKIP() << data() << " is not here";
  const auto j = fitted({data(), "--target", "y", "--mean", "zero", "--kernel", "se()", "--prior", "none"});
  EXPECT_NEAR(j.at("log_marginal_likelihood"), -14.1310907849, 1e-6);
}

class Demo : public Command {};

TEST_F(Demo, ShowsAnAnswerAndWritesAPicture) {
  const Outcome o = covary({"demo", "--out", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* figure : {"0.2401335", "1.5995653", "-19.776499", "0.2328368", "1.5999998", "-18.237265"})
    EXPECT_NE(o.out.find(figure), std::string::npos) << figure;
  EXPECT_NE(o.out.find("leave-one-out"), std::string::npos);
  const std::string svg = contents(folder_ / "here" / "sinc.svg");
  EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 80);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(covary({"predict", "here/sinc.json", "here/sinc.csv"}).code, 0);
}

/// The words of the lines that begin with `first`.
std::vector<std::vector<std::string>> lines_with(const std::string& text, const std::string& first) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (!words.empty() && words[0] == first) out.push_back(words);
  }
  return out;
}

TEST_F(Demo, ThresholdsAreFoundByHalving) {
  const Outcome o = covary({"demo", "thresholds"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const double n : {1e3, 1e4, 1e5, 1e6}) {
    const auto rows = lines_with(o.out, std::to_string(int(n)));
    ASSERT_EQ(rows.size(), 1u) << o.out;
    ASSERT_EQ(rows[0].size(), 6u) << o.out;
    for (const size_t strategy : {2, 3, 4})
      EXPECT_LE(std::stod(rows[0][strategy]), std::log2(n) + 4) << o.out;
    EXPECT_NEAR(std::stod(rows[0][5]), 2 * n / 3, 0.03 * n);
  }
}

TEST_F(Demo, BiasIsShownAndMended) {
  const Outcome o = covary({"demo", "bias", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  const auto margin = lines_with(o.out, "svm-margin"), mended = lines_with(o.out, "uncertainty(sd=1)"),
             random = lines_with(o.out, "random");
  ASSERT_EQ(margin.size(), 2u) << o.out;
  ASSERT_EQ(mended.size(), 1u) << o.out;
  ASSERT_EQ(random.size(), 1u) << o.out;
  const auto weighted = lines_with(o.out, "iwal");
  ASSERT_GE(weighted.size(), 1u) << o.out;
  EXPECT_EQ(std::stod(weighted[0].at(3)), 0);    // never trapped
  EXPECT_GE(std::stod(weighted[0].at(14)), 86);  // intervals that hold: 95 % less three standard errors
  // NAME SHARE % WRONG % FROM ...
  EXPECT_GE(std::stod(margin[0].at(3)), 90);
  EXPECT_LE(std::stod(mended[0].at(3)), 5);
  EXPECT_LT(std::stod(mended[0].at(5)), std::stod(random[0].at(5)));
  EXPECT_NE(o.out.find("the labels do not represent the pool"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "here" / "bias.svg"));
}

TEST_F(Demo, ALimitOnWrongLabelsFallsAndHolds) {
  const Outcome o = covary({"demo", "clusters", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  double before = 100;
  for (const char* labels : {"15", "30", "45", "60", "75"}) {
    const auto rows = lines_with(o.out, labels);
    ASSERT_EQ(rows.size(), 1u) << o.out;
    const double limit = std::stod(rows[0].at(2)),
                 wrong = std::stod(rows[0].at(4));  // LABELS CLUSTERS LIMIT % WRONG %
    EXPECT_LT(limit, before);
    EXPECT_LE(wrong, limit);
    before = limit;
  }
}

TEST_F(Demo, MixturesHoldMoreOfTheFieldAndTheSwitchIsExplained) {
  const Outcome o = covary({"demo", "explore", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  const auto held = [&](const std::string& after) {
    return std::stod(o.out.substr(o.out.find(after) + after.size()));
  };
  EXPECT_GT(held("measurements hold "), 0);
  EXPECT_GT(held("best fit,\n"), held("measurements hold "));
  EXPECT_NE(o.out.find("exploits: "), std::string::npos);
  const auto chance = lines_with(o.out, "random"), implicit = lines_with(o.out, "mixture-information");
  EXPECT_LT(std::stod(implicit.at(0).at(4)), std::stod(chance.at(0).at(3)));  // after 15 labels
}

TEST_F(Demo, TheBestIsFoundByThoseThatLookForIt) {
  const Outcome o = covary({"demo", "best", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  const double chance = std::stod(lines_with(o.out, "random").at(0).at(3));
  for (const char* strategy : {"expected-improvement", "upper-confidence", "knowledge-gradient"})
    EXPECT_LT(std::stod(lines_with(o.out, strategy).at(0).at(3)), 0.1 * chance) << o.out;
}

TEST_F(Demo, ADensityComesFromTwentyLogLikelihoods) {
  const Outcome o = covary({"demo", "density", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* strategy : {"exponentiated-variance", "expected-divergence"}) {
    const auto row = lines_with(o.out, strategy).at(0);
    EXPECT_LT(std::stod(row.at(4)), 0.02) << o.out;
    EXPECT_LT(std::stod(row.at(4)), std::stod(row.at(1))) << o.out;
  }
}

TEST_F(Demo, EntropyGoesToTheEdge) {
  const Outcome o = covary({"demo", "sensors", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_GE(std::stod(lines_with(o.out, "entropy").at(0).at(1)), 6);
  EXPECT_LE(std::stod(lines_with(o.out, "mutual-information").at(0).at(1)), 2);
  EXPECT_NE(contents(folder_ / "here" / "sensors.svg").find("by entropy"), std::string::npos);
}

}  // namespace
}  // namespace covary::cli::answers_test
