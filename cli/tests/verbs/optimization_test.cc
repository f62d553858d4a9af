// suggest --over, --where, --maximize and --minimize: the best, through the real command.
#include <cmath>

#include "run_command.h"

namespace covary::cli::optimization_test {
namespace {

class Optimization : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "temp,ph,yield\n";
    for (int i = 1; i <= 15; ++i) {
      const double t = 20 + 70 * std::fmod(0.618034 * i, 1), p = 5 + 4 * std::fmod(0.754878 * i, 1);
      csv += std::to_string(t) + "," + std::to_string(p) + "," +
             std::to_string(80 * std::exp(-std::pow((t - 62) / 25, 2) - std::pow((p - 7.3) / 1.6, 2))) + "\n";
    }
    EXPECT_EQ(covary({"fit", file("runs.csv", csv), "--target", "yield", "-o", path("m.json"), "-q"}).code,
              0);
  }
  Outcome suggest(std::vector<std::string> more) const {
    more.insert(more.begin(), {"suggest", path("m.json")});
    return covary(more);
  }
  const std::vector<std::string> over{"--over", "temp=20:90", "--over", "ph=5:9:0.1"};
  Outcome over_all(const std::vector<std::string>& more) const {
    std::vector<std::string> words = over;
    words.insert(words.end(), more.begin(), more.end());
    return suggest(words);
  }
};

TEST_F(Optimization, FindsTheHillAndTheValley) {
  const Outcome up = over_all({"--maximize", "-n", "3"});
  ASSERT_EQ(up.code, 0) << up.err;
  const std::vector<double> temp = column(up.out, "temp"), ph = column(up.out, "ph");
  ASSERT_EQ(temp.size(), 3u);
  EXPECT_NEAR(temp[0], 62, 12);
  EXPECT_NEAR(ph[0], 7.3, 0.8);
  EXPECT_EQ(up.out, over_all({"-n", "3"}).out);  // the largest is the default
  const Outcome down = over_all({"--minimize", "--strategy", "upper-confidence(beta=0)"});
  ASSERT_EQ(down.code, 0) << down.err;
  EXPECT_LT(column(down.out, "mean")[0], 20);
}

TEST_F(Optimization, KeepsToConditionsInDomainsAndTables) {
  const Outcome o = over_all({"-n", "2", "--where", "temp*ph < 300", "--where", "ph > 6", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const auto& j : nlohmann::json::parse(o.out)) {
    EXPECT_LT(j["at"]["temp"].get<double>() * j["at"]["ph"].get<double>(), 300);
    EXPECT_GT(j["at"]["ph"].get<double>(), 6);
  }
  const std::string table = file("c.csv", "temp,ph,price\n50,6,1\n60,7,9\n62,7.3,9\n40,8,2\n");
  const Outcome t = suggest({table, "--strategy", "expected-improvement", "--where", "price < 3", "-n", "2"});
  ASSERT_EQ(t.code, 0) << t.err;
  std::vector<double> rows = column(t.out, "row");
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<double>{1, 4}));
  EXPECT_NE(t.err.find("2 of 4 candidates are feasible"), std::string::npos) << t.err;
  const Outcome none = suggest({table, "--where", "price > 99"});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("none of 4 candidates satisfies 'price > 99'"), std::string::npos) << none.err;
}

TEST_F(Optimization, IsReplayedInEitherDirection) {
  const auto replay = [&](const std::string& strategy, const std::string& direction) {
    return covary({"replay", path("runs.csv"), "--target", "yield", "--strategy", strategy, direction,
                   "--budget", "10", "--repeats", "2", "-q", "-o", "-"});
  };
  const Outcome up = replay("expected-improvement", "--maximize"),
                down = replay("expected-improvement", "--minimize");
  ASSERT_EQ(up.code, 0) << up.err;
  ASSERT_EQ(down.code, 0) << down.err;
  EXPECT_NE(up.out, down.out);
  const Outcome none = replay("uncertainty", "--minimize");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("none of the strategies looks for the best"), std::string::npos) << none.err;
}

TEST_F(Optimization, SaysWhatIsWrong) {
  const auto said = [&](const std::vector<std::string>& words, const std::string& text) {
    const Outcome o = suggest(words);
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_NE(o.err.find(text), std::string::npos) << o.err;
  };
  said({}, "expected CANDIDATES, a table, or a domain");
  said({"--over", "temp=20:90"}, "column 'ph' of the model has no range");
  said({"--over", "temp=90:20", "--over", "ph=5:9"}, "a lower end below the upper one");
  said({"--over", "tmp=20:90", "--over", "ph=5:9"}, "did you mean 'temp'");
  said({"--over", "temp=20:90", "--over", "ph=5:9", "--strategy", "density"}, "needs a table of candidates");
  said({"--over", "temp=20:90", "--over", "ph=5:9", "--cost", "price"}, "--cost belongs to a table");
  said({"--over", "temp=20:90", "--over", "ph=5:9", "--where", "temp"}, "expected two formulas");
  said({"--over", "temp=20:90", "--over", "ph=5:9", "--strategy", "uncertainty", "--minimize"},
       "--minimize does not apply to --strategy uncertainty");
}

}  // namespace
}  // namespace covary::cli::optimization_test
