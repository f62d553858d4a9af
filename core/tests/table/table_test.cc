// Tables: columns by name, missing values, and writing what reads back the same.
#include "covary/table/table.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <locale>
#include <random>
#include <sstream>

#include "covary/base/error.h"

namespace covary::table_test {
namespace {

using Strings = std::vector<std::string>;
using Kind = Column::Kind;

template <class F>
std::string message(Problem problem, F act) {
  try {
    act();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem);
    return e.what();
  }
  return "no error";
}

std::string written(const Table& table, char delimiter = ',') {
  std::string out;
  write_csv(out, table, delimiter);
  return out;
}

TEST(Table, ColumnsByName) {
  const Table t = read_csv("temp,depth\n1,2\n", {}, "f.csv");
  EXPECT_EQ(t.column("depth").values, std::vector<double>{2});
  EXPECT_EQ(t.find("width"), nullptr);
  EXPECT_EQ(message(Problem::usage, [&] { t.column("tmep"); }),
            "f.csv has no column 'tmep', did you mean 'temp'?");
  EXPECT_EQ(message(Problem::usage, [&] { t.column("oxygen_saturation"); }),
            "f.csv has no column 'oxygen_saturation', it has temp, depth");
  EXPECT_EQ(message(Problem::usage,
                    [&] {
                      internal::numbers(t, {"temp", "dept"}, {0});
                    }),
            "f.csv has no column 'dept', did you mean 'depth'?");
}

TEST(Table, NumbersInTheOrderAskedFor) {
  const Table t = read_csv("a,b,extra\n1,2,x\n3,4,y\n5,6,z\n");
  const Matrix x = internal::numbers(t, {"b", "a"}, {2, 0});
  EXPECT_EQ(x, (Matrix(2, 2) << 6, 5, 2, 1).finished());
}

TEST(Table, MissingIsAnErrorOrDropsTheRow) {
  const Table t = read_csv("a,b,c\n1,2,\n3,,x\n,6,y\n7,8,z\n", {}, "f.csv");
  EXPECT_EQ(internal::complete_rows(t, {"a", "b"}, Missing::drop), (std::vector<Index>{0, 3}));
  EXPECT_EQ(internal::complete_rows(t, {"a", "b", "c"}, Missing::drop), std::vector<Index>{3});
  EXPECT_EQ(internal::complete_rows(t, {}, Missing::error).size(), 4U);
  EXPECT_EQ(internal::present_rows(t, {"a", "b"}), (std::vector<Index>{0, 3}));
  EXPECT_EQ(message(Problem::data,
                    [&] {
                      internal::complete_rows(t, {"a", "b"}, Missing::error);
                    }),
            "f.csv, line 3, column 'b': the value is missing (2 of 4 rows lack one)");
  EXPECT_EQ(message(Problem::data, [&] { internal::numbers(t, {"a"}, {2}); }),
            "f.csv, line 4, column 'a': expected a number, found none");
  EXPECT_EQ(message(Problem::data, [&] { internal::texts(t, "c", {0}); }),
            "f.csv, line 2, column 'c': expected text, found none");
}

TEST(Table, NoCompleteRow) {
  const Table t = read_csv("a,b\n1,NA\nNA,2\n", {}, "f.csv");
  EXPECT_TRUE(internal::present_rows(t, {"a", "b"}).empty());
  EXPECT_EQ(message(Problem::data,
                    [&] {
                      internal::complete_rows(t, {"a", "b"}, Missing::drop);
                    }),
            "f.csv, line 2, column 'b': the value is missing (2 of 2 rows lack one; no row is complete)");
}

TEST(Table, TextOfAColumnOfNumbers) {
  const Table t = read_csv("a\n1\n", {}, "f.csv");
  EXPECT_EQ(message(Problem::data, [&] { internal::texts(t, "a", {0}); }),
            "f.csv, line 2, column 'a': expected text, the column is numbers (the option text keeps it as it "
            "stands)");
}

TEST(Table, PlacesInATableFromNoFile) {
  const Table t{.columns = {{.name = "a", .values = {1, std::nan("")}}}};
  EXPECT_EQ(message(Problem::data, [&] { internal::numbers(t, {"a"}, {1}); }),
            "row 2, column 'a': expected a finite number, found nan");
}

TEST(LineMap, RunsOfConsecutiveLines) {
  internal::LineMap lines;
  EXPECT_EQ(lines.line(0), 0);
  const std::vector<Index> at = {2, 3, 4, 7, 8, 12, 13};
  for (Index row = 0; row < std::ssize(at); ++row) lines.add(row, at[static_cast<size_t>(row)]);
  for (Index row = 0; row < std::ssize(at); ++row) EXPECT_EQ(lines.line(row), at[static_cast<size_t>(row)]);
}

TEST(WriteCsv, ShortestNumbers) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Table t{.columns = {{.name = "a", .values = {0.1, 1, -0.0, 1e22, tiny, 1.0 / 3}}}};
  EXPECT_EQ(written(t), "a\n0.1\n1\n-0\n1e+22\n5e-324\n0.3333333333333333\n");
  EXPECT_EQ(internal::format_number(-2.5), "-2.5");
}

TEST(WriteCsv, QuotesWhereNeeded) {
  Column c{.name = "a,b",
           .kind = Kind::text,
           .texts = {"x", "a,b", "\"", "", "NA", " y", "l\nm", ""},
           .missing = {7}};
  EXPECT_EQ(written({.columns = {c}}), "\"a,b\"\nx\n\"a,b\"\n\"\"\"\"\n\"\"\n\"NA\"\n\" y\"\n\"l\nm\"\nNA\n");
}

TEST(WriteCsv, StreamAndStringAgree) {
  Table t{.columns = {{.name = "a"}}};
  for (int i = 0; i < 50000; ++i) t.columns[0].values.push_back(std::sqrt(i));
  std::ostringstream out;
  write_csv(out, t);
  EXPECT_EQ(out.str(), written(t));
}

/// Any double that is finite: every bit pattern is as likely.
double any_finite(std::mt19937_64& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) return value;
  }
}

std::string any_text(std::mt19937_64& random) {
  static const Strings pieces = {"a",    "1",  ",", ";", "\t", "|",  "\"", "\n",
                                 "\r\n", "\r", " ", "é", "温", "NA", "."};
  std::string out;
  for (size_t n = random() % 6; n > 0; --n) out += pieces[random() % pieces.size()];
  return out;
}

Column any_column(std::mt19937_64& random, size_t j, size_t rows) {
  Column c{.name = any_text(random) + " column " + std::to_string(j)};
  if (random() % 2 == 0) c.kind = Kind::text;
  for (size_t i = 0; i < rows; ++i) {
    const bool missing = random() % 8 == 0;
    if (missing) c.missing.push_back(static_cast<Index>(i));
    if (c.kind == Kind::number) c.values.push_back(missing ? std::nan("") : any_finite(random));
    if (c.kind == Kind::text) c.texts.push_back(missing ? "" : i == 0 ? "word" : any_text(random));
  }
  return c;
}

void expect_same(const Column& a, const Column& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.missing, b.missing);
  EXPECT_EQ(a.texts, b.texts);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (std::isnan(a.values[i]) && std::isnan(b.values[i])) continue;
    EXPECT_EQ(std::bit_cast<uint64_t>(a.values[i]), std::bit_cast<uint64_t>(b.values[i]));
  }
}

TEST(WriteCsv, ReadsBackTheSameBitsWithAnyDelimiter) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    Table t;
    const size_t columns = 1 + random() % 5, rows = 1 + random() % 20;
    for (size_t j = 0; j < columns; ++j) t.columns.push_back(any_column(random, j, rows));
    for (const char delimiter : {',', ';', '\t', '|', ' ', ':'}) {
      const std::string text = written(t, delimiter);
      const Strings names = [&] {
        Strings out;
        for (const Column& c : t.columns) {
          if (c.kind == Kind::text) out.push_back(c.name);
        }
        return out;
      }();
      const Table back = read_csv(text, {.delimiter = delimiter, .decimal = '.', .text = names});
      ASSERT_EQ(back.columns.size(), columns) << text;
      for (size_t j = 0; j < columns; ++j) expect_same(t.columns[j], back.columns[j]);
      EXPECT_EQ(written(back, delimiter), text);
    }
  }
}

TEST(WriteCsv, DelimiterIsFoundAgain) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    Table t;
    for (size_t j = 0; j < 3; ++j) t.columns.push_back(any_column(random, j, 10));
    for (const char delimiter : {',', ';', '\t', '|'}) {
      EXPECT_EQ(read_csv(written(t, delimiter), {.decimal = delimiter == ',' ? '\0' : '.'}).delimiter,
                delimiter);
    }
  }
}

// Anything at all is either read or refused with an Error.
TEST(ReadCsv, SurvivesAnyText) {
  static const Strings pieces = {"1",     "a",    ",", ";", "\t",  "|",   "\"", "\n",           "\r\n",
                                 "\r",    "\xFF", " ", "é", "1,5", "2.5", "NA", "\xEF\xBB\xBF", "-inf",
                                 "1e999", "x,y\n"};
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
    try {
      const Table t = read_csv(text);
      for (const Column& c : t.columns) ASSERT_EQ(c.rows(), t.rows()) << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.problem(), Problem::data) << text;
    }
  }
}

/// Numbers as Germans write them.
class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

void expect_no_locale() {
  const std::string text = "a,b\n1.5,1234567.25\n-0.001,1e-10\n";
  const Table t = read_csv(text);
  EXPECT_EQ(t.column("a").values, (std::vector<double>{1.5, -0.001}));
  EXPECT_EQ(written(t), text);
  std::ostringstream out;
  write_csv(out, t);
  EXPECT_EQ(out.str(), text);
  EXPECT_EQ(read_csv("1\n2\n3\n").lines.line(2), 3);
}

TEST(Locale, OfStreamsIsIgnored) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  expect_no_locale();
  std::locale::global(before);
}

TEST(Locale, OfTheProcessIsIgnored) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  setenv("LOCPATH", COVARY_LOCALES, 1);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr && std::setlocale(LC_ALL, "de_DE") == nullptr) {
    GTEST_SKIP() << "this machine has no locale de_DE";
  }
  EXPECT_EQ(std::string(std::localeconv()->decimal_point), ",");
  expect_no_locale();
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace covary::table_test
