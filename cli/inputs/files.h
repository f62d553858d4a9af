// The files that a verb reads and writes, checked before any of its work is done.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace covary::cli {

/// The options and arguments of a verb that name files.
struct VerbFiles {
  std::string verb;
  std::vector<std::string> reads, writes;
  std::string may_replace = {};  // what the first of `writes` may be the same file as
};
const std::vector<VerbFiles>& verb_files();

/// Throws if a file that is to be written is one that is read, or is written twice, or cannot be written
/// (Problem::usage, Problem::failed); or if an option that is no file's name is not UTF-8. Files are the same
/// if they are so on the disk, whatever they are called: through links, /dev/fd/3, or as standard input or
/// output.
void check_files(const CLI::App& verb);

}  // namespace covary::cli
