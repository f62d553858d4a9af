// What is said where a verb, an option, a kernel or the order of two files was mistaken.
#include "run_command.h"

namespace covary::cli::hints_test {
namespace {

class Hints : public Command {};

// `covary help fit` is what `covary fit --help` is.
TEST_F(Hints, HelpOfAVerbIsItsHelp) {
  for (const char* verb : {"fit", "check", "help", "place"}) {
    const Outcome o = covary({"help", verb});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, covary({verb, "--help"}).out);
  }
  EXPECT_EQ(covary({"help"}).out, covary({"--help"}).out);
  EXPECT_EQ(covary({"help"}).code, 0);
  EXPECT_TRUE(fails(covary({"help", "fti"}), 2, "unknown verb 'fti', did you mean 'fit'?"));
  EXPECT_TRUE(fails(covary({"help", "fit", "predict"}), 2, "one argument too many"));
}

TEST_F(Hints, UnknownVerbsGetTheListAndWhatWasMeant) {
  const auto verbs = nlohmann::json::parse(covary({"--json-usage"}).out)["verbs"];
  for (const auto& [typed, meant] : std::map<std::string, std::string>{{"train", "fit"},
                                                                       {"Train", "fit"},
                                                                       {"learn-hyper", "fit"},
                                                                       {"validate", "check"},
                                                                       {"forecast", "predict"},
                                                                       {"update", "tell"},
                                                                       {"predcit", "predict"},
                                                                       {"kernel", "kernels"}}) {
    const Outcome o = covary({typed, "d.csv"});
    EXPECT_TRUE(fails(o, 2, "unknown verb '" + typed + "', did you mean '" + meant + "'?"));
    for (const auto& v : verbs) EXPECT_NE(o.err.find(v["name"].get<std::string>()), std::string::npos);
  }
  EXPECT_TRUE(fails(covary({"frobnicate"}), 2, "unknown verb 'frobnicate'. The verbs are fit, predict, "));
}

// `--maximize` is like no option of tell: nothing is suggested.
TEST_F(Hints, OptionsThatAreNotNearGetNoGuess) {
  const Outcome far = covary({"tell", "m.json", "c.csv", "--maximize"});
  EXPECT_TRUE(fails(far, 2, "unknown option --maximize; covary tell --help lists the options"));
  EXPECT_EQ(far.err.find("delimiter"), std::string::npos);
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--maximize"}), 2, "did you mean '--objective'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--random-state=1"}), 2, "did you mean '--seed'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--output", "m.json"}), 2, "did you mean '--out'?"));
  EXPECT_TRUE(
      fails(covary({"predict", "m.json", "d.csv", "--confidence", "95"}), 2, "did you mean '--interval'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--sep", ";"}), 2, "did you mean '--delimiter'?"));
  EXPECT_TRUE(fails(covary({"--verbosity"}), 2, "unknown option --verbosity"));
}

// `predict DATA MODEL`, swapped.
TEST_F(Hints, SwappedFilesAreSeen) {
  const std::string d = file("d.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  ASSERT_EQ(covary({"fit", d, "-t", "y", "--starts", "1", "-o", path("m.json")}).code, 0);
  const std::string m = path("m.json");
  for (const char* verb : {"predict", "tell", "suggest", "sample"}) {
    const bool table_first = std::string(verb) == "tell";  // before it locks the model
    EXPECT_TRUE(fails(covary({verb, d, m}), 3,
                      table_first ? "m.json: this looks like a model file, expected a table"
                                  : "d.csv: this looks like a table, not a Covary model file"))
        << verb;
    EXPECT_TRUE(fails(covary({verb, m, m}), 3, "m.json: this looks like a model file, expected a table"))
        << verb;
  }
  EXPECT_TRUE(fails(covary({"plot", d, "-o", "p.svg"}), 3, "this looks like a table"));
  EXPECT_TRUE(fails(covary({"fit", m, "-t", "y"}), 3, "this looks like a model file, expected a table"));
  EXPECT_TRUE(fails(covary({"compare", m, "-t", "y"}), 3, "this looks like a model file, expected a table"));
  EXPECT_TRUE(fails(covary({"predict", file("words.txt", "hello\n"), d}), 3, "not a Covary model file"));
}

// `features(...)` is listed and explained like any kernel.
TEST_F(Hints, FeaturesAreAKernel) {
  EXPECT_NE(covary({"kernels"}).out.find("features"), std::string::npos);
  const Outcome o = covary({"kernels", "features(\"x, x^2\")"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("a weighted sum of basis functions"), std::string::npos) << o.out;
  for (const char* expression : {"features(\"x, z, x*z\") + se()", "features(\"splines(temp, knots=8)\")",
                                 "features(\"polynomial(degree=3)\")", "features(\"bumps([lat, lon], 12)\")",
                                 "on(a, se()) * features(\"b, a\")"}) {
    const Outcome each = covary({"kernels", expression});
    EXPECT_EQ(each.code, 0) << expression << each.err;
  }
  EXPECT_EQ(covary({"kernels", "features(\"log(x)\")", "--over", "1,10"}).code, 0);
}

TEST_F(Hints, HelpIsCompleted) {
  const std::string script = covary({"completion", "bash"}).out;
  EXPECT_NE(script.find("help) words=\"fit predict "), std::string::npos) << script;
}

}  // namespace
}  // namespace covary::cli::hints_test
