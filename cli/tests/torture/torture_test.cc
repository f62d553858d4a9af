// Data that are hard to learn from, as the command meets them.
#include "torture/torture.h"

namespace covary::cli::torture_test {
namespace {

TEST_F(Torture, Case4ConstantTarget) {
  EXPECT_TRUE(notes(fit("x,y\n0,7\n1,7\n2,7\n3,7\n4,7\n"), "constant"));
  const std::string out = predict("x\n0\n2.5\n100\n");
  const std::vector<double> mean = column(out, "mean"), sd = column(out, "sd");
  for (const double m : mean) EXPECT_NEAR(m, 7, 1e-12);
  EXPECT_TRUE(std::isfinite(sd[2]));
  EXPECT_GT(sd[2], 0);
}

TEST_F(Torture, Case5TargetsOfAnySize) {
  ASSERT_EQ(fit(wave(20)).code, 0);
  const std::string points = "x\n0.6\n2.9\n4.85\n";
  const std::string one = predict(points);
  for (const double size : {1e12, 1e-12, 1e300, 1e-200}) {
    const Outcome o = fit(wave(20, size));
    ASSERT_EQ(o.code, 0) << o.err;
    const std::string out = predict(points);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(column(out, "mean")[i] / size, column(one, "mean")[i], 1e-4) << size;
      EXPECT_NEAR(column(out, "sd")[i] / size, column(one, "sd")[i], 1e-4) << size;
    }
  }
}

TEST_F(Torture, Case6OffsetOfX) {
  const std::string near_points = "x\n0.625\n2.875\n", far_points = "x\n100000000.625\n100000002.875\n";
  const Strings given{"--kernel", "fixed(2 * matern52(lengthscale=1.5))", "--noise", "0.01"};
  ASSERT_EQ(fit(wave(20), given).code, 0);
  const std::string near = predict(near_points);
  ASSERT_EQ(fit(wave(20, 1, 1e8), given).code, 0);
  const std::string far = predict(far_points);
  EXPECT_EQ(column(near, "mean"), column(far, "mean"));
  EXPECT_EQ(column(near, "sd"), column(far, "sd"));
}

TEST_F(Torture, Case6OffsetOfXWhenLearning) {
  ASSERT_EQ(fit(wave(20)).code, 0);
  const std::string near = predict("x\n0.625\n2.875\n");
  ASSERT_EQ(fit(wave(20, 1, 1e8)).code, 0);
  const std::string far = predict("x\n100000000.625\n100000002.875\n");
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(column(near, "mean")[i], column(far, "mean")[i], 1e-7);
}

TEST_F(Torture, Case7ConstantAndIdenticalColumns) {
  std::string csv = "a,b,c,y\n";
  for (int i = 0; i < 12; ++i)
    csv += std::to_string(i) + ",5," + std::to_string(i) + "," + std::to_string(std::sin(0.5 * i)) + "\n";
  const Outcome o = fit(csv);
  EXPECT_TRUE(notes(o, "'b' is constant"));
  EXPECT_TRUE(notes(o, "'a' and 'c' are identical"));
}

TEST_F(Torture, Case8HardlyAnyRows) {
  EXPECT_TRUE(fails(fit("x,y\n"), 3, "d.csv"));
  EXPECT_TRUE(fails(fit("y\n1\n2\n"), 3, "no column of numbers is left"));
  for (const char* rows : {"x,y\n1,2\n", "x,y\n1,2\n2,3\n", "x,y\n1,2\n2,3\n3,1\n"}) {
    EXPECT_TRUE(notes(fit(rows), "the prior decides")) << rows;
    const std::string out = predict("x\n1\n50\n");
    for (const double sd : column(out, "sd")) EXPECT_TRUE(std::isfinite(sd));
    EXPECT_GT(column(out, "sd")[1], 0.1) << rows;
  }
}

}  // namespace
}  // namespace covary::cli::torture_test
