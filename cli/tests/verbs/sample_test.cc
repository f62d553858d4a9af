// covary sample: seeded, from the right distribution, with clear errors.
#include <cmath>

#include "run_command.h"

namespace covary::cli::sample_test {
namespace {

class Sample : public Command {
 protected:
  std::string grid(int n = 5) const {
    std::string csv = "x\n";
    for (int i = 0; i < n; ++i) csv += std::to_string(0.5 * i) + "\n";
    return file("grid.csv", csv);
  }
  std::string model(const std::string& noise) const {
    const std::string data = file("data.csv", "x,y\n0,1\n1,-1\n2,0.5\n");
    EXPECT_EQ(covary({"fit", data, "--target", "y", "--kernel", "fixed(1 * se(lengthscale=0.7))", "--mean",
                      "zero", "--noise", noise, "-o", path("m.json")})
                  .code,
              0);
    return path("m.json");
  }
};

TEST_F(Sample, TheSameSeedTheSameBytes) {
  const std::vector<std::string> words{"sample", "--prior", "--kernel", "2 * se(lengthscale=1)",
                                       grid(),   "-n",      "3"};
  const Outcome a = covary(words), b = covary(words);
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(a.out.substr(0, a.out.find('\n')), "x,sample_1,sample_2,sample_3");
  std::vector<std::string> other = words;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_NE(a.out, covary(other).out);
}

// The figures are part of the promise that a seed means the same everywhere: they may change only with the
// format.
TEST_F(Sample, TheNumbersOfSeedOne) {
  const Outcome o = covary({"sample", "--prior", "--kernel", "fixed(1)", grid(1), "-n", "2"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(column(o.out, "sample_1")[0], -0.22770229850701265, 1e-12);
  EXPECT_NEAR(column(o.out, "sample_2")[0], -0.25937725029558445, 1e-12);
}

TEST_F(Sample, PriorHasTheMeanAndVarianceAskedFor) {
  const Outcome o = covary({"sample", "--prior", "--kernel", "4 * matern52(lengthscale=1)", "--mean",
                            "constant(10)", grid(2), "-n", "4000"});
  ASSERT_EQ(o.code, 0) << o.err;
  const auto rows = cells(o.out);
  double sum = 0, squares = 0;
  for (size_t k = 1; k < rows[1].size(); ++k) {
    const double v = std::stod(rows[1][k]) - 10;
    sum += v, squares += v * v;
  }
  EXPECT_NEAR(sum / 4000, 0, 0.13);
  EXPECT_NEAR(squares / 4000, 4, 0.4);
}

TEST_F(Sample, PosteriorGoesThroughExactData) {
  const Outcome o = covary({"sample", model("0"), grid(), "-n", "4"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* name : {"sample_1", "sample_4"}) {
    EXPECT_NEAR(column(o.out, name)[0], 1, 1e-5);
    EXPECT_NEAR(column(o.out, name)[2], -1, 1e-5);
  }
}

TEST_F(Sample, OfYAddsNoise) {
  const std::string m = model("0.25");
  const auto spread = [&](const std::string& of) {
    const auto rows = cells(covary({"sample", m, grid(1), "-n", "3000", "--of", of}).out);
    double sum = 0, squares = 0;
    for (size_t k = 1; k < rows[1].size(); ++k) {
      const double v = std::stod(rows[1][k]);
      sum += v, squares += v * v;
    }
    return squares / 3000 - sum * sum / 9e6;
  };
  EXPECT_NEAR(spread("y") - spread("f"), 0.25, 0.05);
}

TEST_F(Sample, OtherColumnsStay) {
  const std::string g = file("g.csv", "site,x\nnorth,1\nsouth,2\n");
  const Outcome o = covary({"sample", model("0.1"), g, "-n", "1"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(cells(o.out)[0], (std::vector<std::string>{"site", "x", "sample_1"}));
  EXPECT_EQ(cells(o.out)[2][0], "south");
}

TEST_F(Sample, JsonHasTheSameNumbers) {
  const std::vector<std::string> words{"sample", model("0.1"), grid(), "-n", "2"};
  std::vector<std::string> json = words;
  json.emplace_back("--json");
  const nlohmann::json j = nlohmann::json::parse(covary(json).out);
  const std::string csv = covary(words).out;
  EXPECT_EQ(j["samples"][0].get<std::vector<double>>(), column(csv, "sample_1"));
  EXPECT_EQ(j["samples"][1].get<std::vector<double>>(), column(csv, "sample_2"));
  EXPECT_EQ(j["of"], "f");
}

TEST_F(Sample, Errors) {
  EXPECT_TRUE(fails(covary({"sample", "--prior", grid()}), 2, "--kernel"));
  EXPECT_TRUE(fails(covary({"sample", "--prior", "--kernel", "se()", grid()}), 2, "lengthscale"));
  EXPECT_TRUE(fails(covary({"sample", grid()}), 2, "two files"));
  EXPECT_TRUE(
      fails(covary({"sample", model("0.1"), grid(), "--kernel", "se()"}), 2, "--kernel applies to --prior"));
  EXPECT_TRUE(
      fails(covary({"sample", model("0.1"), grid(), "--noise", "1"}), 2, "--noise applies to --prior"));
  EXPECT_TRUE(fails(covary({"sample", model("0.1"), file("bad.csv", "z\n1\n")}), 3, "'x'"));
  EXPECT_TRUE(
      fails(covary({"sample", "--prior", "--kernel", "se(lengthscale=1)", grid(), "-f", "y"}), 2, "'y'"));
}

}  // namespace
}  // namespace covary::cli::sample_test
