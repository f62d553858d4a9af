#include "verbs/replay_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "covary/base/error.h"
#include "covary/base/read_number.h"
#include "covary/table/table.h"
#include "interrupt.h"
#include "output.h"
#include "words.h"

namespace covary::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* header =
    "strategy,repeat,labels,row,by_chance,probability,open,spent,surprise,error,largest_sd,stopped,settings,"
    "check\n";

/// FNV-1a, from one line of a run to the next.
class Chain {
 public:
  void add(std::string_view line) {
    for (const char c : line) h_ = (h_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  std::string text(bool last) const {
    Chain end = *this;
    if (last) end.add("\nend");
    return fmt::format("{:016x}", end.h_);
  }

 private:
  std::uint64_t h_ = 14695981039346656037U;
};

std::string or_none(double value) { return std::isnan(value) ? "NA" : internal::format_number(value); }

std::string whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

[[noreturn]] void refuse_other(const std::string& path) {
  throw Error(Problem::data,
              fmt::format("{}: not a file of covary replay -o, or one of an older version, whose lines "
                          "have no check; --overwrite replaces it",
                          path));
}

/// A line of the file up to its checksum.
std::string line_of(const Trial& r, const Step& s, const std::string& settings) {
  return fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},\"{}\",{}", r.strategy, r.repeat + 1, s.labels,
                     s.row < 0 ? "NA" : std::to_string(s.row + 1), int(s.by_chance),
                     internal::format_number(s.probability), s.open, internal::format_number(s.spent),
                     internal::format_number(s.surprise), internal::format_number(s.error),
                     or_none(s.largest_sd), r.stopped, settings);
}

/// Reads the lines of a file in order and puts runs together.
class RunReader {
 public:
  RunReader(CsvReader& in, std::string settings) : in_(in), settings_(std::move(settings)) {}

  KeptRuns read() {
    while (in_.next(8192))
      for (Index i = 0; i < in_.table().rows(); ++i) take(i);
    drop_half();
    return std::move(out_);
  }

 private:
  double number(const char* name, Index i) const {
    const Column& c = in_.table().column(name);
    if (c.kind == Column::Kind::number) return c.values[static_cast<size_t>(i)];
    double value = std::numeric_limits<double>::quiet_NaN();  // a line further down was changed
    const std::string& t = c.texts[static_cast<size_t>(i)];
    (void)internal::read_number(t.data(), t.data() + t.size(), value);
    return value;
  }
  const std::string& text(const char* name, Index i) const {
    return in_.table().column(name).texts[static_cast<size_t>(i)];
  }
  std::string place(Index i) const {
    return fmt::format("{}, line {}", in_.table().source, in_.table().lines.line(i));
  }
  [[noreturn]] void changed(Index i) const {
    throw Error(
        Problem::data,
        fmt::format("{}: this line, or one before it in the same run, was changed or removed since it was "
                    "written, so the runs cannot be resumed; remove the whole run, or give --overwrite "
                    "to begin again",
                    place(i)));
  }

  void take(Index i) {
    if (text("settings", i) != settings_)
      throw Error(Problem::data,
                  fmt::format("{}: made from other data or with other options, so it cannot be "
                              "resumed; --overwrite begins again",
                              place(i)));
    const std::string_view all = in_.text(i), line = all.substr(0, all.rfind(','));
    if (open_ && !continues(line, text("check", i))) drop_half();
    if (!continues(line, text("check", i))) changed(i);
    if (!open_) begin(i);
    chain_.add(line);
    const double row = number("row", i);
    open_->steps.push_back({Index(number("labels", i)), std::isnan(row) ? -1 : Index(row) - 1,
                            number("by_chance", i) != 0, number("probability", i), Index(number("open", i)),
                            number("spent", i), number("surprise", i), number("error", i),
                            number("largest_sd", i)});
    if (text("check", i) == chain_.text(true)) close();
  }

  void begin(Index i) {
    open_ = Trial{text("strategy", i), int(number("repeat", i)) - 1, {}, text("stopped", i)};
  }

  bool continues(std::string_view line, const std::string& check) const {
    Chain next = chain_;
    next.add(line);
    return check == next.text(false) || check == next.text(true);
  }

  void close() {
    const auto alike = [&](const Trial& t) {
      return t.strategy == open_->strategy && t.repeat == open_->repeat;
    };
    if (std::none_of(out_.runs.begin(), out_.runs.end(), alike)) out_.runs.push_back(std::move(*open_));
    open_.reset(), chain_ = {};
  }

  void drop_half() {
    if (open_)
      out_.notes.push_back(fmt::format("{}: run {} of {} is cut off after {}: it is run again",
                                       in_.table().source, open_->repeat + 1, open_->strategy,
                                       counted(std::ssize(open_->steps), "line")));
    open_.reset(), chain_ = {};
  }

  CsvReader& in_;
  std::string settings_;
  KeptRuns out_;
  std::optional<Trial> open_;  // a run whose last line has not come yet
  Chain chain_;
};

}  // namespace

std::string runs_csv(const std::vector<Trial>& runs, const std::string& settings) {
  std::string out = header;
  for (const Trial& r : runs) {
    Chain chain;
    for (const Step& s : r.steps) {
      const std::string line = line_of(r, s, settings);
      chain.add(line);
      out += fmt::format("{},{}\n", line, chain.text(&s == &r.steps.back()));
    }
  }
  return out;
}

KeptRuns read_runs(const std::string& path, const std::string& settings) {
  std::string text = whole_file(path);
  if (!text.starts_with(std::string_view(header).substr(0, text.size()))) refuse_other(path);
  const bool cut = !text.ends_with('\n');
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  if (text.empty() || text == header) return {};
  CsvOptions o;
  o.text = {"strategy", "stopped", "settings", "check"};
  o.delimiter = ',', o.decimal = '.', o.header = CsvOptions::Header::yes;
  CsvReader in(text, o, path);
  KeptRuns out = RunReader(in, settings).read();
  if (cut) out.notes.push_back(fmt::format("{}: its last line is cut off, and is left out", path));
  return out;
}

void check_results_file(const std::string& path, bool resume, bool overwrite) {
  if (resume && overwrite)
    throw Error(Problem::usage,
                "--resume goes on with the runs in -o FILE, --overwrite removes them: give one");
  std::error_code none;
  if (path.empty() || path == "-" || resume || overwrite || !fs::is_regular_file(path, none)) return;
  if (fs::file_size(path, none) == 0) return;
  throw Error(
      Problem::usage,
      fmt::format("{} exists: --resume goes on with the runs in it, --overwrite replaces them", path));
}

Keeper::Keeper(std::string path, std::unique_ptr<internal::FileLock> lock, std::string settings,
               std::vector<Trial> done, Index expected)
    : path_(std::move(path)),
      settings_(std::move(settings)),
      lock_(std::move(lock)),
      runs_(std::move(done)),
      expected_(expected) {}

void Keeper::add(const Trial& run) {
  runs_.push_back(run);
  const auto now = std::chrono::steady_clock::now();
  if (path_.empty() || path_ == "-" || now - last_ < std::chrono::seconds(2)) return;
  last_ = now;
  write(runs_);
}

void Keeper::write(const std::vector<Trial>& runs) const {
  if (lock_ && !lock_->current())
    throw Error(Problem::failed,
                fmt::format("{} was written by another process since this one began: these runs are not in "
                            "it; --resume goes on with those that are",
                            path_));
  write_output(path_, runs_csv(runs, settings_), lock_.get());
  if (path_ == "-") return;
  say_when_interrupted(fmt::format("{} {} in {} (of {}): --resume goes on with them",
                                   counted(std::ssize(runs), "run"), runs.size() == 1 ? "is" : "are", path_,
                                   expected_));
}

void Keeper::finish(const std::vector<Trial>& runs) {
  if (path_.empty()) return;
  std::vector<Trial> all = runs;
  for (const Trial& r : runs_) {
    const auto alike = [&](const Trial& t) { return t.strategy == r.strategy && t.repeat == r.repeat; };
    if (std::none_of(runs.begin(), runs.end(), alike)) all.push_back(r);
  }
  write(all);
}

}  // namespace covary::cli
