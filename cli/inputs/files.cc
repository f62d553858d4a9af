#include "inputs/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "covary/base/error.h"
#include "covary/base/output_file.h"

namespace covary::cli {
namespace {

namespace fs = std::filesystem;

/// A file that was named on the command line.
struct Named {
  std::string option, path;
  bool exists = false, regular = false, shared = false;  // shared: a pipe, which two writers would mix
  dev_t device = 0;
  ino_t inode = 0;
  fs::path place = {};  // of one that does not exist yet

  std::string shown() const { return path == "-" ? option : fmt::format("{} {}", option, path); }
};

/// `standard`: the file descriptor meant by "-".
Named named(const std::string& option, const std::string& path, int standard) {
  Named f{option, path};
  struct stat is {};
  f.exists = (path == "-" ? ::fstat(standard, &is) : ::stat(path.c_str(), &is)) == 0;
  f.regular = f.exists && S_ISREG(is.st_mode);
  f.shared = f.exists && S_ISFIFO(is.st_mode);
  f.device = is.st_dev, f.inode = is.st_ino;
  std::error_code unknown;
  if (!f.exists) f.place = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  return f;
}

bool same(const Named& a, const Named& b) {
  if (a.exists != b.exists) return false;
  if (!a.exists) return a.place == b.place && !a.place.empty();
  return a.device == b.device && a.inode == b.inode;
}

std::vector<Named> named(const CLI::App& verb, const std::vector<std::string>& options, int standard) {
  std::vector<Named> out;
  for (const std::string& name : options) {
    const CLI::Option* o = verb.get_option_no_throw(name);
    if (o == nullptr || o->count() == 0) continue;
    for (const std::string& path : o->results()) {
      if (path.empty() && !o->get_positional())
        throw Error(Problem::usage, fmt::format("{}: expected the name of a file, found none", name));
      out.push_back(named(name, path, standard));
    }
  }
  return out;
}

void refuse_input_as_output(const Named& out, const std::vector<Named>& inputs,
                            const std::string& may_replace) {
  for (const Named& in : inputs)
    if (out.regular && same(out, in) && in.option != may_replace)
      throw Error(Problem::usage,
                  fmt::format("{} is the file that is read as {}, which would be lost: write to "
                              "another file",
                              out.shown(), in.shown()));
}

void refuse_two_outputs(const std::vector<Named>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Named &a = outputs[j], &b = outputs[i];
      const bool both_standard = a.path == "-" && b.path == "-";
      if (both_standard || (same(a, b) && (!a.exists || a.regular || a.shared)))
        throw Error(Problem::usage, fmt::format("{} and {} would both write to {}", a.option, b.option,
                                                b.path == "-" ? "standard output" : b.path));
    }
}

void check_text(const CLI::App& verb, const std::vector<std::string>& files) {
  for (const CLI::Option* o : verb.get_options()) {
    const auto is_it = [&](const std::string& name) { return o->check_name(name); };
    if (std::any_of(files.begin(), files.end(), is_it)) continue;
    for (const std::string& text : o->results()) try {
        (void)nlohmann::json(text).dump();
      } catch (const nlohmann::json::exception&) {
        throw Error(Problem::usage, fmt::format("{}: the text is not valid UTF-8", o->get_name()));
      }
  }
}

}  // namespace

const std::vector<VerbFiles>& verb_files() {
  static const std::vector<VerbFiles> all{
      {"fit", {"DATA", "--graph"}, {"--out"}},
      {"predict", {"MODEL", "POINTS"}, {"--out", "--joint"}, "POINTS"},
      {"sample", {"MODEL GRID", "--graph"}, {"--out"}},
      {"check", {"MODEL|DATA", "TEST", "--graph"}, {"--rows"}},
      {"compare", {"DATA", "--graph"}, {}},
      {"plot", {"MODEL"}, {"--out"}},
      {"suggest", {"MODEL", "CANDIDATES", "--impossible"}, {"--out"}},
      {"posterior", {"MODEL", "--impossible"}, {"--out", "--samples", "--plot"}},
      {"tell", {"MODEL", "DATA"}, {"--out"}, "MODEL"},
      {"replay", {"POOL", "--test", "--graph"}, {"--out", "--plot", "--where"}},
      {"label", {"POOL", "--graph"}, {"--out"}},
      {"place",
       {"CANDIDATES", "--history", "--covariance", "--model", "--existing", "--targets", "--evaluate",
        "--held-out", "--graph"},
       {"--out", "--plot", "--plot-curve"}},
      {"kernels", {}, {"--out"}}};
  return all;
}

void check_files(const CLI::App& verb) {
  const auto is_it = [&](const VerbFiles& v) { return v.verb == verb.get_name(); };
  const auto found = std::find_if(verb_files().begin(), verb_files().end(), is_it);
  const VerbFiles files = found == verb_files().end() ? VerbFiles{} : *found;
  std::vector<std::string> all = files.reads;
  all.insert(all.end(), files.writes.begin(), files.writes.end());
  check_text(verb, all);
  const std::vector<Named> inputs = named(verb, files.reads, STDIN_FILENO);
  std::vector<Named> outputs = named(verb, files.writes, STDOUT_FILENO);
  for (const Named& out : outputs)
    refuse_input_as_output(out, inputs, out.option == "--out" ? files.may_replace : "");
  for (const Named& out : outputs)
    if (out.path != "-") internal::OutputFile::check(out.path);
  const Named standard = named("standard output", "-", STDOUT_FILENO);
  refuse_input_as_output(standard, inputs, "");
  const bool is_used =
      std::any_of(outputs.begin(), outputs.end(), [](const Named& f) { return f.path == "-"; });
  if (!is_used && standard.regular) outputs.push_back(standard);
  refuse_two_outputs(outputs);
}

}  // namespace covary::cli
