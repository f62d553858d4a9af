// suggest, tell and learn: what to measure next, through the real command.
#include <cmath>

#include "run_command.h"

namespace covary::cli::active_test {
namespace {

class Active : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string csv = "x,z,y,kind,price\n";
    for (int i = 0; i < 90; ++i) {
      const double x = std::fmod(0.618034 * i, 1), z = std::fmod(0.754878 * i, 1), y = std::sin(6 * x) + z;
      csv += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(y) + "," +
             (x + z > 1.2 ? "high"
              : x > 0.5   ? "right"
                          : "low") +
             "," + (x < 0.5 ? "1" : "1000") + "\n";
    }
    data_ = file("data.csv", csv);
  }
  Outcome learn(const std::vector<std::string>& more, const std::string& target = "y") const {
    std::vector<std::string> words{"replay", data_, "--target", target, "-f", "x,z", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return covary(words);
  }
  std::string model() const {
    const std::string few = file("few.csv", "x,y\n0.1,1\n0.2,1.2\n0.3,1.1\n0.9,-1\n1,-1.1\n");
    EXPECT_EQ(covary({"fit", few, "--target", "y", "--kernel", "se()", "-o", path("m.json"), "-q"}).code, 0);
    return path("m.json");
  }
  std::string data_;
};

const std::vector<std::string> quick{"--budget", "20", "--repeats", "3"};
std::vector<std::string> with(std::vector<std::string> words) {
  words.insert(words.end(), quick.begin(), quick.end());
  return words;
}

TEST_F(Active, NumbersAndClasses) {
  for (const std::string target : {"y", "kind"}) {
    const Outcome o = learn(with({"--json"}), target);
    ASSERT_EQ(o.code, 0) << o.err;
    const nlohmann::json j = nlohmann::json::parse(o.out);
    EXPECT_EQ(j["baseline"], "random");
    EXPECT_EQ(j["strategies"].size(), 3);
    for (const auto& s : j["strategies"]) {
      EXPECT_EQ(s["labels"].back(), 20);
      EXPECT_LT(s["error"].back().get<double>(), s["error"].front().get<double>());
    }
    const Outcome text = learn(quick, target);
    EXPECT_NE(text.out.find("labels to reach it"), std::string::npos) << text.out;
  }
}

TEST_F(Active, EveryLabelIsKept) {
  const Outcome o =
      learn(with({"--strategy", "random", "--strategy", "uncertainty", "-o", path("c.csv"), "--batch", "4",
                  "--plot", path("c.svg"), "--where", path("w.svg"), "--random", "0.2"}));
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string csv = contents(path("c.csv"));
  const std::vector<double> labels = column(csv, "labels"), p = column(csv, "probability");
  EXPECT_EQ(labels.size(), 2 * 3 * 15);  // 6 to begin with are one row
  for (const double q : p) EXPECT_TRUE(q > 0 && q <= 1);
  EXPECT_NE(o.out.find("risk, corrected"), std::string::npos);
  EXPECT_NE(contents(path("c.svg")).find("all strategies"), std::string::npos);
  EXPECT_NE(contents(path("w.svg")).find("labelled"), std::string::npos);
}

TEST_F(Active, ResumesWhatWasInterrupted) {
  const std::vector<std::string> words =
      with({"--strategy", "random", "--strategy", "uncertainty", "-o", path("c.csv")});
  ASSERT_EQ(learn(words).code, 0);
  const std::string whole = contents(path("c.csv"));
  std::string half;  // one strategy and a repeat of the other
  std::istringstream in(whole);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("\"uncertainty\",2", 0) != 0 && line.rfind("\"uncertainty\",3", 0) != 0)
      half += line + "\n";
  ASSERT_LT(half.size(), whole.size());
  file("c.csv", half);
  std::vector<std::string> again = words;
  again.push_back("--resume");
  const Outcome o = learn(again);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(contents(path("c.csv")), whole);
  again.insert(again.end(), {"--seed", "9"});
  const Outcome other = learn(again);
  EXPECT_EQ(other.code, 3);
  EXPECT_NE(other.err.find("other data or with other options"), std::string::npos) << other.err;
  EXPECT_EQ(contents(path("c.csv")), whole);
}

TEST_F(Active, TheSameOnAnyNumberOfThreads) {
  const std::vector<std::string> words =
      with({"--json", "--strategy", "random", "--strategy", "committee", "--threads"});
  std::vector<std::string> one = words, four = words;
  one.push_back("1"), four.push_back("4");
  EXPECT_EQ(learn(one).out, learn(four).out);
}

TEST_F(Active, TestRowsCostsAndReach) {
  file("test.csv", "x,z,y,kind\n0.5,0.5,0.641,low\n0.25,0.5,1.497,low\n");
  Outcome o = learn(with({"--test", path("test.csv"), "--cost", "price", "--reach", "0.3", "-o",
                          path("c.csv"), "--start", "4", "--strategy", "uncertainty"}));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_LT(column(contents(path("c.csv")), "spent").back(), 20000);
  EXPECT_NE(o.out.find("to reach: 0.3"), std::string::npos);
  o = learn(with({"--reach", "90%"}), "kind");
  EXPECT_NE(o.out.find("90 % of the accuracy with all labels"), std::string::npos) << o.out << o.err;
}

TEST_F(Active, MistakesOfLearn) {
  const auto says = [&](std::vector<std::string> more, int code, const std::string& words,
                        const std::string& target = "y") {
    const Outcome o = learn(with(std::move(more)), target);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "");
  };
  says({"--strategy", "uncertanty"}, 2, "there is no strategy 'uncertanty', did you mean 'uncertainty'?");
  for (const char* name : {"ei", "ucb", "random-forest"})  // what there is, and where it is listed
    says({"--strategy", name}, 2, "random, uncertainty, density, pure-density, diversity, determinant");
  says({"--strategy", "random", "--strategy", "random"}, 2, "the same one was given twice");
  says({"--strategy", "svm-margin"}, 2, "svm-margin is for classes, not for numbers");
  says({"--strategy", "density(weight=-1)"}, 2, "weight must be a number of 0 or more, found -1");
  says({"--resume"}, 2, "--resume needs -o FILE");
  EXPECT_EQ(covary({"replay", "--help"}).out.find("column:"), std::string::npos);  // refused here
  says({"--reach", "best@10"}, 2, "'best' is not among the strategies");
  says({"--reach", "soon"}, 2, "--reach: expected an error, STRATEGY@LABELS or PERCENT%, found 'soon'");
  says({"--start", "80"}, 3, "80 labels to begin with were asked for, but there are 63 candidates");
  says({"--noise", "column:z"}, 2, "noise by row");
  says({"--plot", "c.pdf"}, 2, "c.pdf");
  says({"--cost", "z"}, 3, "expected a positive cost");
  file("test.csv", "x,z,kind\n0.5,0.5,strange\n");
  says({"--test", path("test.csv")}, 3, "class 'strange' is not among the candidates'", "kind");
}

TEST_F(Active, SuggestsWhereNothingIsKnown) {
  std::string places = "name,x\n";
  for (int i = 0; i <= 20; ++i) places += "p" + std::to_string(i) + "," + std::to_string(0.05 * i) + "\n";
  file("places.csv", places);
  const Outcome o =
      covary({"suggest", model(), path("places.csv"), "-n", "2", "--strategy", "uncertainty", "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::vector<double> x = column(o.out, "x"), row = column(o.out, "row");
  ASSERT_EQ(x.size(), 2);
  EXPECT_TRUE(x[0] > 0.35 && x[0] < 0.85) << x[0];  // in the gap
  EXPECT_GT(std::abs(x[0] - x[1]), 0.04);
  EXPECT_NEAR(row[0], 1 + x[0] / 0.05, 1e-9);
  const Outcome json = covary({"suggest", path("m.json"), path("places.csv"), "--json", "-q"});
  EXPECT_EQ(nlohmann::json::parse(json.out).size(), 1);
  const Outcome ahead =
      covary({"suggest", path("m.json"), path("places.csv"), "--stop-sd", "0.2", "--unit", "degC"});
  EXPECT_NE(ahead.err.find("degC"), std::string::npos) << ahead.err;
  EXPECT_NE(ahead.err.find("more label"), std::string::npos) << ahead.err;
}

// The table of strategies tells the truth, in suggest and in replay.
TEST_F(Active, EveryStrategyThatIsListedForLabelsWorksOnThem) {
  const nlohmann::json all = nlohmann::json::parse(covary({"strategies", "--json"}).out);
  const std::string m = model();
  std::string places = "x\n";
  for (int i = 0; i <= 20; ++i) places += std::to_string(0.05 * i) + "\n";
  file("places.csv", places);
  for (const auto& s : all) {
    const std::string name = s["name"], task = s["for"];
    SCOPED_TRACE(name);
    const Outcome o = covary({"suggest", m, path("places.csv"), "-n", "3", "--strategy", name, "-q"});
    EXPECT_EQ(o.code, task == "classes" ? 2 : 0) << o.err;
    EXPECT_EQ(column(o.out, task == "classes" ? "" : "x").size(), task == "classes" ? 0 : 3);
    for (const std::string target : {"y", "kind"}) {
      const bool applies = task == "both" || (task == "classes") == (target == "kind");
      const Outcome l = learn({"--strategy", name, "--budget", "12", "--repeats", "1"}, target);
      EXPECT_EQ(l.code, applies && s["pool"] ? 0 : 2) << target << l.err;
      const std::string streams = s["stream"].is_null() ? "" : s["stream"].get<std::string>();
      const bool passes = streams == "both" || streams == (target == "kind" ? "classes" : "numbers");
      const Outcome t = learn({"--strategy", name, "--budget", "12", "--repeats", "1", "--stream"}, target);
      EXPECT_EQ(t.code, passes ? 0 : 2) << target << t.err;
    }
  }
  ASSERT_EQ(covary({"fit", path("few.csv"), "--target", "y", "--kernel", "fixed(2 * se(lengthscale=0.2))",
                    "--noise", "0.01", "-o", path("f.json"), "-q"})
                .code,
            0);
  EXPECT_TRUE(fails(covary({"suggest", path("f.json"), path("places.csv"), "--strategy", "committee-draws"}),
                    2, "every parameter of this model is fixed"));
}

// Never a forecast beyond the pool, and what the pool can do.
TEST_F(Active, WhatCannotBeReachedIsSaid) {
  std::string places = "x\n";
  for (int i = 0; i < 37; ++i) places += std::to_string(0.025 * i) + "\n";
  file("places.csv", places);
  const std::string m = model();
  for (const char* goal : {"1e-30", "1e-9"}) {
    const Outcome o = covary({"suggest", m, path("places.csv"), "--stop-sd", goal});
    EXPECT_EQ(o.code, 0);
    EXPECT_NE(o.err.find("cannot be reached with these candidates"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("measuring all 37 leaves "), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("more label"), std::string::npos) << o.err;
  }
  const Outcome enough = covary({"suggest", m, path("places.csv"), "--stop-sd", "1e6"});
  EXPECT_NE(enough.err.find("that is enough"), std::string::npos) << enough.err;
}

// Whatever the table says of a suggestion, JSON says too.
TEST_F(Active, JsonHasEveryColumn) {
  file("sites.csv", "site,x,euros,note\nA,0.4,2,\nB low,0.6,1,wet\nC,0.8,9,dry\n");
  const std::vector<std::string> words{"suggest", model(),  path("sites.csv"), "-n",
                                       "2",       "--cost", "euros",           "-q"};
  std::vector<std::string> json = words;
  json.push_back("--json");
  const nlohmann::json j = nlohmann::json::parse(covary(json).out);
  const Outcome table = covary(words);
  const std::vector<double> rows = column(table.out, "row");
  ASSERT_EQ(j.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const nlohmann::json& s = j[i];
    EXPECT_EQ(s["row"], rows[i]);
    const size_t r = size_t(rows[i]) - 1;
    EXPECT_EQ(s["name"], (std::vector<std::string>{"A", "B low", "C"}[r]));
    EXPECT_EQ(s["cost"], (std::vector<double>{2, 1, 9}[r]));
    EXPECT_EQ(s["columns"]["x"], s["at"]["x"]);
    EXPECT_EQ(s["columns"]["euros"], s["cost"]);
    EXPECT_EQ(s["columns"]["note"].is_null(), r == 0);
    for (const char* name : {"score", "sd", "probability", "reason"}) EXPECT_TRUE(s.contains(name)) << name;
  }
}

// Tables of a size that is found in practice.
TEST_F(Active, ManyCandidates) {
  std::string places = "x\n";
  for (int i = 0; i < 100000; ++i) places += std::to_string(1e-5 * i) + "\n";
  file("many.csv", places);
  const std::string m = model();
  for (const char* strategy : {"uncertainty", "variance-reduction", "density", "information", "committee"}) {
    const Outcome o = covary({"suggest", m, path("many.csv"), "--strategy", strategy, "-n", "2", "-q"});
    ASSERT_EQ(o.code, 0) << strategy << o.err;
    EXPECT_EQ(column(o.out, "x").size(), 2u);
  }
  const Outcome few = covary({"suggest", m, path("many.csv"), "--limit", "500", "--seed", "3"});
  EXPECT_NE(few.err.find("500 of 100000 candidates drawn at random"), std::string::npos) << few.err;
  EXPECT_EQ(few.out, covary({"suggest", m, path("many.csv"), "--limit", "500", "--seed", "3", "-q"}).out);
  const Outcome huge =
      covary({"suggest", m, path("many.csv"), "--strategy", "variance-reduction(reference=100000)"});
  EXPECT_EQ(huge.code, 5) << huge.err;  // 80 GB
  EXPECT_NE(huge.err.find("--limit"), std::string::npos) << huge.err;
  EXPECT_NE(huge.err.find("80 GB"), std::string::npos) << huge.err;
}

TEST_F(Active, AHardMarginWhereverAPenaltyIsTaken) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--penalty", "inf", "--strategy", "svm-margin"},
        std::vector<std::string>{"--strategy", "svm-margin(penalty=inf)"},
        std::vector<std::string>{"--strategy", "svm-margin(penalty=inf)", "--stream"}})
    EXPECT_EQ(learn(with(words), "kind").code, 0) << words[1];
  const auto last = [&](const std::vector<std::string>& words) {
    return nlohmann::json::parse(learn(with(words), "kind").out)["strategies"][0]["error"];
  };
  EXPECT_EQ(last({"--penalty", "inf", "--strategy", "svm-margin", "--json"}),
            last({"--strategy", "svm-margin(penalty=inf)", "--json"}));
}

TEST_F(Active, ToldIsFittedWithTheSameParameters) {
  const std::string m = model();
  file("news.csv", "x,y\n0.5,0.4\n0.7,-0.5\n");
  const Outcome o = covary({"tell", m, path("news.csv"), "-o", path("n.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json before = nlohmann::json::parse(contents(m))["model"],
                       after = nlohmann::json::parse(contents(path("n.json")))["model"];
  EXPECT_EQ(before["kernel"], after["kernel"]);
  file("all.csv", "x,y\n0.1,1\n0.2,1.2\n0.3,1.1\n0.9,-1\n1,-1.1\n0.5,0.4\n0.7,-0.5\n");
  file("at.csv", "x\n0.6\n");
  const Outcome told = covary({"predict", path("n.json"), path("at.csv"), "-q"});
  EXPECT_NEAR(column(told.out, "mean")[0], -0.05, 0.2);
  const Outcome check = covary({"check", path("n.json"), "--worst", "0"});
  EXPECT_NE(check.out.find("7 rows"), std::string::npos) << check.out;
  ASSERT_EQ(covary({"tell", m, path("news.csv"), "-q"}).code, 0);  // in place
  EXPECT_EQ(contents(m), contents(path("n.json")));
}

TEST_F(Active, MistakesOfSuggestAndTell) {
  const std::string m = model();
  const auto says = [&](const std::vector<std::string>& words, int code, const std::string& text) {
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(text), std::string::npos) << o.err;
  };
  file("two.csv", "x\n0.4\n0.6\n");
  file("other.csv", "u\n0.4\n");
  says({"suggest", m, path("two.csv"), "-n", "3"}, 3, "3 candidates were asked for");
  says({"suggest", m, path("other.csv")}, 3, "'x'");
  says({"suggest", m, path("two.csv"), "--strategy", "svm-margin"}, 2, "for classes");
  says({"tell", m, path("two.csv")}, 2, "'y'");
  ASSERT_EQ(
      covary({"fit", data_, "--target", "y", "--model", "linear", "-f", "x", "-o", path("l.json"), "-q"})
          .code,
      0);
  says({"suggest", path("l.json"), path("two.csv")}, 2, "needs a Gaussian process");
  says({"tell", path("l.json"), data_}, 2, "needs a Gaussian process");
}

}  // namespace
}  // namespace covary::cli::active_test
