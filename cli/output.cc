#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "covary/error.h"

namespace covary::cli {
namespace {

/// The names of unfinished files, where a signal handler can read them.
struct Unfinished {
  static constexpr size_t longest = 4096;
  char path[longest];
  volatile std::sig_atomic_t exists;
};
constexpr int most_unfinished = 4;
Unfinished unfinished[most_unfinished] = {};  // NOLINT: a signal handler has nothing else to go by

/// The place at which `path` is remembered; -1 if it need not or cannot be.
int remember_unfinished(const std::string& path) {
  if (path.empty() || path.size() >= Unfinished::longest) return -1;
  for (int i = 0; i < most_unfinished; ++i) {
    if (unfinished[i].exists != 0) continue;
    std::memcpy(unfinished[i].path, path.c_str(), path.size() + 1);
    unfinished[i].exists = 1;
    return i;
  }
  return -1;
}

/// Only what a signal handler may do.
extern "C" void interrupted(int signal) {
  for (const Unfinished& file : unfinished)
    if (file.exists != 0) ::unlink(file.path);
  constexpr std::string_view text = "\ncovary: interrupted, nothing was written\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(128 + signal);  // 130 for Ctrl-C
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Only on a terminal, and not if NO_COLOR is set to anything (no-color.org).
bool in_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

void end_on_interrupt() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that would be too large is an error in words, like a full disk
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, interrupted) == SIG_IGN)
      std::signal(signal, SIG_IGN);  // as whoever started us wished
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw Error(Problem::failed, "standard output cannot be written");
}

void flush() {
  if (std::fflush(stdout) != 0) throw Error(Problem::failed, "standard output cannot be written");
}

void say(std::string_view kind, std::string_view text) {
  std::fflush(stdout);
  const char* on = !in_colour() ? "" : kind == "error" ? "\x1b[1;31m" : "\x1b[36m";
  fmt::print(stderr, "covary: {}{}{}: {}\n", on, kind, *on ? "\x1b[0m" : "", text);
}

Output::Output(const std::string& path) {
  if (path == "-") return;
  file_.emplace(path);
  unfinished_ = remember_unfinished(file_->temporary());
}

Output::~Output() {
  file_.reset();
  if (unfinished_ >= 0) unfinished[unfinished_].exists = 0;
}

void Output::write(std::string_view text) { file_ ? file_->write(text) : print(text); }

void Output::commit() { file_ ? file_->commit() : flush(); }

void write_output(const std::string& path, std::string_view text) {
  Output out(path);
  out.write(text);
  out.commit();
}

Messages::Messages(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0), began_(now()) {}

Messages::~Messages() { clear(); }

void Messages::note(std::string_view text) {
  clear();
  if (!quiet_) say("note", text);
}

void Messages::notes(const std::vector<std::string>& all) {
  for (const std::string& n : all) note(n);
}

void Messages::progress(const Progress& p) {
  const double left = p.share > 0.05 ? p.seconds * (1 - p.share) / p.share : 0;
  const std::string estimate = left > 1 ? fmt::format(", about {:.0f} s left", left) : "";
  line(fmt::format("{}: {} evaluations, best {:.4f}, {:.1f} s{}", p.phase, p.evaluations, p.best, p.seconds,
                   estimate));
}

void Messages::progress(std::string_view what, double share) {
  line(fmt::format("{}: {:.0f} %", what, 100 * share));
}

void Messages::progress_rows(std::string_view what, long long done, long long total) {
  const double rate = double(done) / std::max(now() - began_, 1e-3);
  const std::string share = total > 0 ? fmt::format(" {:.0f} %,", 100 * double(done) / double(total)) : "";
  line(fmt::format("{}:{} {} rows, {:.0f} a second", what, share, done, rate));
}

void Messages::line(const std::string& text) {
  if (quiet_ || !terminal_ || now() - last_ < 0.1) return;
  last_ = now();
  shown_ = true;
  fmt::print(stderr, "\r\x1b[K{}", text.substr(0, 79));
  std::fflush(stderr);
}

void Messages::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace covary::cli
