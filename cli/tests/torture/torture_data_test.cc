// Tables as they come from the world: missing values, columns, layouts, names.
#include <clocale>

#include "torture/torture.h"

namespace covary::cli::torture_data_test {
namespace {

TEST_F(Torture, Case11NotANumberAtFit) {
  EXPECT_TRUE(fails(fit("x,y\n0,1\n1,NaN\n2,3\n"), 3, "d.csv, line 3, column 'y'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\ninf,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\n1e309,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\n,2\n2,3\n"), 3, "d.csv, line 3, column 'x'"));
  EXPECT_TRUE(fails(fit("x,y\n0,1\n,2\n2,3\n"), 3, "; --missing drop leaves such rows out"));
  const Outcome dropped = fit("x,y\n0,1\n1,NA\n2,3\n,4\n3,2\n4,1\n", {"--missing", "drop"});
  EXPECT_TRUE(notes(dropped, "2 of 6 rows dropped: no value in x (1), y (1)"));
}

TEST_F(Torture, Case11NotANumberAtPredict) {
  ASSERT_EQ(fit(wave(8)).code, 0);
  for (const char* bad : {"NaN", "inf", "", "1e309", "0x10"}) {
    const Outcome o =
        covary({"predict", "m.json", file("p.csv", std::string("x,z\n0,1\n") + bad + ",1\n"), "-o", "o.csv"});
    EXPECT_TRUE(fails(o, 3, "p.csv, line 3, column 'x'")) << bad;
    EXPECT_FALSE(fs::exists(path("o.csv")));
  }
}

TEST_F(Torture, Case11MissingAtPredict) {
  model();
  const std::string points = "x,z\n0,1\n,2\n1,\nNA,4\n2,5\n";
  EXPECT_TRUE(
      fails(predicted(points), 3, "line 3, column 'x': expected a number, found none; --missing drop"));
  const Outcome o = predicted(points, {"--missing", "drop"});
  EXPECT_TRUE(notes(o, "2 of 5 rows dropped: no value in x (2)"));
  EXPECT_EQ(column(o.out, "x"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(column(o.out, "mean"), column(predict("x\n0\n1\n2\n"), "mean"));
  EXPECT_TRUE(fails(predicted("x\nNA\n\"\"\n", {"--missing", "drop"}), 3, "every row lacks a value"));
  EXPECT_TRUE(fails(predicted("x\n1\nhot\n", {"--missing", "drop"}), 3, "line 3, column 'x'"));
  const auto json = nlohmann::json::parse(predicted(points, {"--missing", "drop", "--json"}).out);
  EXPECT_EQ(json["n"], 3);
  EXPECT_EQ(json["predictions"].size(), 3U);
}

TEST_F(Torture, Case12ColumnsByName) {
  std::string csv = "alpha,beta,y\n";
  for (int i = 0; i < 12; ++i)
    csv +=
        std::to_string(i) + "," + std::to_string(i * i % 7) + "," + std::to_string(std::sin(0.5 * i)) + "\n";
  ASSERT_EQ(fit(csv).code, 0);
  const std::string straight = predict("alpha,beta\n3,2\n"), reordered = predict("beta,alpha\n2,3\n");
  EXPECT_EQ(column(straight, "mean"), column(reordered, "mean"));
  const Outcome missing = covary({"predict", "m.json", file("p.csv", "alpha,betta\n3,2\n")});
  EXPECT_TRUE(fails(missing, 3, "no column 'beta', which the model needs, did you mean 'betta'?"));
  const Outcome extra = covary({"predict", "m.json", file("p.csv", "alpha,beta,gamma,who\n3,2,9,me\n")});
  EXPECT_TRUE(notes(extra, "not used by the model: gamma, who"));
  EXPECT_EQ(column(extra.out, "mean"), column(straight, "mean"));
}

TEST_F(Torture, Case23LayoutsOfAFile) {
  model();
  const std::string plain = predict("x,z\n0.5,a\n1.5,b\n");
  const std::vector<double> mean = column(plain, "mean");
  for (const char* same :
       {"\xEF\xBB\xBFx,z\n0.5,a\n1.5,b\n", "x,z\r\n0.5,a\r\n1.5,b\r\n", "x,z\r0.5,a\r1.5,b\r",
        "x,z\n0.5,a\n1.5,b", "\n\nx,z\n\n0.5,a\n  \n1.5,b\n\n", "\"x\",\"z\"\n\"0.5\",\"a\"\n\"1.5\",\"b\"\n",
        "x;z\n0.5;a\n1.5;b\n", "x\tz\n0.5\ta\n1.5\tb\n",
        "z,x\n\"one, two\",0.5\n\"say \"\"hi\"\"\nthere\",1.5\n"}) {
    const Outcome o = predicted(same, {"--json", "-q"});
    ASSERT_EQ(o.code, 0) << same << o.err;
    const auto rows = nlohmann::json::parse(o.out)["predictions"];
    ASSERT_EQ(rows.size(), 2U) << same;
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(rows[i]["mean"], mean[i]) << same;
  }
}

TEST_F(Torture, Case23RowsAreCopiedAsTheyCame) {
  model();
  const std::string out =
      predict("\xEF\xBB\xBFz,x\r\n\"one, two\",0.50\r\n\r\n\"say \"\"hi\"\"\nthere\",+1.5");
  EXPECT_TRUE(out.starts_with("z,x,mean,sd,lower,upper\n\"one, two\",0.50,")) << out;
  EXPECT_NE(out.find("\n\"say \"\"hi\"\"\nthere\",+1.5,"), std::string::npos) << out;
}

TEST_F(Torture, Case24WhatIsNoTable) {
  model();
  using namespace std::string_literals;
  const std::map<std::string, std::string> all{
      {"", "p.csv: is empty"},
      {"x,z\n", "p.csv: has a header but no rows"},
      {"x,z\n1,2\n3\n", "p.csv, line 3: expected 2 fields"},
      {"x,z\n1,2\n3,4,5\n", "p.csv, line 3: expected 2 fields"},
      {"x,z\n1,\0\n"s, "p.csv, line 2: a NUL byte"},
      {"x,\xC3\xB6\n1,2\n3,caf\xE9\n", "p.csv, line 3: byte 0xE9 is not valid UTF-8"},
      {"\xFF\xFEx\0\n\0"s, "p.csv: is UTF-16 text"},
      {"x,z\n1,\"2\n", "p.csv, line 2: a quoted field must end"},
      {"\x1F\x8B\x08", "p.csv: is cut short"}};
  for (const auto& [bytes, message] : all) {
    EXPECT_TRUE(fails(predicted(bytes, {"-o", "o.csv"}), 3, message));
    EXPECT_TRUE(fails(covary({"fit", "p.csv", "--target", "z"}), 3, message));
    EXPECT_FALSE(fs::exists(path("o.csv")));
  }
  EXPECT_TRUE(fails(covary({"predict", "m.json", "."}), 3, ".: is a directory"));
  EXPECT_TRUE(fails(covary({"fit", ".", "--target", "y"}), 3, ".: is a directory"));
  EXPECT_TRUE(fails(covary({"fit", "none.csv", "--target", "y"}), 3, "none.csv: no such file"));
}

TEST_F(Torture, Case24NoPermission) {
  model();
  const std::string p = file("p.csv", "x\n1\n");
  fs::permissions(p, fs::perms::none);
  if (std::ifstream(p).good()) GTEST_SKIP() << "this user may read everything";
  EXPECT_TRUE(fails(covary({"predict", "m.json", p}), 3, "p.csv: no permission"));
}

TEST_F(Torture, Case25SpellingsOfANumber) {
  model();
  for (const auto& [spelling, value] : std::map<std::string, double>{
           {"+1.5", 1.5}, {".5", 0.5}, {"5.", 5}, {" 2 ", 2}, {"1e-400", 0}, {"-2e0", -2}, {"\"3\"", 3}}) {
    const Outcome o = predicted("x,z\n" + spelling + ",1\n", {"--json", "-q"});
    ASSERT_EQ(o.code, 0) << spelling << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["predictions"][0]["x"], value) << spelling;
  }
  for (const char* none : {"NA", "NaN", "nan", "null", "NULL", "N/A", "", " ", "\"\""})
    EXPECT_TRUE(notes(predicted("x,z\n1,1\n" + std::string(none) + ",1\n", {"--missing", "drop"}),
                      "1 of 2 rows dropped"));
  for (const char* bad : {"1e309", "-1e309", "0x10", "\"1,5\"", "inf", "-inf", "1_000", "1 2", "-nan"})
    EXPECT_TRUE(fails(predicted("x,z\n1,1\n" + std::string(bad) + ",1\n", {"--missing", "drop"}), 3,
                      "p.csv, line 3, column 'x': expected a"))
        << bad;
}

TEST_F(Torture, Case26DecimalComma) {
  model();
  const Outcome o = predicted("x;z\n0,5;1\n1,25;2\n");
  EXPECT_TRUE(notes(o, "the decimal mark is taken to be ','"));
  EXPECT_TRUE(notes(o, "fields are taken to be separated by ';'"));
  const Outcome json = predicted("x;z\n0,5;1\n1,25;2\n", {"--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["predictions"][1]["x"], 1.25);
  EXPECT_TRUE(fails(predicted("x;z\n1,500;1\n"), 3, "line 2: the decimal mark is ambiguous"));
  EXPECT_TRUE(fails(predicted("x;z\n1,5;1\n1.5;1\n"), 3, "the decimal mark is ambiguous"));
  const Outcome told = predicted("x;z\n1,500;1\n", {"--decimal", ",", "--json"});
  EXPECT_EQ(nlohmann::json::parse(told.out)["predictions"][0]["x"], 1.5) << told.err;
  EXPECT_TRUE(fails(predicted("x;z\n1,500;1\n", {"--decimal", "."}), 3, "column 'x'"));
  EXPECT_TRUE(
      fails(predicted("x;z\n1,5;1\n", {"--decimal", "comma"}), 2, "--decimal: expected one character"));
  EXPECT_TRUE(fails(fit("x;y\n1,500;1\n"), 3, "the decimal mark is ambiguous"));
  EXPECT_EQ(fit("x;y\n1,500;1\n2,500;3\n", {"--decimal", ",", "--delimiter", ";"}).code, 0);
}

TEST_F(Torture, Case27TheLocaleIsReallyThere) {
  ::setenv("LOCPATH", COVARY_LOCALES, 1);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
    GTEST_SKIP() << "the locale de_DE cannot be made here";
  const std::string mark = std::localeconv()->decimal_point;
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(mark, ",");
}

TEST_F(Torture, Case27TheSameBytesInAnyLocale) {
  std::map<std::string, Strings> seen;
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    const std::map<std::string, std::string> in{{"LC_ALL", locale}};
    const Outcome f =
        covary({"fit", file("d.csv", wave(20)), "--target", "y", "--starts", "1", "-o", "m.json"}, "", in);
    ASSERT_EQ(f.code, 0) << f.err;
    const Outcome csv = covary({"predict", "m.json", "d.csv"}, "", in);
    const Outcome json = covary({"predict", "m.json", "d.csv", "--json", "--interval", "99.5"}, "", in);
    const Outcome comma = covary({"predict", "m.json", file("p.csv", "x;z\n0,5;1\n")}, "", in);
    seen[locale] = {contents(path("m.json")), csv.out, csv.err, json.out, comma.out, comma.err};
  }
  EXPECT_EQ(seen["C"], seen["de_DE.UTF-8"]);
}

TEST_F(Torture, Case28Names) {
  const std::string csv =
      "H\xC3\xB6he,\xE6\xB8\xA9\xE5\xBA\xA6 \xC2\xB0"
      "C,y\n1,2,3\n2,1,2\n3,5,1\n4,2,2\n";
  const auto j = fitted({file("d.csv", csv), "--target", "y", "--starts", "1", "-o", "m.json"});
  EXPECT_EQ(j["features"], Strings({"H\xC3\xB6he",
                                    "\xE6\xB8\xA9\xE5\xBA\xA6 \xC2\xB0"
                                    "C"}));
  EXPECT_EQ(covary({"predict", "m.json", "d.csv"}).code, 0);
  EXPECT_TRUE(fails(fit("x,x,y\n1,2,3\n"), 3, "columns 1 and 2 have the same name 'x'"));
  EXPECT_TRUE(fails(fit("x,,y\n1,2,3\n"), 3, "expected a name for column 2, found none"));
}

TEST_F(Torture, Case28TenThousandColumns) {
  std::string csv = "y";
  for (int j = 1; j < 10000; ++j) csv += ",c" + std::to_string(j);
  for (int i = 0; i < 6; ++i) {
    csv += "\n" + std::to_string(i % 3);
    for (int j = 1; j < 10000; ++j) csv += "," + std::to_string((i * j) % 11);
  }
  ASSERT_EQ(fit(csv, {"--features", "c1,c9999"}).code, 0);
  const Outcome o = covary({"predict", "m.json", "d.csv"});
  EXPECT_TRUE(notes(o, "(9998 in all)"));
  EXPECT_LT(o.err.size(), 500U);
  const auto rows = cells(o.out);
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[6].size(), 10004U);
}

}  // namespace
}  // namespace covary::cli::torture_data_test
