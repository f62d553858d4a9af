#include "pictures/picture_file.h"

#include <fmt/format.h>
#include <unistd.h>
#ifndef __EMSCRIPTEN__
#include <spawn.h>
#include <sys/wait.h>
#endif

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "covary/base/error.h"
#include "output.h"

extern char** environ;  // NOLINT: POSIX gives the environment no other name

namespace covary::cli {
namespace {

constexpr const char* converter = "rsvg-convert";

std::string ending(const std::string& path) {
  std::string e = std::filesystem::path(path).extension();
  for (char& c : e) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return e;
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = folders.substr(at, end - at);
    if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// A file without a name: gone when closed.
struct Close {
  void operator()(std::FILE* f) const { (void)std::fclose(f); }
};
using Scratch = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void cannot_convert(const std::string& why) {
  throw Error(Problem::failed, fmt::format("{} could not make the PNG: {}", converter, why));
}

Scratch scratch() {
  Scratch file(std::tmpfile());
  if (!file) cannot_convert(std::strerror(errno));
  return file;
}

std::string contents(std::FILE* file) {
  std::string all;
  char part[65536];
  (void)std::fseek(file, 0, SEEK_SET);
  for (size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) all.append(part, n);
  return all;
}

#ifdef __EMSCRIPTEN__
void convert(std::FILE*, std::FILE*) { cannot_convert("WebAssembly starts no programs"); }
#else
/// Runs the converter from one open file to another, without a shell.
void convert(std::FILE* from, std::FILE* to) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(from), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(to), STDOUT_FILENO);
  std::string name = converter, format = "--format=png";
  char* arguments[] = {name.data(), format.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, converter, &files, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) cannot_convert(std::strerror(failed));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) cannot_convert("it failed");
}
#endif

std::string as_png(const std::string& svg) {
  const Scratch from = scratch(), to = scratch();
  if (std::fwrite(svg.data(), 1, svg.size(), from.get()) != svg.size() || std::fflush(from.get()) != 0)
    cannot_convert(std::strerror(errno));
  (void)::lseek(::fileno(from.get()), 0, SEEK_SET);
  convert(from.get(), to.get());
  std::string png = contents(to.get());
  if (!png.starts_with("\x89PNG")) cannot_convert("what it wrote is no PNG");
  return png;
}

/// Whether an attribute of an SVG, such as a coordinate, is no finite number.
bool has_unfinite_number(std::string_view svg) {
  bool tag = false, value = false;  // inside of <...>, inside of "..." there
  for (size_t i = 0; i < svg.size(); ++i) {
    if (!tag || !value) {
      if (svg[i] == '<') tag = true;
      if (svg[i] == '>') tag = false;
      if (tag && svg[i] == '"') value = true;
      continue;
    }
    if (svg[i] == '"') value = false;
    const bool begins = std::isalpha(static_cast<unsigned char>(svg[i - 1])) == 0;
    const std::string_view word = svg.substr(i, 3);
    const bool ends = i + 3 >= svg.size() || std::isalpha(static_cast<unsigned char>(svg[i + 3])) == 0;
    if (begins && ends && (word == "nan" || word == "inf")) return true;
  }
  return false;
}

}  // namespace

void check_picture_name(const std::string& path) {
  if (path == "-" || ending(path) == ".svg") return;
  if (ending(path) != ".png")
    throw Error(Problem::usage, fmt::format("{}: expected a name that ends in .svg or .png", path));
  if (!on_path(converter))
    throw Error(Problem::failed,
                fmt::format("{}: a PNG needs {} (Debian's package librsvg2-bin), which is not "
                            "on the PATH; a name that ends in .svg needs nothing",
                            path, converter));
}

void write_picture(const std::string& path, const std::string& svg) {
  check_picture_name(path);
  if (has_unfinite_number(svg))
    throw Error(
        Problem::numerical,
        "a coordinate of the picture is not a finite number: the values are too large or too small for "
        "the arithmetic; rescale the columns");
  write_output(path, ending(path) == ".png" ? as_png(svg) : svg);
}

}  // namespace covary::cli
