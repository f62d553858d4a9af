#include "usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "inputs/files.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

std::string without_indent(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  return first == line.npos ? "" : line.substr(first);
}

ordered_json names_of(const CLI::Option& o) {
  ordered_json names = ordered_json::array();
  for (const std::string& name : o.get_snames()) names.push_back("-" + name);
  for (const std::string& name : o.get_lnames()) names.push_back("--" + name);
  return names;
}

ordered_json describe(const CLI::Option& o) {
  ordered_json j{{"names", names_of(o)}};
  if (o.get_positional()) j["argument"] = o.get_single_name();
  const std::string type = o.get_type_name();
  if (o.get_items_expected_max() > 0) j["value"] = o.get_positional() ? o.get_single_name() : type;
  if (type.find('|') != type.npos && !o.get_positional()) j["choices"] = split(type, '|');
  j["about"] = o.get_description();
  if (!o.get_default_str().empty()) j["default"] = o.get_default_str();
  j["required"] = o.get_required();
  return j;
}

/// "read" or "written" if the option names a file of this verb.
std::string file_of(const CLI::App& verb, const CLI::Option& o) {
  const auto is_it = [&](const std::string& name) { return o.check_name(name); };
  for (const VerbFiles& v : verb_files()) {
    if (v.verb != verb.get_name()) continue;
    if (std::any_of(v.reads.begin(), v.reads.end(), is_it)) return "read";
    if (std::any_of(v.writes.begin(), v.writes.end(), is_it)) return "written";
  }
  return "";
}

ordered_json options_of(const CLI::App& app) {
  ordered_json all = ordered_json::array();
  for (const CLI::Option* o : app.get_options()) {
    all.push_back(describe(*o));
    if (const std::string file = file_of(app, *o); !file.empty()) all.back()["file"] = file;
  }
  return all;
}

}  // namespace

ordered_json usage(const CLI::App& app) {
  ordered_json examples = ordered_json::array();
  for (const std::string& line : split(app.get_footer(), '\n')) examples.push_back(without_indent(line));
  ordered_json j{{"name", app.get_name()},
                 {"about", app.get_description()},
                 {"examples", examples},
                 {"options", options_of(app)}};
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    j["verbs"].push_back(usage(*verb));
  return j;
}

}  // namespace covary::cli
