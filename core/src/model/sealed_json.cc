#include "model/sealed_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "covary/base/error.h"
#include "covary/base/ranks.h"
#include "covary/base/runtime.h"
#include "covary/table/table.h"

namespace covary {
using namespace internal;
namespace {

using nlohmann::ordered_json;

constexpr int deepest = 8;  // of the brackets in a file, with room to spare
constexpr auto replaced =
    ordered_json::error_handler_t::replace;  // of bytes that are no text, as in a file's name

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw Error(Problem::data, fmt::format("{}: {}", source, why));
}

/// Of what stands before the rest of a file.
Hash begun(const SealedFormat& format, int version) {
  Hash hash;
  if (version >= format.checked_from) hash.add(std::to_string(version));
  return hash;
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

/// "covary 0.2.0", or "".
std::string written_by(const ordered_json& j) {
  const ordered_json model = j.value("model", ordered_json());
  const ordered_json by = model.is_object() ? model.value("written_by", ordered_json()) : ordered_json();
  return by.is_string() ? by.get<std::string>().substr(0, 40) : "";
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

void write_sealed(const SealedFormat& format, const std::function<void(const PutText&)>& model,
                  const PutText& write) {
  const auto rest = [&](const PutText& put) {
    put("\n\"model\":");
    model(put);
    put("}\n");
  };
  Hash hash = begun(format, format.newest);
  rest([&](std::string_view part) { hash.add(part); });
  write(fmt::format(R"({{"format":"{}","version":{},"checksum":"{}",)", format.name, format.newest,
                    hash.text()));
  rest(write);
}

std::string sealed(const SealedFormat& format, const ordered_json& model) {
  std::string out;
  write_sealed(
      format, [&](const PutText& put) { put(model.dump(-1, ' ', false, replaced)); },
      [&](std::string_view part) { out += part; });
  return out;
}

void check_version(int version, const std::string& written_by, const SealedFormat& format,
                   const std::string& source) {
  if (version <= format.newest) return;
  refuse(source, fmt::format("needs {} or newer: its version is {}, this program (covary {}) reads up to {}",
                             written_by.empty() ? "a newer Covary" : written_by, version, COVARY_VERSION,
                             format.newest));
}

Opened opened(std::string_view text, const SealedFormat& format, const std::string& source) {
  ordered_json j = parsed(text, format, source);
  check_format(j, format, source);
  const ordered_json version = j.value("version", ordered_json());
  if (!version.is_number_integer() || version < 1)
    refuse(source, fmt::format("not {}: it has no version", format.what));
  check_version(version > 1'000'000 ? 1'000'000 : version.get<int>(), written_by(j), format, source);
  const size_t first_line = text.find('\n');
  const std::string_view rest = first_line == text.npos ? "" : text.substr(first_line);
  if (j.value("checksum", ordered_json()) != begun(format, version.get<int>()).add(rest).text())
    refuse(source, "the checksum does not match: the file was damaged or edited");
  if (!j.contains("model")) refuse(source, fmt::format("not {}: it holds none", format.what));
  return {version.get<int>(), std::move(j.at("model"))};
}

InputFile::InputFile(const std::string& path, const SealedFormat& format, bool standard) : source_(path) {
  if (standard && path == "-") {
    source_ = "standard input", file_ = open_to_read(path);
  } else {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
      refuse(path, fmt::format("is a directory, expected {}", format.what));
    file_ = open_to_read(path);
    if (!file_) refuse(path, errno == ENOENT ? "no such file" : "cannot be opened");
    if (std::filesystem::is_regular_file(path, unknown)) bytes_ = std::filesystem::file_size(path, unknown);
    if (unknown) bytes_ = 0;
  }
  first_.resize(9);
  first_.resize(std::fread(first_.data(), 1, first_.size(), file_.get()));
}

size_t InputFile::read(void* to, size_t bytes) {
  const size_t held = std::min(bytes, first_.size() - taken_);
  std::memcpy(to, first_.data() + taken_, held);
  taken_ += held;
  const size_t more = std::fread(static_cast<char*>(to) + held, 1, bytes - held, file_.get());
  if (std::ferror(file_.get()) != 0) refuse(source_, "cannot be read");
  return held + more;
}

std::string sealed_text(InputFile& file, const SealedFormat& format) {
  std::string text;
  const auto check = [&] {
    check_room(text.capacity(), std::count(text.begin(), text.end(), ','), format, file.source());
  };
  char block[1 << 16];
  size_t checked = size_t{1} << 26;
  while (const size_t n = file.read(block, sizeof block)) {
    text.append(block, n);
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') break;
    if (text.size() == n) check_room(file.bytes(), 0, format, file.source());  // before all of it is read
    if (text.size() < checked) continue;
    checked *= 2;
    check();
  }
  check();
  return text;
}

}  // namespace covary
