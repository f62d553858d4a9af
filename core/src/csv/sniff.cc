#include "csv/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "covary/error.h"

namespace covary::csv {
namespace {

constexpr std::string_view candidates = ",;\t|";

/// Calls f(line, fields) for the first `most` records. A record that the buffer cuts is left out, unless it
/// is the first. Returns false if the quotes make no sense with this delimiter.
template <class F>
bool each_record(Cursor c, char delimiter, int most, F f) {
  Index line = 1;
  std::vector<Field> fields;
  for (int i = 0; i < most; ++i) {
    line += skip_blank_lines(c, delimiter);
    if (c.at == c.end) return true;
    const char* begin = c.at;
    fields.clear();
    Scan scan = Scan::field;
    while (scan == Scan::field) {
      scan = scan_field(c, delimiter, fields.emplace_back());
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

/// What the first records look like with one delimiter.
struct Shape {
  char delimiter = ',';
  bool table = true;  // every record has the same number of fields, more than one
  size_t fields = 0;  // in the first record
  double total = 0, numbers = 0;
};

Shape shape(const Cursor& c, char delimiter) {
  Shape s{delimiter};
  const bool sound = each_record(c, delimiter, 100, [&](Index, const std::vector<Field>& record) {
    if (s.fields == 0) s.fields = record.size();
    s.table = s.table && record.size() == s.fields;
    for (const Field& f : record) {
      s.total += 1;
      s.numbers +=
          is_missing(f.text) || is_number(f.text, '.') || (delimiter != ',' && is_number(f.text, ','));
    }
  });
  s.table = s.table && sound && s.fields > 1;
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
Shape find_delimiter(const Cursor& c, char decimal) {
  Shape best{.table = false};
  for (const char delimiter : candidates) {
    if (delimiter == decimal) continue;
    const Shape other = shape(c, delimiter);
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

char find_decimal(const Cursor& c, char delimiter, const std::string& source) {
  Evidence point, comma, sure_comma;
  each_record(c, delimiter, 1000, [&](Index line, const std::vector<Field>& record) {
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

void check(const CsvOptions& o) {
  constexpr std::string_view never = "\"\r\n.+-_";
  const auto letter = [](unsigned char ch) {
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch >= 0x80;
  };
  if (o.delimiter != 0 &&
      (never.find(o.delimiter) != never.npos || letter(static_cast<unsigned char>(o.delimiter)))) {
    throw Error(Problem::usage,
                fmt::format("option delimiter: expected one of , ; tab | space : or the like, found {}",
                            shown({&o.delimiter, 1})));
  }
  if (o.decimal != 0 && o.decimal != '.' && o.decimal != ',') {
    throw Error(Problem::usage,
                fmt::format("option decimal: expected '.' or ',', found {}", shown({&o.decimal, 1})));
  }
  if (o.decimal != 0 && o.decimal == o.delimiter) {
    throw Error(Problem::usage, "options delimiter and decimal: ',' cannot be both");
  }
}

}  // namespace

Dialect sniff(const Window& window, const CsvOptions& options, std::vector<std::string>& notes) {
  check(options);
  const std::string_view view = window.view();
  const Cursor c{view.data(), view.data() + view.size(), window.last()};
  Dialect d{options.delimiter, options.decimal};
  if (d.delimiter == 0) {
    const Shape best = find_delimiter(c, d.decimal);
    d.delimiter = best.delimiter;
    if (best.fields > 1 && best.delimiter != ',') {
      notes.push_back("fields are taken to be separated by " + name_of(best.delimiter));
    }
  }
  if (d.decimal == 0) {
    d.decimal = d.delimiter == ',' ? '.' : find_decimal(c, d.delimiter, window.name());
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
