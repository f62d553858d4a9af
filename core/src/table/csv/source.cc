#include "table/csv/source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "covary/base/error.h"
#include "covary/base/ranks.h"
#include "covary/base/runtime.h"

namespace covary::csv {
using namespace internal;
namespace {

using File = std::shared_ptr<std::FILE>;

constexpr size_t read_at_once = size_t{1} << 20;

[[noreturn]] void cannot_read(const std::string& name, int error) {
  const char* why = error == ENOENT   ? "no such file"
                    : error == EACCES ? "no permission to read it"
                    : error == EISDIR ? "is a directory, expected a file"
                                      : nullptr;
  throw Error(
      Problem::data,
      name + ": " + (why != nullptr ? why : fmt::format("cannot be read ({})", std::strerror(error))));
}

size_t read_bytes(std::FILE* file, const std::string& name, char* out, size_t most) {
  errno = 0;
  const size_t n = std::fread(out, 1, most, file);
  if (n < most && std::ferror(file) != 0) cannot_read(name, errno);
  return n;
}

File open_source(const std::string& path) {
  File file = open_to_read(path);
  if (!file) cannot_read(path, errno);
  return file;
}

/// What a copy of a pipe may take: half of what is free on the disk, and a quarter of the memory, because the
/// table that it holds is read into that.
double room_for_copy(std::FILE* copy) {
  struct statvfs disk {};
  const double memory = 0.25 * static_cast<double>(memory_available());
  if (::fstatvfs(::fileno(copy), &disk) != 0) return memory;
  return std::min(memory, 0.5 * static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize));
}

/// All that is left of `file` in a file that has no name and goes away with the last use of it.
File kept(std::FILE* file, const std::string& name) {
  std::FILE* copy = std::tmpfile();
  if (copy == nullptr)
    throw Error(Problem::failed,
                fmt::format("{}: no temporary file can be made for it: {}", name, std::strerror(errno)));
  File out(copy, &std::fclose);
  const double room = room_for_copy(copy);
  double copied = 0;
  std::string bytes(read_at_once, '\0');
  bool packed = false;
  for (size_t got = read_at_once; got == read_at_once;) {
    got = read_bytes(file, name, bytes.data(), read_at_once);
    packed = packed || (copied == 0 && bytes.starts_with('\x1F'));
    copied += static_cast<double>(got);
    if (copied > room)
      throw Error(Problem::limit,
                  fmt::format("{}: is longer than {:.3g} GiB, what there is room for in a temporary copy; "
                              "give the name of a file, which needs none",
                              name, room / double{1 << 30}));
    if (std::fwrite(bytes.data(), 1, got, copy) != got || std::fflush(copy) != 0)
      throw Error(Problem::failed,
                  fmt::format("{}: its temporary copy cannot be written: {}", name, std::strerror(errno)));
    if (!packed && std::memchr(bytes.data(), 0, got) != nullptr) break;  // no text: reading it says where
  }
  std::rewind(copy);
  return out;
}

}  // namespace

Source text_source(std::string_view text, const std::string& name) {
  const auto at = std::make_shared<size_t>(0);
  const auto read = [text, at](char* out, size_t most) {
    const size_t n = text.copy(out, most, *at);
    *at += n;
    return n;
  };
  return {name, text.size(), read, [at] { *at = 0; }};
}

Source file_source(const std::string& path, Passes passes) {
  const std::string name = path == "-" ? "standard input" : path;
  File file = open_source(path);
  struct stat is {};
  if (::fstat(::fileno(file.get()), &is) != 0) cannot_read(name, errno);
  if (S_ISDIR(is.st_mode)) cannot_read(name, EISDIR);
  off_t begin = S_ISREG(is.st_mode) ? ::ftello(file.get()) : -1;
  auto size = static_cast<size_t>(is.st_size);
  if (begin < 0 && passes == Passes::many) {
    file = kept(file.get(), name);
    begin = 0;
    size = ::fstat(::fileno(file.get()), &is) == 0 ? static_cast<size_t>(is.st_size) : read_at_once;
  }
  Source out{name, begin < 0 || size == 0 ? read_at_once : size, {}, {}};  // files of the system itself say 0
  out.read = [file, name](char* to, size_t most) { return read_bytes(file.get(), name, to, most); };
  if (begin >= 0) {
    out.rewind = [file, name, begin] {
      if (::fseeko(file.get(), begin, SEEK_SET) != 0) cannot_read(name, errno);
    };
  }
  return out;
}

}  // namespace covary::csv
