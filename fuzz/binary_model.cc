// Any bytes as a binary model file, as they are and with the checksums that they should have: read, or refused
// with an Error; what is read writes as bytes that read back the same, and predicts or says why not.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "covary/base/error.h"
#include "covary/model/model_file.h"
#include "model/tensor_file.h"
#include "predicts.h"

namespace {

using fuzz::require;
namespace fs = std::filesystem;

std::optional<covary::FittedModel> read(const std::string& bytes) {
  static const fs::path path = fs::temp_directory_path() / ("fuzz_" + std::to_string(getpid()) + ".covary");
  std::ofstream(path, std::ios::binary) << bytes;
  std::optional<covary::FittedModel> out;
  try {
    out = covary::load_model(path.string());
  } catch (const covary::Error& e) {
    require(e.problem() == covary::Problem::data || e.problem() == covary::Problem::limit,
            "a data Error, not: " + std::string(e.what()));
  }
  fs::remove(path);
  return out;
}

std::string written(const covary::FittedModel& model) {
  std::string out;
  covary::internal::write_model(model, "m.covary", [&](std::string_view part) { out += part; });
  return out;
}

/// The arrays and metadata that the header names, in a file whose checksums are right; "" if it is no header or
/// the arrays are large. Numbers are those that follow the header, again from the first where they end.
std::string with_checksums(const std::string& bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < 16) return "";
  std::memcpy(&length, bytes.data(), 8);
  if (length > bytes.size() - 8) return "";
  const auto header = nlohmann::ordered_json::parse(bytes.substr(8, length), nullptr, false);
  if (!header.is_object() || !header.contains("__metadata__")) return "";
  std::vector<double> numbers((bytes.size() - 8 - length) / 8);
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data() + 8 + length, 8 * numbers.size());
  if (numbers.empty()) numbers = {0};
  covary::TensorMetadata metadata;
  std::vector<covary::TensorOut> arrays;
  size_t next = 0;
  try {
    for (const auto& [key, value] : header.at("__metadata__").items())
      if (!key.starts_with("checksum")) metadata[key] = value.get<std::string>();
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      const auto shape = entry.at("shape").get<std::vector<covary::Index>>();
      covary::Index size = 1;
      for (const covary::Index k : shape) {
        if (k < 0 || (k > 0 && size > 10000 / k)) return "";
        size *= k;
      }
      std::vector<double> values(static_cast<size_t>(size));
      for (double& v : values) v = numbers[next++ % numbers.size()];
      arrays.push_back({name, shape, [values](const auto& put) { put(std::span<const double>(values)); }});
    }
  } catch (const nlohmann::json::exception&) {
    return "";
  }
  std::string out;
  try {
    covary::write_tensors(metadata, arrays, [&](std::string_view part) { out += part; });
  } catch (const nlohmann::json::exception&) {  // metadata that are no text in UTF-8
    return "";
  }
  return out;
}

void check(const std::string& bytes) {
  if (!covary::begins_as_tensors(bytes)) return;
  const std::optional<covary::FittedModel> model = read(bytes);
  if (!model || (*model)->y.size() > 50) return;  // the arithmetic has tests of its own
  try {
    const std::string again = written(*model);
    const std::optional<covary::FittedModel> back = read(again);
    require(back && written(*back) == again, "the same bytes again");
  } catch (const covary::Error&) {  // an expression that is none: it is conditioned when it is first asked
  }
  fuzz::require_prediction(*model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are text here
  check(bytes);
  check(with_checksums(bytes));
  return 0;
}
