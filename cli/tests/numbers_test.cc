// Numbers of the command line: whatever verb or option they belong to, they are read in one way.
#include "run_command.h"

namespace covary::cli::numbers_test {
namespace {

class TypedNumbers : public Command {
 protected:
  /// Refused as usage, the option and the text named.
  void refuses(const std::vector<std::string>& arguments, const std::string& option,
               const std::string& text) {
    const Outcome o = covary(arguments);
    EXPECT_EQ(o.code, 2) << arguments[0] << " " << option << " '" << text << "'\n" << o.out << o.err;
    EXPECT_NE(o.err.find(option), std::string::npos) << arguments[0] << " " << option << "\n" << o.err;
    if (!text.empty()) {
      EXPECT_NE(o.err.find(text), std::string::npos) << arguments[0] << " " << option << "\n" << o.err;
    }
  }
};

// Every option of every verb whose value is one number, found by its kind of value.
TEST_F(TypedNumbers, NoOptionTakesWhatIsNoNumber) {
  const std::vector<std::string> texts{"", "nan", "-inf", "inf", "1e", "0x10", "1e309", "lots", "1,5", "-1"};
  const std::vector<std::string> kinds{"N", "S", "K",     "M",      "V",    "D",
                                       "B", "C", "SHARE", "FACTOR", "GAIN", "CHANGE"};
  size_t seen = 0;
  const nlohmann::json all = nlohmann::json::parse(covary({"--json-usage"}).out);
  for (const nlohmann::json& verb : all["verbs"]) {
    std::vector<std::string> arguments{verb["name"]};
    for (const nlohmann::json& o : verb["options"])
      if (o.contains("argument")) arguments.push_back("nothing.csv");
    for (const nlohmann::json& o : verb["options"]) {
      const std::string kind = o.value("value", ""), name = o["names"].empty() ? "" : o["names"].back();
      const bool sd = kind == "SD" && name == "--stop-sd";
      if (name.empty() || (!sd && std::count(kinds.begin(), kinds.end(), kind) == 0)) continue;
      if (name == "--shrink") continue;  // auto or a number, read with the history
      ++seen;
      for (const std::string& text : texts) {
        if (kind == "C" && text == "inf") continue;  // a hard margin
        std::vector<std::string> typed = arguments;
        typed.push_back(name + "=" + text);
        refuses(typed, name, text);
      }
    }
  }
  EXPECT_GE(seen, 40U);
}

TEST_F(TypedNumbers, WholeNumbersAreDecimal) {
  const std::string grid = file("grid.csv", "x\n0\n1\n");
  const auto draws = [&](const std::string& seed) {
    return covary({"sample", "--prior", "--kernel", "se(lengthscale=1)", grid, "-n", "2", "--seed", seed})
        .out;
  };
  EXPECT_EQ(draws("010"), draws("10"));
  EXPECT_EQ(draws("+10"), draws("10"));
  EXPECT_NE(draws("8"), draws("10"));
  EXPECT_NE(draws("18446744073709551615"), draws("18446744073709551614"));
  refuses({"sample", "--prior", "--kernel", "se(lengthscale=1)", grid, "--seed", "18446744073709551616"},
          "--seed", "18446744073709551616");
  refuses({"sample", "--prior", "--kernel", "se(lengthscale=1)", grid, "-n", "2.5"}, "--draws", "2.5");
}

// Options that take a word or a number.
TEST_F(TypedNumbers, WordOrNumber) {
  const std::string data = file("d.csv", "x,y\n0,1\n1,2\n2,2\n3,5\n4,4\n");
  for (const char* text : {"nan", "inf", "-1", "1e", "0x10", "1e309", "lots", "", "1,2"}) {
    refuses({"fit", data, "-t", "y", "--noise", text}, "--noise", text);
    refuses({"fit", data, "-t", "y", "--model", "linear", "--noise", text}, "--noise", text);
    refuses({"fit", data, "-t", "y", "--model", "bayes", "--prior-sd", text}, "--prior-sd", text);
    refuses({"fit", data, "-t", "y", "--model", "ridge", "--penalty", text}, "--penalty", text);
    refuses({"fit", data, "-t", "y", "--model", "kernel-ridge", "--penalty", text}, "--penalty", text);
    refuses({"compare", data, "-t", "y", "--kernel", "se()", "--noise", text}, "--noise", text);
    refuses({"sample", "--prior", "--kernel", "se(lengthscale=1)", data, "--noise", text}, "--noise", text);
    if (!*text) continue;
    refuses({"replay", data, "-t", "y", "--reach", text}, "--reach", text);
    refuses(
        {"place", data, "-k", "1", "--coordinates", "x", "--kernel", "se(lengthscale=1)", "--noise", text},
        "--noise", text);
    if (std::string(text) == "1,2") continue;  // a range
    refuses({"kernels", "se(lengthscale=1)", "--over", text}, "--over", text);
  }
  for (const char* zero : {"0", "-0", "0.0"}) {
    refuses({"fit", data, "-t", "y", "--model", "bayes", "--prior-sd", zero}, "--prior-sd", zero);
    refuses({"fit", data, "-t", "y", "--model", "ridge", "--penalty", zero}, "--penalty", zero);
    refuses({"fit", data, "-t", "y", "--max-seconds", zero}, "--max-seconds", zero);
  }
}

// A share where a percentage is meant.
TEST_F(TypedNumbers, AnIntervalIsAPercentage) {
  const std::string data = file("d.csv", "x,y\n0,1\n1,2\n2,2\n3,5\n4,4\n"), model = path("m.json");
  ASSERT_EQ(covary({"fit", data, "-t", "y", "-o", model, "--noise", "0.1"}).code, 0);
  for (const auto& [text, hint] :
       std::vector<std::pair<std::string, std::string>>{{"0.95", "did you mean 95?"},
                                                        {".9", "did you mean 90?"},
                                                        {"0.5", "did you mean 50?"},
                                                        {"0.5,95", "did you mean 50?"},
                                                        {"95,0.5", "did you mean 50?"},
                                                        {"0.999", "did you mean 99.9?"},
                                                        {"0.07", "did you mean 7?"}}) {
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"predict", model, data}, {"plot", model, "-o", "-"}}) {
      std::vector<std::string> typed = verb;
      typed.insert(typed.end(), {"--interval", text});
      const Outcome o = covary(typed);
      EXPECT_EQ(o.code, 2) << verb[0] << " " << text;
      EXPECT_EQ(o.out, "");
      EXPECT_NE(o.err.find("--interval"), std::string::npos) << o.err;
      EXPECT_NE(o.err.find(hint), std::string::npos) << o.err;
    }
  }
  for (const char* text : {"0", "100", "-95", "nan", "inf", "1e3", "95%", "", "95,,50", "1e308"})
    refuses({"predict", model, data, "--interval", text}, "--interval", "");
  EXPECT_EQ(covary({"predict", model, data, "--interval", "1,50,99.9"}).code, 0);
  const Outcome reach = covary({"replay", data, "-t", "y", "--reach", "0.95%"});
  EXPECT_EQ(reach.code, 2);
  EXPECT_NE(reach.err.find("did you mean 95?"), std::string::npos) << reach.err;
}

}  // namespace
}  // namespace covary::cli::numbers_test
