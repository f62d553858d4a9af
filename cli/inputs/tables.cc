#include "inputs/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "command.h"
#include "covary/base/error.h"
#include "numbers.h"
#include "words.h"

namespace covary::cli {
namespace {

constexpr const char* drop_hint = "; --missing drop leaves such rows out";

/// "tab" or a character of its own; 0 if nothing was typed.
char character(const std::string& text, const char* option) {
  if (text.empty()) return 0;
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() > 1)
    throw Error(Problem::usage, fmt::format("{}: expected one character or tab, found '{}'", option, text));
  return text.front();
}

bool all_differ(const std::vector<std::string>& texts) {
  std::unordered_set<std::string_view> seen;
  return std::all_of(texts.begin(), texts.end(), [&](const std::string& t) { return seen.insert(t).second; });
}

/// The column that names rows, or null.
const Column* naming_column(const Table& table, const std::vector<std::string>& used) {
  const auto taken = [&](const Column& c) { return std::count(used.begin(), used.end(), c.name) > 0; };
  if (!table.columns.empty() && !table.columns.front().named()) return &table.columns.front();
  for (const char* usual : {"name", "station", "site", "id", "Name", "Station", "Site", "ID"})
    if (const Column* c = table.find(usual); c != nullptr && !taken(*c)) return c;
  for (const Column& c : table.columns)
    if (c.kind == Column::Kind::text && !taken(c) && all_differ(c.texts)) return &c;
  return nullptr;
}

/// The words of a name, in small letters: "station", "id" of "StationID" and of "station_id".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> out{""};
  bool was_lower = false;
  for (const char ch : name) {
    const bool upper = ch >= 'A' && ch <= 'Z', lower = ch >= 'a' && ch <= 'z';
    if ((!upper && !lower) || (upper && was_lower)) out.emplace_back();
    if (upper || lower) out.back() += upper ? static_cast<char>(ch - 'A' + 'a') : ch;
    was_lower = lower;
  }
  return out;
}

bool is_called_like_an_identifier(const std::string& name) {
  static const std::set<std::string> usual{"id",     "ids", "idx",     "index", "nr",
                                           "no",     "num", "number",  "key",   "code",
                                           "serial", "row", "unnamed", "uid",   "zip"};
  const std::vector<std::string> words = words_of(name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return usual.contains(w); });
}

/// Whole numbers, different in every row.
bool has_values_of_an_identifier(const Column& c) {
  std::vector<double> seen;
  for (const double v : c.values) {
    if (std::isnan(v)) continue;
    if (v != std::floor(v)) return false;
    seen.push_back(v);
  }
  std::sort(seen.begin(), seen.end());
  return seen.size() > 2 && std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

}  // namespace

void add_csv_options(CLI::App& verb, CsvArguments& a) {
  add_choice(verb, "--header", a.header, {"auto", "yes", "no"}, "Whether the first line names the columns");
  verb.add_option("--delimiter", a.delimiter, "Field delimiter, a character or tab (default: detected)")
      ->type_name("CHAR");
  verb.add_option("--decimal", a.decimal, "Decimal mark, . or , (default: detected)")->type_name("CHAR");
  verb.add_option("--missing-values", a.missing_values,
                  "Texts that stand for a missing value, besides NA, NaN, null, N/A and empty cells")
      ->type_name("WORDS,..");
  verb.add_option("--labels", a.labels, "Columns to read as text, never as numbers")->type_name("A,B");
  verb.add_option("--comment", a.comment, "Character that begins a comment, as #")->type_name("CHAR");
  verb.add_option("--skip", a.skip, "Number of lines before the header, as titles")
      ->transform(whole(0, 1000000))
      ->type_name("N");
}

const std::vector<std::string>& table_option_names() {
  static const std::vector<std::string> names{"--missing",        "--header", "--delimiter", "--decimal",
                                              "--missing-values", "--labels", "--comment",   "--skip"};
  return names;
}

CsvOptions csv_options(const CsvArguments& a) {
  CsvOptions options;
  if (a.header == "yes") options.header = CsvOptions::Header::yes;
  if (a.header == "no") options.header = CsvOptions::Header::no;
  options.delimiter = character(a.delimiter, "--delimiter");
  options.decimal = character(a.decimal, "--decimal");
  options.comment = character(a.comment, "--comment");
  options.skip = a.skip;
  if (!a.missing_values.empty()) options.missing = names_in(a.missing_values);
  if (!a.labels.empty()) options.text = names_in(a.labels);
  return options;
}

Table read_table(const std::string& path, const CsvArguments& a, Messages& messages) {
  CsvOptions options = csv_options(a);
  options.progress = [&](Index rows, Index expected) { messages.progress_rows("reading", rows, expected); };
  Table table = read_csv_file(path, options);
  messages.notes(table.notes);
  return table;
}

Table read_other_table(const std::string& path, CsvArguments a, Messages& messages) {
  a.labels.clear();
  return read_table(path, a, messages);
}

void add_missing_option(CLI::App& verb, std::string& missing) {
  add_choice(verb, "--missing", missing, {"error", "drop"}, "Treatment of rows that lack a value");
}

std::vector<Index> rows_in_use(const Table& table, const std::vector<std::string>& names,
                               const std::string& missing) {
  if (missing == "drop") return internal::complete_rows(table, names, Missing::drop);
  try {
    return internal::complete_rows(table, names, Missing::error);
  } catch (const Error& e) {
    throw Error(e.problem(), e.what() + std::string(e.problem() == Problem::data ? drop_hint : ""));
  }
}

std::string dropped_note(Index rows, Index kept, const std::map<std::string, Index>& lacking) {
  std::vector<std::pair<std::string, Index>> causes(lacking.begin(), lacking.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  words.reserve(causes.size());
  for (const auto& [name, n] : causes) words.push_back(fmt::format("{} ({})", name, n));
  return fmt::format("{} of {} rows dropped: no value in {}", rows - kept, rows, listed(words));
}

std::string dropped_note(const Table& table, const std::vector<std::string>& names, Index kept) {
  if (table.rows() == kept) return "";
  std::map<std::string, Index> lacking;
  for (const std::string& name : names)
    if (const Index n = std::ssize(table.column(name).missing); n > 0) lacking[name] = n;
  return dropped_note(table.rows(), kept, lacking);
}

void refuse_missing(const Table& table, const std::vector<std::string>& names) {
  const Column* first = nullptr;
  for (const std::string& name : names) {
    const Column& c = table.column(name);
    if (c.missing.empty()) continue;
    if (first == nullptr || c.missing.front() < first->missing.front()) first = &c;
  }
  if (first == nullptr) return;
  throw Error(Problem::data, table.where(first->missing.front(), first->name) +
                                 ": expected a number, found none" + drop_hint);
}

std::vector<std::string> row_names(const Table& table, const std::vector<Index>& rows,
                                   const std::vector<std::string>& used) {
  const Column* naming = naming_column(table, used);
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const Index i : rows) {
    const auto at = static_cast<size_t>(i);
    std::string name;
    if (naming != nullptr && !std::binary_search(naming->missing.begin(), naming->missing.end(), i))
      name = naming->kind == Column::Kind::text ? naming->texts[at]
                                                : internal::format_number(naming->values[at]);
    out.push_back(fmt::format("line {}{}", table.lines.line(i), name.empty() ? "" : " (" + name + ")"));
  }
  return out;
}

std::string naming_column_name(const Table& table, const std::vector<std::string>& used) {
  const Column* c = naming_column(table, used);
  return c != nullptr ? c->name : "";
}

std::vector<std::string> identifiers(const Table& table, const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  for (const std::string& name : columns)
    if (const Column& c = table.column(name); c.kind == Column::Kind::number &&
                                              is_called_like_an_identifier(name) &&
                                              has_values_of_an_identifier(c))
      out.push_back(name);
  return out;
}

std::string header_line(const Table& table) {
  Table names;
  for (const Column& c : table.columns) names.columns.push_back({.name = c.name});
  std::string out;
  write_csv(out, names, table.delimiter);
  return out.substr(0, out.find_last_not_of('\n') + 1);
}

}  // namespace covary::cli
