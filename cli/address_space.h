// A command that was given little address space.
#pragma once

namespace covary::cli {

/// Runs the command again with one thread of OpenBLAS where the others could not have their buffers (128 MiB
/// each) under `ulimit -v`: they would look for memory for ever, also when the command ends. Returns if there
/// is room.
void restart_if_cramped(char** arguments);

}  // namespace covary::cli
