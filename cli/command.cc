#include "command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "covary/base/error.h"
#include "covary/base/ranks.h"

namespace covary::cli {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == s.npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

}  // namespace

CLI::Option* add_choice(CLI::App& verb, const std::string& names, std::string& value,
                        const std::vector<std::string>& choices, const std::string& about) {
  const auto known = [choices, names](const std::string& word) {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return std::string();
    return fmt::format("expected {}, found '{}'{}", fmt::join(choices, " or "), word,
                       internal::did_you_mean(word, choices));
  };
  const std::string shown = fmt::format("{}", fmt::join(choices, "|"));
  return verb.add_option(names, value, about)
      ->check(CLI::Validator(known, ""))
      ->type_name(shown)
      ->capture_default_str();
}

void add_data_argument(CLI::App& verb, std::string& path) {
  verb.add_option("DATA", path, "A CSV file, gzip or not; - is standard input")->required();
}

void add_reporting(CLI::App& verb, bool& json, bool& quiet) {
  verb.add_flag("--json", json, "Print the results as one JSON object");
  verb.add_flag("-q,--quiet", quiet, "Print no notes");
}

bool given(const CLI::App& verb, const std::string& option) {
  for (const CLI::Option* o : verb.get_options())
    if (o->check_name(option)) return o->count() > 0;
  return false;
}

void refuse_given(const CLI::App& verb, const std::vector<std::string>& options, const std::string& why) {
  for (const std::string& option : options)
    if (given(verb, option)) throw Error(Problem::usage, fmt::format("{} {}", option, why));
}

void add_threads(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "Number of threads (0: all cores)")
      ->transform(whole(0, 4096))
      ->type_name("N")
      ->capture_default_str();
}

void add_device(CLI::App& verb, std::string& device) {
  if (internal::ranks()) device = "cluster";
  add_choice(verb, "--device", device, {"cpu", "cuda", "cluster"},
             "Device for exact inference and for fits with vecchia; cuda: a GPU with enough memory; cluster: "
             "all ranks of covary-mpi");
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) out.emplace_back();
    if (c != '"' && (c != ',' || quoted)) out.back() += c;
  }
  for (std::string& name : out) name = trimmed(name);
  return out;
}

}  // namespace covary::cli
