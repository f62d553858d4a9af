#include "sealed_json.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "covary/error.h"

namespace covary {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw Error(Problem::data, fmt::format("{}: {}", source, why));
}

ordered_json parsed(std::string_view text, const std::string& what, const std::string& source) {
  constexpr int deepest = 8;  // brackets, with room to spare
  const auto shallow = [&](int depth, ordered_json::parse_event_t, ordered_json&) {
    if (depth > deepest) refuse(source, fmt::format("not {}: its brackets are too deep", what));
    return true;
  };
  try {
    return ordered_json::parse(text, shallow);
  } catch (const ordered_json::exception&) {
    refuse(source,
           text.empty() ? "the file is empty" : fmt::format("not {}, or damaged, or cut short", what));
  }
}

}  // namespace

std::string seal(int version, std::string_view bytes) {
  std::uint64_t h = 14695981039346656037U;
  const auto add = [&](std::string_view some) {
    for (const char c : some) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  };
  add(std::to_string(version));
  add(bytes);
  return fmt::format("fnv1a64:{:016x}", h);
}

std::string sealed(const std::string& format, int version, const ordered_json& model) {
  const std::string rest = "\n\"model\":" + model.dump() + "}\n";
  return fmt::format(R"({{"format":"{}","version":{},"checksum":"{}",)", format, version,
                     seal(version, rest)) +
         rest;
}

Opened opened(std::string_view text, const std::string& format, int newest, const std::string& what,
              const std::string& source) {
  ordered_json j = parsed(text, what, source);
  const ordered_json kind = j.is_object() ? j.value("format", ordered_json()) : ordered_json();
  if (kind != format)
    refuse(source, kind == "covary model" ? fmt::format("is a model of numbers, expected {}", what)
                                          : fmt::format("not {}: its format is not \"{}\"", what, format));
  const ordered_json version = j.value("version", ordered_json());
  if (!version.is_number_integer() || version < 1)
    refuse(source, fmt::format("not {}: it has no version", what));
  if (version > newest)
    refuse(source, fmt::format("written by a newer Covary: its version is {}, this program reads up to {}",
                               version.dump(), newest));
  const size_t first_line = text.find('\n');
  const std::string_view rest = first_line == text.npos ? "" : text.substr(first_line);
  if (j.value("checksum", ordered_json()) != seal(version.get<int>(), rest))
    refuse(source, "the checksum does not match: the file was damaged or edited");
  if (!j.contains("model")) refuse(source, fmt::format("not {}: it holds none", what));
  return {version.get<int>(), std::move(j.at("model"))};
}

std::string file_bytes(const std::string& path, size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, "is a directory, expected a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse(path, errno == ENOENT ? "no such file" : "cannot be opened");
  std::string text;
  char block[1 << 16];
  while (const size_t n = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, n);
    if (text[0] != '{') break;  // nothing that we wrote
    if (text.size() > most) refuse(path, fmt::format("has more than {} bytes", most));
  }
  if (std::ferror(file.get()) != 0) refuse(path, "cannot be read");
  return text;
}

}  // namespace covary
