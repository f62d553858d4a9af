// The command as a program: what it prints where, exit codes, columns by name, files whole or not at all.
#include <cmath>

#include "run_command.h"

namespace covary::cli::command_test {
namespace {

using Strings = std::vector<std::string>;

/// n rows of a, b, y = sin(a) + b/2.
std::string table(int n, bool header = true) {
  std::ostringstream out;
  out.precision(17);
  if (header) out << "a,b,y\n";
  for (int i = 0; i < n; ++i) {
    const double a = std::fmod(i * 0.7548776662, 1) * 6, b = std::fmod(i * 0.5698402910, 1) * 4;
    out << a << ',' << b << ',' << std::sin(a) + b / 2 + 0.01 * std::sin(1000.0 * i) << '\n';
  }
  return out.str();
}

class Fit : public Command {
 protected:
  /// A model of table(25), in m.json.
  void model() { fitted({file("d.csv", table(25)), "--target", "y", "--starts", "2", "-o", "m.json"}); }
};

using Predict = Fit;

TEST_F(Fit, JsonSaysEverything) {
  const auto j = fitted({file("d.csv", table(25)), "--target", "y", "--mean", "linear", "--starts", "2"});
  for (const char* key : {"log_marginal_likelihood", "kernel", "mean", "mean_coefficients", "noise_variance",
                          "n", "distinct", "features", "target", "evaluations", "seconds", "jitter", "loo",
                          "parameters", "basins", "notes", "machine", "stopped", "target_scale"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["n"], 25);
  EXPECT_EQ(j["features"], Strings({"a", "b"}));
  EXPECT_EQ(j["mean_coefficients"].size(), 3U);
  EXPECT_EQ(j["mean_coefficients"][1]["term"], "a");
  EXPECT_GT(j["mean_coefficients"][1]["sd"], 0);
  EXPECT_LT(j["loo"]["rmse"], 0.3);
  EXPECT_EQ(j["parameters"][1]["name"], "lengthscale.a");
}

TEST_F(Fit, PeopleGetASummary) {
  const Outcome o = covary({"fit", file("d.csv", table(25)), "--target", "y", "--starts", "2"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* word : {"kernel", "matern52(lengthscale=[", "noise", "mean", "log marginal likelihood",
                           "leave-one-out", "evaluations"})
    EXPECT_NE(o.out.find(word), std::string::npos) << word;
}

TEST_F(Fit, TheKernelPrintedIsTheKernelTyped) {
  const auto j = fitted({file("d.csv", table(25)), "--target", "y", "--starts", "2"});
  const auto again =
      fitted({"d.csv", "--target", "y", "--kernel", "fixed(" + j["kernel"].get<std::string>() + ")",
              "--noise", nlohmann::json(j["noise_variance"]).dump()});
  EXPECT_EQ(j["log_marginal_likelihood"], again["log_marginal_likelihood"]);
}

TEST_F(Fit, TargetIsAskedForWithTheColumns) {
  EXPECT_TRUE(fails(covary({"fit", file("d.csv", table(5))}), 2, "It has a, b, y"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--target", "yy"}), 2, "did you mean 'y'?"));
}

TEST_F(Fit, FeaturesByName) {
  const std::string d = file("d.csv", table(12));
  EXPECT_EQ(fitted({d, "--target", "y", "--features", "b", "--starts", "1"})["features"], Strings({"b"}));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--features", "a,bb"}), 2, "did you mean 'b'?"));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--features", "a,y"}), 2, "is the target"));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--features", "a,a"}), 2, "named twice"));
}

TEST_F(Fit, ATextColumnIsLeftOutAndSaid) {
  const std::string d = file("d.csv", "name,x,y\none,1,1\ntwo,2,2\nthree,3,1\nfour,4,2\n");
  EXPECT_TRUE(notes(covary({"fit", d, "--target", "y"}), "left out, not read by the kernel: name (text)"));
  const Outcome asked = covary({"fit", d, "--target", "y", "--features", "name,x"});
  EXPECT_NE(asked.out.find("on(name, spectrum(k=3))"), std::string::npos) << asked.out;
  EXPECT_TRUE(covary({"fit", d, "--target", "y", "-q"}).err.empty());
}

TEST_F(Fit, HeaderlessFile) {
  const auto j = fitted({file("d.csv", table(12, false)), "--target", "x3", "--starts", "1"});
  EXPECT_EQ(j["features"], Strings({"x1", "x2"}));
  EXPECT_EQ(j["n"], 12);
}

TEST_F(Fit, StandardInput) {
  const Outcome o = covary({"fit", "-", "--target", "y", "--starts", "1", "-o", "-"}, table(12));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["format"], "covary model");
  file("m.json", o.out);
  const Outcome p = covary({"predict", "m.json", "-"}, "a,b\n1,2\n");
  EXPECT_EQ(p.code, 0) << p.err;
  const Outcome q = covary({"predict", "-", file("p.csv", "a,b\n1,2\n")}, o.out);
  EXPECT_EQ(q.out, p.out);
}

TEST_F(Fit, DryRunEstimatesAndWritesNothing) {
  const std::string d = file("d.csv", table(300));
  const Outcome o = covary({"fit", d, "--target", "y", "--dry-run", "--json", "-o", "m.json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["n"], 300);
  EXPECT_GT(j["seconds"], 0);
  // What is printed adds up.
  const auto number = [&](const char* name) { return j[name].get<double>(); };
  EXPECT_NEAR(
      number("seconds"),
      number("exploring_seconds") + number("refining") * number("seconds_each") + number("finishing_seconds"),
      1e-9 * number("seconds"));
  EXPECT_GT(j["memory_bytes"], 8 * 300 * 300 / 2);
  EXPECT_GT(j["free_bytes"], j["memory_bytes"]);
  EXPECT_EQ(files(), Strings({"d.csv"}));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--dry-run", "--kernel", "see()"}), 2, "'se'"));
}

TEST_F(Fit, NoiseFromAColumn) {
  const std::string d = file("d.csv", "x,y,s\n0,0,0.1\n1,1,0.2\n2,0,0.1\n3,1,0.3\n");
  const auto j = fitted({d, "--target", "y", "--noise", "column:s", "--starts", "1"});
  EXPECT_EQ(j["features"], Strings({"x"}));
  EXPECT_TRUE(j["noise_variance"].is_null());
  file("d.csv", "x,y,s\n0,0,0.1\n1,1,0\n2,0,0.1\n");
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--noise", "column:s"}), 3, "line 3, column 's'"));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--noise", "column:z"}), 2, "no column 'z'"));
}

TEST_F(Predict, TheSameBitsFromTheSameModel) {
  model();
  const Outcome one = covary({"predict", "m.json", "d.csv"}), two = covary({"predict", "m.json", "d.csv"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  const Outcome json = covary({"predict", "m.json", "d.csv", "--json"});
  const auto rows = nlohmann::json::parse(json.out)["predictions"];
  const std::vector<double> mean = column(one.out, "mean"), sd = column(one.out, "sd");
  ASSERT_EQ(rows.size(), mean.size());
  for (size_t i = 0; i < mean.size(); ++i) {
    EXPECT_EQ(rows[i]["mean"], mean[i]);
    EXPECT_EQ(rows[i]["sd"], sd[i]);
  }
}

TEST_F(Predict, InputColumnsAreCopiedAsTheyCame) {
  model();
  const std::string points =
      "id,b,a,\"a, note\"\r\n00017,1.50,+2,\"x \"\"y\"\"\nz\"\r\n\r\n9007199254740993,1e0,2.0,";
  const Outcome o = covary({"predict", "m.json", file("p.csv", points), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out.find("id,b,a,\"a, note\",mean,sd,lower,upper\n00017,1.50,+2,\"x \"\"y\"\"\nz\","), 0U)
      << o.out;
  EXPECT_NE(o.out.find("\n9007199254740993,1e0,2.0,,"), std::string::npos) << o.out;
}

TEST_F(Predict, SemicolonsAndDecimalCommasStay) {
  model();
  const Outcome o = covary({"predict", "m.json", file("p.csv", "a;b\n1,5;2\n2,5;3\n"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("a;b;mean;sd;lower;upper\n1,5;2;")) << o.out;
  EXPECT_EQ(o.out.find('.'), std::string::npos) << o.out;
}

TEST_F(Predict, OutputNamesThatAreTaken) {
  model();
  const Outcome o = covary({"predict", "m.json", file("p.csv", "a,b,mean\n1,2,3\n")});
  EXPECT_TRUE(notes(o, "called mean_2, sd_2, lower_2, upper_2"));
  EXPECT_TRUE(o.out.starts_with("a,b,mean,mean_2,sd_2,lower_2,upper_2\n1,2,3,"));
}

TEST_F(Predict, NothingIsWrittenWhenSomethingIsWrong) {
  model();
  file("out.csv", "old");
  const Outcome o = covary({"predict", "m.json", file("p.csv", "a,b\n1,2\n1,hot\n"), "-o", "out.csv"});
  EXPECT_TRUE(fails(o, 3, "p.csv, line 3, column 'b'"));
  EXPECT_EQ(contents(path("out.csv")), "old");
  EXPECT_EQ(files(), Strings({"d.csv", "m.json", "out.csv", "p.csv"}));
  EXPECT_EQ(covary({"predict", "m.json", "p.csv"}).out, "");
}

TEST_F(Predict, ManyRowsInBlocks) {
  model();
  std::string points = "a,b\n";
  for (int i = 0; i < 20000; ++i) points += std::to_string(i * 1e-4) + ",1\n";
  const Outcome o = covary({"predict", "m.json", file("p.csv", points), "-o", "out.csv"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string out = contents(path("out.csv"));
  const std::vector<double> all = column(out, "mean");
  ASSERT_EQ(all.size(), 20000U);
  const Outcome one = covary({"predict", "m.json", file("q.csv", "a,b\n1.5,1\n")});
  EXPECT_EQ(column(one.out, "mean").at(0), all[15000]);
}

TEST_F(Predict, ADamagedModelIsRefused) {
  model();
  std::string text = contents(path("m.json"));
  file("cut.json", text.substr(0, text.size() / 2));
  EXPECT_TRUE(
      fails(covary({"predict", "cut.json", "d.csv"}), 3, "cut.json: not a Covary model file, or damaged"));
  text[text.find("data") + 12] ^= 1;
  file("flipped.json", text);
  EXPECT_EQ(covary({"predict", "flipped.json", "d.csv"}).code, 3);
  EXPECT_TRUE(fails(covary({"predict", "d.csv", "d.csv"}), 3, "not a Covary model file"));
  EXPECT_TRUE(fails(covary({"predict", "none.json", "d.csv"}), 3, "none.json: no such file"));
}

class Usage : public Command {};

TEST_F(Usage, UnknownOptionsAndVerbs) {
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--tagret", "y"}), 2,
                    "unknown option --tagret, did you mean '--target'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--kernal=se()"}), 2, "did you mean '--kernel'?"));
  EXPECT_TRUE(fails(covary({"predcit"}), 2, "unknown verb 'predcit', did you mean 'predict'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "e.csv"}), 2, "one argument too many"));
  EXPECT_TRUE(fails(covary({"fit"}), 2, "DATA"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--prior", "week"}), 2, "did you mean 'weak'?"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--starts", "many"}), 2, "--starts"));
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--starts", "0"}), 2, "--starts"));
}

TEST_F(Usage, HelpBeginsWithAnExample) {
  const auto usage = nlohmann::json::parse(covary({"--json-usage"}).out);
  for (const auto& described : usage["verbs"]) {
    const std::string verb = described["name"];
    const Outcome o = covary({verb, "--help"});
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(o.out.starts_with("  ") && o.out.find("covary " + verb) < o.out.find('\n')) << o.out;
  }
  EXPECT_TRUE(covary({"--help"}).out.starts_with("  covary fit"));
  EXPECT_EQ(covary({}).code, 2);
  const std::string help = covary({"predict", "--help"}).out;
  EXPECT_NE(help.find("Usage: covary predict [OPTIONS] MODEL [POINTS]\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("TEXT"), std::string::npos) << "arguments have names";
}

TEST_F(Usage, Version) {
  const Outcome o = covary({"--version"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(o.out.starts_with("covary ")) << o.out;
  EXPECT_NE(o.out.find("thread"), std::string::npos) << o.out;
}

TEST_F(Usage, KernelsListTheRegistry) {
  const auto all = nlohmann::json::parse(covary({"kernels", "--json"}).out);
  const Outcome o = covary({"kernels"});
  for (const auto& k : all) EXPECT_NE(o.out.find(k["name"].get<std::string>()), std::string::npos);
  EXPECT_GE(all.size(), 9U);
}

TEST_F(Usage, WhatCannotBeWritten) {
  const std::string d = file("d.csv", table(8));
  EXPECT_TRUE(fails(covary({"fit", d, "--target", "y", "--starts", "1", "-o", "no/such/m.json"}), 1,
                    "cannot be written"));
  EXPECT_TRUE(
      fails(covary({"fit", d, "--target", "y", "--starts", "1", "-o", "/dev/full"}), 1, "No space left"));
}

}  // namespace
}  // namespace covary::cli::command_test
