// Runs the real command as a user would, in a folder of its own.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace covary::cli {

namespace fs = std::filesystem;

/// How a run ended.
struct Outcome {
  int code = -1;
  std::string out, err;
};

inline std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The lines of CSV without quotes, split at commas.
inline std::vector<std::vector<std::string>> cells(const std::string& csv, char delimiter = ',') {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(csv);
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string f; std::getline(fields, f, delimiter);) rows.back().push_back(f);
  }
  return rows;
}

/// Column `name` of a CSV text, as numbers.
inline std::vector<double> column(const std::string& csv, const std::string& name) {
  const auto rows = cells(csv);
  std::vector<double> out;
  if (rows.empty()) return out;
  const auto at = std::find(rows[0].begin(), rows[0].end(), name);
  EXPECT_NE(at, rows[0].end()) << "no column " << name << " in:\n" << csv;
  if (at == rows[0].end()) return out;
  for (size_t i = 1; i < rows.size(); ++i)
    out.push_back(std::stod(rows[i].at(static_cast<size_t>(at - rows[0].begin()))));
  return out;
}

class Command : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LOCPATH", COVARY_LOCALES, 1);  // where LC_ALL=de_DE.UTF-8 is found
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("covary-cli-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// covary ARGUMENTS, without a shell. `input` is its standard input.
  Outcome covary(const std::vector<std::string>& arguments, const std::string& input = "",
                 const std::map<std::string, std::string>& environment = {}) const {
    const std::string in = file(".stdin", input), out = path(".stdout"), err = path(".stderr");
    const pid_t child = start(arguments, in, out, err, environment);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
  }

  /// A script for the shell, in which $covary is the command.
  Outcome shell(const std::string& script) const {
    const std::string out = path(".stdout"), err = path(".stderr");
    const std::string line = "cd '" + folder_.string() + "'; covary='" COVARY_COMMAND "'\n{ " + script +
                             "\n} >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(line.c_str());  // NOLINT: a shell is what is wanted
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
  }

  pid_t start(const std::vector<std::string>& arguments, const std::string& in, const std::string& out,
              const std::string& err, const std::map<std::string, std::string>& environment = {}) const {
    std::vector<char*> argv{const_cast<char*>(COVARY_COMMAND)};  // NOLINT: exec asks for it
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));  // NOLINT
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::dup2(::open(in.c_str(), O_RDONLY), 0);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    (void)!::chdir(folder_.c_str());
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(COVARY_COMMAND, argv.data());
    ::_exit(127);
  }

  /// fit --json, which must succeed.
  nlohmann::json fitted(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "fit");
    arguments.emplace_back("--json");
    const Outcome o = covary(arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }

  /// Files that a user would see.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (!entry.path().filename().string().starts_with(".std")) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

/// A failure says `part` and ends with `code`.
inline testing::AssertionResult fails(const Outcome& o, int code, const std::string& part) {
  if (o.code == code && o.err.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected exit code " << code << " and '" << part << "', got "
                                     << o.code << " and:\n"
                                     << o.err << o.out;
}

/// A success notes `part` on standard error.
inline testing::AssertionResult notes(const Outcome& o, const std::string& part) { return fails(o, 0, part); }

}  // namespace covary::cli
