// Inputs that must not hurt, as the command meets them. The numbers are those of the list of such inputs.
#include <cmath>

#include "command.h"

namespace covary::cli {
namespace {

using Strings = std::vector<std::string>;

/// x, y with x = offset + i / 4 and y = size * sin(x - offset), in full precision.
std::string wave(int n, double size = 1, double offset = 0) {
  std::ostringstream out;
  out.precision(17);
  out << "x,y\n";
  for (int i = 0; i < n; ++i) out << offset + i / 4.0 << ',' << size * std::sin(i / 4.0) << '\n';
  return out.str();
}

class Torture : public Command {
 protected:
  Outcome fit(const std::string& csv, Strings more = {}) {
    Strings all{"fit", file("d.csv", csv), "--target", "y", "--starts", "2", "-o", "m.json"};
    all.insert(all.end(), more.begin(), more.end());
    return covary(all);
  }
  std::string predict(const std::string& points) {
    const Outcome o = covary({"predict", "m.json", file("p.csv", points), "-q"});
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  }
};

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

TEST_F(Torture, Case11NotANumberAtFit) {
  EXPECT_TRUE(fails(fit("x,y\n0,1\n1,NaN\n2,3\n"), 3, "d.csv, line 3, column 'y'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\ninf,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\n1e309,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\n,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  const Outcome dropped = fit("x,y\n0,1\n1,NA\n2,3\n,4\n3,2\n4,1\n", {"--missing", "drop"});
  EXPECT_TRUE(notes(dropped, "2 rows dropped"));
}

TEST_F(Torture, Case11NotANumberAtPredict) {
  ASSERT_EQ(fit(wave(8)).code, 0);
  for (const char* bad : {"NaN", "inf", "", "1e309", "0x10"}) {
    const Outcome o =
        covary({"predict", "m.json", file("p.csv", std::string("x,z\n0,1\n") + bad + ",1\n"), "-o", "o.csv"});
    EXPECT_TRUE(fails(o, 3, "p.csv, line 3, column 'x'")) << bad;
    EXPECT_FALSE(fs::exists(path("o.csv")));
  }
}

TEST_F(Torture, Case12ColumnsByName) {
  std::string csv = "alpha,beta,y\n";
  for (int i = 0; i < 12; ++i)
    csv +=
        std::to_string(i) + "," + std::to_string(i * i % 7) + "," + std::to_string(std::sin(0.5 * i)) + "\n";
  ASSERT_EQ(fit(csv).code, 0);
  const std::string straight = predict("alpha,beta\n3,2\n"), reordered = predict("beta,alpha\n2,3\n");
  EXPECT_EQ(column(straight, "mean"), column(reordered, "mean"));
  const Outcome missing = covary({"predict", "m.json", file("p.csv", "alpha,betta\n3,2\n")});
  EXPECT_TRUE(fails(missing, 3, "no column 'beta', which the model needs, did you mean 'betta'?"));
  const Outcome extra = covary({"predict", "m.json", file("p.csv", "alpha,beta,gamma,who\n3,2,9,me\n")});
  EXPECT_TRUE(notes(extra, "not used by the model: gamma, who"));
  EXPECT_EQ(column(extra.out, "mean"), column(straight, "mean"));
}

TEST_F(Torture, Case18ParametersOutOfRange) {
  for (const char* kernel :
       {"se(lengthscale=0)", "se(lengthscale=-1)", "se(lengthscale=nan)", "se(lengthscale=1e-320)",
        "se(lengthscale=1e308)", "periodic(period=0)", "periodic(period=-2)", "-1 * se()", "0 * se()",
        "fixed(1e308 * se(lengthscale=1))"}) {
    const Outcome o = fit(wave(6), {"--kernel", kernel});
    EXPECT_EQ(o.code, 2) << kernel << "\n" << o.err << o.out;
    EXPECT_FALSE(fs::exists(path("m.json")));
  }
  for (const char* noise : {"-1", "nan", "inf", "1e309", "lots", ""})
    EXPECT_TRUE(fails(fit(wave(6), {"--noise", noise}), 2, "noise")) << noise;
}

TEST_F(Torture, Case19KernelExpressions) {
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", ""}), 2, "position 1"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "se("}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "(se() + linear()"}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "matern52() + matren32()"}), 2, "did you mean 'matern32'?"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "s\xC3\xA9()"}), 2, "position"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "on(z, se())"}), 2, "z"));
  EXPECT_TRUE(fails(fit(wave(6), {"--kernel", "se(lenghtscale=1)"}), 2, "did you mean 'lengthscale'?"));
  const std::string deep = std::string(10000, '(') + "se()" + std::string(10000, ')');
  EXPECT_EQ(fit(wave(6), {"--kernel", deep}).code, 2);
}

TEST_F(Torture, Case21TooLargeForMemory) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 400000; ++i) csv += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  const Outcome o = covary({"fit", file("d.csv", csv), "--target", "y", "-o", "m.json"});
  EXPECT_TRUE(fails(o, 5, "GiB"));
  EXPECT_FALSE(fs::exists(path("m.json")));
}

}  // namespace
}  // namespace covary::cli
