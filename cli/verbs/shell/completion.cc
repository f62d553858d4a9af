// covary completion: what makes bash, zsh and fish complete covary, made from its own usage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "output.h"
#include "usage.h"

namespace covary::cli {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> strings(const ordered_json& array) { return array.get<std::vector<std::string>>(); }

std::vector<std::string> choices(const ordered_json& option) {
  return option.contains("choices") ? strings(option["choices"]) : std::vector<std::string>{};
}

std::vector<std::string> verb_names(const ordered_json& all) {
  std::vector<std::string> names;
  for (const ordered_json& verb : all["verbs"]) names.push_back(verb["name"]);
  return names;
}

std::vector<std::string> option_names(const ordered_json& verb) {
  std::vector<std::string> names;
  for (const ordered_json& o : verb["options"])
    for (const std::string& name : strings(o["names"])) names.push_back(name);
  return names;
}

/// The words that arguments of a verb may be, where they are few.
std::vector<std::string> argument_words(const ordered_json& verb, const ordered_json& all) {
  for (const ordered_json& o : verb["options"])
    if (o.contains("argument")) {
      const std::string name = o["argument"];
      if (name == "VERB") return verb_names(all);
      if (name.find('|') != name.npos && name != "MODEL|DATA") {
        std::vector<std::string> words;
        for (size_t begin = 0; begin <= name.size();) {
          const size_t end = std::min(name.find('|', begin), name.size());
          words.push_back(name.substr(begin, end - begin));
          begin = end + 1;
        }
        return words;
      }
    }
  return {};
}

// ---------------------------------------------------------------------------------------------------- bash

std::string bash_verb(const ordered_json& verb) {
  const std::string name = verb["name"];
  std::string out;
  for (const ordered_json& o : verb["options"])
    if (!choices(o).empty())
      out += fmt::format("    \"{0} {1}\") COMPREPLY=($(compgen -W \"{2}\" -- \"$cur\")); return ;;\n", name,
                         fmt::join(strings(o["names"]), fmt::format("\"|\"{} ", name)),
                         fmt::join(choices(o), " "));
  return out;
}

std::string bash(const ordered_json& all) {
  std::string values, options, words;
  for (const ordered_json& verb : all["verbs"]) {
    const std::string name = verb["name"];
    values += bash_verb(verb);
    options += fmt::format("      {}) options=\"{}\" ;;\n", name, fmt::join(option_names(verb), " "));
    if (const auto w = argument_words(verb, all); !w.empty())
      words += fmt::format("      {}) words=\"{}\" ;;\n", name, fmt::join(w, " "));
  }
  return fmt::format(R"(# bash completion for covary: source <(covary completion bash)
_covary() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" verb="${{COMP_WORDS[1]}}" options="" words=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{0} {1}" -- "$cur"))
    return
  fi
  case "$verb $prev" in
{2}  esac
  if [[ $cur == -* ]]; then
    case "$verb" in
{3}    esac
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    case "$verb" in
{4}    esac
    if [[ -n $words ]]; then
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
    else
      COMPREPLY=($(compgen -f -- "$cur"))
    fi
  fi
}}
complete -o filenames -F _covary covary
)",
                     fmt::join(verb_names(all), " "), fmt::join(option_names(all), " "), values, options,
                     words);
}

// ----------------------------------------------------------------------------------------------------- zsh

/// Inside single quotes, where [ ] and : mean something to _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh_option(const ordered_json& o) {
  std::string out;
  const std::string about = zsh_text(o["about"]);
  std::string value;
  if (o.contains("value")) {
    const std::string action =
        choices(o).empty() ? "_files" : fmt::format("({})", fmt::join(choices(o), " "));
    value = fmt::format(":{}:{}", zsh_text(o["value"]), action);
  }
  for (const std::string& name : strings(o["names"]))
    out += fmt::format("    '{}[{}]{}' \\\n", name, about, value);
  return out;
}

std::string zsh(const ordered_json& all) {
  std::string verbs, functions;
  for (const ordered_json& verb : all["verbs"]) {
    const std::string name = verb["name"];
    verbs += fmt::format("    '{}:{}'\n", name, zsh_text(verb["about"]));
    functions += fmt::format("_covary_{}() {{\n  _arguments \\\n", name);
    for (const ordered_json& o : verb["options"])
      if (!o.contains("argument")) functions += zsh_option(o);
    const std::vector<std::string> words = argument_words(verb, all);
    functions += words.empty() ? "    '*:file:_files'\n}\n"
                               : fmt::format("    '*:word:({})'\n}}\n", fmt::join(words, " "));
  }
  std::string own;
  for (const ordered_json& o : all["options"]) own += zsh_option(o);
  return fmt::format(R"(#compdef covary
# zsh completion for covary: covary completion zsh > a folder of $fpath/_covary
{0}_covary() {{
  local -a verbs
  verbs=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    _arguments \
{2}      '*::'
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  (( $+functions[_covary_$verb] )) && _covary_$verb
}}
if [[ $funcstack[1] == _covary ]]; then _covary "$@"; else compdef _covary covary; fi
)",
                     functions, verbs, own);
}

// ---------------------------------------------------------------------------------------------------- fish

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fish_option(const ordered_json& o, const std::string& when) {
  std::string out = "complete -c covary" + when;
  for (const std::string& name : strings(o["names"]))
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!choices(o).empty())
    out += fmt::format(" -x -a '{}'", fmt::join(choices(o), " "));
  else if (o.contains("value"))
    out += " -r";
  return out + fmt::format(" -d '{}'\n", fish_text(o["about"]));
}

std::string fish(const ordered_json& all) {
  std::string out = "# fish completion for covary: covary completion fish | source\n";
  for (const ordered_json& o : all["options"]) out += fish_option(o, " -n __fish_use_subcommand");
  for (const ordered_json& verb : all["verbs"]) {
    const std::string name = verb["name"];
    out += fmt::format("complete -c covary -f -n __fish_use_subcommand -a {} -d '{}'\n", name,
                       fish_text(verb["about"]));
    const std::string when = fmt::format(" -n '__fish_seen_subcommand_from {}'", name);
    for (const ordered_json& o : verb["options"])
      if (!o.contains("argument")) out += fish_option(o, when);
    if (const auto words = argument_words(verb, all); !words.empty())
      out += fmt::format("complete -c covary -f{} -a '{}'\n", when, fmt::join(words, " "));
  }
  return out;
}

}  // namespace

Run add_completion(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("completion", "Print a shell completion script.");
  verb->footer(
      "  source <(covary completion bash)\n"
      "  covary completion fish | source");
  auto shell = std::make_shared<std::string>();
  add_choice(*verb, "bash|zsh|fish", *shell, {"bash", "zsh", "fish"}, "Shell")->required();
  return [shell, &app] {
    const ordered_json all = usage(app);
    print(*shell == "bash" ? bash(all) : *shell == "zsh" ? zsh(all) : fish(all));
  };
}

}  // namespace covary::cli
