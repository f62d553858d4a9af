#include "run.h"

#include <fmt/format.h>

#include <map>

#include "command.h"
#include "covary/algebra/remote.h"
#include "covary/base/error.h"
#include "covary/base/ranks.h"
#include "covary/base/runtime.h"
#include "help.h"
#include "hints.h"
#include "inputs/files.h"
#include "interrupt.h"
#include "output.h"
#include "usage.h"

namespace covary::cli {
namespace {

/// Help that begins with an example.
class ExampleFirst : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return fmt::format("{}\n\n{}\n\n", app->get_footer(), app->get_description());
  }
  std::string make_footer(const CLI::App* /*app*/) const override { return ""; }
  /// An argument's name says what it is.
  std::string make_option_opts(const CLI::Option* o) const override {
    return o->get_positional() ? "" : Formatter::make_option_opts(o);
  }
  std::string make_option_usage(const CLI::Option* o) const override {
    return o->get_required() ? o->get_name(true) : fmt::format("[{}]", o->get_name(true));
  }
};

std::map<std::string, Run> add_verbs(CLI::App& app) {
  auto formatter = std::make_shared<ExampleFirst>();
  formatter->column_width(34);
  formatter->label("SUBCOMMAND", "VERB");
  formatter->label("Subcommands", "Verbs");
  formatter->label("Positionals", "Arguments");
  app.formatter(formatter);
  app.footer(
      "  covary fit data.csv --target y -o model.json\n"
      "  covary predict model.json points.csv -o predictions.csv");
  app.set_help_flag("-h,--help", "This help; covary VERB --help for a verb");
  app.add_flag("--version")->description("Version, BLAS, its kernels, threads, devices");
  app.add_flag("--json-usage")->description("All verbs and options as one JSON object");
  std::map<std::string, Run> verbs{{"fit", add_fit(app)},
                                   {"predict", add_predict(app)},
                                   {"sample", add_sample(app)},
                                   {"check", add_check(app)},
                                   {"compare", add_compare(app)},
                                   {"plot", add_plot(app)},
                                   {"suggest", add_suggest(app)},
                                   {"tell", add_tell(app)},
#ifndef __EMSCRIPTEN__  // a page has no shell, and is small
                                   {"posterior", add_posterior(app)},
                                   {"replay", add_replay(app)},
                                   {"label", add_label(app)},
#endif
                                   {"place", add_place(app)},
                                   {"criteria", add_criteria(app)},
                                   {"strategies", add_strategies(app)},
                                   {"kernels", add_kernels(app)},
#ifndef __EMSCRIPTEN__
                                   {"demo", add_demo(app)},
                                   {"completion", add_completion(app)},
                                   {"man", add_man(app)},
#endif
                                   {"help", add_help(app)}};
  for (CLI::App* verb : app.get_subcommands({}))
    verb->allow_extras()->set_help_flag("-h,--help", "This help");
  app.allow_extras();
  return verbs;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  return names;
}

/// In the order of the help.
std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

/// Throws for an unknown option or an extra argument, with the nearest name.
void check_understood(const CLI::App& app) {
  const std::vector<CLI::App*> verb = app.get_subcommands();
  const CLI::App& last = verb.empty() ? app : *verb.front();
  for (const std::string& word : last.remaining()) {
    const std::string name = word.substr(0, word.find('='));
    if (word.starts_with("-"))
      throw Error(Problem::usage,
                  fmt::format("unknown option {}{}", name,
                              option_hint(name, option_names(last), verb.empty() ? "" : last.get_name())));
    if (!verb.empty())
      throw Error(Problem::usage,
                  fmt::format("'{}' is one argument too many for covary {}", word, last.get_name()));
    throw Error(Problem::usage, fmt::format("unknown verb '{}'{}", word, verb_hint(word, verb_names(app))));
  }
}

/// Throws for a verb that would repeat the same work on every rank.
void check_on_cluster(const std::string& verb) {
  static const std::vector<std::string> others{"compare",   "plot",   "suggest", "tell",
                                               "posterior", "replay", "label",   "demo"};
  if (!internal::ranks() || std::find(others.begin(), others.end(), verb) == others.end()) return;
  throw Error(Problem::usage,
              fmt::format("covary-mpi runs fit, predict, sample, check and place; use covary {}", verb));
}

int run(int argc, char** argv) {
  CLI::App app{"Gaussian processes: fit a table, predict with honest error bars.", "covary"};
  const std::map<std::string, Run> verbs = add_verbs(app);
  if (helped(app, {argv + 1, argv + argc})) return flush(), 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return 0;
  } catch (const CLI::ParseError& e) {
    check_understood(app);  // says it better where it can
    throw Error(Problem::usage, e.what());
  }
  check_understood(app);
  if (app.count("--version") > 0) {
    print(fmt::format("covary {}\n{}\n", COVARY_VERSION, internal::machine().text()));
    for (const std::string& line : internal::device_lines()) print(line + "\n");
  } else if (app.count("--json-usage") > 0) {
    print(usage(app).dump(2) + "\n");
  } else if (app.get_subcommands().empty()) {
    print(app.help());
    return static_cast<int>(Problem::usage);
  } else {
    const CLI::App& verb = *app.get_subcommands().front();
    check_on_cluster(verb.get_name());
    if (internal::speaks()) check_files(verb);
    verbs.at(verb.get_name())();
  }
  flush();
  return 0;
}

/// Messages of the core name "the option skip", which is --skip here.
std::string with_dashes(std::string text) {
  constexpr std::string_view said = "the option ";
  for (size_t at = text.find(said); at != text.npos; at = text.find(said, at))
    text.replace(at, said.size(), "--");
  return text;
}

/// Prints the error, and the files that were written before it.
Ended failed(Problem problem, const std::string& what) {
  try {
    say("error", with_dashes(what));
  } catch (const std::bad_alloc&) {
    say("error", what);
  }
  if (!written_so_far().empty()) say("note", written_so_far());
  return {static_cast<int>(problem), what};
}

}  // namespace

Ended run_command(int argc, char** argv, const std::function<void()>& before) {
  try {
    before();
    return {run(argc, argv), ""};
  } catch (const Error& e) {
    return failed(e.problem(), e.what());
  } catch (const std::bad_alloc&) {
    return failed(Problem::limit, "out of memory");
  } catch (const std::exception& e) {
    return failed(Problem::failed, e.what());
  }
}

}  // namespace covary::cli

int covary::cli::run_command(int argc, char** argv) {
  return run_command(argc, argv, [] {}).code;
}
