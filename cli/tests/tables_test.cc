// Tables as the world writes them: stray cells, missing markers, names of rows, title lines, other encodings.
#include "torture/torture.h"

namespace covary::cli::tables_test {
namespace {

class Tables : public Torture {
 protected:
  /// x, z, y with one cell of z replaced, on line 7.
  static std::string with_cell(const std::string& cell, char delimiter = ',') {
    std::string csv = "x,z,y\n";
    for (int i = 0; i < 12; ++i)
      csv += std::to_string(i) + "," + (i == 5 ? cell : std::to_string(i * i % 7) + ".5") + "," +
             std::to_string(std::sin(0.5 * i)) + "\n";
    if (delimiter != ',') std::replace(csv.begin(), csv.end(), ',', delimiter);
    return csv;
  }
  /// The error of every verb that reads columns by itself or by the model's names.
  void expect_refused(const std::string& cell, const std::string& hint) {
    const std::string csv = file("d.csv", with_cell(cell, ';')), place = "d.csv, line 7, column 'z'";
    const Strings fixed{"--kernel", "fixed(se(lengthscale=1))", "--noise", "0.1"};
    for (const Strings& verb :
         {Strings{"fit"}, {"fit", "-q"}, {"check"}, {"compare"}, {"replay", "--budget", "6"}}) {
      Strings all = verb;
      all.insert(all.begin() + 1, {csv, "--target", "y", "--delimiter", ";", "--decimal", "."});
      const Outcome o = covary(all);
      EXPECT_TRUE(fails(o, 3, place)) << verb[0] << cell;
      EXPECT_TRUE(fails(o, 3, hint)) << verb[0] << cell;
    }
    for (const Strings& verb : {Strings{"predict", "xz.json", csv},
                                {"suggest", "xz.json", csv},
                                {"tell", "xz.json", csv},
                                {"sample", "xz.json", csv}}) {
      Strings all = verb;
      all.insert(all.end(), {"--delimiter", ";", "--decimal", "."});
      EXPECT_TRUE(fails(covary(all), 3, place)) << verb[0] << cell;
    }
    EXPECT_TRUE(fails(covary({"place", csv, "-k", "2", "--kernel", "se(lengthscale=1)", "--delimiter", ";",
                              "--decimal", "."}),
                      3, place));
  }
  void model_of_two() {
    const Outcome o = covary({"fit", file("xz.csv", with_cell("1.5")), "--target", "y", "--kernel",
                              "fixed(se(lengthscale=1))", "--noise", "0.1", "-o", "xz.json"});
    ASSERT_EQ(o.code, 0) << o.err;
  }
};

TEST_F(Tables, AStrayCellIsAnErrorInEveryVerb) {
  model_of_two();
  expect_refused("?", "--missing-values '?' reads it as missing");
  expect_refused("0.4.1", "correct it, or --missing-values '0.4.1'");
}

TEST_F(Tables, AStrayCellGetsTheOptionThatSaysWhatItMeans) {
  const std::map<std::string, std::string> hints{{"-", "if it stands for no value, --missing-values '-'"},
                                                 {".", "--missing-values '.'"},
                                                 {"--", "--missing-values '--'"},
                                                 {"#N/A", "--missing-values '#N/A'"},
                                                 {"n/a", "--missing-values 'n/a'"},
                                                 {"<0.5", "it is a limit, not a value"},
                                                 {"\"1,925\"", "without thousands separators"},
                                                 {"1 234", "without thousands separators"},
                                                 {"57 %", "write the number without '%'"},
                                                 {"12.5 mg", "write the number without 'mg'"},
                                                 {"0.5 # calibrated", "--comment '#' leaves it out"},
                                                 {"true", "write 1 and 0"},
                                                 {"\xE2\x88\x92"
                                                  "5",
                                                  "write '-'"}};
  for (const auto& [cell, hint] : hints) {
    const Outcome o = fit(with_cell(cell), {"-q"});
    EXPECT_TRUE(fails(o, 3, "d.csv, line 7, column 'z': expected a number, found '")) << cell;
    EXPECT_TRUE(fails(o, 3, hint)) << cell;
    EXPECT_TRUE(fails(o, 3, "--labels 'z' keeps the column as text")) << cell;
    EXPECT_FALSE(fs::exists(path("m.json")));
  }
}

TEST_F(Tables, SeveralStrayCellsAreCountedByTheirText) {
  std::string csv = "x,y\n";
  const Strings marks{"-", "?", "-", "1", "2", "3", "4", "5", "6"};
  for (size_t i = 0; i < marks.size(); ++i) csv += marks[i] + "," + std::to_string(i % 3) + "\n";
  const Outcome o = fit(csv);
  EXPECT_TRUE(fails(o, 3,
                    "d.csv, line 2, column 'x': expected a number, found '-' (3 of 9 fields are not "
                    "numbers: '-' 2 times, '?'); if it stands for no value, --missing-values '-,?'"));
  const Outcome told = fit(csv, {"--missing-values", "-,?", "--missing", "drop"});
  EXPECT_TRUE(notes(told, "3 of 9 rows dropped: no value in x (3)"));
}

TEST_F(Tables, TextStaysALabelAndAColumnNobodyAsksForDoesNoHarm) {
  EXPECT_TRUE(notes(fit("who,x,y\nann,1,2\nbob,2,3\n7,3,1\ncid,4,2\n"),
                    "left out, not read by the kernel: who (text)"));
  EXPECT_EQ(fit(with_cell("?"), {"--features", "x"}).code, 0);
  EXPECT_TRUE(notes(fit(with_cell("?"), {"--labels", "z"}), "left out, labels: z"));
  EXPECT_TRUE(fails(fit("x,y\n1,2\n2,?\n3,1\n4,2\n"), 3, "line 3, column 'y'"));
  EXPECT_TRUE(fails(covary({"replay", file("l.csv", "x,y\n1,0\n2,1\n3,?\n4,1\n5,0\n"), "--target", "y"}), 3,
                    "l.csv, line 4, column 'y'"));
}

TEST_F(Tables, MissingValuesAreWhatIsSaid) {
  const std::string csv = "x,z,y\n1,2,3\n2,-999,1\n3,-999.0,2\n4,1,--\n5,2,1\n6,0,2\n";
  EXPECT_TRUE(notes(fit(csv, {"--missing-values", "-999,--", "--missing", "drop"}),
                    "3 of 6 rows dropped: no value in z (2), y (1)"));
  model();
  EXPECT_TRUE(notes(predicted("x\n1\nn/a\n2\n", {"--missing-values", "n/a", "--missing", "drop"}),
                    "1 of 3 rows dropped: no value in x (1)"));
}

TEST_F(Tables, AnEmptyColumnIsLeftOut) {
  const Outcome o = fit("x,z,y\n1,,3\n2,NA,1\n3,,2\n4,,1\n");
  EXPECT_TRUE(notes(o, "left out, without any value: z"));
  EXPECT_TRUE(fails(fit("x,z,y\n1,,3\n2,,1\n", {"--features", "x,z"}), 3, "column 'z'"));
}

TEST_F(Tables, AnUnnamedFirstColumnNamesTheRows) {
  for (const char* csv :
       {",x,y\n0,1,3\n1,2,1\n2,3,9\n3,4,2\n4,5,1\n",                                  // pandas
        "\"\",\"x\",\"y\"\n\"a\",1,3\n\"b\",2,1\n\"c\",3,9\n\"d\",4,2\n\"e\",5,1\n",  // R
        "x,y\n\"a\",1,3\n\"b\",2,1\n\"c\",3,9\n\"d\",4,2\n\"e\",5,1\n"}) {            // R's write.table
    const auto j = fitted({file("d.csv", csv), "--target", "y", "--starts", "1", "-o", "m.json"});
    EXPECT_EQ(j["features"], Strings{"x"}) << csv;
    const Outcome o = covary({"predict", "m.json", "d.csv"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(cells(o.out)[0].size(), 7U);
    EXPECT_EQ(cells(o.out)[3].size(), 7U);
  }
  const Outcome o = covary({"check", "m.json"});
  EXPECT_TRUE(notes(o, "")) << o.err;
  EXPECT_NE(o.out.find("line 4 (c)"), std::string::npos) << o.out;
}

TEST_F(Tables, EmptyUnnamedColumnsAreSkipped) {
  const auto j = fitted({file("d.csv", "x;y;;\n1;3;;\n2;1;;\n3;2;;\n4;1;;\n"), "--target", "y", "--starts",
                         "1", "-o", "m.json"});
  EXPECT_EQ(j["features"], Strings{"x"});
  const Outcome o = covary({"predict", "m.json", "d.csv", "-q"});
  EXPECT_TRUE(o.out.starts_with("x;y;\"\";\"\";mean;sd;lower;upper\n1;3;;;")) << o.out;
  EXPECT_EQ(fit("x,y\n1,3,\n2,1,\n3,2,\n").code, 0) << "only the rows end in a comma";
  EXPECT_TRUE(fails(fit("x;y;;\n1;3;;\n2;1;7;\n"), 3,
                    "d.csv, line 1: expected a name for column 3, found none (line 3 has '7' there)"));
}

TEST_F(Tables, SeparatorLineIsObeyed) {
  model();
  const std::string mean = predicted("x;z\n0,5;1\n", {"--json", "-q"}).out;
  for (const char* first : {"sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\xEF\xBB\xBFsep=;\n"})
    EXPECT_EQ(predicted(first + std::string("x;z\n0,5;1\n"), {"--json", "-q"}).out, mean) << first;
  EXPECT_TRUE(fails(predicted("sep=;\nx;z\n0,5;1\nhot;2\n"), 3, "p.csv, line 4, column 'x'"));
}

TEST_F(Tables, Windows1252IsReadWithANote) {
  model();
  const Outcome o = predicted("x,place\n1,Z\xFCrich\n2,\x80uro\n");
  EXPECT_TRUE(notes(o, "line 2 is not UTF-8: the text is read as Windows-1252"));
  EXPECT_NE(o.out.find("\n1,Z\xC3\xBCrich,"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("\n2,\xE2\x82\xACuro,"), std::string::npos) << o.out;
  EXPECT_TRUE(
      fails(predicted("x,place\n1,Z\xC3\xBCrich\n2,Z\xFCrich\n"), 3, "line 3: byte 0xFC is not valid UTF-8"));
  EXPECT_TRUE(fails(predicted("PK\x03\x04xlsx"), 3, "save it as CSV"));
  const std::string many(1 << 21, 'a');  // beyond the first block
  EXPECT_TRUE(notes(predicted("x,place\n1," + many + "\n2,\xFC\n"), "line 3 is not UTF-8"));
}

TEST_F(Tables, TitleLinesAndCommentsAreSkippedWhenSaidAndProposed) {
  model();
  const std::string plain = predict("x,z\n0.5,1\n1.5,2\n");
  const std::string titled = "Report of the station\nmade by hand, 2024\n\nx,z\n0.5,1\n1.5,2\n";
  EXPECT_TRUE(fails(predicted("A report\nx,z\n0.5,1\n1.5,2\n"), 3,
                    "if titles or comments stand before the header, --skip N"));
  EXPECT_EQ(predicted(titled, {"--skip", "3", "-q"}).out, plain);
  EXPECT_TRUE(fails(predicted(titled, {"--skip", "30"}), 3, "p.csv: has 6 lines"));
  EXPECT_TRUE(fails(predicted("x,z\n0.5,1\nhot,2\n", {"--skip", "0"}), 3, "line 3"));
  EXPECT_TRUE(fails(predicted(titled + "hot,1\n", {"--skip", "3"}), 3, "p.csv, line 7, column 'x'"));
  const std::string commented = "# made by hand\nx,z\n0.5,1 # first\n# between\n1.5,2\n# end";
  EXPECT_TRUE(fails(predicted(commented), 3, "--skip N or --comment CHAR leaves them out"));
  EXPECT_EQ(predicted(commented, {"--comment", "#", "-q"}).out, plain);
  EXPECT_TRUE(fails(predicted("x,z\n0.5,1\n# end\n"), 3, "--comment '#'"));
  EXPECT_TRUE(fails(predicted("x,z\n1,2\n", {"--comment", "1"}), 2, "option comment"));
}

TEST_F(Tables, IdentifiersAmongThePredictorsAreNamed) {
  std::string csv = "station_id,x,y\n";
  for (int i = 0; i < 8; ++i)
    csv +=
        std::to_string(1000 + 7 * i) + "," + std::to_string(i * i % 5) + "," + std::to_string(i % 3) + "\n";
  EXPECT_TRUE(
      notes(fit(csv), "'station_id' looks like an identifier and is used as an input: --labels station_id"));
  const auto j = fitted({file("d.csv", csv), "--target", "y", "--labels", "station_id", "--starts", "1"});
  EXPECT_EQ(j["features"], Strings{"x"});
  EXPECT_EQ(fit(wave(8)).err.find("identifier"), std::string::npos);
}

TEST_F(Tables, SuggestKeepsTheDialectOfItsTable) {
  model();
  const Outcome o =
      covary({"suggest", "m.json", file("c.csv", "\xEF\xBB\xBFwho;x\r\n\"a;b\";0,50\r\nc;+7,5\r\n"), "-q"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("who;x;row;score;sd;reason\nc;+7,5;2;")) << o.out;
  EXPECT_EQ(cells(o.out, ';')[1][3].find('.'), std::string::npos) << o.out;
}

/// a, c, y with c = 3 in every row.
std::string with_constant(const std::string& value = "3") {
  std::string csv = "a,c,y\n";
  for (int i = 0; i < 20; ++i)
    csv += std::to_string(i) + "," + value + "," + std::to_string(std::sin(0.4 * i)) + "\n";
  return csv;
}

TEST_F(Tables, AConstantColumnIsIgnored) {
  for (const Strings& model : {Strings{},
                               {"--kernel", "se() + linear()"},
                               {"--kernel", "on(c, se()) + on(a, se())"},
                               {"--mean", "linear"},
                               {"--model", "kernel-ridge"},
                               {"--model", "linear"},
                               {"--model", "ridge"},
                               {"--model", "bayes", "--basis", "a, a^2, a*c, splines(a)"}}) {
    Strings all{"fit", file("d.csv", with_constant()), "--target", "y", "-o", "m.json"};
    all.insert(all.end(), model.begin(), model.end());
    const Outcome f = covary(all);
    ASSERT_EQ(f.code, 0) << f.err;
    const Outcome o = predicted("a,c\n4.5,3\n4.5,30\n4.5,-1e6\n");
    const auto mean = column(o.out, "mean"), sd = column(o.out, "sd");
    EXPECT_EQ(mean[0], mean[1]) << f.out;
    EXPECT_EQ(mean[0], mean[2]) << f.out;
    EXPECT_EQ(sd[0], sd[2]) << f.out;
    EXPECT_TRUE(
        notes(o, "column 'c' is ignored: it was 3 in every row that the model was fitted to, and 2 rows of"));
    EXPECT_EQ(predict("a\n4.5\n"),
              "a" + o.out.substr(3, o.out.find("\n4.5") - 3) + "\n4.5" +
                  o.out.substr(o.out.find(",3,") + 2, o.out.find("\n4.5,30") - o.out.find(",3,") - 2) + "\n")
        << "the column is not needed";
  }
}

TEST_F(Tables, AConstantColumnIsIgnoredWhereRowsAreChosen) {
  ASSERT_TRUE(notes(fit(with_constant()), "column 'c' is constant: it is ignored"));
  const std::string candidates = file("c.csv", "a,c\n4.5,99\n40,3\n");
  const Outcome s = covary({"suggest", "m.json", candidates});
  EXPECT_TRUE(notes(s, "column 'c' is ignored"));
  EXPECT_NE(s.out.find("\n40,3,2,"), std::string::npos) << s.out;
  const Outcome p = covary({"place", candidates, "-k", "1", "--model", "m.json", "--criterion", "entropy"});
  EXPECT_TRUE(notes(p, "column 'c' is ignored"));
  EXPECT_TRUE(notes(covary({"sample", "m.json", candidates}), "column 'c' is ignored"));
}

TEST_F(Tables, ToldRowsThatVaryAreKeptAndSaid) {
  ASSERT_EQ(fit(with_constant()).code, 0);
  const Outcome o = covary({"tell", "m.json", file("t.csv", "a,c,y\n21,8,0.1\n22,3,0.2\n")});
  EXPECT_TRUE(
      notes(o, "column 'c' is ignored: it was 3 in every row that the model was fitted to, and 1 row of"));
  const auto mean = column(predict("a,c\n4.5,3\n4.5,8\n"), "mean");
  EXPECT_EQ(mean[0], mean[1]);
}

TEST_F(Tables, AFixedKernelSaysHowAConstantColumnMatters) {
  const Outcome o = fit(with_constant(), {"--kernel", "fixed(se(lengthscale=1))", "--noise", "0.01"});
  EXPECT_TRUE(notes(o, "column 'c' is constant: only the prior says how y depends on it"));
  const auto mean = column(predict("a,c\n4,3\n4,30\n"), "mean");
  EXPECT_GT(std::abs(mean[0] - mean[1]), 0.1);
}

TEST_F(Tables, RowsKeepTheirLinesAndNamesThroughMissingDrop) {
  std::string csv = "station,x,y\n";
  for (int i = 0; i < 30; ++i)
    csv += "S" + std::to_string(i) + "," + (i % 4 == 1 ? "" : std::to_string(0.3 * i)) + "," +
           std::to_string(i == 26 ? 50.0 : std::sin(0.3 * i)) + "\n";
  const Strings kernel{"--missing", "drop", "--kernel", "fixed(se(lengthscale=1))", "--noise", "0.1"};
  ASSERT_EQ(fit(csv, kernel).code, 0);
  const std::string name = "line 28 (S26)";
  const Outcome of_model = covary({"check", "m.json", "--json", "--rows", "r.csv"});
  ASSERT_EQ(of_model.code, 0) << of_model.err;
  EXPECT_EQ(nlohmann::json::parse(of_model.out)["worst"][0]["row"], name);
  EXPECT_NE(contents(path("r.csv")).find(name), std::string::npos);
  Strings data{"check", "d.csv", "--target", "y", "--json"};
  data.insert(data.end(), kernel.begin(), kernel.end());
  const Outcome of_table = covary(data);
  EXPECT_EQ(nlohmann::json::parse(of_table.out)["worst"][0]["row"], name) << of_table.err;
  ASSERT_EQ(covary({"tell", "m.json", file("t.csv", "station,x,y\nT0,20,70\n")}).code, 0);
  const auto worst = nlohmann::json::parse(covary({"check", "m.json", "--json"}).out)["worst"];
  EXPECT_NE(worst.dump().find("t.csv, line 2 (T0)"), std::string::npos) << worst;
}

TEST_F(Tables, ABasisNeedsOnlyItsColumns) {
  std::string csv = "x,gaps,word,y\n";
  for (int i = 0; i < 12; ++i)
    csv += std::to_string(i) + (i % 3 == 0 ? ",," : ",7,") + (i == 5 ? "?" : std::to_string(i)) + "," +
           std::to_string(2 * i + i % 2) + "\n";
  for (const char* model : {"linear", "ridge", "bayes"}) {
    const auto j =
        fitted({file("d.csv", csv), "--target", "y", "--model", model, "--basis", "x, x^2", "-o", "m.json"});
    EXPECT_EQ(j["features"], Strings{"x"}) << model;
    EXPECT_EQ(j["n"], 12) << model;
    EXPECT_EQ(predicted("x\n1\n").code, 0);
  }
  const Outcome o =
      covary({"compare", "d.csv", "--target", "y", "--model", "linear", "--basis", "x", "--basis", "x, x^2"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(fails(covary({"fit", "d.csv", "--target", "y", "--model", "linear", "--basis", "x, gaps"}), 3,
                    "column 'gaps'"));
}

TEST_F(Tables, StationsWithoutReadingsAreLeftOutByName) {
  const std::string places = file("p.csv", "name,x,y\na,0,0\nb,1,0\nc,2,0\nd,3,0\ne,4,1\n");
  std::string readings = "a,b,d,e\n";
  for (int t = 0; t < 12; ++t)
    readings += std::to_string(std::sin(t)) + "," + std::to_string(std::sin(t + 0.3)) + ",," +
                std::to_string(std::cos(2.0 * t)) + "\n";
  const Outcome o =
      covary({"place", places, "-k", "2", "--history", file("h.csv", readings), "--nugget", "0.1"});
  EXPECT_TRUE(notes(o, "2 of 5 places left out, for lack of readings in the history: c, d"));
  ASSERT_GE(cells(o.out).size(), 2U) << o.out;
  for (const auto& row : cells(o.out)) EXPECT_TRUE(row[1] != "c" && row[1] != "d") << o.out;
  EXPECT_TRUE(notes(
      covary({"place", places, "-k", "1", "--history", "h.csv", "--nugget", "0.1", "--existing", "c,a"}),
      "left out"));
  EXPECT_TRUE(fails(covary({"place", places, "-k", "2", "--history", file("n.csv", "q,r\n1,2\n2,3\n3,5\n")}),
                    3, "--history: "));
}

}  // namespace
}  // namespace covary::cli::tables_test
