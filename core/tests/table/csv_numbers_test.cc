// Fields of CSV that are numbers, those that are none, and those that are missing.
#include <gtest/gtest.h>

#include <cmath>

#include "table/csv_support.h"

namespace covary::csv_test {
namespace {

TEST(CsvNumbers, MissingValuesThatAreSaid) {
  const Table t = read_csv("a,b\n-999,x\n-999.0,?\n1,y\n", {.missing = {"-999", "?"}});
  EXPECT_EQ(t.column("a").missing, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(std::isnan(t.column("a").values[0]));
  EXPECT_EQ(t.column("b").missing, (std::vector<Index>{1}));
}

TEST(CsvNumbers, SpellingsOfNumbers) {
  EXPECT_EQ(values("a\n+1.5\n.5\n-.5\n5.\n-2e3\n1E+2\n0\n1e-400\n5e-324\n", "a"),
            (Doubles{1.5, 0.5, -0.5, 5, -2000, 100, 0, 0, 5e-324}));
  EXPECT_TRUE(std::signbit(values("a\n-0\n", "a")[0]));
}

TEST(CsvNumbers, RoundedCorrectly) {
  EXPECT_EQ(
      values("a\n9007199254740993\n0.1000000000000000055511151231257827\n2.2250738585072011e-308\n", "a"),
      (Doubles{9007199254740992.0, 0.1, 2.2250738585072011e-308}));
}

TEST(CsvNumbers, OutOfRange) {
  EXPECT_EQ(number_error("a,b\n1,2\n1e309,3\n", "a"),
            "data: f.csv, line 3, column 'a': expected a number, found '1e309', which is out of range");
  EXPECT_EQ(number_error("a,b\n1,2\n1e309,3\n", "b"), "no error") << "a column that nobody uses does no harm";
  EXPECT_EQ(number_error("a\n-1e309\n", "a"),
            "data: f.csv, line 2, column 'a': expected a number, found '-1e309', which is out of range");
}

TEST(CsvNumbers, NotFinite) {
  for (const std::string word : {"inf", "-inf", "Infinity", "+Inf", "INF"}) {
    EXPECT_EQ(number_error("t,a\n0,1\n1,2\n2," + word + "\n", "a"),
              "data: f.csv, line 4, column 'a': expected a finite number, found '" + word + "'");
  }
}

TEST(CsvNumbers, InfinityInADroppedRowIsNotUsed) {
  const Table t = read_csv("a,b\n1,2\ninf,NA\n3,4\ninf,5\n", {}, "f.csv");
  EXPECT_EQ(t.column("a").kind, Column::Kind::number);
  EXPECT_EQ(internal::numbers(t, {"a"}, {0, 2}), (Matrix(2, 1) << 1, 3).finished());
  EXPECT_EQ(error_of([&] {
              internal::numbers(t, {"a"}, {0, 3});
            }),
            "data: f.csv, line 5, column 'a': expected a finite number, found inf");
}

TEST(CsvNumbers, NotNumbers) {
  for (const std::string word : {"0x10", "hot", "1_000", "-nan", "NAN", "1.5.2", "--1", "+-1", "+", "-", ".",
                                 "1e", "1e+", "1 2", "1f", "nan(1)", "1.5;"}) {
    const std::string expected =
        "data: f.csv, line 3, column 'temp': expected a number, found '" + word + "'";
    EXPECT_EQ(number_error("temp,b\n1,2\n" + word + ",3\n2,3\n", "temp").substr(0, expected.size()),
              expected);
  }
}

TEST(CsvNumbers, StrayFieldsAreCounted) {
  const Table t = read_csv("a,b,c\n1,x,1\n-,2,2\n3,y,3\n?,4,4\n-,5,5\n6,z,6\n7,8,7\n", {}, "f.csv");
  const std::optional<internal::Strays> s = internal::strays(t, t.column("a"));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->row, 1);
  EXPECT_EQ(s->numbers, 4);
  EXPECT_EQ(s->others, 3);
  EXPECT_EQ(s->texts, (std::vector<std::pair<std::string, Index>>{{"-", 2}, {"?", 1}}));
  EXPECT_TRUE(internal::strays(t, t.column("b")));
  EXPECT_FALSE(internal::strays(t, t.column("c")));
  const Table half = read_csv("a,b\n1,1\nx,2\n");
  EXPECT_FALSE(internal::strays(half, half.column("a"))) << "half is not most";
  const Table kept = read_csv("a,b\n1,1\nx,2\n2,1\n", {.text = {"a"}});
  EXPECT_FALSE(internal::strays(kept, kept.column("a"))) << "asked for as text";
}

TEST(CsvNumbers, LongAndStrangeFieldsAreShownOnOneLine) {
  EXPECT_EQ(
      number_error("a,b\n\"x\ny\x1B[2J" + std::string(100, 'z') + "\",1\n", "a"),
      "data: f.csv, line 2, column 'a': expected a number, found 'x y [2J" + std::string(33, 'z') + "...'");
}

TEST(CsvNumbers, MissingTokens) {
  const Table t =
      read_csv("a,b\n1,1\n,2\nNA,3\nNaN,4\nnan,5\nnull,6\nNULL,7\nN/A,8\n NA ,9\n\"NA\",10\n11,11\n");
  const Column& c = t.column("a");
  EXPECT_EQ(c.kind, Column::Kind::number);
  EXPECT_EQ(c.missing, (std::vector<Index>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(internal::complete_rows(t, {"a"}, Missing::drop), (std::vector<Index>{0, 10}));
}

TEST(CsvNumbers, MissingInTextUnlessQuoted) {
  const Column c = read_csv("a,b\nx,1\nNA,2\n\"NA\",3\n,4\n\"\",5\n").column("a");
  EXPECT_EQ(c.missing, (std::vector<Index>{1, 3}));
  EXPECT_EQ(c.texts, (Strings{"x", "", "NA", "", ""}));
}

TEST(CsvNumbers, ColumnThatTurnsOutToBeTextKeepsItsSpelling) {
  const Table t = read_csv("a,b\n007,1\n1.50,2\n\"NA\",3\nNA,4\nhot,5\n1e309,6\n", {}, "f.csv");
  EXPECT_EQ(t.column("a").texts, (Strings{"007", "1.50", "NA", "", "hot", "1e309"}));
  EXPECT_EQ(t.column("a").missing, (std::vector<Index>{3}));
  EXPECT_EQ(t.column("b").values, (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(t.lines.line(5), 7);
}

TEST(CsvNumbers, NumbersKeptAsTextIfAsked) {
  const Table t = read_csv("bits,y\n0101,1\n0011,2\n", {.text = {"bits"}}, "f.csv");
  EXPECT_EQ(internal::texts(t, "bits", {0, 1}), (Strings{"0101", "0011"}));
  EXPECT_EQ(error_of([&] { internal::numbers(t, {"bits"}, {0}); }),
            "data: f.csv, line 2, column 'bits': expected a number, the column is text");
  EXPECT_EQ(read_error("bits,y\n1,2\n", {.text = {"bit"}}),
            "usage: f.csv has no column 'bit', did you mean 'bits'?");
}

}  // namespace
}  // namespace covary::csv_test
