// A file that appears whole or not at all: written under another name beside it, flushed to disk, renamed.
#pragma once
#include <string>
#include <string_view>

struct stat;

namespace covary::internal {

class FileLock;

/// Nothing is seen at `path` until commit(); what was there before stays until then. Where the file system
/// allows it the bytes have no name at all before commit(), so that even a killed process leaves nothing
/// behind. To replace a file they need a name for an instant, `path`.covary-0.partial; whatever a process
/// killed in that instant leaves is removed by the next one that writes `path`. The new file has the owner,
/// group and mode of the one it replaces. What cannot be replaced (a pipe, a device) is written to directly.
/// Throws Problem::failed.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();  // without commit() nothing is left behind
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws what the constructor would: a folder that is missing, no permission, a directory. Leaves nothing
  /// behind, and does not open pipes and devices.
  static void check(const std::string& path);

  void write(std::string_view bytes);
  /// All bytes are on the disk, still unseen: what could fail for want of space has failed.
  void finish();
  /// A `lock` of the file that is replaced goes over to the new one without anybody coming between.
  void commit(FileLock* lock = nullptr);

  /// The name the bytes have before commit(), empty if they have none. Whoever ends the process without
  /// running destructors should remove it.
  const std::string& temporary() const { return temporary_; }

 private:
  void check_target(const struct stat* there) const;
  void keep_owner(unsigned owner, unsigned group, unsigned mode);
  void open_unnamed(const std::string& directory);
  void open_named();
  void flush();
  bool link_to_target();
  void name_unnamed();
  void replace();
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;       // as given, for errors
  std::string target_;     // with links followed
  std::string temporary_;  // while the bytes have a name of their own
  std::string buffer_;
  int file_ = -1;
  bool direct_ = false;  // a pipe or a device
};

}  // namespace covary::internal
