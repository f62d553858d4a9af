// covary check on a held-out table and forward in time; covary predict and sample on a grid.
#include <cmath>

#include "run_command.h"

namespace covary::cli::validation_test {
namespace {

/// A line of a series: trend, season and noise that no generator needs.
std::string line(int i) {
  const double t = 0.25 * i, noise = 0.1 * std::sin(37.0 * i * i);
  return std::to_string(t) + "," + std::to_string(std::sin(t) + 0.1 * t + noise) + "\n";
}

std::string series(int from, int to) {
  std::string csv = "t,y\n";
  for (int i = from; i < to; ++i) csv += line(i);
  return csv;
}

class Validation : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    train_ = file("train.csv", series(0, 40)), test_ = file("test.csv", series(40, 60));
    EXPECT_EQ(covary({"fit", train_, "-t", "y", "-k", "se()", "--starts", "2", "-o", path("m.json")}).code,
              0);
    model_ = path("m.json");
  }
  nlohmann::json json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Outcome o = covary(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }
  std::string train_, test_, model_;
};

/// The scores are those of what predict says of the rows.
TEST_F(Validation, HeldOutTableIsScoredByItsPredictions) {
  const nlohmann::json check = json({"check", model_, test_});
  const std::string predicted = covary({"predict", model_, test_, "--of", "y", "-i", "95"}).out;
  const auto y = column(predicted, "y"), mean = column(predicted, "mean"), sd = column(predicted, "sd"),
             lower = column(predicted, "lower"), upper = column(predicted, "upper");
  double squares = 0, nlpd = 0;
  int inside = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double z = (y[i] - mean[i]) / sd[i];
    squares += std::pow(y[i] - mean[i], 2), nlpd += std::log(sd[i]) + 0.5 * z * z + 0.5 * std::log(2 * M_PI);
    inside += y[i] >= lower[i] && y[i] <= upper[i] ? 1 : 0;
  }
  EXPECT_EQ(check["n"], 20);
  EXPECT_NEAR(check["rmse"], std::sqrt(squares / 20), 1e-9);
  EXPECT_NEAR(check["nlpd"], nlpd / 20, 1e-9);
  EXPECT_EQ(check["coverage"][2]["inside"], inside);
  EXPECT_EQ(check["how"], "held-out rows of " + test_);
  EXPECT_EQ(check["worst"][0]["row"].get<std::string>().substr(0, 5), "line ");
  EXPECT_NE(covary({"check", model_, test_}).out.find("verdict: "), std::string::npos);
}

TEST_F(Validation, HeldOutRowsAreWritten) {
  ASSERT_EQ(covary({"check", model_, test_, "--rows", path("rows.csv")}).code, 0);
  const std::string rows = contents(path("rows.csv"));
  EXPECT_EQ(column(rows, "y").size(), 20U);
  EXPECT_EQ(column(rows, "pit").size(), 20U);
}

TEST_F(Validation, FitAndHoldOutInOne) {
  const nlohmann::json a = json({"check", train_, test_, "-t", "y", "-k", "se()", "--starts", "2"});
  EXPECT_NEAR(a["rmse"], json({"check", model_, test_})["rmse"], 1e-9);
}

/// Columns by name, in any order, others ignored; what is missing is said with its place.
TEST_F(Validation, HeldOutColumnsAreFoundByName) {
  std::string turned = "note,y,t\n";
  for (int i = 40; i < 60; ++i) {
    const std::string l = line(i);
    const size_t comma = l.find(',');
    turned += "n," + l.substr(comma + 1, l.size() - comma - 2) + "," + l.substr(0, comma) + "\n";
  }
  EXPECT_EQ(json({"check", model_, file("turned.csv", turned)})["rmse"],
            json({"check", model_, test_})["rmse"]);
  EXPECT_TRUE(fails(covary({"check", model_, file("no.csv", "t,z\n1,2\n")}), 3,
                    "has no column 'y', what the model predicts: scores need the observed values"));
  EXPECT_TRUE(fails(covary({"check", model_, file("no.csv", "tt,y\n1,2\n")}), 3,
                    "has no column 't', which the model needs; it has tt, y"));
  const std::string gap = file("gap.csv", "t,y\n1,2\n2,NA\n3,1\n");
  EXPECT_TRUE(fails(covary({"check", model_, gap}), 3, "gap.csv, line 3, column 'y'"));
  const Outcome dropped = covary({"check", model_, gap, "--missing", "drop"});
  EXPECT_TRUE(notes(dropped, "1 row dropped"));
  EXPECT_NE(dropped.out.find("line 4"), std::string::npos) << dropped.out;
  EXPECT_TRUE(fails(covary({"check", model_, file("bad.csv", "t,y\n1,hot\n")}), 3, "line 2, column 'y'"));
  EXPECT_TRUE(fails(covary({"check", model_, path("none.csv")}), 3, "none.csv"));
}

TEST_F(Validation, RowsOfTheFitAreNoTest) {
  EXPECT_TRUE(notes(covary({"check", model_, train_}), "40 of 40 held-out rows were in the data of the fit"));
  EXPECT_EQ(covary({"check", model_, test_}).err, "");
}

TEST_F(Validation, HeldOutMisuse) {
  EXPECT_TRUE(fails(covary({"check", model_, test_, "--folds", "5"}), 2,
                    "--folds does not apply to a held-out table"));
  EXPECT_TRUE(fails(covary({"check", model_, test_, "--forward"}), 2, "--forward does not apply"));
  EXPECT_TRUE(
      fails(covary({"check", test_, model_}), 2, "the model comes first, covary check MODEL TEST.csv"));
  EXPECT_TRUE(
      fails(covary({"check", model_, "--delimiter", ";"}), 2, "--delimiter applies to reading a table"));
  EXPECT_TRUE(fails(covary({"check", model_, test_, "-t", "y"}), 2, "a model file has its own"));
}

TEST_F(Validation, NoiseOfEachRowIsReadFromTheTable) {
  std::string csv = "t,y,e\n", test = "t,y,e\n", without = "t,y\n";
  for (int i = 0; i < 30; ++i) {
    std::string l = line(i);
    l.pop_back();
    (i % 3 == 2 ? test : csv) += l + (i % 2 == 0 ? ",0.1\n" : ",0.3\n");
  }
  ASSERT_EQ(covary({"fit", file("n.csv", csv), "-t", "y", "--noise", "column:e", "-o", path("n.json")}).code,
            0);
  EXPECT_EQ(json({"check", path("n.json"), file("nt.csv", test)})["n"], 10);
  EXPECT_TRUE(fails(covary({"check", path("n.json"), test_}), 3, "has no column 'e', the sds of the noise"));
}

/// Each forecast is what a model says that was given the rows before the origin and no other.
TEST_F(Validation, ForwardIsAForecast) {
  const nlohmann::json check = json({"check", model_, "--forward", "--horizon", "3", "--origins", "4"});
  EXPECT_EQ(check["horizon"], 3);
  ASSERT_EQ(check["origins"].size(), 4U);
  EXPECT_EQ(check["forecast"]["n"], 12);
  ASSERT_EQ(
      covary({"check", model_, "--forward", "--horizon", "3", "--origins", "4", "--rows", path("rows.csv")})
          .code,
      0);
  const std::string rows = contents(path("rows.csv"));
  const auto t = column(rows, "t"), origin = column(rows, "origin"), step = column(rows, "step"),
             mean = column(rows, "mean");
  const std::string kernel = nlohmann::json::parse(contents(model_))["model"]["kernel"];
  const std::string noise = nlohmann::json::parse(contents(model_))["model"]["noise_variance"].dump();
  for (size_t i = 0; i < t.size(); i += 5) {
    EXPECT_NEAR(t[i] - origin[i], 0.25 * step[i], 1e-9);
    std::string past = "t,y\n";
    for (int k = 0; 0.25 * k <= origin[i]; ++k) past += line(k);
    ASSERT_EQ(covary({"fit", file("past.csv", past), "-t", "y", "-k", "fixed(" + kernel + ")", "--noise",
                      noise, "-o", path("past.json"), "-q"})
                  .code,
              0);
    const std::string p = covary({"predict", path("past.json"),
                                  file("at.csv", "t\n" + std::to_string(t[i]) + "\n"), "--of", "y"})
                              .out;
    EXPECT_NEAR(column(p, "mean")[0], mean[i], 1e-6);
  }
}

TEST_F(Validation, ForwardSaysWhatLeaveOneOutDoesNot) {
  const nlohmann::json check = json({"check", model_, "--forward"});
  EXPECT_EQ(check["refit"], false);
  EXPECT_EQ(check["forecast"]["n"], 20) << "each row of the second half once";
  EXPECT_GT(check["forecast"]["rmse"], check["leave_one_out"]["rmse"]);
  EXPECT_GT(check["naive"]["rmse"], 0);
  const Outcome text = covary({"check", model_, "--forward"});
  EXPECT_NE(text.out.find("learned from all rows (--refit: from the rows before each origin)"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("last value carried forward"), std::string::npos);
  const nlohmann::json refit = json({"check", model_, "--forward", "--refit", "--origins", "2"});
  EXPECT_EQ(refit["refit"], true);
  EXPECT_EQ(refit["origins"].size(), 2U);
  EXPECT_NE(refit["forecast"]["nlpd"],
            json({"check", model_, "--forward", "--origins", "2"})["forecast"]["nlpd"]);
  EXPECT_EQ(json({"check", train_, "-t", "y", "-k", "se()", "--starts", "2", "--forward"})["forecast"]["n"],
            20);
}

TEST_F(Validation, ForwardNeedsATime) {
  std::string csv = "t,x,y\n";
  for (int i = 0; i < 30; ++i)
    csv +=
        std::to_string(i / 2) + "," + std::to_string(i % 2) + "," + std::to_string(std::sin(0.4 * i)) + "\n";
  const std::string two = path("two.json");
  ASSERT_EQ(covary({"fit", file("two.csv", csv), "-t", "y", "--starts", "1", "-o", two}).code, 0);
  EXPECT_TRUE(
      fails(covary({"check", two, "--forward"}), 2, "--time is needed, the model has several inputs: t, x"));
  EXPECT_TRUE(fails(covary({"check", two, "--forward", "--time", "tt"}), 2, "did you mean 't'?"));
  const nlohmann::json check =
      json({"check", two, "--forward", "--time", "t", "--horizon", "1", "--origins", "3"});
  EXPECT_EQ(check["forecast"]["n"], 6) << "two rows at each time";
  EXPECT_TRUE(fails(covary({"check", model_, "--horizon", "3"}), 2, "--horizon needs --forward"));
  EXPECT_TRUE(fails(covary({"check", model_, "--forward", "--folds", "3"}), 2,
                    "--folds does not apply to --forward"));
  EXPECT_TRUE(fails(covary({"check", model_, "--forward", "--horizon", "21"}), 2, "at most 20 steps"));
  EXPECT_TRUE(fails(covary({"check", model_, "--forward", "--initial", "1"}), 2, "initial"));
  EXPECT_TRUE(fails(covary({"check", model_, "--forward", "--origins", "0"}), 2, "--origins"));
}

TEST_F(Validation, LinearModelsForward) {
  ASSERT_EQ(
      covary({"fit", train_, "-t", "y", "--model", "bayes", "--basis", "t, sin(t)", "-o", path("l.json")})
          .code,
      0);
  EXPECT_EQ(json({"check", path("l.json"), "--forward"})["forecast"]["n"], 20);
  EXPECT_EQ(json({"check", path("l.json"), test_})["n"], 20);
  EXPECT_EQ(json({"check", path("l.json"), "--forward", "--refit"})["forecast"]["n"], 20);
}

/// Mauna Loa: leave-one-out says a fraction of a ppm, a forecast of the last years misses by several times
/// that.
TEST_F(Validation, Co2IsForecastWorseThanItIsFilledIn) {
  const fs::path co2 = fs::path(COVARY_SHARED_DATA) / "classic" / "co2_maunaloa_monthly.csv";
  if (!fs::exists(co2)) GTEST_SKIP() << "no shared/data/classic/co2_maunaloa_monthly.csv";
  std::ifstream in(co2);
  std::string csv = "year,ppm\n", text;
  std::getline(in, text);
  while (std::getline(in, text)) {
    int year = 0, month = 0;
    double ppm = 0;
    if (std::sscanf(text.c_str(), "%d-%d-%*d,%lf", &year, &month, &ppm) == 3 && year >= 1990)
      csv += std::to_string(year + (month - 0.5) / 12) + "," + std::to_string(ppm) + "\n";
  }
  const std::string kernel =
      "fixed(2000 * se(lengthscale=50) + 5 * se(lengthscale=100) * periodic(period=1, "
      "lengthscale=1.3) + 0.3 * rational_quadratic(lengthscale=1, alpha=1))";
  const nlohmann::json check = json({"check", file("co2.csv", csv), "-t", "ppm", "-k", kernel, "--noise",
                                     "0.04", "--forward", "--horizon", "60", "--origins", "5"});
  EXPECT_LT(check["leave_one_out"]["rmse"], 0.35);
  EXPECT_GT(check["forecast"]["rmse"], 2.5 * check["leave_one_out"]["rmse"].get<double>());
  EXPECT_LT(check["forecast"]["rmse"], check["naive"]["rmse"]);
}

TEST_F(Validation, GridOverTheData) {
  const Outcome o = covary({"predict", model_, "--grid", "5"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(column(o.out, "t"), (std::vector<double>{0, 2.4375, 4.875, 7.3125, 9.75}));
  EXPECT_EQ(o.out, covary({"predict", model_, file("g.csv", "t\n0\n2.4375\n4.875\n7.3125\n9.75\n")}).out);
  EXPECT_EQ(column(covary({"predict", model_, "--grid", "t=-1..1:3"}).out, "t"),
            (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(column(covary({"predict", model_, "--grid", "t=3"}).out, "t"), (std::vector<double>{3}));
  EXPECT_EQ(json({"predict", model_, "--grid", "4"})["n"], 4);
  EXPECT_EQ(covary({"predict", model_, "--grid", "3", "--joint", path("c.csv")}).code, 0);
  EXPECT_EQ(cells(contents(path("c.csv"))).size(), 4U);
}

TEST_F(Validation, GridMisuse) {
  EXPECT_TRUE(
      fails(covary({"predict", model_}), 2, "POINTS is required: a table to predict at, or --grid N"));
  EXPECT_TRUE(
      fails(covary({"predict", model_, test_, "--grid", "5"}), 2, "--grid takes the place of a table"));
  EXPECT_TRUE(fails(covary({"predict", model_, "--grid", "2000000"}), 5,
                    "2e+06 points over 1 column, at most 1000000"));
  EXPECT_TRUE(fails(covary({"predict", model_, "--grid", "x=1..2"}), 2, "there is no column 'x'"));
  EXPECT_TRUE(fails(covary({"predict", model_, "--grid", "many"}), 2, "found 'many'"));
  EXPECT_TRUE(fails(covary({"predict", model_, "--grid", "-3"}), 2, "1 or more"));
}

TEST_F(Validation, GridOfSamples) {
  const Outcome o = covary({"sample", model_, "--grid", "7", "-n", "2"});
  EXPECT_EQ(column(o.out, "sample_2").size(), 7U) << o.err;
  const Outcome prior =
      covary({"sample", "--prior", "-k", "se(lengthscale=1)", "--grid", "x=0..1:4, z=2", "-n", "1"});
  EXPECT_EQ(column(prior.out, "z"), (std::vector<double>{2, 2, 2, 2})) << prior.err;
  EXPECT_TRUE(
      fails(covary({"sample", model_, test_, "--grid", "5"}), 2, "--grid takes the place of a table"));
  EXPECT_TRUE(fails(covary({"sample", "--prior", "-k", "se(lengthscale=1)", "--grid", "5"}), 2,
                    "no column is named"));
  EXPECT_TRUE(fails(covary({"sample", model_}), 2, "two files are needed"));
}

}  // namespace
}  // namespace covary::cli::validation_test
