// Records through the command: every verb on dates, categories, texts, sets, graphs and nodes, and what is refused.
#include <fmt/format.h>

#include <cmath>

#include "torture/torture.h"

namespace covary::cli::records_test {
namespace {

class Records : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::string rows = "day|temp|catalyst|sequence|parts|molecule|y\n", points = rows;
    for (int i = 0; i < 48; ++i) {
      const std::string sequence =
          std::string("ACGTAC").substr(static_cast<size_t>(i % 4)) + "GATTACA"[i % 7];
      const std::string graph = i % 2 ? R"({"nodes":["C","O"],"edges":[[0,1]]})"
                                      : R"({"nodes":["C","C","O"],"edges":[[0,1],[1,2]]})";
      std::string& out = i < 40 ? rows : points;
      out += fmt::format("2020-{:02}-{:02}|{}|{}|{}|{}|{}|{:.4f}\n", 1 + i % 12, 1 + i % 28, i * 7 % 48,
                         "PQR"[i % 3], sequence, i % 5 ? "a;b" : "b;c", graph,
                         std::sin(0.1 * (i * 7 % 48)) + i % 3 + 0.3 * (i % 2) + 0.02 * std::sin(77.0 * i));
    }
    file("rows.csv", rows);
    file("points.csv", points);
  }
  Outcome fit(const std::string& kernel, const std::string& more = "", const std::string& out = "m.json") {
    return shell("$covary fit rows.csv -t y --starts 2 --kernel '" + kernel + "' -o " + out + " " + more);
  }
  /// Every verb that takes a model, on what fit made of this kernel.
  void works(const std::string& kernel) {
    SCOPED_TRACE(kernel);
    const Outcome fitted = fit(kernel, "-q");
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    for (const char* verb : {"predict m.json points.csv", "check m.json", "check m.json points.csv",
                             "sample m.json points.csv -n 2", "suggest m.json points.csv",
                             "tell m.json points.csv -o later.json", "plot m.json -o m.svg",
                             "predict later.json points.csv", "place points.csv --model m.json -k 2"}) {
      const Outcome o = shell(std::string("$covary ") + verb + " -q");
      EXPECT_EQ(o.code, 0) << verb << ": " << o.err;
    }
    ASSERT_EQ(fit(kernel, "-q", "m.covary").code, 0);
    EXPECT_EQ(shell("$covary predict m.json points.csv -q").out,
              shell("$covary predict m.covary points.csv -q").out);
  }
};

TEST_F(Records, EveryVerbWorksOnEveryType) {
  works("on(temp, se()) * on(catalyst, category()) + on(day, periodic(period=1 year))");
  works("on(temp, se()) + on(sequence, spectrum(k=2)) + on(parts, minmax())");
  works("on(temp, se()) * on(molecule, weisfeiler_lehman(h=2)) + on(catalyst, category_pairs(rank=1))");
}

TEST_F(Records, ReplayAndCompareReadThem) {
  EXPECT_EQ(
      shell("$covary compare rows.csv -t y --starts 1 --kernel 'on(temp, se())' --kernel 'on(temp, se()) * "
            "category()' -q")
          .code,
      0);
  const Outcome o = shell(
      "$covary replay rows.csv -t y --kernel 'on(temp, se(lengthscale=10)) * on(catalyst, "
      "category(correlation=0.5))' --budget 6 --start 4 --repeats 2 -q");
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST_F(Records, TheSummaryListsTheTypes) {
  const Outcome o = fit("on(temp, se()) * category()");
  EXPECT_NE(o.out.find("day: date from 2020-01-01"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("catalyst: category of 3 levels"), std::string::npos) << o.out;
  EXPECT_NE(o.err.find("left out, not read by the kernel: parts (set), molecule (graph)"), std::string::npos)
      << o.err;
}

TEST_F(Records, UnseenCategoriesAreSaid) {
  ASSERT_EQ(fit("on(temp, se()) * on(catalyst, category())", "--features temp,catalyst -q").code, 0);
  file("new.csv", "temp,catalyst\n3,P\n3,Z\n");
  const Outcome o = shell("$covary predict m.json new.csv");
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.err.find("1 category that the model has not seen: Z"), std::string::npos) << o.err;
  EXPECT_GT(column(o.out, "sd")[1], 2 * column(o.out, "sd")[0]);
}

TEST_F(Records, NodesOfANetworkArePredictedAndPlaced) {
  file("edges.csv", "from,to\na,b\nb,c\nc,d\nd,e\n");
  file("levels.csv", "at,y\na,1\nb,2\nd,4\n");
  file("all.csv", "at\na\nb\nc\nd\ne\n");
  const std::string options = " --graph edges.csv --kernel 'graph_matern(nu=2, kappa=fixed(2))'";
  ASSERT_EQ(shell("$covary fit levels.csv -t y --features at -o m.json -q" + options).code, 0);
  const Outcome o = shell("$covary predict m.json all.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_GT(column(o.out, "mean")[2], 2);
  EXPECT_LT(column(o.out, "mean")[2], 4);
  const Outcome placed =
      shell("$covary place all.csv -k 1 --noise 0.1 --graph edges.csv --kernel 'diffusion(beta=1)' -q");
  ASSERT_EQ(placed.code, 0) << placed.err;
  file("unknown.csv", "at\nz\n");
  EXPECT_TRUE(fails(shell("$covary predict m.json unknown.csv"), 3,
                    "unknown.csv, line 2, column 'at': expected a node of the network, found 'z'"));
}

/// A table of the shared data; the test is skipped where it is not.
#define SHARED_TABLE(name, file)                               \
  const fs::path name = fs::path(COVARY_SHARED_DATA) / (file); \
  if (!fs::exists(name)) GTEST_SKIP() << name << " is not there"

TEST_F(Records, MutantsOfAProteinFromFitToSuggestion) {
  SHARED_TABLE(mutants, "structured/petase_mutants.csv");
  const std::string all = contents(mutants), head = all.substr(0, all.find('\n') + 1);
  size_t cut = head.size();
  for (int i = 0; i < 100; ++i) cut = all.find('\n', cut) + 1;
  file("all.csv", all), file("known.csv", all.substr(0, cut)), file("new.csv", head + all.substr(cut));
  const Outcome fitted =
      shell("$covary fit all.csv -t fitness -f sequence --kernel 'substitution()' --json -q -o m.json");
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_GT(nlohmann::json::parse(fitted.out)["loo"]["skill"], 0.8);
  ASSERT_EQ(
      shell(
          "$covary fit known.csv -t fitness -f sequence --kernel 'substitution(lengthscale=6)' -q -o m.json")
          .code,
      0);
  for (const char* verb : {"predict m.json new.csv", "check m.json new.csv", "sample m.json new.csv -n 2",
                           "suggest m.json new.csv -n 3", "tell m.json new.csv -o n.json",
                           "plot m.json -o m.svg", "place new.csv --model m.json -k 3"}) {
    const Outcome o = shell(std::string("$covary ") + verb + " -q");
    EXPECT_EQ(o.code, 0) << verb << ": " << o.err;
  }
  EXPECT_NE(contents(path("m.svg")).find("prior correlation"), std::string::npos);
}

TEST_F(Records, PromotersAreLearnedFromFewLabels) {
  SHARED_TABLE(promoters, "structured/promotergene.csv");
  const Outcome o =
      shell("$covary replay " + promoters.string() +
            " -t class --kernel 'spectrum(k=4)' --strategy svm-margin --budget 40 --repeats 3 --json -q");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_LT(nlohmann::json::parse(o.out)["strategies"][0]["last_error"], 0.2);
}

/// Ten years past a cut at 2008, 120 months: 95 % bands cover 90 % at least.
TEST_F(Records, SlowCarbonDioxideIsForecastFromItsDates) {
  SHARED_TABLE(co2, "classic/co2_maunaloa_monthly.csv");
  std::istringstream in(contents(co2));
  std::string before, after, line;
  for (std::getline(in, line), before = after = line + "\n"; std::getline(in, line);)
    if (line < "2018") (line < "2008" ? before : after) += line + "\n";
  file("before.csv", before), file("after.csv", after);
  const Outcome fitted = shell(
      "$covary fit before.csv --target CO2 --features Date --kernel 'se() + se() * periodic(period=1 year) + "
      "rational_quadratic()' --mean linear -q -o m.json");
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const Outcome checked = shell("$covary predict m.json after.csv -q");
  ASSERT_EQ(checked.code, 0) << checked.err;
  const std::vector<double> y = column(checked.out, "CO2"), low = column(checked.out, "lower"),
                            high = column(checked.out, "upper");
  ASSERT_EQ(y.size(), 120U);
  int covered = 0;
  for (size_t i = 0; i < y.size(); ++i) covered += low[i] <= y[i] && y[i] <= high[i];
  EXPECT_GE(covered, 108);
}

TEST_F(Records, ANetworkIsNeverPassedOver) {
  file("edges.csv", "from,to\n1,2\n2,3\n3,4\n");
  file("at.csv", "at,y\n1,1\n2,2\n5,4\n");
  EXPECT_TRUE(
      fails(shell("$covary fit at.csv -t y --graph edges.csv"), 3,
            "at.csv, line 4, column 'at': expected a node of the network as in most rows, found '5'"));
  file("off.csv", "x,y\n0.5,1\n0.6,2\n0.9,4\n");
  EXPECT_TRUE(fails(shell("$covary fit off.csv -t y --graph edges.csv"), 3,
                    "off.csv: no column holds nodes of the network, as '1'; there are x"));
}

TEST_F(Records, ColumnsThatNothingReadsAreListed) {
  file("texts.csv", "s,y\nab,1\nabc,2\nb,3\n");
  EXPECT_TRUE(fails(shell("$covary fit texts.csv -t y"), 3, "--features takes the others: s (text)"));
}

TEST_F(Records, BadCellsNameTheirPlace) {
  const auto refused = [&](const std::string& cells, const std::string& more, const std::string& words) {
    file("bad.csv", cells);
    const Outcome o = shell("$covary fit bad.csv -t y " + more);
    EXPECT_NE(o.code, 0) << cells;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  };
  refused("day,y\n2021-01-30,1\n2021-02-30,2\n", "",
          "line 3, column 'day': '2021-02-30' is no date: February 2021 has 28 days");
  refused("day,y\n2021-01-30,1\n2021-01-31,3\n30.01.2021,2\n", "",
          "line 4, column 'day': expected a date as YYYY-MM-DD");
  refused("g|y\n{\"nodes\":[\"C\"],\"edges\":[[0,3]]}|1\n", "--features g --kernel 'weisfeiler_lehman()'",
          "line 2, column 'g'");
  refused("g|y\n{\"nodes\":[\"C\"],\"edges\":[[0,0]]}|1\n", "--features g", "line 2, column 'g'");
  refused("s,y\nMKV,1\nMJ1,2\n", "--features s --kernel 'substitution()'",
          "bad.csv, line 3, column 's': substitution: the letters of a protein are");
  refused("s,y\nAC,1\nACG,2\n", "--features s --type s=text --kernel 'hamming()'",
          "bad.csv, line 3, column 's': hamming: sequences must be aligned, all of one length, found lengths "
          "2 and 3");
  refused("g|y\n{\"nodes\":[\"C\"],\"edges\":[]}|1\nmethane|2\n{\"nodes\":[\"C\"],\"edges\":[]}|3\n",
          "--features g", "bad.csv, line 3, column 'g': expected a graph");
  refused("s,y\na,1\nb,2\n", "--type s=category --type s=dat", "found the type 'dat'");
  refused("s,y\na,1\nb,2\n", "--kernel 'on(s, se())'", "se reads numbers, and column 's' holds");
  refused("s,y\n1,1\n2,2\n", "--kernel 'periodic(period=1 year)'", "only columns of dates have");
}

TEST_F(Records, RowsThatTheKernelCannotReadAreNamedAtPredictionToo) {
  file("proteins.csv", "s,y\nMKV,1\nMAV,2\nMKK,3\n");
  ASSERT_EQ(
      shell("$covary fit proteins.csv -t y --features s --starts 1 --kernel 'substitution()' -o m.json -q")
          .code,
      0);
  file("longer.csv", "s,y\nMKV,1\nMKVV,2\n");
  for (const char* verb : {"predict m.json longer.csv", "check m.json longer.csv",
                           "tell m.json longer.csv -o n.json", "suggest m.json longer.csv"})
    EXPECT_TRUE(
        fails(shell(std::string("$covary ") + verb), 3, "longer.csv, line 3, column 's': substitution"))
        << verb;
}

TEST_F(Records, BooleansHaveTwoValuesInGridsAndDomains) {
  file("flags.csv", "x,open,y\n1,yes,1\n2,no,3\n3,yes,2\n4,no,5\n");
  ASSERT_EQ(shell("$covary fit flags.csv -t y --starts 1 --noise 0.1 -o m.json -q").code, 0);
  EXPECT_EQ(column(shell("$covary predict m.json --grid 'x=1..4:3'").out, "mean").size(), 6U);
  EXPECT_EQ(column(shell("$covary predict m.json --grid 'x=1..4:3, open=yes'").out, "mean").size(), 3U);
  EXPECT_TRUE(
      fails(shell("$covary predict m.json --grid 'open=maybe'"), 2, "'open' holds yes or no, found 'maybe'"));
  EXPECT_EQ(
      shell("$covary suggest m.json --over x=1:4 --over open=yes,no --strategy expected-improvement").code,
      0);
  EXPECT_TRUE(
      fails(shell("$covary suggest m.json --over x=1:4 --over open=maybe --strategy expected-improvement"), 2,
            "expected yes or no, found 'maybe'"));
}

TEST_F(Records, ThousandsOfCategoriesAreSaid) {
  std::string rows = "c,x,y\n";
  for (int i = 0; i < 1100; ++i) rows += fmt::format("c{},{},{}\n", i % 1050, i % 7, i % 5);
  file("many.csv", rows);
  const Outcome o = shell("$covary fit many.csv -t y --type c=category --dry-run");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("column 'c' has 1050 categories in 1100 rows"), std::string::npos) << o.err;
}

TEST_F(Records, LongTextsSayWhatTheyCostBeforehand) {
  std::string rows = "s,y\n";
  for (int i = 0; i < 3; ++i) rows += std::string(200'000, 'a') + "bcd"[i] + fmt::format(",{}\n", i);
  file("long.csv", rows);
  const Outcome o =
      shell("$covary fit long.csv -t y -f s --type s=text --kernel 'subsequence(n=3)' --dry-run");
  EXPECT_NE(
      o.err.find(
          "column 's': 3 texts of up to 200001 bytes; a covariance matrix of subsequence(n=3) takes some "
          "7e+11 steps"),
      std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("column 's': subsequence: one covariance of texts of 200001 and 200001 bytes"),
            std::string::npos)
      << o.err;
}

TEST_F(Records, EmptyTextsAndSetsArePoints) {
  file("empty.csv",
       "s,p,y\n\"\",\"[]\",1\nab,\"[\"\"a\"\"]\",2\nabc,\"[\"\"a\"\",\"\"b\"\"]\",3\n\"\",\"[]\",1.1\n");
  const Outcome o = shell(
      "$covary fit empty.csv -t y --features s,p --type s=text --starts 1 --kernel 'on(s, spectrum(k=1)) + "
      "on(p, jaccard())' --missing drop");
  EXPECT_EQ(o.code, 0) << o.err;
}

}  // namespace
}  // namespace covary::cli::records_test
