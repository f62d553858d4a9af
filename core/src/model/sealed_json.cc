#include "model/sealed_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "covary/table/table.h"

namespace covary {
namespace {

using nlohmann::ordered_json;

constexpr int deepest = 8;  // of the brackets in a file, with room to spare
constexpr auto replaced =
    ordered_json::error_handler_t::replace;  // of bytes that are no text, as in a file's name

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw Error(Problem::data, fmt::format("{}: {}", source, why));
}

std::string checksum(const SealedFormat& format, int version, std::string_view rest) {
  Hash hash;
  if (version >= format.checked_from) hash.add(std::to_string(version));
  return hash.add(rest).text();
}

/// Whether our own reader takes it for a table.
bool looks_like_table(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] == '{' || text[first] == '[') return false;
  try {
    return read_csv(text).rows() > 0;
  } catch (const Error&) {
    return false;
  }
}

/// The whole file as JSON, brackets no deeper than ours.
ordered_json parsed(std::string_view text, const SealedFormat& format, const std::string& source) {
  const auto shallow = [&](int depth, ordered_json::parse_event_t, ordered_json&) {
    if (depth > deepest) refuse(source, fmt::format("not {}: its brackets are too deep", format.what));
    return true;
  };
  try {
    return ordered_json::parse(text, shallow);
  } catch (const ordered_json::exception&) {
    if (!format.if_table.empty() && looks_like_table(text)) refuse(source, format.if_table);
    refuse(source,
           text.empty() ? "the file is empty" : fmt::format("not {}, or damaged, or cut short", format.what));
  }
}

void check_format(const ordered_json& j, const SealedFormat& format, const std::string& source) {
  const ordered_json found = j.is_object() ? j.value("format", ordered_json()) : ordered_json();
  if (found == format.name) return;
  if (found == "covary classifier")
    refuse(source,
           "is a classifier (support vector machines of classes), expected a model of numbers; Python's "
           "Classifier.load reads it");
  if (found == "covary model") refuse(source, fmt::format("is a model of numbers, expected {}", format.what));
  refuse(source, fmt::format("not {}: its format is not \"{}\"", format.what, format.name));
}

/// Throws unless `bytes` of text with so many commas have room, parsed too: a comma stands between two values
/// of up to 48 bytes each while lists grow.
void check_room(size_t bytes, std::ptrdiff_t commas, const SealedFormat& format, const std::string& source) {
  const auto size = static_cast<double>(bytes);
  check_memory(size + 48 * static_cast<double>(commas),
               fmt::format("{}: {} of {:.3g} MiB", source, format.what, size / double{1 << 20}));
}

/// `expected`: how many bytes there are, 0 if nobody knows.
std::string read_all(std::FILE* file, size_t expected, const SealedFormat& format,
                     const std::string& source) {
  std::string text;
  const auto check = [&] {
    check_room(text.capacity(), std::count(text.begin(), text.end(), ','), format, source);
  };
  char block[1 << 16];
  size_t checked = size_t{1} << 26;
  while (const size_t n = std::fread(block, 1, sizeof block, file)) {
    text.append(block, n);
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') break;
    if (text.size() == n) check_room(expected, 0, format, source);  // before all of it is read
    if (text.size() < checked) continue;
    checked *= 2;
    check();
  }
  if (std::ferror(file) != 0) refuse(source, "cannot be read");
  check();
  return text;
}

}  // namespace

Hash& Hash::add(std::string_view bytes) {
  for (const char c : bytes) h_ = (h_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return *this;
}

Hash& Hash::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) {
    const char byte = static_cast<char>(bits >> shift & 0xFF);
    add(std::string_view(&byte, 1));
  }
  return *this;
}

std::string Hash::text() const { return fmt::format("fnv1a64:{:016x}", h_); }

std::string sealed(const SealedFormat& format, const ordered_json& model) {
  const std::string rest = "\n\"model\":" + model.dump(-1, ' ', false, replaced) + "}\n";
  return fmt::format(R"({{"format":"{}","version":{},"checksum":"{}",)", format.name, format.newest,
                     checksum(format, format.newest, rest)) +
         rest;
}

Opened opened(std::string_view text, const SealedFormat& format, const std::string& source) {
  ordered_json j = parsed(text, format, source);
  check_format(j, format, source);
  const ordered_json version = j.value("version", ordered_json());
  if (!version.is_number_integer() || version < 1)
    refuse(source, fmt::format("not {}: it has no version", format.what));
  if (version > format.newest)
    refuse(source, fmt::format("written by a newer Covary: its version is {}, this program reads up to {}",
                               version.dump(), format.newest));
  const size_t first_line = text.find('\n');
  const std::string_view rest = first_line == text.npos ? "" : text.substr(first_line);
  if (j.value("checksum", ordered_json()) != checksum(format, version.get<int>(), rest))
    refuse(source, "the checksum does not match: the file was damaged or edited");
  if (!j.contains("model")) refuse(source, fmt::format("not {}: it holds none", format.what));
  return {version.get<int>(), std::move(j.at("model"))};
}

std::string sealed_text(const std::string& path, const SealedFormat& format, bool standard) {
  if (standard && path == "-") return read_all(stdin, 0, format, "standard input");
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    refuse(path, fmt::format("is a directory, expected {}", format.what));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse(path, errno == ENOENT ? "no such file" : "cannot be opened");
  const bool regular = std::filesystem::is_regular_file(path, unknown);
  const auto size = regular ? std::filesystem::file_size(path, unknown) : 0;
  return read_all(file.get(), unknown ? 0 : size, format, path);
}

}  // namespace covary
