// Where the command writes: data to standard output or a file, messages and one progress line to standard
// error.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "covary/base/file_lock.h"
#include "covary/base/output_file.h"
#include "covary/learn/summary.h"

namespace covary::cli {

/// Opens those of standard input, output and error that are closed, so that no file gets their numbers; using
/// them stays an error. Called before anything else is opened.
void reserve_descriptors();

/// To standard output; throws Problem::failed if it cannot be written.
void print(std::string_view text);
void flush();

/// "covary: KIND: TEXT" on standard error, if that can be written.
void say(std::string_view kind, std::string_view text);

/// A file that appears whole or not at all (output_file.h), or standard output if `path` is "-".
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(std::string_view text);
  void finish();  // on the disk, still unseen
  /// A `lock` of the file goes over to the new one.
  void commit(internal::FileLock* lock = nullptr);

 private:
  std::string path_;
  std::optional<internal::OutputFile> file_;
  int unfinished_ = -1;  // where a signal handler finds its name
};

/// Writes all of `text` to `path`; a `lock` of it goes over to the new file.
void write_output(const std::string& path, std::string_view text, internal::FileLock* lock = nullptr);

class Messages;
/// The lock of a file that is read and replaced, or replaced after long work, so that processes that do so
/// take turns: waits for another, with a note. Nothing for "" and "-".
std::unique_ptr<internal::FileLock> lock_of(const std::string& path, Messages& messages);

/// Messages and progress of one verb; silent if `quiet`.
class Messages {
 public:
  explicit Messages(bool quiet);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void note(std::string_view text);
  void notes(const std::vector<std::string>& all);
  /// One line that is overwritten, only on a terminal and at most ten times a second.
  void progress(const Progress& p);
  void progress(std::string_view what, double share);
  /// The current step, where its duration is unknown.
  void working(std::string_view what) { line(std::string(what)); }
  /// How many rows of `total` are done (0: unknown), and how many per second.
  void progress_rows(std::string_view what, long long done, long long total);

 private:
  void line(const std::string& text);
  void clear();
  bool quiet_, terminal_;
  bool shown_ = false;
  double began_ = 0, last_ = 0;
};

}  // namespace covary::cli
