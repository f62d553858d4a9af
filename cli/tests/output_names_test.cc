// Outputs that are inputs, that are named twice, or that cannot be written: said before the work is done.
#include "torture/torture.h"

namespace covary::cli::output_names_test {
namespace {

class OutputNames : public Torture {
 protected:
  void SetUp() override {
    Torture::SetUp();
    model();
    file("p.csv", "x\n1\n2\n");
    file("sites.csv", "name,x\na,0\nb,1\nc,2\n");
    fs::create_symlink(path("d.csv"), path("symbolic.csv"));
    fs::create_hard_link(path("d.csv"), path("hard.csv"));
    fs::create_symlink(path("m.json"), path("symbolic.json"));
  }
  /// Exit code 2, and no file changes.
  void refused(const std::string& command, const std::string& part) {
    const std::string data = contents(path("d.csv")), model = contents(path("m.json"));
    const Strings before = files();
    EXPECT_TRUE(fails(shell("$covary " + command), 2, part)) << command;
    EXPECT_EQ(contents(path("d.csv")), data) << command;
    EXPECT_EQ(contents(path("m.json")), model) << command;
    EXPECT_EQ(files(), before) << command;
  }
};

TEST_F(OutputNames, AnInputIsNeverAnOutput) {
  for (const char* out : {"d.csv", "./d.csv", "symbolic.csv", "hard.csv", "../\"$(basename \"$PWD\")\"/d.csv",
                          "/dev/fd/7 7<d.csv", "/proc/self/fd/7 7<d.csv"}) {
    refused(std::string("fit d.csv -t y -o ") + out, "--out");
    refused(std::string("replay d.csv -t y --overwrite -o ") + out, "which would be lost");
    refused(std::string("sample m.json d.csv -o ") + out, "which would be lost");
    refused(std::string("suggest m.json d.csv -o ") + out, "which would be lost");
    refused(std::string("place d.csv -k 1 --kernel 'se(lengthscale=1)' -o ") + out, "which would be lost");
    refused(std::string("check d.csv -t y --rows ") + out, "--rows");
    refused(std::string("predict m.json d.csv --joint ") + out, "--joint");
    refused(std::string("tell m.json d.csv -o ") + out, "which would be lost");
  }
  refused("fit symbolic.csv -t y -o hard.csv",
          "--out hard.csv is the file that is read as DATA symbolic.csv");
  refused("predict m.json p.csv -o m.json", "MODEL m.json");
  refused("predict m.json p.csv -o symbolic.json", "MODEL m.json");
  refused("check m.json --rows m.json", "--rows");
  refused("replay p.csv -t y --test d.csv --plot d.csv", "--test d.csv");
  refused("place sites.csv -k 1 --model m.json -o m.json", "--model m.json");
  refused("place sites.csv -k 1 --kernel 'se(lengthscale=1)' --existing d.csv --plot d.csv", "--existing");
  refused("fit - -t y -o d.csv <d.csv", "DATA");
  refused("fit d.csv -t y >>d.csv", "standard output is the file that is read as DATA d.csv");
  refused("predict m.json d.csv >>d.csv", "standard output");
}

// No verb has an option that names a file and is not looked at.
TEST_F(OutputNames, EveryFileIsKnown) {
  const nlohmann::json usage = nlohmann::json::parse(covary({"--json-usage"}).out);
  const Strings files{"FILE", "FILE.csv", "MODEL.json", "SET"};
  int known = 0;
  for (const nlohmann::json& verb : usage["verbs"])
    for (const nlohmann::json& o : verb["options"]) {
      const std::string value = o.value("value", "");
      const bool argument = o.contains("argument") && verb["name"] != "completion" && value != "EXPR" &&
                            value != "WHAT" && value != "SHELL" && value != "VERB" && value != "WORDS";
      if (!argument && std::find(files.begin(), files.end(), value) == files.end()) continue;
      EXPECT_TRUE(o.contains("file")) << verb["name"] << " " << o;
      ++known;
    }
  EXPECT_GT(known, 30);
}

// The two that are meant.
TEST_F(OutputNames, PointsAndATaughtModelMayBeReplaced) {
  EXPECT_EQ(shell("$covary predict m.json p.csv -o p.csv").code, 0);
  EXPECT_EQ(column(contents(path("p.csv")), "mean").size(), 2U);
  EXPECT_EQ(shell("$covary predict m.json - -o d.csv <d.csv").code, 0);
  file("more.csv", "x,y\n9,1\n");
  EXPECT_EQ(shell("$covary tell m.json more.csv").code, 0);
  file("more.csv", "x,y\n9.5,1\n");
  EXPECT_EQ(shell("$covary tell m.json more.csv -o symbolic.json").code, 0);
  EXPECT_TRUE(fs::is_symlink(path("symbolic.json")));
  EXPECT_NE(contents(path("m.json")).find("9.5"), std::string::npos);
}

// place -o F --plot F
TEST_F(OutputNames, TwoOutputsAreTwoFiles) {
  const std::string place = "place sites.csv -k 1 --kernel 'se(lengthscale=1)' --coordinates x ";
  refused(place + "-o F.svg --plot F.svg", "--out and --plot would both write to F.svg");
  refused(place + "-o F.svg --plot ./F.svg", "would both write to");
  refused(place + "--plot F.svg --plot-curve \"$PWD/F.svg\"", "--plot and --plot-curve would both write to");
  refused("predict m.json p.csv -o c.csv --joint c.csv", "--out and --joint would both write to c.csv");
  refused("predict m.json p.csv -o - --joint -", "would both write to standard output");
  file("F.csv", "old");
  fs::create_hard_link(path("F.csv"), path("G.csv"));
  refused("predict m.json p.csv -o F.csv --joint G.csv", "would both write to G.csv");
  refused("fit d.csv -t y -o F.csv >F.csv", "--out and standard output would both write to");
  EXPECT_EQ(shell("$covary predict m.json p.csv -o /dev/null --joint /dev/null").code, 0);
  EXPECT_EQ(shell("$covary predict m.json p.csv -o /dev/stdout | cat").code, 0);
}

// The name of an output is checked before the fit, in every verb.
TEST_F(OutputNames, WhatCannotBeWrittenIsSaidFirst) {
  fs::create_directory(path("folder"));
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::none);
  for (const char* verb :
       {"fit d.csv -t y -o", "predict m.json none.csv -o", "predict m.json none.csv --joint",
        "sample m.json none.csv -o", "check none.csv -t y --rows", "plot none.json -o",
        "suggest m.json none.csv -o", "tell m.json none.csv -o", "replay none.csv -t y -o",
        "replay none.csv -t y --plot", "replay none.csv -t y --where",
        "place none.csv -k 1 --kernel 'se()' -o", "place none.csv -k 1 --kernel 'se()' --plot",
        "place none.csv -k 1 --kernel 'se()' --plot-curve", "kernels 'nonsense()' -o"}) {
    const std::string covary = std::string("$covary ") + verb + " ";
    EXPECT_TRUE(fails(shell(covary + "folder"), 1, "folder: cannot be written: is a directory")) << verb;
    EXPECT_TRUE(fails(shell(covary + "no/such.svg"), 1, "there is no folder no: make it first")) << verb;
    EXPECT_TRUE(fails(shell(covary + std::string(300, 'a')), 1, "the name is too long")) << verb;
    EXPECT_TRUE(fails(shell(covary + "''"), 2, "expected the name of a file")) << verb;
    if (::geteuid() != 0) {
      EXPECT_EQ(shell(covary + "closed/x.svg").code, 1) << verb;
    }
  }
  fs::permissions(path("closed"), fs::perms::owner_all);
  EXPECT_EQ(files(), Strings({"closed", "d.csv", "folder", "hard.csv", "m.json", "p.csv", "sites.csv",
                              "symbolic.csv", "symbolic.json"}));
}

// Whatever bytes a file's name has.
TEST_F(OutputNames, NamesThatAreNotUtf8) {
  const std::string bad = "b=$(printf '\\377'); ";
  EXPECT_EQ(shell(bad + "cp d.csv d$b.csv; $covary fit d$b.csv -t y -o m$b.json --json").code, 0);
  EXPECT_EQ(shell(bad + "$covary predict m$b.json d$b.csv -o p$b.csv --json").code, 0);
  EXPECT_TRUE(fs::exists(path("p\xff.csv")));
  EXPECT_TRUE(
      fails(shell(bad + "$covary fit d.csv -t y$b -o n.json"), 2, "--target: the text is not valid UTF-8"));
  EXPECT_TRUE(fails(shell(bad + "$covary plot m.json --title $b -o n.svg"), 2, "--title: the text is not"));
  EXPECT_FALSE(fs::exists(path("n.json")));
}

// Without /proc models are saved all the same.
TEST_F(OutputNames, SavingWithoutProc) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer reads its options and looks for leaks in /proc";
#endif
  const std::string unshare = std::string("unshare --mount ") + (::geteuid() == 0 ? "" : "--map-root-user ");
  if (shell(unshare + "sh -c 'mount -t tmpfs none /proc'").code != 0)
    GTEST_SKIP() << "nothing can be mounted here";
  const Outcome o = shell("export covary; " + unshare + "sh -c 'mount -t tmpfs none /proc; " +
                          "for i in 1 2; do $covary fit d.csv -t y -k \"linear()\" -o n.json || exit; done'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(shell("$covary predict n.json p.csv").code, 0);
  EXPECT_EQ(files(), Strings({"d.csv", "hard.csv", "m.json", "n.json", "p.csv", "sites.csv", "symbolic.csv",
                              "symbolic.json"}));
}

}  // namespace
}  // namespace covary::cli::output_names_test
