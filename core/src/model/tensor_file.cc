#include "model/tensor_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/runtime.h"
#include "model/sealed_json.h"

namespace covary {
using namespace internal;
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::uint64_t prime = 1099511628211U;
constexpr std::uint64_t longest_header = std::uint64_t{1} << 30;
constexpr Index most_numbers = static_cast<Index>(std::uint64_t{1} << (sizeof(Index) > 4 ? 48 : 27));
const std::string checksum_key = "checksum", array_checksum = "checksum of ";

Index product(const std::vector<Index>& shape) {
  Index out = 1;
  for (const Index k : shape) out *= k;
  return out;
}

/// Of everything the header says but itself.
std::string header_checksum(const TensorMetadata& metadata, const ordered_json& arrays) {
  Hash hash;
  for (const auto& [key, value] : metadata)
    if (key != checksum_key) hash.add(key).add("\n").add(value).add("\n");
  return hash.add(arrays.dump()).text();
}

std::string eight_bytes(std::uint64_t value) {
  std::string out(8, '\0');
  std::memcpy(out.data(), &value, 8);
  return out;
}

}  // namespace

WordHash::WordHash() {
  for (size_t k = 0; k < 8; ++k) lane_[k] = 14695981039346656037U + k;
}

void WordHash::add(std::span<const double> words) {
  size_t i = 0;
  const auto one = [&](size_t lane) {
    lane_[lane] = (lane_[lane] ^ std::bit_cast<std::uint64_t>(words[i++])) * prime;
  };
  while (next_ != 0 && i < words.size()) one(next_), next_ = (next_ + 1) % 8;
  std::uint64_t h[8];
  std::memcpy(h, lane_, sizeof h);
  for (; i + 8 <= words.size(); i += 8)
    for (size_t k = 0; k < 8; ++k) h[k] = (h[k] ^ std::bit_cast<std::uint64_t>(words[i + k])) * prime;
  std::memcpy(lane_, h, sizeof h);
  while (i < words.size()) one(next_), next_ = (next_ + 1) % 8;
}

std::string WordHash::text() const {
  std::uint64_t all = 14695981039346656037U + next_;
  for (const std::uint64_t h : lane_) all = std::rotl((all ^ h) * prime, 23);
  return fmt::format("fnv1a64x8:{:016x}", all);
}

void write_tensors(const TensorMetadata& metadata, const std::vector<TensorOut>& arrays,
                   const std::function<void(std::string_view)>& write) {
  TensorMetadata all = metadata;
  ordered_json entries = ordered_json::object();
  std::uint64_t offset = 0;
  for (const TensorOut& a : arrays) {
    WordHash hash;
    a.values([&](std::span<const double> part) { hash.add(part); });
    all[array_checksum + a.name] = hash.text();
    const std::uint64_t end = offset + 8 * static_cast<std::uint64_t>(product(a.shape));
    entries[a.name] = {{"dtype", "F64"}, {"shape", a.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  all[checksum_key] = header_checksum(all, entries);
  ordered_json header{{"__metadata__", all}};
  header.update(entries);
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  write(eight_bytes(text.size()));
  write(text);
  for (const TensorOut& a : arrays)
    a.values([&](std::span<const double> part) {
      write({reinterpret_cast<const char*>(part.data()), part.size_bytes()});  // NOLINT: as bytes
    });
}

bool begins_as_tensors(std::string_view bytes) {
  if (bytes.size() < 9 || bytes[8] != '{') return false;
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return length >= 2 && length <= longest_header;
}

void TensorReader::refuse(const std::string& why) const {
  throw Error(Problem::data, fmt::format("{}: {}", source_, why));
}

void TensorReader::read_bytes(void* to, size_t bytes) {
  if (read_(to, bytes) != bytes) refuse("the file is cut short");
}

TensorReader::TensorReader(Read read, std::uint64_t bytes, std::string source)
    : read_(std::move(read)), source_(std::move(source)) {
  std::uint64_t length = 0;
  read_bytes(&length, 8);
  if (length < 2 || length > longest_header || (bytes > 0 && length > bytes - 8))
    refuse("not a Covary model file, or damaged, or cut short");
  check_memory(double(length), source_ + ": the header of a model file");
  std::string text;
  while (text.size() < length) {  // in parts: a pipe may promise more than it has
    const size_t part = std::min<std::uint64_t>(length - text.size(), 1 << 20), before = text.size();
    text.resize(before + part);
    read_bytes(text.data() + before, part);
  }
  try {
    ordered_json header = ordered_json::parse(text);
    metadata_ = header.at("__metadata__").get<TensorMetadata>();
    header.erase("__metadata__");
    std::uint64_t offset = 0;
    for (const auto& [name, entry] : header.items()) {
      Array a{name, {}, 1, metadata_.at(array_checksum + name)};
      if (entry.at("dtype") != "F64") refuse(fmt::format("array '{}': expected dtype F64", name));
      for (const ordered_json& k : entry.at("shape")) {
        if (!k.is_number_unsigned() || k.get<std::uint64_t>() > static_cast<std::uint64_t>(most_numbers))
          refuse(fmt::format("array '{}': expected whole numbers as its shape", name));
        a.shape.push_back(k.get<Index>());
        if (a.shape.back() > 0 && a.size > most_numbers / a.shape.back())
          refuse(fmt::format("array '{}' is too large", name));
        a.size *= a.shape.back();
      }
      const auto [from, to] = entry.at("data_offsets").get<std::pair<std::uint64_t, std::uint64_t>>();
      if (from != offset || to != offset + 8 * static_cast<std::uint64_t>(a.size))
        refuse(fmt::format("array '{}' does not stand where its shape says", name));
      offset = to;
      arrays_.push_back(std::move(a));
    }
    if (metadata_.at(checksum_key) != header_checksum(metadata_, header))
      refuse("the checksum does not match: the file was damaged or edited");
    if (bytes > 0 && bytes != 8 + length + offset)
      refuse(fmt::format("expected {} bytes, found {}: the file is cut short or damaged", 8 + length + offset,
                         bytes));
  } catch (const nlohmann::json::exception&) {
    refuse("not a Covary model file, or damaged, or cut short");
  } catch (const std::out_of_range&) {
    refuse("not a Covary model file, or damaged: a checksum is missing");
  }
}

void TensorReader::fill(std::span<double> part) {
  read_bytes(part.data(), part.size_bytes());
  hash_.add(part);
}

void TensorReader::end(const Array& array) {
  if (std::exchange(hash_, WordHash()).text() != array.checksum)
    refuse(fmt::format("the checksum of '{}' does not match: the file was damaged or edited", array.name));
}

Vector TensorReader::read_vector(const Array& array) {
  check_memory(8.0 * double(array.size), fmt::format("{}: array '{}'", source_, array.name));
  Vector out;
  constexpr Index part = 1 << 17;
  for (Index at = 0; at < array.size;
       at += part) {  // grows as it is read: a pipe may promise more than it has
    const Index k = std::min(part, array.size - at);
    if (out.size() < at + k) out.conservativeResize(std::min(array.size, std::max(2 * out.size(), at + k)));
    fill({out.data() + at, static_cast<size_t>(k)});
  }
  end(array);
  return out;
}

void TensorReader::finish() {
  char more = 0;
  if (read_(&more, 1) != 0) refuse("something follows its end: the file was damaged or edited");
}

}  // namespace covary
