// covary replay --stream.
#include <cmath>

#include "run_command.h"

namespace covary::cli::learn_stream_test {
namespace {

class LearnStream : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,z,y,kind\n";
    for (int i = 0; i < 300; ++i) {
      const double x = std::fmod(0.618 * i, 1), z = std::fmod(0.755 * i, 1), y = std::sin(6 * x) + z;
      csv += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(y) + "," +
             (x + z > 1 ? "up" : "down") + "\n";
    }
    data_ = file("data.csv", csv);
  }
  Outcome pool(const std::string& target, const std::vector<std::string>& more) const {
    std::vector<std::string> words{"replay",    data_, "--target", target, "-f",     "x,z", "-q",
                                   "--repeats", "3",   "--budget", "40",   "--seed", "7"};
    words.insert(words.end(), more.begin(), more.end());
    return covary(words);
  }
  Outcome learn(const std::string& target, std::vector<std::string> more) const {
    more.push_back("--stream");
    return pool(target, more);
  }
  std::string data_;
};

TEST_F(LearnStream, ComparesWithChance) {
  for (const std::string target : {"y", "kind"}) {
    const Outcome o = learn(target, {"--json", "--random", "0.1", "--memory", "30"});
    ASSERT_EQ(o.code, 0) << o.err;
    const nlohmann::json j = nlohmann::json::parse(o.out);
    ASSERT_EQ(j["strategies"].size(), 2);
    EXPECT_EQ(j["strategies"][0]["strategy"], "random");
    EXPECT_EQ(j["strategies"][1]["strategy"], target == "y" ? "uncertainty" : "svm-margin");
    for (const auto& s : j["strategies"]) EXPECT_EQ(s["labels"].back(), 40);
  }
}

TEST_F(LearnStream, AnyNumberOfThreadsGivesTheSameRuns) {
  for (const std::string target : {"y", "kind"}) {
    const Outcome one = learn(target, {"--threads", "1", "-o", "-"}),
                  four = learn(target, {"--threads", "4", "-o", "-"}),
                  other =
                      learn(target, {"--threads", "1", "--forget", "oldest", "--memory", "20", "-o", "-"});
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, four.out);
    EXPECT_NE(one.out, other.out);
  }
}

TEST_F(LearnStream, RunsAreGoneOnWith) {
  const std::string runs = path("runs.csv");
  ASSERT_EQ(learn("y", {"-o", runs}).code, 0);
  const std::string all = contents(runs);
  EXPECT_EQ(learn("y", {"-o", runs, "--resume"}).code, 0);
  EXPECT_EQ(contents(runs), all);
  const std::string refused = "made from other data or with";
  EXPECT_TRUE(fails(learn("y", {"-o", runs, "--resume", "--memory", "9"}), 3, refused));
  EXPECT_TRUE(fails(learn("y", {"-o", runs, "--resume", "--forget", "oldest"}), 3, refused));
  EXPECT_EQ(contents(runs), all);
}

TEST_F(LearnStream, IsNotGoneOnWithAsAPool) {
  const std::string runs = path("runs.csv"), refused = "made from other data or with";
  ASSERT_EQ(learn("y", {"-o", runs}).code, 0);
  EXPECT_TRUE(fails(pool("y", {"-o", runs, "--resume"}), 3, refused));
  ASSERT_EQ(pool("y", {"-o", runs, "--overwrite"}).code, 0);
  EXPECT_TRUE(fails(learn("y", {"-o", runs, "--resume"}), 3, refused));
}

TEST_F(LearnStream, WhatHasNoPlaceInAStreamIsRefused) {
  EXPECT_TRUE(fails(learn("y", {"--batch", "4"}), 2, "--batch does not apply to --stream"));
  EXPECT_TRUE(fails(learn("y", {"--stop-sd", "0.1"}), 2, "--stop-sd does not apply to --stream"));
  EXPECT_TRUE(fails(learn("y", {"--strategy", "density"}), 2,
                    "strategy density cannot be used in a stream of numbers, where each point is decided at "
                    "once; these can: random, uncertainty"));
  EXPECT_TRUE(fails(learn("kind", {"--strategy", "uncertainty"}), 2, "these can: random, svm-margin"));
  EXPECT_TRUE(fails(learn("y", {"--forget", "newest"}), 2, "--forget"));
  EXPECT_TRUE(
      fails(covary({"replay", data_, "--target", "y", "--memory", "9"}), 2, "--memory needs --stream"));
}

}  // namespace
}  // namespace covary::cli::learn_stream_test
