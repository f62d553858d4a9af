// label: a few labels, and all rows have one; replays of drawn labels, and classes along an axis.
#include <cmath>

#include "covary/table/table.h"
#include "run_command.h"

namespace covary::cli::label_test {
namespace {

/// 90 rows in three groups; every 30 rows have all classes in turn.
class Label : public Command {
 protected:
  static std::string kind(int i) { return i % 3 == 0 ? "ash" : i % 3 == 1 ? "beech" : "cherry"; }
  std::string table(int labels) const {
    std::string csv = "name,x,z,kind\n";
    for (int i = 0; i < 90; ++i)
      csv += "t" + std::to_string(i) + "," + std::to_string(std::fmod(0.618034 * i, 1) + 4 * (i % 3 == 1)) +
             "," + std::to_string(std::fmod(0.754878 * i, 1) + 4 * (i % 3 == 2)) + "," +
             (i < labels ? kind(i) : "") + "\n";
    return csv;
  }
};

TEST_F(Label, AFewLabelsAreEnoughForGroups) {
  const std::string pool = file("pool.csv", table(18));
  const Outcome o = covary({"label", pool, "--target", "kind", "-o", path("all.csv"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("18 of 90 rows, 3 classes"), std::string::npos) << o.out;
  std::istringstream in(contents(path("all.csv")));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "name,x,z,kind,kind_label,error,cluster");
  for (int i = 0; i < 90; ++i) {
    ASSERT_TRUE(std::getline(in, line));
    EXPECT_TRUE(line.starts_with("t" + std::to_string(i) + ",")) << line;
    EXPECT_NE(line.find("," + kind(i) + ",0,"), std::string::npos) << line;
  }
}

/// A class whose name has a line end is one field, in quotes, and every row keeps its own.
TEST_F(Label, ClassesMayHaveLineEnds) {
  std::string csv = table(18);
  for (size_t at = 0; (at = csv.find("beech", at)) != std::string::npos; at += 10)
    csv.replace(at, 5, "\"be\nech\"");
  const Outcome o = covary({"label", file("pool.csv", csv), "--target", "kind", "-o", path("all.csv"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  const Table all = read_csv_file(path("all.csv"));
  ASSERT_EQ(all.rows(), 90);
  for (int i = 0; i < 90; ++i)
    EXPECT_EQ(all.column("kind_label").texts[static_cast<size_t>(i)], i % 3 == 1 ? "be\nech" : kind(i)) << i;
}

TEST_F(Label, BeginsWithoutALabelAndSaysWhatToLabel) {
  const std::string pool = file("pool.csv", table(0));
  const auto asked = [&](const std::string& seed) {
    const Outcome o = covary({"label", pool, "--target", "kind", "-n", "7", "--json", "--seed", seed, "-q"});
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  };
  const nlohmann::json first = asked("1");
  EXPECT_EQ(first["next"].size(), 7);
  EXPECT_EQ(first["limit"], 1);
  EXPECT_EQ(first, asked("1"));
  EXPECT_NE(first["next"], asked("2")["next"]);
  const Outcome words = covary({"label", pool, "--target", "kind", "-n", "2", "-q"});
  EXPECT_NE(words.out.find("a cluster of 90 without a label"), std::string::npos) << words.out;
}

TEST_F(Label, Mistakes) {
  const std::string pool = file("pool.csv", table(89));
  const auto says = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), {"label", pool, "-q"});
    const Outcome o = covary(more);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  };
  says({"--target", "kind", "-n", "2"}, 3, "2 rows to label were asked for, 1 row has no label");
  says({"--target", "kind", "--factor", "1"}, 2, "factor must be a number over 1, found 1");
  says({"--target", "kind", "--interval", "0.95"}, 2, "--interval");
  says({"--target", "kinds"}, 2, "did you mean 'kind'");
  says({}, 2, "--target is needed");
  says({"--target", "kind", "-o", pool}, 2, "which would be lost");
}

TEST_F(Label, ReplaysEstimateTheRiskOfDrawnLabels) {
  const std::string pool = file("pool.csv", table(90));
  const std::vector<std::string> words{
      "replay",     pool,           "--target", "kind", "-f",        "x,z", "--strategy", "random",
      "--strategy", "hierarchical", "--budget", "20",   "--repeats", "2",   "--json",     "-q"};
  const Outcome o = covary(words);
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json j = nlohmann::json::parse(o.out)["strategies"];
  EXPECT_FALSE(j[0].contains("risk"));
  EXPECT_TRUE(j[1].contains("risk"));
}

TEST_F(Label, AnAxisOfClassesHasTheirNames) {
  const std::string pool = file("pool.csv", table(90));
  const Outcome o = covary({"replay", pool, "--target", "kind", "-f", "x", "--strategy", "random", "--budget",
                            "12", "--repeats", "2", "--where", path("w.svg"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string svg = contents(path("w.svg"));
  for (const char* name : {">ash<", ">beech<", ">cherry<"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace covary::cli::label_test
