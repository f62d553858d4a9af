#include "covary/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "covary/base/error.h"
#include "covary/base/ranks.h"

namespace covary {
using namespace internal;
namespace {

/// Some network file systems lock only what is open for writing.
int open_to_lock(const std::string& path) {
  const int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const int file = ::open(path.c_str(), O_RDWR | flags);
  return file >= 0 ? file : ::open(path.c_str(), O_RDONLY | flags);
}

bool is_regular(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

bool lock(int file, int how) {
  while (::flock(file, LOCK_EX | how) != 0)
    if (errno != EINTR) return false;
  return true;
}

bool names(const std::string& path, int file) {
  struct stat is {};
  struct stat there {};
  return ::fstat(file, &is) == 0 && ::stat(path.c_str(), &there) == 0 && is.st_ino == there.st_ino &&
         is.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, const std::function<void()>& waiting)
    : path_(speaks() ? std::move(path) : "/dev/null") {
  constexpr int most = 100'000;  // replacements while this process waited
  bool said = false;
  for (int i = 0; i < most; ++i) {
    if (!is_regular(path_) || (file_ = open_to_lock(path_)) < 0) return;  // reading it will say why
    bool locked = lock(file_, LOCK_NB);
    if (!locked && errno == EWOULDBLOCK) {
      if (waiting && !std::exchange(said, true)) waiting();
      locked = lock(file_, 0);
    }
    if (!locked) missing_ = std::strerror(errno);
    if (!locked || names(path_, file_)) return;
    ::close(std::exchange(file_, -1));
  }
  throw Error(Problem::failed, fmt::format("{}: cannot be locked: it is replaced again and again", path_));
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

bool FileLock::current() const { return file_ < 0 ? !is_regular(path_) : names(path_, file_); }

void FileLock::follow(int file) {
  if (file_ >= 0) ::close(file_);
  file_ = file;
}

}  // namespace covary
