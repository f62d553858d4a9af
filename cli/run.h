// The command as a function: what main() of the command calls, and the page.
#pragma once
#include <functional>
#include <string>

namespace covary::cli {

/// Reads the command line and runs the verb. Errors become a message on standard error and an exit code:
/// 0 done, 1 failed, 2 usage, 3 bad data, 4 numerical failure, 5 over a limit.
int run_command(int argc, char** argv);

/// The exit status of a command. Its error message was printed already.
struct Ended {
  int code = 0;
  std::string error;
};

/// before(), whose errors are the command's, then the same.
Ended run_command(int argc, char** argv, const std::function<void()>& before);

}  // namespace covary::cli
