// The guide: every command in docs/guide is run, in order, and prints what the page says it prints.
//
// In ```console blocks a line that begins with "$ " is a command, run by bash in a folder of the page's own;
// what follows is its output, standard error too. Words must be the same; numbers may differ by 1 % or 1e-6
// (other machines round elsewhere), and those before "s" or "evaluations" by anything; so may the reason why a
// search that converged has ended. A line "..." stands
// for any lines. COVARY_UPDATE_GUIDE=1 writes what was printed into the pages instead.
#include <cmath>
#include <cstdlib>
#include <regex>

#include "run_command.h"

namespace covary::cli::guide_test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// A line with its numbers taken out, and the numbers; those that time or chance decides are left out of
/// both.
std::pair<std::string, std::vector<double>> taken_apart(const std::string& line) {
  static const std::regex volatile_number(R"(\d+(\.\d+)?(e[-+]?\d+)?(?= (s|min|evaluations?|MB|GB)\b))");
  static const std::regex number(R"([-+]?\d+(\.\d+)?(e[-+]?\d+)?)");
  static const std::regex spaces(" +");
  // The two ways in which a search at its optimum ends: rounding decides which.
  static const std::regex converged("the value no longer changes|no further decrease can be found");
  const std::string text =
      std::regex_replace(std::regex_replace(line, volatile_number, "#"), converged, "converged");
  std::vector<double> numbers;
  for (auto m = std::sregex_iterator(text.begin(), text.end(), number); m != std::sregex_iterator(); ++m)
    numbers.push_back(std::strtod(m->str().c_str(), nullptr));
  return {std::regex_replace(std::regex_replace(text, number, "#"), spaces, " "), numbers};
}

bool alike(const std::string& want, const std::string& got) {
  const auto [a, x] = taken_apart(want);
  const auto [b, y] = taken_apart(got);
  if (a != b || x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i] - y[i]) > 0.01 * std::max(std::abs(x[i]), std::abs(y[i])) + 1e-6) return false;
  return true;
}

/// want, where "..." stands for any lines, from `i` on against got from `j` on.
bool matches(const Lines& want, const Lines& got, size_t i = 0, size_t j = 0) {
  if (i == want.size()) return j == got.size();
  if (want[i] == "...") {
    for (size_t k = j; k <= got.size(); ++k)
      if (matches(want, got, i + 1, k)) return true;
    return false;
  }
  return j < got.size() && alike(want[i], got[j]) && matches(want, got, i + 1, j + 1);
}

class Guide : public Command, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covary-guide-" + GetParam() + "-" + std::to_string(::getpid()));
    ::setenv("LOCPATH", COVARY_LOCALES, 1);
    fs::remove_all(folder_);
    fs::create_directories(folder_ / ".bin");
    fs::create_symlink(COVARY_COMMAND, folder_ / ".bin" / "covary");
  }
  Lines run(const std::string& command) const {
    const std::string script = file(".script", command + "\n");
    const std::string out = path(".stdout");
    const std::string line = "cd '" + folder_.string() + "' && PATH=\"$PWD/.bin:$PATH\" NO_COLOR=1 bash " +
                             script + " > " + out + " 2>&1 < /dev/null";
    const int status = std::system(line.c_str());
    Lines all = lines_of(contents(out));
    if (status != 0) all.push_back("(exit " + std::to_string(WEXITSTATUS(status)) + ")");
    return all;
  }
};

/// A command and what a page says it prints.
struct Step {
  std::string command;
  Lines printed;
};

std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

TEST_P(Guide, PrintsWhatItSays) {
  const fs::path page = fs::path(COVARY_GUIDE) / (GetParam() + ".md");
  const bool update = std::getenv("COVARY_UPDATE_GUIDE") != nullptr;
  const Lines text = lines_of(contents(page));
  Lines fresh;
  size_t commands = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    fresh.push_back(text[i]);
    if (text[i] != "```console") continue;
    for (++i; i < text.size() && text[i] != "```";) {
      ASSERT_TRUE(text[i].starts_with("$ ")) << page << ":" << i + 1 << ": expected a command";
      Step step{text[i].substr(2), {}};
      fresh.push_back(text[i]);
      const size_t line = ++i;
      while (step.command.ends_with('\\') && i < text.size()) {
        step.command += "\n" + text[i];
        fresh.push_back(text[i++]);
      }
      while (i < text.size() && text[i] != "```" && !text[i].starts_with("$ "))
        step.printed.push_back(text[i++]);
      const Lines printed = run(step.command);
      ++commands;
      const bool same = matches(step.printed, printed);
      const Lines& keep = update && !same ? printed : step.printed;
      fresh.insert(fresh.end(), keep.begin(), keep.end());
      if (!update) {
        EXPECT_TRUE(same) << page << ":" << line << ": " << step.command << "\nprinted\n"
                          << joined(printed) << "and the page says\n"
                          << joined(step.printed);
      }
    }
    if (i < text.size()) fresh.push_back(text[i]);
  }
  EXPECT_GT(commands, 0U) << page << " runs nothing";
  if (update) std::ofstream(page, std::ios::binary) << joined(fresh);
}

std::vector<std::string> pages() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(COVARY_GUIDE))
    if (entry.path().extension() == ".md" && entry.path().stem() != "README")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Pages, Guide, testing::ValuesIn(pages()), [](const auto& page) {
  std::string name = page.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GuideMatching, NumbersAndWords) {
  EXPECT_TRUE(matches({"rmse 0.5 in 3 s"}, {"rmse 0.5001 in 9 s"}));
  EXPECT_FALSE(matches({"rmse 0.5"}, {"rmse 0.6"}));
  EXPECT_FALSE(matches({"rmse 0.5"}, {"mae 0.5"}));
  EXPECT_TRUE(matches({"a", "...", "z"}, {"a", "b", "c", "z"}));
  EXPECT_FALSE(matches({"a", "...", "z"}, {"a", "b"}));
  EXPECT_FALSE(matches({"a"}, {"a", "b"}));
}

}  // namespace
}  // namespace covary::cli::guide_test
