// --marginalize: mixture predictions by the command.
#include <cmath>

#include "run_command.h"

namespace covary::cli::marginalize_test {
namespace {

class Marginalize : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,y\n";
    for (int i = 0; i < 10; ++i)
      csv += std::to_string(i) + "," + std::to_string(std::sin(i) + 0.1 * std::sin(37.0 * i * i)) + "\n";
    data_ = file("data.csv", csv);
    points_ = file("points.csv", "x,y\n0.5,0.4\n4.5,-1\n12,0\n");
    EXPECT_EQ(covary({"fit", data_, "--target", "y", "-o", path("m.json")}).code, 0);
  }
  std::string data_, points_;
};

TEST_F(Marginalize, HasTheColumnsOfAnyPrediction) {
  const Outcome plain = covary({"predict", path("m.json"), points_}),
                mixture = covary({"predict", path("m.json"), points_, "--marginalize"});
  ASSERT_EQ(mixture.code, 0) << mixture.err;
  EXPECT_EQ(mixture.out.substr(0, mixture.out.find('\n')), plain.out.substr(0, plain.out.find('\n')));
  EXPECT_NE(mixture.out, plain.out);
  EXPECT_NE(mixture.err.find("of 32 draws (seed 1)"), std::string::npos) << mixture.err;
  EXPECT_EQ(covary({"predict", path("m.json"), points_, "--marginalize", "32", "--seed", "1"}).out,
            mixture.out);
  EXPECT_NE(covary({"predict", path("m.json"), points_, "--marginalize", "8"}).out, mixture.out);
}

TEST_F(Marginalize, IntervalsHoldTheMean) {
  const Outcome o =
      covary({"predict", path("m.json"), points_, "--marginalize", "16", "--of", "y", "--json", "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["draws"], 16);
  for (const auto& row : j["predictions"]) {
    EXPECT_LT(row["lower"], row["mean"]);
    EXPECT_LT(row["mean"], row["upper"]);
  }
}

TEST_F(Marginalize, ChecksHeldOutRows) {
  const Outcome o = covary({"check", path("m.json"), points_, "--marginalize", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["n"], 3);
  EXPECT_TRUE(fails(covary({"check", path("m.json"), "--marginalize"}), 2, "needs a held-out table"));
}

TEST_F(Marginalize, RefusesInWords) {
  const std::string m = path("m.json");
  EXPECT_TRUE(fails(covary({"predict", m, points_, "--marginalize", "0"}), 2, "--marginalize"));
  EXPECT_TRUE(
      fails(covary({"predict", m, points_, "--marginalize", "--joint", "j.csv"}), 2, "not jointly normal"));
  EXPECT_TRUE(fails(covary({"predict", m, points_, "--marginalize", "--calibrated"}), 2, "--calibrated"));
  EXPECT_TRUE(fails(covary({"predict", m, points_, "--seed", "2"}), 2, "--seed needs --marginalize"));
  EXPECT_EQ(covary({"fit", data_, "--target", "y", "--model", "ridge", "-o", path("r.json")}).code, 0);
  EXPECT_TRUE(
      fails(covary({"predict", path("r.json"), points_, "--marginalize"}), 2, "this is a ridge model"));
}

}  // namespace
}  // namespace covary::cli::marginalize_test
