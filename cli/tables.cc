#include "tables.h"

#include <fmt/format.h>

#include "command.h"
#include "covary/error.h"

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

}  // namespace

void add_csv_options(CLI::App& verb, CsvArguments& a) {
  add_choice(verb, "--header", a.header, {"auto", "yes", "no"}, "Whether the first line names the columns");
  verb.add_option("--delimiter", a.delimiter, "What separates fields, if it is not to be found out: ; or tab")
      ->type_name("CHAR");
  verb.add_option("--decimal", a.decimal, "What marks decimals, if it is not to be found out: . or ,")
      ->type_name("CHAR");
}

CsvOptions csv_options(const CsvArguments& a) {
  CsvOptions options;
  if (a.header == "yes") options.header = CsvOptions::Header::yes;
  if (a.header == "no") options.header = CsvOptions::Header::no;
  options.delimiter = character(a.delimiter, "--delimiter");
  options.decimal = character(a.decimal, "--decimal");
  return options;
}

void add_missing_option(CLI::App& verb, std::string& missing) {
  add_choice(verb, "--missing", missing, {"error", "drop"}, "What to do with rows that lack a value");
}

std::vector<Index> rows_in_use(const Table& table, const std::vector<std::string>& names,
                               const std::string& missing) {
  if (missing == "drop") return complete_rows(table, names, Missing::drop);
  try {
    return complete_rows(table, names, Missing::error);
  } catch (const Error& e) {
    throw Error(e.problem(), e.what() + std::string(e.problem() == Problem::data ? drop_hint : ""));
  }
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

std::string header_line(const Table& table) {
  Table names;
  for (const Column& c : table.columns) names.columns.push_back({.name = c.name});
  std::string out;
  write_csv(out, names, table.delimiter);
  return out.substr(0, out.find_last_not_of('\n') + 1);
}

}  // namespace covary::cli
