// covary help.
#pragma once
#include "command.h"

namespace covary::cli {

/// The verb, for lists of verbs.
Run add_help(CLI::App& app);

/// Whether `words`, the command line, ask for the help of a verb, which is then printed. Read before all
/// others: a verb behind a verb would be taken for one to run. Throws Problem::usage for a verb that does not
/// exist.
bool helped(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace covary::cli
