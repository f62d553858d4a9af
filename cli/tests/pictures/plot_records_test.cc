// covary plot of dates, categories, texts, sets, graphs and nodes.
#include "pictures/pictures.h"

namespace covary::cli::plot_records_test {
namespace {

class PlotRecords : public Plot {
 protected:
  /// A process of these rows in m.json, without a search.
  void process(const std::string& rows, const std::string& kernel, Strings more = {}) {
    more.insert(more.begin(), {file("d.csv", rows), "--target", "y", "--kernel", "fixed(" + kernel + ")",
                               "--noise", "0.01", "-o", "m.json"});
    fitted(more);
  }
  /// 40 months from 1990 on.
  static std::string months() {
    std::string rows = "month,y\n";
    for (int i = 0; i < 40; ++i)
      rows += std::to_string(1990 + i / 12) + (i % 12 < 9 ? "-0" : "-") + std::to_string(i % 12 + 1) +
              "-01," + std::to_string(std::sin(0.5 * i)) + "\n";
    return rows;
  }
  static std::string lab(const Strings& catalysts) {
    std::string rows = "temp,catalyst,y\n";
    for (int i = 0; i < 30; ++i)
      rows += std::to_string(20 + 7 * i % 31) + "," + catalysts[size_t(i) % catalysts.size()] + "," +
              std::to_string(std::cos(0.3 * i)) + "\n";
    return rows;
  }
  static std::string words() {
    std::string rows = "word,y\n";
    for (const char* word : {"aab", "aba", "xyz", "xzy", "aaba", "xyzz"})
      rows += std::string(word) + ",1.5\n";
    return rows;
  }
};

TEST_F(PlotRecords, DatesHaveYearsOnTheirAxis) {
  process(months(), "se(lengthscale=90 days)");
  for (const char* kind : {"curve", "slices"}) {
    const auto all = elements(plot({"--kind", kind}));
    EXPECT_TRUE(says(all, "1991") && says(all, "1993")) << kind;
  }
  expect_readable_at_any_width({});
  expect_readable_at_any_width({"--kind", "slices"});
}

TEST_F(PlotRecords, OverDates) {
  process(months(), "se(lengthscale=90 days)");
  const auto all = elements(plot({"--over=2000-01-01,2020-01-01"}));
  EXPECT_TRUE(says(all, "2015"));
  EXPECT_TRUE(says(elements(plot({"--over=2000,2020"})), "2015"));
  const auto part = elements(plot({"--over=1991-01-01,1991-12-31"}));
  EXPECT_EQ(number_of(part, "circle"), 12U);
  EXPECT_TRUE(says(part, "28 observations lie outside this range."));
  EXPECT_TRUE(says(part, "(1991)"));
  const auto refused = [&](const char* over) { return covary({"plot", "m.json", "--over", over}); };
  EXPECT_TRUE(fails(refused("2000-02-30,2001-01-01"), 2, "expected a date"));
  EXPECT_TRUE(fails(refused("2001-01-01,2000-01-01"), 2, "an earlier date"));
  EXPECT_TRUE(fails(refused("2001-01-01"), 2, "expected two dates"));
}

TEST_F(PlotRecords, AMapOfADateHasYears) {
  std::string rows = "day,depth,y\n";
  for (int i = 0; i < 30; ++i)
    rows += std::to_string(1990 + i) + "-05-01," + std::to_string(i * 7 % 11) + "," + std::to_string(i % 5) +
            "\n";
  process(rows, "se(lengthscale=[2000, 3])");
  EXPECT_TRUE(says(elements(plot({"--grid", "10"})), "2000"));
  expect_readable_at_any_width({"--grid", "10"});
}

TEST_F(PlotRecords, ACategoryIsColumnsOfIntervals) {
  process("catalyst,y\nPd,1\nPt,2\nPd,1.2\nNi,3\nPt,2.2\nNi,2.9\n", "category(correlation=0.2)",
          {"--features", "catalyst"});
  const auto all = elements(plot({"--interval", "50,95"}));
  for (const char* word : {"Pd", "Pt", "Ni", "50 % interval of f", "95 % interval of f", "mean of f"})
    EXPECT_TRUE(says(all, word)) << word;
  EXPECT_EQ(number_of(all, "circle"), 6U);  // a dot for each row
  expect_readable_at_any_width({});
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--samples", "2"}), 2, "--samples does not apply"));
}

TEST_F(PlotRecords, LongNamesOfLevelsAreTurnedAndShortened) {
  std::string rows = "site,y\n";
  for (int i = 0; i < 90; ++i)
    rows += "a site with a long name " + std::to_string(i % 45) + "," + std::to_string(i) + "\n";
  process(rows, "category(correlation=0.2)", {"--type", "site=category", "--features", "site"});
  EXPECT_TRUE(says(elements(plot()), "The 40 of 45 levels of site that have the most rows."));
  expect_readable_at_any_width({});
}

TEST_F(PlotRecords, ANumberAndACategoryAreACurveForEachLevel) {
  process(lab({"Pd", "Pt", "Ni"}), "se(lengthscale=9) * category(correlation=0.4)");
  const auto all = elements(plot());
  for (const char* word : {"Pd", "Pt", "Ni", "y from temp by catalyst"}) EXPECT_TRUE(says(all, word)) << word;
  EXPECT_EQ(number_of(all, "circle"), 30U);
  expect_readable_at_any_width({});
  process(lab({"a", "b", "c", "d", "e", "f", "g", "h"}), "se(lengthscale=9) * category(correlation=0.4)");
  EXPECT_TRUE(says(elements(plot()), "The 6 of 8 levels"));
}

TEST_F(PlotRecords, SlicesOfMixedRecordsSayWhatIsHeld) {
  std::string rows = "day,temp,catalyst,word,y\n";
  for (int i = 0; i < 24; ++i)
    rows += std::to_string(1990 + i) + "-05-01," + std::to_string(i * 5 % 24) + "," +
            (i % 3 == 0 ? "Pd" : "Pt") + ",w" + std::to_string(i) + "x," + std::to_string(std::sin(i)) + "\n";
  process(rows,
          "on(day, se(lengthscale=5 years)) * on(temp, se(lengthscale=9)) * on(catalyst, "
          "category(correlation=0.4)) * on(word, spectrum(k=1))");
  const auto all = elements(plot({"--kind", "slices"}));
  for (const char* word :
       {"2000", "Pd", "Pt", "most frequent level: catalyst = Pt", "Without a slice: word, as in "})
    EXPECT_TRUE(says(all, word)) << word;
  expect_readable_at_any_width({"--kind", "slices"});
  const auto moved = elements(plot({"--kind", "slices", "--at", "catalyst=Pd,day=2001-05-01"}));
  EXPECT_TRUE(says(moved, "but catalyst = Pd, day = 2001-05-01"));
  EXPECT_FALSE(says(moved, "most frequent"));
  EXPECT_TRUE(
      fails(covary({"plot", "m.json", "--kind", "slices", "--at", "catalyst=Pq"}), 2, "no level 'Pq'"));
  EXPECT_TRUE(
      fails(covary({"plot", "m.json", "--kind", "curve"}), 2, "it can be drawn as observed, slices, kernel"));
}

TEST_F(PlotRecords, TextIsAMatrixOfCorrelations) {
  process(words(), "spectrum(k=1)", {"--type", "word=text"});
  const std::string svg = plot();
  const auto all = elements(svg);
  for (const char* word : {"aab", "xyzz", "average-linkage", "prior correlation of f", "spectrum(k=1)"})
    EXPECT_TRUE(says(all, word)) << word;
  expect_readable_at_any_width({});
  // words of the same letters stand side by side
  std::string order;
  for (const Element& e : all)
    if (e.name == "text" && (e.text[0] == 'a' || e.text[0] == 'x') && e.text.size() < 5) order += e.text[0];
  EXPECT_TRUE(order.substr(0, 6) == "aaaxxx" || order.substr(0, 6) == "xxxaaa") << order;
  EXPECT_TRUE(
      fails(covary({"plot", "m.json", "--kind", "slices"}), 2, "it can be drawn as kernel, observed"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--of", "y"}), 2, "--of does not apply to --kind kernel"));
}

/// Texts that differ only where they are cut are named by their rows.
TEST_F(PlotRecords, LongTextsThatLookAlikeAreNamedByTheirRows) {
  std::string rows = "word,y\n";
  const std::string same(40, 'a');
  for (const char c : {'b', 'c', 'd', 'e', 'f', 'g'}) rows += same + c + same + ",1\n";
  process(rows, "spectrum(k=1)", {"--type", "word=text"});
  EXPECT_TRUE(says(elements(plot()), "line 2"));
}

TEST_F(PlotRecords, AMatrixOfManyRowsShowsSomeOfThem) {
  model({"a", "b", "c"}, "y", 200);
  const auto all = elements(plot({"--kind", "kernel"}));
  EXPECT_TRUE(says(all, "Of the 200 rows a random 60 are drawn."));
  expect_readable_at_any_width({"--kind", "kernel"});
  weights("linear", {"a"});
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "kernel"}), 2,
                    "it can be drawn as curve, observed, slices, weights"));
}

}  // namespace
}  // namespace covary::cli::plot_records_test
