// The file of covary replay: every step of every run as CSV, to go on with and to analyze.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "covary/base/file_lock.h"
#include "covary/select/replay.h"

namespace covary::cli {

/// `settings` says with what the runs were made. The last column is a checksum of its line and of those
/// before it in the same run; that of a run's last line says that the run is whole.
std::string runs_csv(const std::vector<Trial>& runs, const std::string& settings);

/// The whole runs of a file that runs_csv wrote. A run that is cut off is left out, with a note. Throws
/// Problem::data with the line if one was changed or was made with other settings.
struct KeptRuns {
  std::vector<Trial> runs;
  std::vector<std::string> notes;
};
KeptRuns read_runs(const std::string& path, const std::string& settings);

/// Refuses to write over results that are there, unless they are resumed or `overwrite` is meant.
void check_results_file(const std::string& path, bool resume, bool overwrite);

/// Finished runs go to a file ("": none, "-": only at the end) as they come, at most every two seconds.
class Keeper {
 public:
  /// `lock`: of the file, taken before `done` was read from it. `expected`: how many runs there will be.
  Keeper(std::string path, std::unique_ptr<internal::FileLock> lock, std::string settings,
         std::vector<Trial> done, Index expected);
  void add(const Trial& run);
  /// All runs: these in their order, then those of the file that were not asked for this time.
  void finish(const std::vector<Trial>& runs);

 private:
  void write(const std::vector<Trial>& runs) const;
  std::string path_, settings_;
  std::unique_ptr<internal::FileLock> lock_;
  std::vector<Trial> runs_;
  Index expected_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace covary::cli
