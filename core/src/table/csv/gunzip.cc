#include <fmt/format.h>

#ifdef COVARY_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "covary/base/error.h"
#include "table/csv/source.h"

namespace covary::csv {
namespace {

constexpr std::string_view magic = "\x1F\x8B";
constexpr size_t usual_ratio = 4;  // of text to compressed bytes

/// `source` with the bytes `first`, which were read from it, before the rest.
Source given_back(const Source& source, const std::string& first) {
  const auto held = std::make_shared<std::string>(first);
  Source out = source;
  out.read = [held, read = source.read](char* to, size_t most) {
    const size_t n = held->copy(to, most);
    held->erase(0, n);
    return n == most ? n : n + read(to + n, most - n);
  };
  if (source.rewind) {
    out.rewind = [held, rewind = source.rewind] {
      held->clear();
      rewind();
    };
  }
  return out;
}

#ifdef COVARY_ZLIB
/// Unpacks one gzip member after another.
class Gunzip {
 public:
  explicit Gunzip(Source bytes) : bytes_(std::move(bytes)) { begin(); }
  ~Gunzip() { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  size_t read(char* out, size_t most) {
    size_t done = 0;
    while (done < most) {
      if (stream_.avail_in == 0) refill();
      if (between_ && !next_member()) break;
      const size_t room = std::min(most - done, size_t{std::numeric_limits<uInt>::max()});
      stream_.next_out = reinterpret_cast<Bytef*>(out + done);  // NOLINT: zlib's bytes are unsigned
      stream_.avail_out = static_cast<uInt>(room);
      step();
      done += room - stream_.avail_out;
    }
    return done;
  }

  void rewind() {
    bytes_.rewind();
    ::inflateEnd(&stream_);
    begin();
  }

 private:
  void begin() {
    stream_ = {};
    ended_ = false;
    between_ = false;
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (::inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }

  void step() {
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_OK) return;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      between_ = true;
    } else if (status == Z_BUF_ERROR && ended_ && stream_.avail_in == 0) {
      fail("is cut short: its gzip data end too early");
    } else if (status != Z_BUF_ERROR) {
      fail(fmt::format("is damaged: its gzip data cannot be unpacked ({})",
                       stream_.msg != nullptr ? stream_.msg : "no reason given"));
    }
  }

  /// Begins the member that follows, past zeros that only fill; false if none does.
  bool next_member() {
    for (; stream_.avail_in > 0; refill_if_empty()) {
      if (*stream_.next_in != 0) {
        between_ = false;
        return ::inflateReset(&stream_) == Z_OK;
      }
      ++stream_.next_in;
      --stream_.avail_in;
    }
    return false;
  }

  void refill_if_empty() {
    if (stream_.avail_in == 0) refill();
  }

  void refill() {
    if (ended_) return;
    const size_t got = bytes_.read(packed_.data(), packed_.size());
    ended_ = got < packed_.size();
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());  // NOLINT
    stream_.avail_in = static_cast<uInt>(got);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Problem::data, bytes_.name + ": " + what);
  }

  Source bytes_;
  z_stream stream_{};
  std::array<char, size_t{1} << 14> packed_{};
  bool ended_ = false;    // the compressed bytes have all been handed over
  bool between_ = false;  // a member has ended, and no other begun
};
#endif

}  // namespace

Source unzipped(const Source& bytes) {
  std::string first(magic.size(), '\0');
  first.resize(bytes.read(first.data(), first.size()));
  Source whole = given_back(bytes, first);
  if (first != magic) return whole;
#ifdef COVARY_ZLIB
  const auto gunzip = std::make_shared<Gunzip>(whole);
  Source out{whole.name, std::max(size_t{1} << 20, usual_ratio * whole.size), {}, {}};
  out.read = [gunzip](char* to, size_t most) { return gunzip->read(to, most); };
  if (whole.rewind) out.rewind = [gunzip] { gunzip->rewind(); };
  return out;
#else
  throw Error(Problem::data,
              bytes.name + ": is packed by gzip, which this build cannot read: unpack it first");
#endif
}

}  // namespace covary::csv
