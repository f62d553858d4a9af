// covary help: the verbs, or what one of them does.
#include "help.h"

#include <fmt/format.h>

#include "covary/base/error.h"
#include "hints.h"
#include "output.h"

namespace covary::cli {
namespace {

/// As --help prints it.
void show(const CLI::App& app, const std::string& name) {
  const auto help = [](const CLI::App& of, const std::string& called) {
    print(of.get_formatter()->make_help(&of, called, CLI::AppFormatMode::Normal));
  };
  if (name.empty()) return help(app, app.get_name());
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == name) return help(*verb, app.get_name() + " " + name);
    names.push_back(verb->get_name());
  }
  throw Error(Problem::usage, fmt::format("unknown verb '{}'{}", name, verb_hint(name, names)));
}

}  // namespace

Run add_help(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("help", "Explain a verb and its options, or list the verbs.");
  verb->footer(
      "  covary help fit\n"
      "  covary help");
  verb->add_option("VERB", "A verb; without it all of them are listed");
  return [&app] { show(app, ""); };
}

bool helped(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0] != "help" || words[1].starts_with("-")) return false;
  if (words.size() > 2)
    throw Error(Problem::usage, fmt::format("'{}' is one argument too many for covary help", words[2]));
  show(app, words[1]);
  return true;
}

}  // namespace covary::cli
