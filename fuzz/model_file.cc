// Any bytes as a model file, as they are and with a checksum that is right: read, or refused with an Error;
// what is read writes as text that reads back the same, and predicts or says why not.
#include "covary/model/model_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "covary/base/error.h"
#include "predicts.h"

namespace {

using fuzz::require;

/// The version as it stands in the first line, without which there is no checksum from 2 on.
std::string version_in(std::string_view line) {
  constexpr std::string_view key = "\"version\":";
  const size_t at = line.find(key);
  if (at == line.npos) return "";
  const std::string_view rest = line.substr(at + key.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

/// `text` with the checksum it should have: of the version, from 2 on, and every byte after the first line.
std::string with_checksum(std::string text) {
  constexpr std::string_view key = "fnv1a64:";
  const size_t line = text.find('\n'), at = text.find(key);
  if (line == text.npos || at == text.npos || at + key.size() + 16 > line) return text;
  const std::string version = version_in(std::string_view(text).substr(0, line));
  std::uint64_t h = 14695981039346656037U;
  for (const char c : (version == "1" ? "" : version) + text.substr(line))
    h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return text.replace(at + key.size(), 16, fmt::format("{:016x}", h));
}

std::optional<covary::FittedModel> read(const std::string& text) {
  try {
    return covary::parse_model(text, "input");
  } catch (const covary::Error& e) {
    require(e.problem() == covary::Problem::data, "a data Error, not: " + std::string(e.what()));
    return std::nullopt;
  }
}

void check(const std::string& text) {
  const std::optional<covary::FittedModel> model = read(text);
  if (!model) return;
  const std::string written = covary::model_text(*model);
  require(covary::model_text(covary::parse_model(written)) == written, "the same text again");
  if ((*model)->y.size() > 50) return;  // the arithmetic has tests of its own
  fuzz::require_prediction(*model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are text here
  check(text);
  check(with_checksum(text));
  return 0;
}
