#include "covary/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "covary/error.h"

namespace covary {
namespace {

namespace fs = std::filesystem;

constexpr size_t block = size_t{1} << 18;

/// The file that writing to `path` would change.
std::string followed(const std::string& path) {
  std::error_code unknown;
  const fs::path real = fs::canonical(path, unknown);
  return unknown ? path : real.string();
}

std::string directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category());
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(followed(path_)) {
  struct stat there {};
  const bool exists = ::stat(target_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) fail("is a directory, expected the name of a file");
  direct_ = exists && !S_ISREG(there.st_mode);
  if (direct_) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("no permission to write it");
    open_unnamed(directory_of(target_));
    if (file_ < 0) open_named();
    if (file_ >= 0 && exists) (void)::fchmod(file_, there.st_mode & 07777);
  }
  if (file_ < 0) fail(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open_unnamed([[maybe_unused]] const std::string& directory) {
#ifdef O_TMPFILE
  file_ = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
}

void OutputFile::open_named() {
  for (int attempt = 0; attempt < 100 && file_ < 0; ++attempt) {
    const std::string name = fmt::format("{}.{}-{}.partial", target_, ::getpid(), attempt);
    file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) temporary_ = name;
    if (file_ < 0 && errno != EEXIST) return;
  }
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= block) flush();
}

void OutputFile::flush() {
  try {
    write_all(file_, buffer_);
  } catch (const std::system_error& e) {
    fail(std::strerror(e.code().value()));
  }
  buffer_.clear();
}

/// Gives bytes without a name one that nobody else has, to rename from: a link cannot replace a file.
void OutputFile::name_unnamed() {
  const std::string bytes = fmt::format("/proc/self/fd/{}", file_);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = fmt::format("{}.{}-{}.partial", target_, ::getpid(), attempt);
    if (::linkat(AT_FDCWD, bytes.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(std::strerror(errno));
}

void OutputFile::commit() {
  flush();
  if (!direct_) {
    if (::fsync(file_) != 0) fail(std::strerror(errno));
    if (temporary_.empty()) name_unnamed();
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
    temporary_.clear();
    const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_CLOEXEC);
    if (directory >= 0) {
      (void)::fsync(directory);
      ::close(directory);
    }
  }
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0 && direct_) fail(std::strerror(errno));
}

void OutputFile::fail(const std::string& what) const {
  throw Error(Problem::failed, fmt::format("{}: cannot be written: {}", path_, what));
}

}  // namespace covary
