// Arrays of doubles in one binary file, in the safetensors layout, which any reader of it opens:
//
//   8 bytes   the length of the header, lowest byte first
//   header    JSON: {"__metadata__": {text: text, ...}, "x": {"dtype": "F64", "shape": [n, d],
//             "data_offsets": [from, to]}, ...}, then blanks up to a multiple of 8 bytes
//   data      the arrays one after the other, lowest byte first, rows before columns
//
// The metadata hold a checksum of each array and one of the whole header.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/types.h"

namespace covary {

/// Eight interleaved FNV-1a hashes of 64-bit words: at the speed of memory, and any one changed word changes
/// it.
class WordHash {
 public:
  WordHash();
  void add(std::span<const double> words);
  std::string text() const;  // "fnv1a64x8:89abcdef01234567"

 private:
  std::uint64_t lane_[8];
  size_t next_ = 0;  // the lane of the next word
};

using TensorMetadata = std::map<std::string, std::string>;

/// An array to be written: `values` hands over its numbers in order, in parts of any size, as often as it is
/// called.
struct TensorOut {
  std::string name;
  std::vector<Index> shape;
  std::function<void(const std::function<void(std::span<const double>)>& put)> values;
};

/// Nothing is copied: what it takes in memory is the largest part.
void write_tensors(const TensorMetadata& metadata, const std::vector<TensorOut>& arrays,
                   const std::function<void(std::string_view)>& write);

/// A file that is read array by array, in their order. Throws Problem::data, calling it `source`, for what is
/// damaged: no size is believed before it agrees with the length of the file.
class TensorReader {
 public:
  struct Array {
    std::string name;
    std::vector<Index> shape;
    Index size = 0;  // numbers
    std::string checksum;
  };
  /// Reads up to so many bytes; how many it has read.
  using Read = std::function<size_t(void*, size_t)>;

  /// The header is read and checked. There are so many bytes in all; 0: not known, as of a pipe.
  TensorReader(Read read, std::uint64_t bytes, std::string source);

  const TensorMetadata& metadata() const { return metadata_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  /// The numbers of the next array, in parts; then end() throws unless its checksum is right.
  void fill(std::span<double> part);
  void end(const Array& array);
  Vector read_vector(const Array& array);
  /// Throws if anything follows the last array.
  void finish();

 private:
  void read_bytes(void* to, size_t bytes);
  [[noreturn]] void refuse(const std::string& why) const;

  Read read_;
  std::string source_;
  TensorMetadata metadata_;
  std::vector<Array> arrays_;
  WordHash hash_;
};

/// Whether a file may begin so: a length of a header, and its bracket.
bool begins_as_tensors(std::string_view first_bytes);

}  // namespace covary
