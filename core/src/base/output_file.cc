#include "covary/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/file_lock.h"
#include "covary/base/ranks.h"

namespace covary {
using namespace internal;
namespace {

namespace fs = std::filesystem;

constexpr size_t copied_at_once = size_t{1} << 18;
constexpr int most_partials = 64;     // unfinished files that one target can have at a time
constexpr size_t longest_name = 255;  // of a file, without its folders

/// TARGET.covary-K.partial; a name that would be too long for the file system is cut.
std::string partial_name(const std::string& target, int k) {
  const std::string ending = fmt::format(".covary-{}.partial", k);
  const size_t name = target.find_last_of('/') + 1;
  return target.substr(0, name) + target.substr(name, longest_name - ending.size()) + ending;
}

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

/// The process that writes a file holds its lock until it finishes or dies. Where there are no locks nothing
/// counts as abandoned.
bool lock_whole(int file, int how = 0) { return ::flock(file, LOCK_EX | how) == 0; }

/// Whether `name` is still the name of `file`.
bool is_at(int file, const std::string& name) {
  struct stat is {};
  struct stat there {};
  return ::fstat(file, &is) == 0 && ::stat(name.c_str(), &there) == 0 && is.st_ino == there.st_ino &&
         is.st_dev == there.st_dev;
}

/// Removes the leftover of a process that was killed while saving `target`. A name is removed only under the
/// lock of the very file that has it, so that nobody else's is.
void remove_abandoned(const std::string& target) {
  for (int k = 0; k < most_partials; ++k) {
    const std::string name = partial_name(target, k);
    const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (lock_whole(file, LOCK_NB) && is_at(file, name)) ::unlink(name.c_str());
    ::close(file);
  }
}

}  // namespace

OutputFile::OutputFile(std::string path)
    : path_(speaks() ? std::move(path) : "/dev/null"), target_(followed(path_)) {
  struct stat there {};
  const bool exists = ::stat(target_.c_str(), &there) == 0;
  check_target(exists ? &there : nullptr);
  direct_ = exists && !S_ISREG(there.st_mode);
  if (direct_) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    remove_abandoned(target_);
    open_unnamed(directory_of(target_));
    if (file_ < 0) open_named();
    if (file_ >= 0 && exists) keep_owner(there.st_uid, there.st_gid, there.st_mode & 07777);
  }
  if (file_ < 0) fail(std::strerror(errno));
}

void OutputFile::check(const std::string& path) {
  if (!speaks()) return;
  struct stat there {};
  const bool device = ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
  if (!device) {
    const OutputFile tried(path);
  } else if (::access(path.c_str(), W_OK) != 0) {  // to open a pipe and close it would end it for its reader
    throw Error(Problem::failed, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
}

/// Throws for errors that are visible before anything is opened. `there` is null if the target does not exist.
void OutputFile::check_target(const struct stat* there) const {
  if (there == nullptr && errno == ENAMETOOLONG) fail("the name is too long");
  const std::string folder = directory_of(target_);
  std::error_code unknown;
  if (there != nullptr && S_ISDIR(there->st_mode)) fail("is a directory, expected the name of a file");
  if (there != nullptr && ::access(target_.c_str(), W_OK) != 0) fail("no permission to write it");
  if (there == nullptr && !fs::exists(folder, unknown))
    fail(fmt::format("there is no folder {}: make it first", folder));
  if (there == nullptr && path_.ends_with('/')) fail("expected the name of a file, found that of a folder");
}

/// Gives the new bytes the owner, group and mode of the file that they replace. Only root can give a file
/// away: another user may replace a file that is not theirs as long as it stays with its group.
void OutputFile::keep_owner(unsigned owner, unsigned group, unsigned mode) {
  struct stat is {};
  if (::fstat(file_, &is) != 0) fail(std::strerror(errno));
  const auto kept = static_cast<uid_t>(-1);
  if (is.st_uid != owner || is.st_gid != group) {
    const bool given = ::fchown(file_, owner, group) == 0 || ::fchown(file_, kept, group) == 0;
    if (!given && is.st_uid != owner)
      fail(fmt::format(
          "it belongs to another user (uid {}) and could not be given back to its owner or group; "
          "write to another file",
          owner));
  }
  if (::fchmod(file_, mode) != 0) fail(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (file_ >= 0) ::close(file_);
}

void OutputFile::open_unnamed([[maybe_unused]] const std::string& directory) {
#ifdef O_TMPFILE
  file_ = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ >= 0 && !is_at(file_, fmt::format("/proc/self/fd/{}", file_)))
    ::close(std::exchange(file_, -1));      // without /proc it could not be given a name
  if (file_ >= 0) (void)lock_whole(file_);  // before it has a name, so that nobody takes it for abandoned
#endif
}

void OutputFile::open_named() {
  for (int k = 0; k < most_partials && file_ < 0; ++k) {
    std::string name = partial_name(target_, k);
    file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) return;
    if (file_ < 0) continue;
    (void)lock_whole(file_);  // after whoever may be looking at it
    if (is_at(file_, name)) {
      temporary_ = std::move(name);  // which cannot fail: the name is taken
    } else {                         // taken for abandoned before it was locked
      ::close(std::exchange(file_, -1));
    }
  }
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= copied_at_once) flush();
}

void OutputFile::flush() {
  try {
    write_all(file_, buffer_);
  } catch (const std::system_error& e) {
    fail(std::strerror(e.code().value()));
  }
  buffer_.clear();
}

/// Gives bytes without a name the target's, if that is free: from nothing to the whole file in one step.
bool OutputFile::link_to_target() {
  const std::string bytes = fmt::format("/proc/self/fd/{}", file_);
  if (::linkat(AT_FDCWD, bytes.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) fail(std::strerror(errno));
  return false;
}

/// Gives bytes without a name one that nobody else has, to rename from: a link cannot replace a file.
void OutputFile::name_unnamed() {
  const std::string bytes = fmt::format("/proc/self/fd/{}", file_);
  for (int k = 0; k < most_partials; ++k) {
    std::string name = partial_name(target_, k);
    if (::linkat(AT_FDCWD, bytes.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);  // which cannot fail: the name is taken
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(std::strerror(errno));
}

void OutputFile::finish() {
  flush();
  if (!direct_ && ::fsync(file_) != 0) fail(std::strerror(errno));
}

void OutputFile::replace() {
  const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_CLOEXEC);
  try {
    if (temporary_.empty() && !link_to_target()) name_unnamed();
    if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0)
      fail(std::strerror(errno));
  } catch (...) {
    if (directory >= 0) ::close(directory);
    throw;
  }
  temporary_.clear();  // from here on nothing can fail: the file is there
  if (directory < 0) return;
  (void)::fsync(directory);
  ::close(directory);
}

void OutputFile::commit(FileLock* lock) {
  finish();
  if (!direct_) replace();
  if (lock != nullptr && !direct_) return lock->follow(std::exchange(file_, -1));
  const int closed = ::close(std::exchange(file_, -1));
  if (closed != 0 && direct_) fail(std::strerror(errno));
}

void OutputFile::fail(const std::string& what) const {
  throw Error(Problem::failed, fmt::format("{}: cannot be written: {}", path_, what));
}

}  // namespace covary
