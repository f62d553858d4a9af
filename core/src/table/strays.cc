// A column of numbers with a few other fields: what they are, and hints on what may have been meant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "covary/base/error.h"
#include "covary/table/table.h"
#include "table/csv/field.h"

namespace covary {
using namespace internal;
namespace {

constexpr std::string_view digits = "0123456789";

bool has_digits(std::string_view text) { return text.find_first_of(digits) != text.npos; }

bool is_finite_number(std::string_view text, char decimal) {
  double value = 0;
  return csv::read_number(text, decimal, value) == csv::Reading::number;
}

/// 1,925 or 1 234 567 or 1'234: groups of three digits behind the first.
bool has_thousands(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  size_t group = text.find_first_not_of(digits);
  if (group == text.npos || group == 0 || group > 3) return false;
  const char mark = text[group];
  if (std::string_view(",. '_").find(mark) == std::string_view::npos) return false;
  size_t groups = 0;
  while (group < text.size() && text[group] == mark) {
    const size_t end = std::min(text.find_first_not_of(digits, group + 1), text.size());
    if (end - group != 4) break;
    group = end, ++groups;
  }
  if (groups == 0) return false;
  return group >= text.size() || text.find_first_not_of(",.0123456789", group) == text.npos;
}

bool is_truth(std::string text) {
  for (char& ch : text) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
  return text == "true" || text == "false" || text == "yes" || text == "no";
}

/// The longest beginning that is a number, and what follows it.
std::pair<std::string_view, std::string_view> number_and_rest(std::string_view text, char decimal) {
  for (size_t n = text.size(); n > 0; --n)
    if (is_finite_number(text.substr(0, n), decimal)) return {text.substr(0, n), csv::trim(text.substr(n))};
  return {{}, text};
}

/// What the first stray text may mean, unless it stands for no value.
std::string meaning(const std::string& text, char decimal) {
  const auto [number, rest] = number_and_rest(text, decimal);
  if (text.find("\u2212") != text.npos || text.find("\u2013") != text.npos)
    return "it has a minus sign or dash that is not '-': write '-'";
  if (text.starts_with('<') || text.starts_with('>') || text.starts_with("\u2264") ||
      text.starts_with("\u2265"))
    return "it is a limit, not a value: write a number";
  if (is_truth(text)) return "write 1 and 0";
  if (!number.empty() && (rest.starts_with('#') || rest.starts_with('%')) && rest.size() > 1)
    return fmt::format("if a comment follows, the option comment '{}' leaves it out", rest[0]);
  if (has_thousands(text)) return "write it without thousands separators";
  if (!number.empty() && !has_digits(rest) && rest.front() != decimal)
    return fmt::format("write the number without '{}'", rest);
  return "correct it";
}

/// '-,?': every stray text without digits, or the first if it has some.
std::string markers(const Strays& s) {
  constexpr size_t most = 6;
  std::vector<std::string> out;
  for (const auto& [text, times] : s.texts)
    if (!has_digits(text) && out.size() < most && text.find_first_of("\"'\n\r") == text.npos)
      out.push_back(text.find(',') == text.npos ? text : '"' + text + '"');
  if (has_digits(s.texts.front().first) || out.empty()) out = {s.texts.front().first};
  return fmt::format("'{}'", fmt::join(out, ","));
}

/// " (3 of 120 fields are not numbers: '-' 2 times, '?')"
std::string counts(const Strays& s) {
  constexpr size_t most = 5;
  if (s.others == 1) return fmt::format(" (the other {} fields are numbers)", s.numbers);
  std::string list;
  for (size_t i = 0; i < std::min(most, s.texts.size()); ++i) {
    const auto& [text, times] = s.texts[i];
    list += (i > 0 ? ", " : "") + csv::shown(text) + (times > 1 ? fmt::format(" {} times", times) : "");
  }
  if (s.texts.size() > most) list += fmt::format(" and {} other texts", s.texts.size() - most);
  return fmt::format(" ({} of {} fields are not numbers: {})", s.others, s.numbers + s.others, list);
}

}  // namespace

std::optional<Strays> internal::strays(const Table& table, const Column& column) {
  if (column.kind != Column::Kind::text || column.label) return {};
  Strays s;
  std::unordered_map<std::string, size_t> known;
  size_t next = 0;  // of the missing rows
  for (Index i = 0; i < column.rows(); ++i) {
    if (next < column.missing.size() && column.missing[next] == i) {
      ++next;
      continue;
    }
    const std::string text(csv::trim(column.texts[static_cast<size_t>(i)]));
    double value = 0;
    const csv::Reading reading = csv::read_number(text, table.decimal, value);
    if (reading == csv::Reading::missing) continue;
    if (reading != csv::Reading::text) {
      ++s.numbers;
      continue;
    }
    if (s.others++ == 0) s.row = i;
    const auto [at, fresh] = known.emplace(text, s.texts.size());
    if (fresh) s.texts.emplace_back(text, 0);
    ++s.texts[at->second].second;
  }
  if (s.others == 0 || s.numbers <= s.others) return {};
  return s;
}

void internal::refuse_strays(const Table& table, const Column& column) {
  const std::optional<Strays> s = strays(table, column);
  if (!s) return;
  const std::string& first = s->texts.front().first;
  const std::string plain = "expected a number, found " + csv::shown(first);
  const bool told = column.offence && column.offence->row == s->row && column.offence->why.starts_with(plain);
  const bool value = has_digits(first) || is_truth(first);
  const std::string what = value ? meaning(first, table.decimal) + ", or" : "if it stands for no value,";
  throw Error(Problem::data, fmt::format("{}: {}{}; {} the option missing-values {} reads it as missing; the "
                                         "option labels {} keeps the column as text",
                                         table.where(s->row, column.name), told ? column.offence->why : plain,
                                         counts(*s), what, markers(*s), csv::shown(column.name)));
}

}  // namespace covary
