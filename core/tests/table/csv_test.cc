// Reading CSV: what must be read, what must be refused and in which words.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#ifdef __unix__
#include <unistd.h>
#endif

#include "table/csv_support.h"

namespace covary::csv_test {
namespace {

namespace fs = std::filesystem;
using Header = CsvOptions::Header;

/// A file that goes away with the test.
class File {
 public:
  explicit File(std::string_view text) : path_(fresh()) { std::ofstream(path_, std::ios::binary) << text; }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { fs::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  static fs::path fresh() {
    std::random_device random;
    return fs::path(testing::TempDir()) / ("covary_csv_test_" + std::to_string(random()) + ".csv");
  }
  fs::path path_;
};

TEST(CsvLayout, PlainTable) {
  const Table t = read_csv("a,b\n1,2\n3,4\n");
  EXPECT_EQ(t.names(), (Strings{"a", "b"}));
  EXPECT_EQ(t.rows(), 2);
  EXPECT_EQ(t.column("a").values, (Doubles{1, 3}));
  EXPECT_EQ(t.column("b").values, (Doubles{2, 4}));
  EXPECT_TRUE(t.notes.empty());
}

TEST(CsvLayout, ByteOrderMark) {
  EXPECT_EQ(values("\xEF\xBB\xBF"
                   "a,b\n1,2\n",
                   "a"),
            Doubles{1});
}

TEST(CsvLayout, LineEnds) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    EXPECT_EQ(values("a,b" + end + "1,2" + end + "3,4" + end, "b"), (Doubles{2, 4}));
    EXPECT_EQ(values("a,b" + end + "1,2" + end + "3,4", "b"), (Doubles{2, 4})) << "no final newline";
  }
}

TEST(CsvLayout, BlankLinesAreSkippedAndCounted) {
  const Table t = read_csv("\n \t\r\na,b\n\n1,2\n   \n3,4\n\n\n", {}, "f.csv");
  EXPECT_EQ(t.column("b").values, (Doubles{2, 4}));
  EXPECT_EQ(t.lines.line(0), 5);
  EXPECT_EQ(t.lines.line(1), 7);
}

TEST(CsvLayout, TabsAreNotBlankWhereTheySeparate) {
  const Table t = read_csv("a\tb\n1\t2\n\t\n");
  EXPECT_EQ(t.rows(), 2);
  EXPECT_EQ(t.column("b").missing, std::vector<Index>{1});
}

TEST(CsvLayout, QuotedCommasQuotesAndNewlines) {
  const Table t =
      read_csv("\"na\"\"me\",n\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"two\r\nlines\",3\n\"\",4\nplain,5\n");
  const Column& c = t.column("na\"me");
  EXPECT_EQ(c.texts, (Strings{"a,b", "say \"hi\"", "two\r\nlines", "", "plain"}));
  EXPECT_TRUE(c.missing.empty()) << "quoted emptiness is text";
  EXPECT_EQ(t.column("n").values, (Doubles{1, 2, 3, 4, 5}));
  EXPECT_EQ(t.lines.line(2), 4);
  EXPECT_EQ(t.lines.line(3), 6) << "the quoted newline counts";
}

TEST(CsvLayout, QuotedNumbersAreNumbers) {
  EXPECT_EQ(values("\"a\",\"b\"\n\"1.5\",\"2\"\n\"\",\"3\"", "b"), (Doubles{2, 3}));
}

TEST(CsvLayout, QuoteInsideAFieldIsItself) {
  EXPECT_EQ(read_csv("a,b\n5'10\",1\n").column("a").texts, Strings{"5'10\""});
}

TEST(CsvLayout, SpacesAroundNumbersAndNames) {
  const Table t = read_csv("a, b , c\n 1, 2 ,\t3\n4,5,6\n");
  EXPECT_EQ(t.names(), (Strings{"a", "b", "c"}));
  EXPECT_EQ(t.column("b").values, (Doubles{2, 5}));
  EXPECT_EQ(t.column("c").values, (Doubles{3, 6}));
}

TEST(CsvLayout, SpacesInTextStay) { EXPECT_EQ(read_csv("a,b\n x ,1\n").column("a").texts, Strings{" x "}); }

TEST(CsvRefuses, EmptyFile) {
  for (const char* text : {"", "\n\n", "  \r\n", "\xEF\xBB\xBF"})
    EXPECT_EQ(read_error(text), "data: f.csv: is empty");
}

TEST(CsvRefuses, HeaderOnly) {
  for (const char* text : {"a,b", "a,b\n", "a,b\n\n \n"}) {
    EXPECT_EQ(read_error(text), "data: f.csv: has a header but no rows");
  }
}

TEST(CsvRefuses, RaggedRows) {
  EXPECT_EQ(read_error("a,b,c\n1,2,3\n1,2\n"),
            "data: f.csv, line 3: expected 3 fields separated by ',', found 2");
  EXPECT_EQ(read_error("a,b\n1,2\n\n1,2,3,4\n"),
            "data: f.csv, line 4: expected 2 fields separated by ',', found 4");
  EXPECT_EQ(read_error("x\n1,5\n"), "data: f.csv, line 2: expected 1 field separated by ',', found 2");
  EXPECT_EQ(read_error("a;b\n1;2\n3;\"x\ny\"\n4\n"),
            "data: f.csv, line 5: expected 2 fields separated by ';', found 1");
}

TEST(CsvRefuses, NulByte) {
  EXPECT_EQ(read_error(std::string_view("a,b\n1,\0\n", 8)),
            "data: f.csv, line 2: a NUL byte, expected text (at byte 6 of the file); save it as UTF-8 text");
}

TEST(CsvRefuses, InvalidUtf8) {
  const std::string unicode = "\xC3\xB6,b\n1,2\n";  // so what follows is not Windows-1252
  EXPECT_EQ(
      read_error(unicode + "caf\xE9,3\n"),
      "data: f.csv, line 3: byte 0xE9 is not valid UTF-8 (at byte 12 of the file); save it as UTF-8 text");
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF5", "\xE2\x82", "\xC3("}) {
    EXPECT_NE(read_error(unicode + "3," + std::string(bad) + "\n").find("line 3"), std::string::npos) << bad;
  }
  EXPECT_NE(read_error("\xEF\xBB\xBF"
                       "a,b\n1,2\n3,\xE9\n")
                .find("line 3"),
            std::string::npos)
      << "a byte order mark";
  for (const char* undefined : {"\x81", "\x8D", "\x8F", "\x90", "\x9D", "\xE9\x01"})
    EXPECT_NE(read_error("a,b\n1,2\n3," + std::string(undefined) + "\n").find("line 3"), std::string::npos);
}

TEST(CsvLayout, Windows1252) {
  const Table t = read_csv("who,n\nZ\xFCrich,1\n\x93\x80\x94,2\n\xFF,3\n", {}, "f.csv");
  EXPECT_EQ(t.column("who").texts, (Strings{"Z\u00fcrich", "\u201c\u20ac\u201d", "\u00ff"}));
  EXPECT_EQ(t.notes, Strings{"line 2 is not UTF-8: the text is read as Windows-1252"});
  std::string text = "who,n\n";
  for (int i = 0; i < 200000; ++i) text += "\xE9" + std::to_string(i) + ",1\n";  // more than one block
  const Table many = read_csv(text);
  EXPECT_EQ(many.rows(), 200000);
  EXPECT_EQ(many.column("who").texts.back(),
            "\u00e9"
            "199999");
}

TEST(CsvLayout, SeparatorLineSkipAndComments) {
  EXPECT_EQ(values("sep=|\na|b\n1|2\n", "b"), Doubles{2});
  EXPECT_EQ(values("sep=;\na,b\n1,2\n", "b", {.delimiter = ','}), Doubles{2}) << "what is said counts";
  EXPECT_EQ(values("sep=5\n1,2\n", "sep=5", {.delimiter = ';', .decimal = ','}), Doubles{1.2})
      << "no delimiter: a name";
  for (const char* name : {"sep=;", "sep=", "sep=:", "SEP=|"}) {  // no separator line when it is written
    Table odd;
    odd.columns.push_back({.name = name, .kind = Column::Kind::number, .values = {1, 2}});
    std::string text;
    write_csv(text, odd, ';');
    EXPECT_EQ(read_csv(text, {.header = CsvOptions::Header::yes}).columns[0].name, name) << text;
  }
  const Table t = read_csv("title\r\nmore, of it\r\na,b\r\n1,2\r\n#x\r\n3,4 # y\r\n",
                           {.skip = 2, .comment = '#'}, "f.csv");
  EXPECT_EQ(t.column("b").values, (Doubles{2, 4}));
  EXPECT_EQ(t.lines.line(0), 4);
  EXPECT_EQ(t.lines.line(1), 6);
  EXPECT_EQ(read_error("a\n1\n", {.skip = 5}), "data: f.csv: has 2 lines, expected more than the 5 to skip");
  CsvReader in("a,b\n1,\"x\" # y\n2,z # w\n", {.comment = '#'}, "f.csv");
  ASSERT_TRUE(in.next(5));
  EXPECT_EQ(in.text(0), "1,\"x\"");
  EXPECT_EQ(in.text(1), "2,z");
}

TEST(CsvLayout, UnnamedColumns) {
  const Table t = read_csv(",a,b,\n7,1,2,\n8,3,4,\n");
  EXPECT_EQ(t.names(), (Strings{"a", "b"}));
  EXPECT_EQ(t.columns[0].texts, (Strings{"7", "8"}));
  EXPECT_EQ(t.column("b").values, (Doubles{2, 4}));
  const Table r = read_csv("a,b\n\"r1\",1,2\n\"r2\",3,4\n");
  EXPECT_EQ(r.columns[0].texts, (Strings{"r1", "r2"}));
  EXPECT_EQ(r.column("a").values, (Doubles{1, 3}));
  EXPECT_EQ(values("a,b\n1,2,\n3,4,\n", "b"), (Doubles{2, 4}));
  EXPECT_NE(read_error("x\n1,5\n2,5\n"), "no error") << "a decimal comma is not the name of a row";
  EXPECT_EQ(read_error(",,\n1,2,3\n"), "data: f.csv, line 1: expected names of columns, found none");
}

TEST(CsvRefuses, Utf16) {
  const std::string expected = "data: f.csv: is UTF-16 text, expected UTF-8: save it as UTF-8";
  EXPECT_EQ(read_error(std::string_view("\xFF\xFE"
                                        "a\0,\0",
                                        6)),
            expected);
  EXPECT_EQ(read_error(std::string_view("\xFE\xFF"
                                        "\0a\0,",
                                        6)),
            expected);
}

TEST(CsvRefuses, BrokenQuotes) {
  const std::string rule =
      "a quoted field must end in a quote that a delimiter or the end of the line follows";
  EXPECT_EQ(read_error("a,b\n1,2\n3,\"x\n4,5\n"), "data: f.csv, line 3: " + rule);
  EXPECT_EQ(read_error("a,b\n\"x\"y,2\n"), "data: f.csv, line 2: " + rule);
}

TEST(CsvRefuses, NamesThatAreEmptyOrTheSame) {
  EXPECT_EQ(read_error("a,b,a\n1,2,3\n"), "data: f.csv, line 1: columns 1 and 3 have the same name 'a'");
  EXPECT_EQ(read_error("a,,b\n1,2,3\n"),
            "data: f.csv, line 1: expected a name for column 2, found none (line 2 has '2' there)");
  EXPECT_EQ(read_error("\na,b,\n1,2,\n1,2,3\n"),
            "data: f.csv, line 2: expected a name for column 3, found none (line 4 has '3' there)");
}

TEST(CsvRefuses, OptionsThatContradict) {
  EXPECT_EQ(read_error("a\n1\n", {.delimiter = ',', .decimal = ','}),
            "usage: options delimiter and decimal: ',' cannot be both");
  EXPECT_EQ(read_error("a\n1\n", {.decimal = ';'}), "usage: option decimal: expected '.' or ',', found ';'");
  for (const char bad : {'"', '\n', '.', 'e', '1', '-'}) {
    EXPECT_EQ(read_error("a\n1\n", {.delimiter = bad}).substr(0, 24), "usage: option delimiter:");
  }
}

TEST(CsvGuess, Delimiters) {
  for (const char d : {';', '\t', '|'}) {
    const std::string s(1, d);
    const Table t = read_csv("a" + s + "b, or c\n1" + s + "2\n3" + s + "4\n");
    EXPECT_EQ(t.delimiter, d);
    EXPECT_EQ(t.column("b, or c").values, (Doubles{2, 4}));
    EXPECT_EQ(t.notes.size(), 1U);
  }
  EXPECT_EQ(read_csv("a;b\n1;2\n").notes[0], "fields are taken to be separated by ';'");
  EXPECT_TRUE(read_csv("a b\n1\n").notes.empty());
}

TEST(CsvGuess, GivenDelimiter) {
  EXPECT_EQ(values("a b\n1 2\n", "b", {.delimiter = ' '}), Doubles{2});
  EXPECT_EQ(read_csv("a;b\n1;2\n", {.delimiter = ','}).names(), Strings{"a;b"});
}

TEST(CsvGuess, DecimalComma) {
  const Table t = read_csv("a;b\n1,5;2\n-0,25;1e3\n,5;,75\n");
  EXPECT_EQ(t.column("a").values, (Doubles{1.5, -0.25, 0.5}));
  EXPECT_EQ(t.column("b").values, (Doubles{2, 1000, 0.75}));
  EXPECT_EQ(t.notes,
            (Strings{"fields are taken to be separated by ';'", "the decimal mark is taken to be ','"}));
  EXPECT_EQ(values("1,5\t2,5\n3,5\t4,5\n", "x2"), (Doubles{2.5, 4.5}));
  EXPECT_EQ(values("1,5;2,5\n3,5;4,5\n", "x1"), (Doubles{1.5, 3.5}));
}

TEST(CsvGuess, DecimalPointWithSemicolons) { EXPECT_EQ(values("a;b\n1.5;2\n", "a"), Doubles{1.5}); }

TEST(CsvGuess, AmbiguousDecimalMarkIsRefusedUnlessTold) {
  const std::string thousands = "a;b\n1,500;2\n";
  EXPECT_EQ(read_error(thousands),
            "data: f.csv, line 2: the decimal mark is ambiguous, '1,500' has thousands or decimals: "
            "give the option decimal, '.' or ','");
  EXPECT_EQ(values(thousands, "a", {.decimal = ','}), Doubles{1.5});
  EXPECT_EQ(number_error(thousands, "a", {.decimal = '.'}),
            "data: f.csv, line 2, column 'a': expected a number, found '1,500' "
            "(the decimal mark is taken to be '.'; the option decimal sets it)");
  EXPECT_EQ(read_error("a;b\n1,5;2\n3;2.5\n"),
            "data: f.csv: the decimal mark is ambiguous, line 2 has '1,5' and line 3 has '2.5': "
            "give the option decimal, '.' or ','");
  EXPECT_EQ(values("a;b\n0,500;2\n1,500;3\n", "a"), (Doubles{0.5, 1.5})) << "nobody writes 0,500 for 500";
}

TEST(CsvGuess, DecimalCommaInACommaFile) {
  EXPECT_EQ(number_error("a,b\n\"1,5\",2\n", "a"),
            "data: f.csv, line 2, column 'a': expected a number, found '1,5'");
  EXPECT_EQ(values("x\n1,5\n2,5\n", "x", {.decimal = ','}), (Doubles{1.5, 2.5}));
}

TEST(CsvGuess, HeaderOrNot) {
  const Table t = read_csv("1,2\n3,4\n");
  EXPECT_EQ(t.names(), (Strings{"x1", "x2"}));
  EXPECT_EQ(t.rows(), 2);
  EXPECT_EQ(t.lines.line(0), 1);
  EXPECT_EQ(t.notes,
            Strings{"the first row is all numbers, so it is taken for data: columns are x1, ..., x2"});
  EXPECT_EQ(read_csv("1,NA\n3,4\n").rows(), 2);
  EXPECT_EQ(read_csv("1,2\n3,4\n", {.header = Header::yes}).names(), (Strings{"1", "2"}));
  EXPECT_EQ(read_csv("a,b\n3,4\n", {.header = Header::no}).column("x1").texts, (Strings{"a", "3"}));
  EXPECT_TRUE(read_csv("a,b\n3,4\n", {.header = Header::no}).notes.empty());
  EXPECT_EQ(read_csv("NA,null\n3,4\n").names(), (Strings{"NA", "null"}));
}

TEST(CsvNames, Unicode) {
  const Table t = read_csv("Höhe,温度 °C,🌡\n1,2,3\n");
  EXPECT_EQ(t.column("温度 °C").values, Doubles{2});
  EXPECT_EQ(t.column("🌡").values, Doubles{3});
}

TEST(CsvNames, TenThousandColumns) {
  constexpr Index d = 10000;
  std::string text;
  for (Index j = 0; j < d; ++j)
    text += (j > 0 ? ",a_rather_long_name_that_fills_" : "a_") + std::to_string(j);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < d; ++j) text += (j > 0 ? "," : "\n") + std::to_string(i * j);
  }
  const Table t = read_csv(text);
  ASSERT_EQ(std::ssize(t.columns), d);
  const Matrix x = internal::numbers(t, t.names(), internal::complete_rows(t, t.names(), Missing::error));
  EXPECT_EQ(x(29, d - 1), 29.0 * (d - 1));
}

TEST(CsvNames, HeaderLargerThanABlock) {
  std::string text;
  for (int j = 0; j < 60000; ++j) text += (j > 0 ? "," : "") + std::string(30, 'n') + std::to_string(j);
  text += "\n1";
  for (int j = 1; j < 60000; ++j) text += ",1";
  const File file(text);
  const Table t = read_csv_file(file.path());
  EXPECT_EQ(t.columns.size(), 60000U);
  EXPECT_EQ(t.rows(), 1);
}

TEST(CsvFiles, SameAsText) {
  const std::string text = "a,b\n1,x\n2,y\n";
  const File file(text);
  EXPECT_EQ(read_csv_file(file.path()).column("b").texts, read_csv(text).column("b").texts);
}

// Some 5 MiB of rows, so that blocks end anywhere: within numbers, characters, quotes and line ends.
TEST(CsvFiles, BlocksEndAnywhere) {
  std::string text = "n,text,late\r\n";
  const int rows = 150000;
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i * 0.5) + ",\"€ \"\"" + std::to_string(i) + "\"\"\r\n\",";
    text += (i == rows - 1 ? "word" : i % 7 == 0 ? "NA" : std::to_string(i)) + "\r\n";
  }
  const File file(text);
  const Table t = read_csv_file(file.path());
  ASSERT_EQ(t.rows(), rows);
  for (const size_t i : {0, 7, 1000, 77777, rows - 1}) {
    EXPECT_EQ(t.columns[0].values[i], static_cast<double>(i) * 0.5);
    EXPECT_EQ(t.columns[1].texts[i], "€ \"" + std::to_string(i) + "\"\r\n");
    EXPECT_EQ(t.lines.line(static_cast<Index>(i)), static_cast<Index>(2 + 2 * i));
  }
  EXPECT_EQ(t.columns[2].texts[100], "100");
  EXPECT_EQ(std::ssize(t.columns[2].missing), (rows + 6) / 7 - ((rows - 1) % 7 == 0));
}

TEST(CsvFiles, ErrorsFarIntoAFileNameTheLine) {
  std::string text = "a,b\n";
  for (int i = 0; i < 300000; ++i) text += "1.25,-3\n";
  const File bad_byte("a,\u00FC\n" + text.substr(4) + "1,\xFF\n");
  EXPECT_EQ(error_of([&] { read_csv_file(bad_byte.path()); }),
            "data: " + bad_byte.path() +
                ", line 300002: byte 0xFF is not valid UTF-8 (at byte 2400007 of the file); " +
                "save it as UTF-8 text");
  const File ragged(text + "1\n");
  EXPECT_EQ(error_of([&] { read_csv_file(ragged.path()); }),
            "data: " + ragged.path() + ", line 300002: expected 2 fields separated by ',', found 1");
}

TEST(CsvFiles, Directory) {
  const std::string path = testing::TempDir();
  EXPECT_EQ(error_of([&] { read_csv_file(path); }), "data: " + path + ": is a directory, expected a file");
}

TEST(CsvFiles, NoSuchFile) {
  EXPECT_EQ(error_of([] { read_csv_file("no/such/file.csv"); }), "data: no/such/file.csv: no such file");
}

TEST(CsvFiles, NoPermission) {
  const File file("a\n1\n");
  fs::permissions(file.path(), fs::perms::none);
  if (std::ifstream(file.path()).good()) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(error_of([&] { read_csv_file(file.path()); }),
            "data: " + file.path() + ": no permission to read it");
}

#ifdef __unix__
TEST(CsvFiles, StandardInput) {
  const File file("a,b\n1,2\n3,x\n");
  const int before = dup(0);
  ASSERT_NE(std::freopen(file.path().c_str(), "rb", stdin), nullptr);
  const Table t = read_csv_file("-");
  dup2(before, 0);
  close(before);
  EXPECT_EQ(t.source, "standard input");
  EXPECT_EQ(t.column("b").texts, (Strings{"2", "x"}));
}
#endif

}  // namespace
}  // namespace covary::csv_test
