#include "tables.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>

#include "command.h"
#include "covary/error.h"

namespace covary::cli {
namespace {

namespace fs = std::filesystem;

bool can_be_read_twice(const std::string& path) {
  std::error_code ignored;
  return path != "-" && (fs::is_regular_file(path, ignored) || !fs::exists(path, ignored) ||
                         fs::is_directory(path, ignored));
}

std::string whole(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Takes off line ends and blank lines at the end.
void drop_blank_end(std::string& text) {
  for (;;) {
    text.resize(text.find_last_not_of("\r\n") + 1);
    const size_t line = text.find_last_of("\r\n");
    if (line == text.npos || text.find_first_not_of(" \t", line + 1) != text.npos) return;
    text.resize(line);
  }
}

void skip_byte_order_mark(std::istream& in) {
  std::string mark(3, '\0');
  in.read(mark.data(), 3);
  if (mark == "\xEF\xBB\xBF") return;
  in.clear();
  in.seekg(0);
}

}  // namespace

void add_header_option(CLI::App& verb, std::string& header) {
  add_choice(verb, "--header", header, {"auto", "yes", "no"}, "Whether the first line names the columns");
}

CsvOptions csv_options(const std::string& header) {
  CsvOptions options;
  if (header == "yes") options.header = CsvOptions::Header::yes;
  if (header == "no") options.header = CsvOptions::Header::no;
  return options;
}

RawTable::RawTable(const std::string& path, const CsvOptions& options) {
  if (can_be_read_twice(path)) {
    table_ = read_csv_file(path, options);
    text_ = std::make_unique<std::ifstream>(path, std::ios::binary);
    skip_byte_order_mark(*text_);
    return;
  }
  std::ifstream pipe;
  if (path != "-") pipe.open(path, std::ios::binary);
  const std::string name = path == "-" ? "standard input" : path;
  const std::string text = whole(path == "-" ? std::cin : pipe);
  table_ = read_csv(text, options, name);
  text_ = std::make_unique<std::istringstream>(text);
  skip_byte_order_mark(*text_);
}

std::string RawTable::header() const {
  Table names;
  for (const Column& c : table_.columns) names.columns.push_back({.name = c.name});
  std::string out;
  write_csv(out, names, table_.delimiter);
  return out.substr(0, out.find_last_not_of('\n') + 1);
}

/// Appends the next line with its end: LF, CRLF or CR.
bool RawTable::next_line(std::string& out) {
  std::streambuf& in = *text_->rdbuf();
  constexpr int end = std::char_traits<char>::eof();
  int c = in.sbumpc();
  if (c == end) return false;
  for (; c != end && c != '\n' && c != '\r'; c = in.sbumpc()) out += static_cast<char>(c);
  if (c != end) out += static_cast<char>(c);
  if (c == '\r' && in.sgetc() == '\n') out += static_cast<char>(in.sbumpc());
  ++line_;
  return true;
}

/// From the line of this row to that of the next.
std::string RawTable::next_row() {
  const Index first = table_.lines.line(row_);
  const Index next =
      row_ + 1 == table_.rows() ? std::numeric_limits<Index>::max() : table_.lines.line(row_ + 1);
  ++row_;
  for (std::string skipped; line_ < first; skipped.clear())
    if (!next_line(skipped)) throw Error(Problem::failed, table_.source + " changed while it was being read");
  std::string out;
  while (line_ < next && next_line(out)) {
  }
  drop_blank_end(out);
  return out;
}

}  // namespace covary::cli
