// Versioned JSON whose every byte is checked, the form of all files that Covary keeps models in:
//
//   {"format":"covary model","version":3,"checksum":"fnv1a64:89abcdef01234567",
//   "model":{...}}
//
// The checksum is of the version and every byte after the first line.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace covary {

/// A kind of file.
struct SealedFormat {
  std::string name;           // "covary model"
  int newest = 1;             // the version that is written; all before it are read
  std::string what;           // "a Covary model file"
  std::string if_table = {};  // the error for a table in its place; "": the general one
  int checked_from = 1;       // the checksum is of the version too from this version on
};

/// The file as text.
std::string sealed(const SealedFormat& format, const nlohmann::ordered_json& model);
/// The same of a model that is written in parts, twice: once for the checksum.
using PutText = std::function<void(std::string_view)>;
void write_sealed(const SealedFormat& format, const std::function<void(const PutText&)>& model,
                  const PutText& write);

/// Throws Problem::data, naming the Covary that is needed, if the version is above the newest.
void check_version(int version, const std::string& written_by, const SealedFormat& format,
                   const std::string& source);

struct Opened {
  int version;
  nlohmann::ordered_json model;
};
/// Throws Problem::data, calling it `source`, unless it is of this format, no newer than the newest, and
/// every byte is as it was written.
Opened opened(std::string_view text, const SealedFormat& format, const std::string& source);

/// A file to be read from its beginning, which may be looked at before. "-" is standard input if `standard`
/// says so. Throws Problem::data if it cannot be opened.
class InputFile {
 public:
  InputFile(const std::string& path, const SealedFormat& format, bool standard = false);
  const std::string& source() const { return source_; }
  std::uint64_t bytes() const { return bytes_; }         // in all; 0: not known
  std::string_view beginning() const { return first_; }  // nine bytes, if there are as many
  size_t read(void* to, size_t bytes);                   // up to so many, the beginning among them

 private:
  std::string source_;
  std::shared_ptr<std::FILE> file_;
  std::uint64_t bytes_ = 0;
  std::string first_;
  size_t taken_ = 0;  // of the beginning
};

/// All of a file that begins as these do, of any other only the beginning, which opened() refuses by what it
/// is. Throws Problem::data if it cannot be read, Problem::limit as soon as it is seen that what it says would
/// not fit into memory.
std::string sealed_text(InputFile& file, const SealedFormat& format);

/// FNV-1a: any single changed byte changes it.
class Hash {
 public:
  Hash& add(std::string_view bytes);
  Hash& add(double value);  // the lowest byte first, on every machine
  std::string text() const;

 private:
  std::uint64_t h_ = 14695981039346656037U;
};

}  // namespace covary
