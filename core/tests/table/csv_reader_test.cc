// Reading CSV in blocks: whatever the size of the block, the blocks together are the table.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "covary/base/error.h"
#include "covary/table/table.h"
#include "support.h"
#include "table/gzip.h"

namespace covary::csv_reader_test {
namespace {

namespace fs = std::filesystem;
using Kind = Column::Kind;
using test::error_of;
using test::gzipped;

/// Adds the rows of a block to a column. The kinds agree.
void append(Column& all, const Column& block, Index offset) {
  all.kind = block.kind;
  all.values.insert(all.values.end(), block.values.begin(), block.values.end());
  all.texts.insert(all.texts.end(), block.texts.begin(), block.texts.end());
  for (const Index row : block.missing) all.missing.push_back(row + offset);
}

/// A second pass in blocks of `most`, put together again.
Table in_blocks(CsvReader& in, Index most) {
  while (in.next(most)) {
  }
  in.rewind();
  Table all;
  while (in.next(most)) {
    const Table& block = in.table();
    EXPECT_LE(block.rows(), most);
    const Index before = all.rows();
    if (before == 0) all.columns.assign(block.columns.size(), {});
    for (size_t j = 0; j < block.columns.size(); ++j) {
      all.columns[j].name = block.columns[j].name;
      append(all.columns[j], block.columns[j], before);
    }
    for (Index i = 0; i < block.rows(); ++i) all.lines.add(before + i, block.lines.line(i));
  }
  return all;
}

bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
  });
}

void expect_same(const Table& a, const Table& b, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.names(), b.names()) << what;
  for (size_t j = 0; j < a.columns.size(); ++j) {
    EXPECT_EQ(a.columns[j].kind, b.columns[j].kind) << what;
    EXPECT_TRUE(same_values(a.columns[j].values, b.columns[j].values)) << what;
    EXPECT_EQ(a.columns[j].texts, b.columns[j].texts) << what;
    EXPECT_EQ(a.columns[j].missing, b.columns[j].missing) << what;
  }
  for (Index i = 0; i < a.rows(); ++i) EXPECT_EQ(a.lines.line(i), b.lines.line(i)) << what;
}

const std::string sample =
    "\xEF\xBB\xBFn,text,late\r\n1,\"a\nb\",7\r\n\r\n2,NA,\"8\"\n3,c,NA\r4,d,0x10\n   \n5,\"\",11\n6,e,12";

TEST(CsvReader, BlocksOfAnySizeMakeTheTable) {
  const Table whole = read_csv(sample);
  EXPECT_EQ(whole.column("late").kind, Kind::text);
  for (const Index most : {1, 2, 3, 4, 5, 6, 7, 1000}) {
    CsvReader in(sample, {}, "f.csv");
    expect_same(in_blocks(in, most), whole, std::to_string(most));
  }
}

TEST(CsvReader, AColumnBecomesTextWhereItDoes) {
  CsvReader in("a\n007\n8\nhot\n9\n10\n", {}, "f.csv");
  ASSERT_TRUE(in.next(1));
  EXPECT_EQ(in.table().column("a").values, std::vector<double>{7});
  ASSERT_TRUE(in.next(2));
  EXPECT_EQ(in.table().column("a").texts, (std::vector<std::string>{"8", "hot"}));
  EXPECT_EQ(in.table().column("a").offence->row, 1);
  ASSERT_TRUE(in.next(2));
  EXPECT_EQ(in.table().column("a").texts, (std::vector<std::string>{"9", "10"}));
  EXPECT_FALSE(in.next(2));
  in.rewind();
  ASSERT_TRUE(in.next(1));
  EXPECT_EQ(in.table().column("a").texts, std::vector<std::string>{"007"});
}

TEST(CsvReader, RowsAsTheyCame) {
  CsvReader in(sample, {}, "f.csv");
  std::vector<std::string> rows;
  while (in.next(4))
    for (Index i = 0; i < in.table().rows(); ++i) rows.emplace_back(in.text(i));
  EXPECT_EQ(rows, (std::vector<std::string>{"1,\"a\nb\",7", "2,NA,\"8\"", "3,c,NA", "4,d,0x10", "5,\"\",11",
                                            "6,e,12"}));
}

TEST(CsvReader, ColumnsAreKnownBeforeTheRows) {
  const CsvReader in("a;b\n1,5;2\n", {}, "f.csv");
  EXPECT_EQ(in.table().names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(in.table().rows(), 0);
  EXPECT_EQ(in.table().decimal, ',');
  EXPECT_EQ(in.table().notes.size(), 2U);
}

TEST(CsvReader, ErrorsNameTheLineInEveryBlock) {
  const std::string text = "a,b\n1,2\n\n3,4\n5,\n7,hot\n";
  for (const Index most : {1, 2, 3, 9}) {
    CsvReader in(text, {}, "f.csv");
    const std::string error = error_of(
        [&] {
          while (in.next(most))
            internal::numbers(in.table(), {"b"}, internal::present_rows(in.table(), {"b"}));
        },
        Problem::data);
    EXPECT_TRUE(error.starts_with("f.csv, line 6, column 'b': expected a number, found 'hot'"))
        << most << error;
  }
  CsvReader ragged(text + "9\n", {}, "f.csv");
  ASSERT_TRUE(ragged.next(4));
  EXPECT_EQ(error_of([&] { ragged.next(4); }, Problem::data),
            "f.csv, line 7: expected 2 fields separated by ',', found 1");
}

TEST(CsvReader, WithoutRows) {
  CsvReader in("a,b\n\n", {}, "f.csv");
  EXPECT_EQ(error_of([&] { in.next(5); }, Problem::data), "f.csv: has a header but no rows");
  EXPECT_EQ(error_of([] { CsvReader("", {}, "f.csv"); }, Problem::data), "f.csv: is empty");
}

// Some 6 MiB, so that windows end anywhere, and rows longer than one.
TEST(CsvReader, BlocksAndWindowsEndAnywhere) {
  std::string text = "n,text\n";
  std::mt19937_64 random(5);
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i * 0.25) + ",\"" + std::string(random() % 300, 'x') + "\n\"\"é\"\n";
  text += "1,\"" + std::string(3 << 20, 'y') + "\"\n2,end\n";
  const Table whole = read_csv(text);
  for (const Index most : {997, 8192}) {
    CsvReader in(text, {}, "f.csv");
    expect_same(in_blocks(in, most), whole, std::to_string(most));
  }
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-reader-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  /// Calls `use` with a pipe through which `bytes` come.
  void through_pipe(const std::string& bytes, const std::function<void(const std::string&)>& use) const {
    const std::string path = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    use(path);
    writer.join();
    fs::remove(path);
  }
  fs::path folder_;
};

using GzipFiles = Folder;
using Pipes = Folder;

TEST_F(GzipFiles, ReadAsTheTextTheyHold) {
  const std::string path = file("no suffix", gzipped(sample));
  const Table whole = read_csv(sample);
  expect_same(read_csv_file(path), whole, "file");
  expect_same(read_csv(gzipped(sample)), whole, "text");
  CsvReader in(path);
  EXPECT_TRUE(in.can_rewind());
  expect_same(in_blocks(in, 2), whole, "blocks");
  EXPECT_EQ(read_csv_file(file("plain.csv.gz", "a\n1\n")).rows(), 1) << "the name says nothing";
}

TEST_F(GzipFiles, LargerThanAnyBuffer) {
  std::string text = "a,b,c\n";
  std::mt19937_64 random(6);
  for (int i = 0; i < 200000; ++i)
    text += std::to_string(random() % 100000) + "," + std::to_string(i) + ",0.5\n";
  const Table whole = read_csv(text);
  const std::string path = file("large.csv.gz", gzipped(text));
  expect_same(read_csv_file(path), whole, "file");
  CsvReader in(path);
  expect_same(in_blocks(in, 8192), whole, "blocks");
}

TEST_F(GzipFiles, SeveralMembersAndPadding) {
  const std::string two = gzipped("a,b\n1,2\n") + gzipped("3,4\n") + gzipped("") + std::string(700, '\0');
  EXPECT_EQ(read_csv_file(file("two.gz", two)).column("b").values, (std::vector<double>{2, 4}));
  EXPECT_NE(error_of([&] { read_csv(two + "junk", {}, "f.gz"); }, Problem::data).find("f.gz: is damaged"),
            std::string::npos);
}

TEST_F(GzipFiles, CutShortAnywhere) {
  const std::string whole = gzipped("a,b\n1,2\n3,4\n5,6\n");
  for (size_t n = 2; n < whole.size(); ++n)
    EXPECT_EQ(error_of([&] { read_csv(whole.substr(0, n), {}, "f.gz"); }, Problem::data),
              "f.gz: is cut short: its gzip data end too early")
        << n;
}

TEST_F(GzipFiles, DamagedAnywhere) {
  const std::string text = "a,b\n1,2\n3,4\n5,6\n";
  const std::string whole = gzipped(text);
  const Table table = read_csv(text);
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      try {
        expect_same(read_csv(damaged), table, "a bit that says nothing of the text");
      } catch (const Error& e) {
        EXPECT_EQ(e.problem(), Problem::data);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 8 * (std::ssize(whole) - 8)) << "time, system and flags of the header are free";
}

TEST_F(Pipes, OncePassesThrough) {
  through_pipe(gzipped(sample), [&](const std::string& path) {
    CsvReader in(path);
    EXPECT_FALSE(in.can_rewind());
    Index rows = 0;
    while (in.next(2)) rows += in.table().rows();
    EXPECT_EQ(rows, 6);
  });
}

TEST_F(Pipes, AreKeptIfWantedTwice) {
  through_pipe(sample, [&](const std::string& path) {
    CsvReader in(path, {}, internal::Passes::many);
    EXPECT_TRUE(in.can_rewind());
    expect_same(in_blocks(in, 2), read_csv(sample), "pipe");
  });
  through_pipe(sample,
               [&](const std::string& path) { expect_same(read_csv_file(path), read_csv(sample), "pipe"); });
}

}  // namespace
}  // namespace covary::csv_reader_test
