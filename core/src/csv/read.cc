#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "covary/error.h"
#include "covary/table.h"
#include "csv/parser.h"
#include "csv/sniff.h"
#include "csv/window.h"

namespace covary {
namespace {

namespace fs = std::filesystem;

Table read(csv::Source source, const CsvOptions& options) {
  csv::Window window(std::move(source));
  Table table{.source = window.name()};
  const csv::Dialect dialect = csv::sniff(window, options, table.notes);
  table.delimiter = dialect.delimiter;
  table.decimal = dialect.decimal;
  csv::Parser(table, dialect).run(window, options);
  return table;
}

[[noreturn]] void cannot_read(const std::string& name, int error) {
  const char* why = error == ENOENT   ? "no such file"
                    : error == EACCES ? "no permission to read it"
                    : error == EISDIR ? "is a directory, expected a file"
                                      : nullptr;
  throw Error(
      Problem::data,
      name + ": " + (why != nullptr ? why : fmt::format("cannot be read ({})", std::strerror(error))));
}

size_t read_bytes(std::FILE* file, const std::string& name, char* out, size_t most) {
  errno = 0;
  const size_t n = std::fread(out, 1, most, file);
  if (n < most && std::ferror(file) != 0) cannot_read(name, errno);
  return n;
}

/// All of what cannot be read twice.
std::string read_whole(std::FILE* file, const std::string& name) {
  constexpr size_t block = size_t{1} << 20;
  std::string text;
  for (size_t got = block; got == block;) {
    const size_t held = text.size();
    text.resize(held + block);
    got = read_bytes(file, name, text.data() + held, block);
    text.resize(held + got);
  }
  return text;
}

}  // namespace

Table read_csv(std::string_view text, const CsvOptions& options, const std::string& source) {
  return read(csv::text_source(text, source), options);
}

Table read_csv_file(const std::string& path, const CsvOptions& options) {
  if (path == "-") return read_csv(read_whole(stdin, "standard input"), options, "standard input");
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) cannot_read(path, EISDIR);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) cannot_read(path, errno);
  if (!fs::is_regular_file(path, ignored)) return read_csv(read_whole(file.get(), path), options, path);
  const auto size = fs::file_size(path, ignored);
  const auto bytes = [&](char* out, size_t most) { return read_bytes(file.get(), path, out, most); };
  return read({path, ignored ? 0 : static_cast<size_t>(size), bytes, [&] { std::rewind(file.get()); }},
              options);
}

}  // namespace covary
