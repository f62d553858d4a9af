#include "table/csv/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "covary/base/error.h"

namespace covary::csv {
namespace {

constexpr std::string_view candidates = ",;\t|";

/// The text of a window, from the line it began at.
struct Text {
  Cursor begin;
  Index line = 1;
  char comment = 0;
};

/// Calls f(line, fields) for the first `most` records. A record that the buffer cuts is left out, unless it
/// is the first. Returns false if the quotes make no sense with this delimiter.
template <class F>
bool each_record(const Text& text, char delimiter, int most, F f) {
  Cursor c = text.begin;
  Index line = text.line;
  std::vector<Field> fields;
  for (int i = 0; i < most; ++i) {
    line += skip_blank_lines(c, delimiter, text.comment);
    if (c.at == c.end) return true;
    const char* begin = c.at;
    fields.clear();
    Scan scan = Scan::field;
    while (scan == Scan::field) {
      scan = scan_field(c, delimiter, fields.emplace_back(), text.comment);
    }
    if (scan == Scan::bad_quote) return false;
    if (scan == Scan::more && i > 0) return true;
    f(line, fields);
    line += count_lines({begin, c.at});
  }
  return true;
}

bool is_number(std::string_view text, char decimal) {
  double value = 0;
  const Reading reading = read_number(text, decimal, value);
  return reading == Reading::number || reading == Reading::not_finite;
}

bool is_blank(const Field& f) { return !f.quoted && trim(f.text).empty(); }

/// What the first records look like with one delimiter.
struct Shape {
  char delimiter = ',';
  bool table =
      true;  // every record has the same number of fields, more than one; or all but the first one more
  size_t fields = 0;                                // in the first record
  size_t others = 0;                                // in the second
  bool ends_empty = true, begins_with_name = true;  // every record but the first
  bool second_has_numbers = false;                  // beyond its first field
  double total = 0, numbers = 0;

  Dialect::Extra extra() const {
    if (!table || others != fields + 1) return Dialect::Extra::none;
    return ends_empty ? Dialect::Extra::empty : Dialect::Extra::name;
  }
};

Shape shape(const Text& text, char delimiter) {
  Shape s{delimiter};
  const bool sound = each_record(text, delimiter, 100, [&](Index, const std::vector<Field>& record) {
    const bool first = s.fields == 0;
    if (first) s.fields = record.size();
    if (!first && s.others == 0) {
      s.others = record.size();
      s.second_has_numbers = std::any_of(record.begin() + 1, record.end(), [&](const Field& f) {
        return is_number(f.text, '.') || (delimiter != ',' && is_number(f.text, ','));
      });
    }
    s.table = s.table && (first || record.size() == s.others);
    for (const Field& f : record) {
      s.total += 1;
      s.numbers +=
          is_missing(f.text) || is_number(f.text, '.') || (delimiter != ',' && is_number(f.text, ','));
    }
    if (first) return;
    const Field& name = record.front();
    s.ends_empty = s.ends_empty && is_blank(record.back());
    s.begins_with_name = s.begins_with_name && (name.quoted || !is_number(name.text, '.'));
  });
  const bool longer =
      s.others == s.fields + 1 && (s.ends_empty || (s.begins_with_name && s.second_has_numbers));
  s.table = s.table && sound && (s.others == 0 || s.others == s.fields || longer);
  s.table = s.table && std::max(s.fields, s.others) > 1;
  return s;
}

/// Whether a makes the better table.
bool better(const Shape& a, const Shape& b) {
  if (a.table != b.table) return a.table;
  const double more = a.numbers * b.total - b.numbers * a.total;
  if (a.table && more != 0) return more > 0;
  return a.fields > b.fields;
}

/// The best of the candidates, less the one that is the decimal mark.
Shape find_delimiter(const Text& text, char decimal) {
  Shape best{.table = false};
  for (const char delimiter : candidates) {
    if (delimiter == decimal) continue;
    const Shape other = shape(text, delimiter);
    if (better(other, best)) best = other;
  }
  return best;
}

/// Whether the comma in a number may as well separate thousands: 1,500 but not 1,5 or 0,500.
bool maybe_thousands(std::string_view number) {
  number = trim(number);
  if (number.front() == '+' || number.front() == '-') number.remove_prefix(1);
  const size_t comma = number.find(',');
  return comma >= 1 && comma <= 3 && number.front() != '0' && number.size() == comma + 4 &&
         number.find_first_of("eE") == number.npos;
}

/// A field that is evidence for a decimal mark.
struct Evidence {
  Index line = 0;  // 0: none seen
  std::string text;
};

void see(Evidence& e, Index line, std::string_view text) {
  if (e.line == 0) e = {line, shown(trim(text))};
}

char find_decimal(const Text& table, char delimiter, const std::string& source) {
  Evidence point, comma, sure_comma;
  each_record(table, delimiter, 1000, [&](Index line, const std::vector<Field>& record) {
    for (const auto& [text, quoted, doubled] : record) {
      if (text.find('.') != text.npos && is_number(text, '.')) see(point, line, text);
      if (text.find(',') == text.npos || !is_number(text, ',')) continue;
      see(comma, line, text);
      if (!maybe_thousands(text)) see(sure_comma, line, text);
    }
  });
  if (comma.line == 0) return '.';
  const std::string ask = "give the option decimal, '.' or ','";
  if (point.line != 0) {
    throw Error(Problem::data,
                fmt::format("{}: the decimal mark is ambiguous, line {} has {} and line {} has {}: {}",
                            source, comma.line, comma.text, point.line, point.text, ask));
  }
  if (sure_comma.line == 0) {
    throw Error(Problem::data,
                fmt::format("{}, line {}: the decimal mark is ambiguous, {} has thousands or decimals: {}",
                            source, comma.line, comma.text, ask));
  }
  return ',';
}

std::string name_of(char delimiter) { return delimiter == '\t' ? "tabs" : fmt::format("'{}'", delimiter); }

/// The number of lines to skip until the rest looks like a table; 0: none found.
Index title_lines(Text text, char decimal) {
  constexpr Index most = 20;
  for (Index skipped = 1; skipped <= most; ++skipped) {
    const std::string_view left(text.begin.at, text.begin.end);
    const size_t end = left.find_first_of("\r\n");
    if (end == left.npos) return 0;
    text.begin.at += end + (left.substr(end).starts_with("\r\n") ? 2 : 1);
    const Shape rest = find_delimiter(text, decimal);
    if (rest.table && rest.others > 0) return text.line - 1 + skipped;
  }
  return 0;
}

/// A hint of the option that may make the text readable as a table, or "".
std::string layout_hint(const Text& text, char decimal) {
  constexpr std::string_view usual = "#%!";
  const std::string_view begin = trim({text.begin.at, text.begin.end});
  if (!begin.empty() && usual.find(begin.front()) != usual.npos) return comment_hint(begin.front());
  const Index lines = title_lines(text, decimal);
  if (lines == 0) return "";
  return fmt::format("; if the table begins at line {}, the option skip {} says so", lines + 1, lines);
}

void check(const CsvOptions& o) {
  if (o.delimiter != 0 && !can_delimit(o.delimiter)) {
    throw Error(Problem::usage,
                fmt::format("option delimiter: expected one of , ; tab | space : or the like, found {}",
                            shown({&o.delimiter, 1})));
  }
  if (o.decimal != 0 && o.decimal != '.' && o.decimal != ',') {
    throw Error(Problem::usage,
                fmt::format("option decimal: expected '.' or ',', found {}", shown({&o.decimal, 1})));
  }
  if (o.comment != 0 &&
      (o.comment == o.delimiter || o.comment == ',' || o.comment == ' ' || !can_delimit(o.comment))) {
    throw Error(Problem::usage, fmt::format("option comment: expected one of # % ! or the like, found {}",
                                            shown({&o.comment, 1})));
  }
  if (o.decimal != 0 && o.decimal == o.delimiter) {
    throw Error(Problem::usage, "options delimiter and decimal: ',' cannot be both");
  }
}

}  // namespace

std::string comment_hint(char mark) {
  return fmt::format("; if '{}' begins a comment, the option comment '{}' says so", mark, mark);
}

Dialect sniff(const Window& window, const CsvOptions& options, std::vector<std::string>& notes) {
  check(options);
  const std::string_view view = window.view();
  const Text text{
      {view.data(), view.data() + view.size(), window.last()}, window.first_line(), options.comment};
  Dialect d{options.delimiter != 0 ? options.delimiter : window.separator(), options.decimal,
            options.comment};
  Shape best{d.delimiter};
  if (d.delimiter == 0) {
    best = find_delimiter(text, d.decimal);
    d.delimiter = best.delimiter;
    if (std::max(best.fields, best.others) > 1 && best.delimiter != ',') {
      notes.push_back("fields are taken to be separated by " + name_of(best.delimiter));
    }
  } else {
    best = shape(text, d.delimiter);
  }
  if (options.header != CsvOptions::Header::no) d.extra = best.extra();
  if (!best.table) d.hint = layout_hint(text, options.decimal);
  if (d.decimal == 0) {
    d.decimal = d.delimiter == ',' ? '.' : find_decimal(text, d.delimiter, window.name());
    if (d.decimal == ',') notes.emplace_back("the decimal mark is taken to be ','");
  }
  return d;
}

bool all_numbers(const std::vector<Field>& record, char decimal) {
  const auto number = [&](const Field& f) { return is_number(f.text, decimal); };
  const auto blank = [&](const Field& f) { return trim(f.text).empty(); };
  const auto fits = [&](const Field& f) { return number(f) || (is_missing(trim(f.text)) && !blank(f)); };
  return std::all_of(record.begin(), record.end(), fits) && std::any_of(record.begin(), record.end(), number);
}

}  // namespace covary::csv
