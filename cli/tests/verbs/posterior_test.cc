// posterior: densities from tables of log likelihoods, through the real command.
#include <cmath>
#include <numbers>

#include "run_command.h"

namespace covary::cli::posterior_test {
namespace {

class PosteriorVerb : public Command {
 protected:
  /// A model of -(x - 2)^2/2 from -6 to 10.
  std::string model(const std::string& more_rows = "", std::vector<std::string> options = {}) {
    std::string csv = "x,ll\n";
    for (int i = 0; i <= 32; ++i)
      csv += std::to_string(-6 + 0.5 * i) + "," + std::to_string(-std::pow(-8 + 0.5 * i, 2) / 2) + "\n";
    table_ = file("ll.csv", csv + more_rows);
    std::vector<std::string> words{"fit",     table_, "--target", "ll",           "--kernel", "se()",
                                   "--noise", "0",    "-o",       path("m.json"), "-q"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return path("m.json");
  }
  nlohmann::json density(std::vector<std::string> options) {
    options.insert(options.begin(), {"posterior", path("m.json"), "--json", "-q"});
    const Outcome o = covary(options);
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }
  std::string table_;
};

TEST_F(PosteriorVerb, OfANormalLikelihood) {
  model();
  const nlohmann::json j = density({"--grid", "x=-6..10:401"});
  EXPECT_NEAR(j["parameters"][0]["mean"]["value"].get<double>(), 2, 0.01);
  EXPECT_NEAR(j["parameters"][0]["sd"]["value"].get<double>(), 1, 0.01);
  EXPECT_NEAR(j["log_evidence"]["value"].get<double>(), std::log(std::sqrt(2 * std::numbers::pi) / 16), 0.01);
  EXPECT_LE(j["log_evidence"]["lower"].get<double>(), j["log_evidence"]["upper"].get<double>());
}

TEST_F(PosteriorVerb, WithAPriorOnAGridOrOnDrawnPoints) {
  model();
  for (const std::vector<std::string>& points :
       {std::vector<std::string>{"--grid", "x=-6..10:401"}, {"--grid", "x=-6..10", "--points", "4000"}}) {
    std::vector<std::string> words = points;
    words.insert(words.end(), {"--prior", "x=normal(mean=0, sd=1)"});
    const nlohmann::json j = density(words);
    EXPECT_NEAR(j["parameters"][0]["mean"]["value"].get<double>(), 1, 0.05);
    EXPECT_NEAR(j["parameters"][0]["sd"]["value"].get<double>(), std::sqrt(0.5), 0.05);
    EXPECT_NEAR(j["log_evidence"]["value"].get<double>(), -1 - std::log(2.0) / 2, 0.05);
  }
}

TEST_F(PosteriorVerb, FilesOfTheDensityAndOfSamples) {
  const std::string m = model();
  const Outcome o = covary({"posterior", m, "--grid", "81", "-o", path("d.csv"), "--samples", path("s.csv"),
                            "-n", "500", "--plot", path("d.svg"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("log evidence"), std::string::npos);
  EXPECT_NE(o.out.find("mean of x"), std::string::npos);
  std::istringstream rows(contents(path("d.csv")));
  std::string line;
  std::getline(rows, line);
  EXPECT_EQ(line, "x,density,lower,upper,mass");
  double mass = 0;
  int count = 0;
  for (; std::getline(rows, line); ++count) mass += std::stod(line.substr(line.rfind(',') + 1));
  EXPECT_EQ(count, 81);
  EXPECT_NEAR(mass, 1, 1e-9);
  const std::string samples = contents(path("s.csv"));
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 501);
  EXPECT_NE(contents(path("d.svg")).find("Posterior density of x"), std::string::npos);
}

TEST_F(PosteriorVerb, LogLikelihoodsOfMinusInfinity) {
  const std::string m = model("11,-inf\n12,-inf\n", {"--missing", "drop", "--missing-values=-inf"});
  const nlohmann::json j = density({"--grid", "x=-6..12:361", "--impossible", table_, "-o", path("d.csv")});
  EXPECT_NEAR(j["parameters"][0]["mean"]["value"].get<double>(), 2, 0.01);
  std::istringstream rows(contents(path("d.csv")));
  std::string line;
  std::getline(rows, line);
  while (std::getline(rows, line)) {
    const double x = std::stod(line), density = std::stod(line.substr(line.find(',') + 1));
    if (std::abs(x - 10.5) < 1e-6) continue;  // as near to one as to the other
    EXPECT_EQ(density == 0, x > 10.5) << line;
  }
  const Outcome o = covary({"suggest", m, file("c.csv", "x\n9\n10.4\n10.6\n11\n12\n"), "-n", "2",
                            "--strategy", "exponentiated-variance", "--impossible", table_});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("3 of 5 candidates left out"), std::string::npos) << o.err;
}

TEST_F(PosteriorVerb, RefusesWhatItCannotUse) {
  const std::string m = model();
  const std::string bad = file("bad.csv", "x,ll\n1,-2\n2,inf\n"),
                    lacking = file("lacking.csv", "x,ll\n1,-2\n2,NaN\n");
  EXPECT_TRUE(fails(covary({"posterior", m, "--impossible", bad}), 3, "line 3"));
  EXPECT_TRUE(fails(covary({"posterior", m, "--impossible", lacking}), 3, "line 3"));
  EXPECT_TRUE(fails(covary({"posterior", m, "--grid", "x=3"}), 2, "no volume"));
  EXPECT_TRUE(fails(covary({"posterior", m, "--prior", "z=normal(0, 1)"}), 2, "'z'"));
  EXPECT_TRUE(fails(covary({"posterior", m, "--prior", "cauchy(1)"}), 2, "normal"));
  EXPECT_TRUE(fails(covary({"posterior", m, "-n", "5"}), 2, "--samples"));
  EXPECT_TRUE(fails(covary({"posterior", m, "--points", "1000", "--plot", path("p.svg")}), 2, "on a grid"));
}

}  // namespace
}  // namespace covary::cli::posterior_test
