// The command as a function: what main() of the command calls, and the page.
#pragma once
#include <functional>
#include <string>

namespace covary::cli {

/// Reads the command line, runs the verb, and turns what went wrong into words on standard error and an exit
/// code: 0 done, 1 failed, 2 usage, 3 bad data, 4 numerical failure, 5 over a limit.
int run_command(int argc, char** argv);

/// How a command ended. An error was said already.
struct Ended {
  int code = 0;
  std::string error;
};

/// before(), whose errors are the command's, then the same.
Ended run_command(int argc, char** argv, const std::function<void()>& before);

}  // namespace covary::cli
