// covary man: the manual page, made from the command's own usage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "output.h"
#include "usage.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

/// Text that troff leaves alone.
std::string plain(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '-' || c == '\\')
      out += c == '-' ? "\\-" : "\\e";
    else
      out += c;
  }
  return out;
}

std::string option(const ordered_json& o) {
  const auto names = o["names"].get<std::vector<std::string>>();
  const std::string value = o.contains("value") ? o["value"].get<std::string>() : "";
  const std::string label = names.empty() ? fmt::format("\\fI{}\\fR", plain(value))
                            : value.empty()
                                ? fmt::format("\\fB{}\\fR", plain(fmt::format("{}", fmt::join(names, ", "))))
                                : fmt::format("\\fB{}\\fR \\fI{}\\fR",
                                              plain(fmt::format("{}", fmt::join(names, ", "))), plain(value));
  const std::string ends =
      o.contains("default") ? fmt::format(" (default: {})", o["default"].get<std::string>()) : "";
  return fmt::format(".TP\n{}\n{}\n", label, plain(o["about"].get<std::string>() + ends));
}

std::string examples(const ordered_json& verb) {
  std::string out = ".PP\n.nf\n";
  for (const ordered_json& e : verb["examples"]) out += "    " + plain(e.get<std::string>()) + "\n";
  return out + ".fi\n";
}

std::string section(const ordered_json& verb) {
  std::string out = fmt::format(".SS covary {}\n{}\n", verb["name"].get<std::string>(),
                                plain(verb["about"].get<std::string>()));
  out += examples(verb);
  for (const ordered_json& o : verb["options"]) out += option(o);
  return out;
}

constexpr const char* ending = R"(.SH CONVENTIONS
Data go to standard output, messages to standard error; one line of progress is shown on a terminal only.
The file name \- is standard input or output. Columns are found by name. Files appear whole or not at all.
Color is left out where NO_COLOR is set or standard error is not a terminal.
.SH EXIT STATUS
.TP
0
done
.TP
1
failed: a file that cannot be written, for example
.TP
2
a command line that cannot be understood
.TP
3
bad data: the message names the file, the line, the column, what was expected and what came
.TP
4
the arithmetic cannot answer
.TP
5
refused before it starts because of a limit, with the number
.TP
130
interrupted; nothing was written
)";

std::string manual(const ordered_json& all) {
  std::string out = fmt::format(
      ".TH COVARY 1 \"\" \"covary {}\" \"User Commands\"\n.SH NAME\ncovary \\- Gaussian processes on the "
      "command line\n"
      ".SH SYNOPSIS\n.B covary\n.I VERB\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n{}\n",
      COVARY_VERSION, plain(all["about"].get<std::string>()));
  out += examples(all);
  for (const ordered_json& o : all["options"]) out += option(o);
  out += ".SH VERBS\n";
  for (const ordered_json& verb : all["verbs"]) out += section(verb);
  return out + ending;
}

}  // namespace

Run add_man(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("man", "Print the manual page.");
  verb->footer("  covary man | man -l -");
  return [&app] { print(manual(usage(app))); };
}

}  // namespace covary::cli
