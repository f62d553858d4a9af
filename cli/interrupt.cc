#include "interrupt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>

#include "covary/base/error.h"
#include "covary/base/ranks.h"

namespace covary::cli {
namespace {

constexpr std::array<int, 4> signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

/// Texts where a signal handler can read them.
template <size_t longest>
struct Kept {
  char text[longest];
  volatile std::sig_atomic_t exists;
};
Kept<4096> unfinished[4] = {};      // NOLINT: a signal handler has nothing else to go by
Kept<1024> said[2] = {};            // NOLINT
std::atomic<int> current = -1;      // NOLINT: of `said`
std::atomic<bool> printed = false;  // NOLINT
std::atomic<int> searching = 0;     // NOLINT: 1: the first Ctrl-C ends a search, 2: it has

void write_error(std::string_view text) {
  if (internal::speaks()) (void)!::write(STDERR_FILENO, text.data(), text.size());
}

void remove_unfinished() {
  for (const auto& file : unfinished)
    if (file.exists != 0) ::unlink(file.text);
}

/// Only what a signal handler may do.
extern "C" void interrupted(int signal) {
  if (int waiting = 1; signal == SIGINT && searching.compare_exchange_strong(waiting, 2)) {
    write_error(
        "\ncovary: note: the search ends and the best parameters so far are kept; Ctrl-C again ends the "
        "command\n");
    return;
  }
  remove_unfinished();
  if (signal != SIGPIPE) {
    write_error("\ncovary: interrupted, ");
    write_error(current >= 0 ? said[current].text
                : printed    ? "standard output is not complete"
                             : "nothing was written");
    write_error("\n");
  }
  ::_exit(128 + signal);
}

/// Memory that runs out where no exception may pass, as in a destructor, is an error like any other.
[[noreturn]] void terminated() {
  remove_unfinished();
  if (!std::current_exception()) std::abort();  // nothing was thrown
  try {
    throw;
  } catch (const std::bad_alloc&) {
    write_error("covary: error: out of memory\n");
    ::_exit(static_cast<int>(Problem::limit));
  } catch (...) {
    std::abort();
  }
}

}  // namespace

void end_on_interrupt() {
  std::set_terminate(terminated);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that would be too large is an error in words, like a full disk
  for (const int signal : signals)
    if (std::signal(signal, interrupted) == SIG_IGN)
      std::signal(signal, SIG_IGN);  // as whoever started us wished
}

void first_interrupt_ends_search() { searching = 1; }

bool search_should_end() { return searching == 2; }

int remember_unfinished(const std::string& path) {
  if (path.empty() || path.size() >= sizeof unfinished[0].text) return -1;
  for (int i = 0; i < static_cast<int>(std::size(unfinished)); ++i) {
    if (unfinished[i].exists != 0) continue;
    std::memcpy(unfinished[i].text, path.c_str(), path.size() + 1);
    unfinished[i].exists = 1;
    return i;
  }
  return -1;
}

void forget_unfinished(int place) {
  if (place >= 0) unfinished[place].exists = 0;
}

void say_when_interrupted(const std::string& text) {
  const int next = current == 0 ? 1 : 0;
  const size_t n = std::min(text.size(), sizeof said[0].text - 1);
  std::memcpy(said[next].text, text.data(), n);
  said[next].text[n] = '\0';
  current = next;
}

void begin_anew() { current = -1, printed = false; }

void output_began() { printed = true; }

std::string_view written_so_far() { return current < 0 ? "" : said[current].text; }

void ignore_interrupts() {
  for (const int signal : signals) std::signal(signal, SIG_IGN);
}

}  // namespace covary::cli
