// Text compressed with gzip, for tests.
#pragma once
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace covary::test {

inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  constexpr int gzip = 16 + MAX_WBITS;
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string in(text), out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());  // NOLINT
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());  // NOLINT
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib");
  return out;
}

}  // namespace covary::test
