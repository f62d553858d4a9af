// What is not finite is never an answer: no verb prints or keeps it with exit 0.
#include <cmath>

#include "run_command.h"

namespace covary::cli::not_finite_test {
namespace {

class NotFinite : public Command {
 protected:
  std::string data(double size = 1) const {
    std::string text = "x,y\n";
    for (int i = 0; i < 12; ++i) {
      const double x = 0.5 * i, y = std::sin(x) + 0.1 * std::cos(7 * x);
      std::ostringstream line;
      line.precision(17);
      line << x << ',' << y * size << '\n';
      text += line.str();
    }
    return file("d.csv", text);
  }
  std::string fitted(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> all{"fit", data(), "-t", "y", "-o", path("m.json"), "--starts", "2", "-q"};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_EQ(covary(all).code, 0);
    return path("m.json");
  }
  /// Whether a word of a text is a number that is not finite.
  static bool unfinite(const std::string& text) {
    std::string word;
    for (const char c : text + " ") {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word += c;
        continue;
      }
      if (word == "nan" || word == "inf" || word == "NaN" || word == "Infinity") return true;
      word.clear();
    }
    return false;
  }
};

// The good model stays as it was.
TEST_F(NotFinite, TellKeepsTheGoodModel) {
  const std::string model = fitted(), before = contents(model);
  for (const char* y : {"1e308", "-1.7e308", "1e200", "1e155"}) {
    const Outcome o = covary({"tell", model, file("wild.csv", "x,y\n2.25," + std::string(y) + "\n")});
    EXPECT_EQ(o.code, 4) << y << o.out;
    EXPECT_NE(o.err.find("the log marginal likelihood"), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(contents(model), before) << y;
  }
  const Outcome large = covary({"tell", model, file("large.csv", "x,y\n2.25,1e100\n")});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_FALSE(unfinite(large.out)) << large.out;
  const Outcome p = covary({"predict", model, file("at.csv", "x\n2.3\n9\n")});
  EXPECT_EQ(p.code, 0) << p.err;
  EXPECT_FALSE(unfinite(p.out)) << p.out;
}

// A polynomial trend far out.
TEST_F(NotFinite, PredictNamesTheRow) {
  const std::string model = fitted({"--mean", "polynomial(degree=2)"});
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--json"}, {"--of", "y"}}) {
    std::vector<std::string> typed{"predict", model, file("far.csv", "x\n1\n2\n1e308\n"), "-o",
                                   path("p.csv")};
    typed.insert(typed.end(), options.begin(), options.end());
    const Outcome o = covary(typed);
    EXPECT_EQ(o.code, 4) << o.out;
    EXPECT_NE(o.err.find("far.csv, line 4"), std::string::npos) << o.err;
    EXPECT_FALSE(fs::exists(path("p.csv"))) << "nothing half-written";
  }
  EXPECT_EQ(covary({"sample", model, file("far.csv", "x\n1\n1e308\n")}).code, 4);
  const Outcome plot = covary({"plot", model, "-o", path("p.svg"), "--over", "0,1e308"});
  EXPECT_EQ(plot.code, 4) << plot.err;
  EXPECT_FALSE(fs::exists(path("p.svg")));
}

// Every model and verb at y of size 1e300 and 1e-300.
TEST_F(NotFinite, AnySizeOfTargetIsAnswered) {
  for (const double size : {1e300, 1e160, 1e-160, 1e-300})
    for (const char* kind : {"gp", "linear", "ridge", "bayes", "kernel-ridge"}) {
      SCOPED_TRACE(testing::Message() << kind << " at " << size);
      const std::string d = data(size), m = path("m.json");
      std::vector<std::string> fit{"fit", d, "-t", "y", "-o", m, "--model", kind};
      if (std::string(kind) == "gp") fit.insert(fit.end(), {"--starts", "2"});
      const Outcome f = covary(fit), check = covary({"check", m}), json = covary({"check", m, "--json"}),
                    p = covary({"predict", m, d}), s = covary({"sample", m, d, "-n", "2"});
      for (const Outcome* o : {&f, &check, &json, &p, &s}) {
        EXPECT_EQ(o->code, 0) << o->err;
        EXPECT_FALSE(unfinite(o->out)) << o->out;
      }
      const auto j = nlohmann::json::parse(json.out);
      EXPECT_GT(j["rmse"].get<double>() / size, 1e-3);
      EXPECT_LT(j["rmse"].get<double>() / size, 2);
      EXPECT_LT(j["skill"].get<double>(), 1);
    }
}

// Weights that the rows do not determine have no finite sd: NA and null, with a note, never inf.
TEST_F(NotFinite, UndeterminedIsNA) {
  const std::string d = file("u.csv", "a,b,y\n0,0,1\n1,1,2\n2,2,3.5\n3,3,4\n4,4,5.2\n"), m = path("u.json");
  ASSERT_EQ(covary({"fit", d, "-t", "y", "--model", "linear", "-o", m}).code, 0);
  const std::string at = file("at.csv", "a,b\n1,1\n1,3\n");
  const Outcome o = covary({"predict", m, at});
  EXPECT_EQ(o.code, 0) << o.err;
  const auto rows = cells(o.out);
  EXPECT_NE(rows[1][3], "NA");
  EXPECT_EQ(rows[2][3], "NA") << o.out;
  EXPECT_NE(o.err.find("1 point depends on weights that the data do not determine"), std::string::npos)
      << o.err;
  const auto j = nlohmann::json::parse(covary({"predict", m, at, "--json"}).out);
  EXPECT_TRUE(j["predictions"][1]["sd"].is_null());
  EXPECT_FALSE(unfinite(covary({"fit", d, "-t", "y", "--model", "linear"}).out));
}

// One y that the others vanish beside: refused, with the row, and nothing is kept.
TEST_F(NotFinite, OneObservationBeyondTheSquaresOfTheOthers) {
  for (const char* kind : {"linear", "bayes", "ridge"})
    for (const char* wild : {"1e150", "-1e160", "1e200", "1e300"}) {
      const std::string d = file("w.csv", "x,y\n0,1.1\n1,1.9\n2,3.2\n3," + std::string(wild) +
                                              "\n4,4.8\n5,6.3\n6,6.9\n7,8.1\n8,8.8\n");
      for (const char* verb : {"fit", "check"}) {
        std::vector<std::string> typed{verb, d, "-t", "y", "--model", kind, "--json"};
        if (std::string(verb) == "fit") typed.insert(typed.end(), {"-o", path("w.json")});
        const Outcome o = covary(typed);
        SCOPED_TRACE(testing::Message() << verb << ' ' << kind << ' ' << wild << '\n' << o.out << o.err);
        if (o.code == 0) {
          const auto j = nlohmann::json::parse(o.out);
          EXPECT_TRUE((std::string(verb) == "fit" ? j["loo"]["nlpd"] : j["nlpd"]).is_number());
        } else {
          EXPECT_EQ(o.code, 4);
          EXPECT_NE(o.err.find(wild[0] == '-' ? "y is -1e+160 in row 4" : "in row 4"), std::string::npos);
          EXPECT_FALSE(fs::exists(path("w.json")));
        }
        fs::remove(path("w.json"));
      }
    }
}

// One wild y.
TEST_F(NotFinite, CheckOfOneWildObservation) {
  for (const char* kind : {"linear", "bayes", "ridge"})
    for (const char* wild : {"1e8", "1e12", "1e99"}) {
      const std::string d = file("w.csv", "x,y\n0,1.1\n1,1.9\n2,3.2\n3," + std::string(wild) +
                                              "\n4,4.8\n5,6.3\n6,6.9\n7,8.1\n8,8.8\n");
      const Outcome o = covary({"check", d, "-t", "y", "--model", kind, "--json"});
      ASSERT_EQ(o.code, 0) << o.err;
      const auto j = nlohmann::json::parse(o.out);
      EXPECT_TRUE(j["nlpd"].is_number()) << kind << wild << o.out;
      EXPECT_TRUE(j["rmse"].is_number() && j["skill"].is_number());
      if (std::string(kind) != "linear") continue;
      EXPECT_EQ(j["worst"][0]["row"], "line 5");
      EXPECT_NEAR(j["worst"][0]["mean"].get<double>(), 3.97, 0.3) << wild;
      EXPECT_NEAR(j["worst"][0]["sd"].get<double>(), 0.25, 0.2) << wild;
    }
}

}  // namespace
}  // namespace covary::cli::not_finite_test
