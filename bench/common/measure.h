// What the benchmarks share: options, clocks, peak memory, child processes, the report.
//
//   NAME [--quick] [--data DIR] [--python PATH] [--scratch DIR] [--report FILE]
//
// Every program prints a table of its own and adds its verdicts to the report file, one line each, so that
// the reports of all of them make one table.
#pragma once
#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "covary/base/error.h"

namespace bench {

struct Options {
  std::map<std::string, std::string> values;
  bool has(const std::string& name) const { return values.count(name) > 0; }
  std::string get(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
  }
  int number(const std::string& name, int otherwise) const {
    return has(name) ? std::stoi(get(name)) : otherwise;
  }
};

/// --name value, --name alone, and NAME: what each program takes beyond the common ones is in `more`; those
/// ending in '!' stand alone.
inline Options read_options(int argc, char** argv, const std::vector<std::string>& more = {}) {
  std::set<std::string> valued{"data", "python", "scratch", "report"}, alone{"quick"};
  for (const std::string& name : more)
    if (name.back() == '!')
      alone.insert(name.substr(0, name.size() - 1));
    else
      valued.insert(name);
  Options out;
  out.values["data"] = COVARY_SHARED_DATA;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.rfind("--", 0) == 0 ? word.substr(2) : "";
    if (alone.count(name))
      out.values[name] = "yes";
    else if (valued.count(name) && i + 1 < argc)
      out.values[name] = argv[++i];
    else
      throw covary::Error(covary::Problem::usage, "unknown option, or one without its value: " + word);
  }
  return out;
}

/// The program's main: errors in words and as an exit status.
template <class F>
int guarded(F&& program) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    program();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Processor seconds used by all threads of this process.
inline double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds one call takes.
template <class F>
double seconds(F&& work) {
  const double begin = now();
  work();
  return now() - begin;
}

inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  const auto middle = v.begin() + std::ssize(v) / 2;
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

inline double least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

/// A figure of /proc/self/status in MB (10^6 bytes): "VmRSS" now, "VmHWM" at its peak.
inline double memory_mb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(field + ":", 0) == 0) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e6;
  return 0;
}

/// VmHWM counts from here on. False where the system does not allow it.
inline bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  return file.good();
}

/// What a command prints. Throws if it fails.
inline std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run: " + command);
  std::string text(1 << 16, '\0'), all;
  for (size_t got = 0; (got = std::fread(text.data(), 1, text.size(), pipe)) > 0;) all.append(text, 0, got);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("this failed: " + command);
  return all;
}

inline std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// This program again in a process of its own; what it prints, as JSON.
inline nlohmann::json self(const std::string& arguments) {
  return nlohmann::json::parse(
      output_of(quoted(std::filesystem::read_symlink("/proc/self/exe").string()) + " " + arguments));
}

/// Where files that need not outlive a run go.
inline std::string scratch(const Options& o) {
  const std::string folder =
      o.get("scratch", (std::filesystem::temp_directory_path() / "covary-bench").string());
  std::filesystem::create_directories(folder);
  return folder;
}

/// The Python that has the peers, or "" after saying what is left out.
inline std::string peers_python(const Options& o, const std::string& package) {
  const std::string python = o.get("python");
  if (python.empty()) {
    fmt::print("(no --python given: {} is left out)\n", package);
    return "";
  }
  const std::string probe = quoted(python) + " -c " + quoted("import " + package) + " 2>/dev/null";
  if (std::system(probe.c_str()) == 0) return python;  // NOLINT: a shell is what is wanted
  fmt::print("({} cannot import {}: it is left out)\n", python, package);
  return "";
}

/// The command that runs bench/peers/NAME.py.
inline std::string peer(const std::string& python, const std::string& name) {
  return quoted(python) + " " + quoted(std::string(COVARY_BENCH) + "/peers/" + name + ".py");
}

/// One line of the report: what was measured, the figure, what it should be, and whether it is.
inline void verdict(const Options& o, const std::string& what, const std::string& figure,
                    const std::string& bar, bool met) {
  const std::string line = fmt::format("{:<66} {:>14} {:>14}  {}", what, figure, bar, met ? "met" : "MISSED");
  fmt::print("> {}\n", line);
  if (o.has("report")) std::ofstream(o.get("report"), std::ios::app) << line << '\n';
}
inline void left_out(const Options& o, const std::string& what, const std::string& why) {
  const std::string line = fmt::format("{:<66} {:>14} {:>14}  left out: {}", what, "-", "-", why);
  fmt::print("> {}\n", line);
  if (o.has("report")) std::ofstream(o.get("report"), std::ios::app) << line << '\n';
}

}  // namespace bench
