// A lock on a file that is read, changed and replaced, so that two processes do it one after the other.
#pragma once
#include <functional>
#include <string>

namespace covary::internal {

/// Held by one process at a time on the file that has the name `path`. It is freed when the lock is destroyed
/// or the process ends, however it ends, and leaves nothing in the folder. Whoever replaces the file by
/// another under the same name (OutputFile) keeps the lock until that is done, or takes it along to the new
/// file; whoever waited then locks the new file.
class FileLock {
 public:
  /// Waits for it, and calls `waiting` once if another process has it. What is no file of its own (a pipe, a
  /// device, nothing) is not locked. Throws Problem::failed if `path` goes on being replaced.
  explicit FileLock(std::string path, const std::function<void()>& waiting = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Why there is no lock where there should be one: a file system without locks. Empty otherwise.
  const std::string& missing() const { return missing_; }
  /// Whether `path` is still the name of the file that was locked, or of none if there was none.
  bool current() const;
  /// From now on the lock of `file`, an open descriptor that is locked, which it closes at the end.
  void follow(int file);

 private:
  std::string path_, missing_;
  int file_ = -1;
};

}  // namespace covary::internal
