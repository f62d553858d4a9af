// covary predict: tables that come in blocks, compressed or through pipes; joint covariances.
#include "torture/torture.h"

namespace covary::cli::predict_test {
namespace {

class PredictInBlocks : public Torture {};

/// 30 000 rows, several blocks; the column note turns from numbers to text in the last.
std::string many() {
  std::string points = "x,note\n";
  for (int i = 0; i < 30000; ++i)
    points += std::to_string(i * 1e-4) + "," + (i == 29000 ? "word" : "0" + std::to_string(i)) + "\n";
  return points;
}

TEST_F(PredictInBlocks, GzipFromFilesAndPipes) {
  model();
  const std::string plain = predict(many());
  const Outcome o = shell("gzip -c p.csv > packed && $covary predict m.json packed -q");
  if (o.code == 127) GTEST_SKIP() << "no gzip";
  EXPECT_TRUE(o.out == plain) << o.err;
  EXPECT_TRUE(shell("$covary predict m.json - -q < packed").out == plain);
  EXPECT_TRUE(shell("cat packed | $covary predict m.json - -q").out == plain);
  EXPECT_TRUE(
      fails(shell("head -c 1000 packed > cut; $covary predict m.json cut -o o.csv"), 3, "cut: is cut short"));
  EXPECT_FALSE(fs::exists(path("o.csv")));
  const Outcome fit =
      shell("gzip -c d.csv | $covary fit - --target y --kernel 'fixed(se(lengthscale=1))' -q");
  EXPECT_EQ(fit.code, 0) << fit.err;
}

TEST_F(PredictInBlocks, APipeGivesTheSameBytesAsTheFile) {
  model();
  file("p.csv", many());
  for (const char* options : {"", "--json", "--of y --interval 50,90"}) {
    const Outcome from_file = shell(std::string("$covary predict m.json p.csv ") + options);
    ASSERT_EQ(from_file.code, 0) << from_file.err;
    const Outcome pipe = shell(std::string("cat p.csv | $covary predict m.json - ") + options);
    EXPECT_TRUE(pipe.out == from_file.out) << pipe.err;
  }
}

TEST_F(PredictInBlocks, KindsInJsonAreThoseOfTheWholeColumn) {
  model();
  const auto rows = nlohmann::json::parse(predicted(many(), {"--json", "-q"}).out)["predictions"];
  EXPECT_EQ(rows[0]["note"], "00");
  EXPECT_EQ(rows[29000]["note"], "word");
}

TEST_F(PredictInBlocks, ABadRowInAPipeIsNamed) {
  model();
  std::string points = many();
  points += "hot,1\n";
  file("p.csv", points);
  EXPECT_TRUE(fails(shell("cat p.csv | $covary predict m.json - -o o.csv"), 3,
                    "standard input, line 30002, column 'x': expected a number, found 'hot'"));
  EXPECT_FALSE(fs::exists(path("o.csv")));
}

TEST_F(PredictInBlocks, JointCovariance) {
  model();
  const std::string points = "x\n0.1\n0.7\n5\n";
  for (const char* of : {"f", "y"}) {
    const Outcome o = predicted(points, {"--joint", "c.csv", "--of", of});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::vector<double> sd = column(o.out, "sd");
    const auto c = cells(contents(path("c.csv")));
    ASSERT_EQ(c.size(), 4U);
    EXPECT_EQ(c[0], Strings({"row_1", "row_2", "row_3"}));
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(c[i + 1].size(), 3U);
      EXPECT_NEAR(std::stod(c[i + 1][i]), sd[i] * sd[i], 1e-12) << of;
      for (size_t j = 0; j < 3; ++j) EXPECT_EQ(c[i + 1][j], c[j + 1][i]);
    }
    EXPECT_NE(std::stod(c[1][1]), 0);
  }
}

// With the noise of y a new observation varies by 0.01 more, and only with itself.
TEST_F(PredictInBlocks, JointCovarianceOfYAddsTheNoise) {
  model();
  predicted("x\n0.1\n0.7\n", {"--joint", "f.csv"});
  predicted("x\n0.1\n0.7\n", {"--joint", "y.csv", "--of", "y"});
  const auto f = cells(contents(path("f.csv"))), y = cells(contents(path("y.csv")));
  EXPECT_NEAR(std::stod(y[1][0]) - std::stod(f[1][0]), 0.01, 1e-12);
  EXPECT_EQ(y[1][1], f[1][1]);
}

TEST_F(PredictInBlocks, JointOfDroppedRowsAndPipes) {
  model();
  predicted("x\n0.1\n0.7\n", {"--joint", "two.csv"});
  const Outcome o = predicted("x,z\n0.1,1\n,2\n0.7,3\n", {"--joint", "c.csv", "--missing", "drop"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(contents(path("c.csv")), contents(path("two.csv")));
  EXPECT_EQ(shell("cat p.csv | $covary predict m.json - --joint pipe.csv --missing drop -o o.csv").code, 0);
  EXPECT_EQ(contents(path("pipe.csv")), contents(path("two.csv")));
}

TEST_F(PredictInBlocks, JointAndOutMustDiffer) {
  model();
  EXPECT_TRUE(fails(predicted("x\n1\n", {"--joint", "-"}), 2, "would both write to standard output"));
  EXPECT_TRUE(
      fails(predicted("x\n1\n", {"--joint", "o.csv", "-o", "o.csv"}), 2, "would both write to o.csv"));
}

TEST_F(PredictInBlocks, JointOfHugeTargets) {
  ASSERT_EQ(fit(wave(8, 1e200), {"--noise", "0"}).code, 0);
  EXPECT_TRUE(
      fails(predicted("x\n0.1\n0.7\n", {"--joint", "c.csv", "-o", "o.csv"}), 4, "too large for a number"));
  EXPECT_FALSE(fs::exists(path("o.csv")));
}

}  // namespace
}  // namespace covary::cli::predict_test
