#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "covary/base/error.h"
#include "covary/base/ranks.h"
#include "interrupt.h"

namespace covary::cli {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Only on a terminal, and not if NO_COLOR is set to anything (no-color.org).
bool in_color() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

/// Standard error is written if that can be; nothing is lost if not.
void put_error(std::string_view text) {
  if (internal::speaks()) (void)!std::fwrite(text.data(), 1, text.size(), stderr);
}

[[noreturn]] void cannot_print() { throw Error(Problem::failed, "standard output cannot be written"); }

}  // namespace

void reserve_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(standard, F_GETFD) >= 0) continue;
    const int mode = standard == STDIN_FILENO ? O_WRONLY : O_RDONLY;  // to use it is an error, as it was
    if (::open("/dev/null", mode) < 0) (void)::open("/", O_RDONLY);
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) cannot_print();
  output_began();
}

void flush() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) cannot_print();
}

void say(std::string_view kind, std::string_view text) {
  (void)std::fflush(stdout);
  const char* on = !in_color() ? "" : kind == "error" ? "\x1b[1;31m" : "\x1b[36m";
  const char* off = *on != '\0' ? "\x1b[0m" : "";
  try {
    put_error(fmt::format("covary: {}{}{}: {}\n", on, kind, off, text));
  } catch (const std::bad_alloc&) {  // in pieces, then
    for (const std::string_view part : {std::string_view("covary: "), kind, std::string_view(": "), text})
      put_error(part);
    put_error("\n");
  }
}

Output::Output(const std::string& path) : path_(path) {
  if (path == "-") return;
  file_.emplace(path);
  unfinished_ = remember_unfinished(file_->temporary());
}

Output::~Output() {
  file_.reset();
  forget_unfinished(unfinished_);
}

void Output::write(std::string_view text) { file_ ? file_->write(text) : print(text); }

void Output::finish() { file_ ? file_->finish() : flush(); }

void Output::commit(internal::FileLock* lock) {
  if (!file_) return flush();
  const std::string done = path_ + " was written";  // before the file is there: after that nothing may fail
  file_->commit(lock);
  say_when_interrupted(done);
}

void write_output(const std::string& path, std::string_view text, internal::FileLock* lock) {
  Output out(path);
  out.write(text);
  out.commit(lock);
}

std::unique_ptr<internal::FileLock> lock_of(const std::string& path, Messages& messages) {
  if (path.empty() || path == "-") return nullptr;
  auto lock = std::make_unique<internal::FileLock>(
      path, [&] { messages.note(fmt::format("waiting for another covary that is changing {}", path)); });
  if (!lock->missing().empty())
    messages.note(
        fmt::format("{} cannot be locked ({}): do not change it by another covary at the same time, "
                    "or the changes of one of them are lost",
                    path, lock->missing()));
  return lock;
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
  put_error("\r\x1b[K" + text.substr(0, 79));
}

void Messages::clear() {
  if (shown_) put_error("\r\x1b[K");
  shown_ = false;
}

}  // namespace covary::cli
