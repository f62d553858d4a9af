// The command as a function: what main() of the command calls, and the page.
#pragma once

namespace covary::cli {

/// Reads the command line, runs the verb, and turns what went wrong into words on standard error and an exit
/// code: 0 done, 1 failed, 2 usage, 3 bad data, 4 numerical failure, 5 over a limit.
int run_command(int argc, char** argv);

}  // namespace covary::cli
