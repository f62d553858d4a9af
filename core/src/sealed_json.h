// Versioned JSON whose every byte is checked, the form of all files that Covary keeps models in:
//
//   {"format":"covary model","version":3,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{...}}
//
// The checksum is of the version and every byte after the first line.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace covary {

/// FNV-1a of the version, then the bytes: any single changed byte changes it.
std::string seal(int version, std::string_view bytes);

/// The file as text.
std::string sealed(const std::string& format, int version, const nlohmann::ordered_json& model);

struct Opened {
  int version;
  nlohmann::ordered_json model;
};
/// Throws Problem::data, calling it `source`, unless it is of this format, no newer than `newest`, and every
/// byte is as it was written. `what`: "a Covary classifier".
Opened opened(std::string_view text, const std::string& format, int newest, const std::string& what,
              const std::string& source);

/// All bytes of a file. Throws Problem::data if it cannot be read, or has more than `most`.
std::string file_bytes(const std::string& path, size_t most = size_t{1} << 32);

}  // namespace covary
