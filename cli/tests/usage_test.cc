// The command line as data: --json-usage, completions and the manual page say the same as --help.
#include "run_command.h"

namespace covary::cli::usage_test {
namespace {

class UsageAsData : public Command {
 protected:
  nlohmann::json usage() const { return nlohmann::json::parse(covary({"--json-usage"}).out); }
  /// What a shell says to a script, or nothing if there is no such shell.
  std::optional<std::string> shell(const std::string& name, const std::string& script) const {
    if (std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) != 0) return {};
    const std::string source = file("script", script), out = path("shell.out");
    EXPECT_EQ(std::system((name + " " + source + " > " + out + " 2>&1").c_str()), 0) << contents(out);
    return contents(out);
  }
};

TEST_F(UsageAsData, EveryOptionOfEveryHelp) {
  const nlohmann::json all = usage();
  EXPECT_GE(all["verbs"].size(), 9U);
  for (const nlohmann::json& verb : all["verbs"]) {
    const std::string name = verb["name"], help = covary({name, "--help"}).out;
    EXPECT_FALSE(verb["examples"].empty()) << name;
    EXPECT_EQ(verb["examples"][0].get<std::string>().find("covary") == std::string::npos, false) << name;
    for (const nlohmann::json& o : verb["options"]) {
      EXPECT_FALSE(o["about"].get<std::string>().empty()) << name << o;
      for (const std::string n : o["names"]) EXPECT_NE(help.find(n), std::string::npos) << name << " " << n;
    }
  }
}

TEST_F(UsageAsData, ChoicesAreListed) {
  const nlohmann::json all = usage();
  for (const nlohmann::json& verb : all["verbs"])
    if (verb["name"] == "fit")
      for (const nlohmann::json& o : verb["options"])
        if (o["names"] == nlohmann::json{"--prior"}) {
          EXPECT_EQ(o["choices"], (nlohmann::json{"weak", "none"}));
          return;
        }
  FAIL() << "fit --prior is not listed";
}

TEST_F(UsageAsData, BashCompletes) {
  const std::string script = covary({"completion", "bash"}).out;
  const auto complete = [&](const std::string& words, int at) {
    return shell("bash", script + "COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                             "; _covary; printf '%s ' \"${COMPREPLY[@]}\"");
  };
  const auto verbs = complete("covary pre", 1);
  if (!verbs) GTEST_SKIP() << "bash is not here";
  EXPECT_EQ(*verbs, "predict ");
  EXPECT_EQ(*complete("covary fit --obj", 2), "--objective ");
  EXPECT_EQ(*complete("covary fit --prior ''", 3), "weak none ");
  EXPECT_EQ(*complete("covary completion z", 2), "zsh ");
  file("data.csv", "x");
  EXPECT_NE(complete("covary fit " + path("da"), 2)->find("data.csv"), std::string::npos);
}

TEST_F(UsageAsData, ZshReadsIt) {
  const auto said = shell("zsh", "autoload -U compinit; compinit -D\n" + covary({"completion", "zsh"}).out +
                                     "\nwhence -w _covary _covary_fit\n");
  if (!said) GTEST_SKIP() << "zsh is not here";
  EXPECT_NE(said->find("_covary: function"), std::string::npos) << *said;
  EXPECT_NE(said->find("_covary_fit: function"), std::string::npos) << *said;
}

TEST_F(UsageAsData, FishCompletes) {
  const auto said = shell("fish", covary({"completion", "fish"}).out + "complete -C 'covary fit --prior '\n");
  if (!said) GTEST_SKIP() << "fish is not here";
  EXPECT_NE(said->find("weak"), std::string::npos) << *said;
}

TEST_F(UsageAsData, ManualPageHasEveryVerb) {
  const std::string page = covary({"man"}).out;
  const nlohmann::json all = usage();
  for (const nlohmann::json& verb : all["verbs"])
    EXPECT_NE(page.find(".SS covary " + verb["name"].get<std::string>() + "\n"), std::string::npos);
  EXPECT_NE(page.find(".SH EXIT STATUS"), std::string::npos);
  EXPECT_EQ(page.find("\n--"), std::string::npos) << "a line that troff would take for an option";
}

TEST_F(UsageAsData, UnknownShell) { EXPECT_TRUE(fails(covary({"completion", "tcsh"}), 2, "bash")); }

}  // namespace
}  // namespace covary::cli::usage_test
