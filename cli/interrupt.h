// Ctrl-C and other signals: unfinished files are removed, and the message says which files were written.
#pragma once
#include <string>
#include <string_view>

namespace covary::cli {

/// Ends the command on SIGINT, SIGTERM and SIGHUP with exit code 128 + signal (130 for Ctrl-C), whatever is
/// being computed, and on SIGPIPE without a word. Memory that runs out in a destructor ends it with exit
/// code 5.
void end_on_interrupt();

/// From here on the first Ctrl-C only says that a search is to end; the second is as without this.
void first_interrupt_ends_search();
/// Whether that has happened.
bool search_should_end();

/// The name of a file that is removed if the command is interrupted; the place at which it is kept, or -1.
int remember_unfinished(const std::string& path);
void forget_unfinished(int place);

/// Sets the message on written files that follows "interrupted, "; initially "nothing was written".
void say_when_interrupted(const std::string& text);
/// The same for a command that fails; "" if no file was written.
std::string_view written_so_far();
/// Resets these texts, for a program that runs several commands.
void begin_anew();
/// Something went to standard output.
void output_began();

/// The last step of a command: it is done or not, and the exit status says which. Interrupts come too late
/// now.
void ignore_interrupts();

}  // namespace covary::cli
