// The command from its arguments to its exit code: 0 done, 1 failed, 2 usage, 3 bad data, 4 numerical failure, 5 over a
// limit, 130 interrupted.
#pragma once
#include <functional>
#include <string>

namespace covary::cli {

/// How a command ended. An error was said already.
struct Ended {
  int code = 0;
  std::string error;
};

/// before(), whose errors are the command's, then what the arguments say.
Ended run_command_line(
    int argc, char** argv, const std::function<void()>& before = [] {});

}  // namespace covary::cli
