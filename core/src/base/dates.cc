#include "covary/base/dates.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

namespace covary::internal {
namespace {

constexpr std::array<std::string_view, 12> full_month_names{"January",   "February", "March",    "April",
                                                            "May",       "June",     "July",     "August",
                                                            "September", "October",  "November", "December"};

bool digit(char c) { return c >= '0' && c <= '9'; }

bool leap(std::int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }
unsigned days_in(std::int64_t year, unsigned month) {
  constexpr std::array<unsigned, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap(year) ? 29 : days[month - 1];
}

/// A place in the text of a date.
struct Reader {
  std::string_view text;
  size_t at = 0;
  bool done() const { return at == text.size(); }
  bool eat(char c) { return at < text.size() && text[at] == c && ++at; }
  /// A number of `least` to `most` digits, and how many it has.
  std::optional<unsigned> number(size_t least, size_t most) {
    unsigned value = 0;
    const size_t first = at;
    while (at < text.size() && digit(text[at]) && at - first < most)
      value = 10 * value + static_cast<unsigned>(text[at++] - '0');
    if (at - first < least || (at < text.size() && digit(text[at]))) return {};
    return value;
  }
  /// 1 to 12 by an English name, whole or of three letters.
  std::optional<unsigned> month() {
    std::string word;  // as names are written, March, whatever the case
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]))) {
      const int c = static_cast<unsigned char>(text[at++]);
      word += static_cast<char>(word.empty() ? std::toupper(c) : std::tolower(c));
    }
    for (unsigned m = 0; m < 12; ++m)
      if (word == full_month_names[m] || word == full_month_names[m].substr(0, 3)) return m + 1;
    return {};
  }
};

struct Parts {
  unsigned year = 0, month = 0, day = 1;
};

std::optional<unsigned> month_of(Reader& in, const DateFormat& f) {
  return f.month_name ? in.month() : in.number(1, 2);
}

/// The parts in the order and with the separators of the format; years have four digits.
std::optional<Parts> date_parts(Reader& in, const DateFormat& f) {
  std::optional<unsigned> y, m, d = 1;
  if (f.separator == '\0') {  // YYYYMMDD, or the year alone
    const auto number = f.day ? in.number(8, 8) : in.number(4, 4);
    if (!number) return {};
    return f.day ? Parts{*number / 10000, *number / 100 % 100, *number % 100} : Parts{*number, 1, 1};
  }
  if (f.order == DateOrder::ymd) {
    if (!(y = in.number(4, 4)) || !in.eat(f.separator) || !(m = month_of(in, f))) return {};
    if (f.day && (!in.eat(f.separator) || !(d = in.number(1, 2)))) return {};
  } else if (f.order == DateOrder::dmy) {
    if (!(d = in.number(1, 2)) || !in.eat(f.separator) || !(m = month_of(in, f))) return {};
    if (!in.eat(f.separator) || !(y = in.number(4, 4))) return {};
  } else {
    if (!(m = month_of(in, f)) || !in.eat(f.separator) || !(d = in.number(1, 2))) return {};
    if (f.month_name) in.eat(',');
    if (!in.eat(f.separator) || !(y = in.number(4, 4))) return {};
  }
  return Parts{*y, *m, *d};
}

/// AM or PM, after a space or not, of the hour h, which becomes that of 24.
bool half_day(Reader& in, unsigned& h) {
  Reader ahead = in;
  ahead.eat(' ');
  if (ahead.at + 2 > ahead.text.size()) return false;
  const auto lower = [&](size_t k) { return static_cast<char>(ahead.text[ahead.at + k] | 0x20); };
  if ((lower(0) != 'a' && lower(0) != 'p') || lower(1) != 'm') return false;
  const bool afternoon = lower(0) == 'p';
  in.at = ahead.at + 2;
  h = h > 12 || h == 0 ? 25 : h % 12 + (afternoon ? 12 : 0);
  return true;
}

/// hh:mm[:ss[.fff]] [AM or PM] in seconds; `wrong` if there is no such time.
std::optional<double> time_of_day(Reader& in, std::string& wrong) {
  auto h = in.number(1, 2);
  if (!h || !in.eat(':')) return {};
  const auto m = in.number(2, 2);
  if (!m) return {};
  double s = 0;
  if (in.eat(':')) {
    const auto whole = in.number(2, 2);
    if (!whole) return {};
    s = *whole;
    if (in.eat('.'))
      for (double unit = 0.1; in.at < in.text.size() && digit(in.text[in.at]); unit /= 10)
        s += unit * (in.text[in.at++] - '0');
  }
  half_day(in, *h);
  const bool midnight = *h == 24 && *m == 0 && s == 0;
  if ((*h > 23 && !midnight) || *m > 59 || s >= 61) wrong = "there is no such time of day";
  return 3600.0 * *h + 60.0 * *m + s;
}

/// Z, +hh:mm, +hhmm or +hh, in seconds east of Greenwich.
std::optional<double> offset(Reader& in) {
  if (in.eat('Z') || in.eat('z')) return 0;
  const double sign = in.eat('-') ? -1 : in.eat('+') ? 1 : 0;
  if (sign == 0 || in.at + 2 > in.text.size()) return {};
  Reader hours{in.text.substr(in.at, 2)};
  const auto h = hours.number(2, 2);
  if (!h) return {};
  in.at += 2;
  in.eat(':');
  const auto m = in.done() ? std::optional<unsigned>(0) : in.number(2, 2);
  if (!m) return {};
  return sign * (3600.0 * *h + 60.0 * *m);
}

std::string impossible(const Parts& p) {
  if (p.month < 1 || p.month > 12) return fmt::format("there is no month {}", p.month);
  if (p.day < 1 || p.day > days_in(p.year, p.month))
    return fmt::format("{} {} has {} days", full_month_names[p.month - 1], p.year, days_in(p.year, p.month));
  return "";
}

bool year_alone(const DateFormat& f) { return f.separator == '\0' && !f.day; }

}  // namespace

std::string words_of(const DateFormat& f) {
  const std::string y = "YYYY", m = f.month_name ? "Mon" : "MM", d = "DD";
  const std::string s = f.separator == '\0' ? "" : std::string(1, f.separator);
  std::string out = year_alone(f)               ? y
                    : f.order == DateOrder::ymd ? y + s + m + (f.day ? s + d : "")
                    : f.order == DateOrder::dmy ? d + s + m + s + y
                                                : m + s + d + s + y;
  if (f.time) out += std::string(1, f.before_time) + "hh:mm";
  return out + (f.zone ? "+zone" : "");
}

std::optional<DateRead> read_date(std::string_view text, const DateFormat& f) {
  Reader in{text};
  const auto parts = date_parts(in, f);
  if (!parts) return {};
  DateRead out;
  out.wrong = impossible(*parts);
  if (f.time) {
    if (!in.eat(f.before_time)) return {};
    const auto seconds = time_of_day(in, out.wrong);
    if (!seconds) return {};
    out.seconds = *seconds;
  }
  if (f.zone) {
    in.eat(' ');
    const auto east = offset(in);
    if (!east) return {};
    out.seconds -= *east;
  }
  if (!in.done()) return {};
  if (out.wrong.empty()) out.days = days_of(parts->year, parts->month, parts->day);
  return out;
}

std::vector<DateFormat> date_formats(std::string_view text) {
  using enum DateOrder;
  static const std::vector<DateFormat> dates{
      {ymd, '-'}, {ymd, '/'}, {ymd, '.'}, {ymd, '-', false, false}, {dmy, '.'},       {dmy, '/'},
      {mdy, '/'}, {dmy, '-'}, {mdy, '-'}, {dmy, ' ', true},         {dmy, '-', true}, {mdy, ' ', true}};
  std::vector<DateFormat> out;
  for (DateFormat f : dates)
    for (const char* time : {"", " ", "T"})
      for (const bool zone : {false, true}) {
        f.time = *time != '\0', f.zone = zone;
        f.before_time = f.time ? *time : ' ';
        if ((!f.time && zone) || (f.time && !f.day)) continue;
        if (const auto read = read_date(text, f)) out.push_back(f);
      }
  // A reading that is possible makes an impossible one of the same text another format's.
  const auto possible = [&](const DateFormat& f) { return read_date(text, f)->wrong.empty(); };
  bool any = false;
  for (const DateFormat& f : out) any = any || possible(f);
  if (any) std::erase_if(out, [&](const DateFormat& f) { return !possible(f); });
  return out;
}

// Days of the proleptic Gregorian calendar: eras of 400 years, years that begin in March.
std::int64_t days_of(std::int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto of_era = static_cast<unsigned>(y - era * 400);
  const unsigned of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned day = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146097 + static_cast<std::int64_t>(day) - 719468;
}

CivilDate civil_date(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day = static_cast<unsigned>(days - era * 146097);
  const unsigned of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const unsigned of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
  const unsigned march = (5 * of_year + 2) / 153;
  const unsigned month = march < 10 ? march + 3 : march - 9;
  return {static_cast<std::int64_t>(of_era) + era * 400 + (month <= 2), month,
          of_year - (153 * march + 2) / 5 + 1};
}

std::string date_text(double x, const DateFormat& f) {
  constexpr double day = 86400, furthest = 1e8;  // days: some 270 000 years
  const double in_days = f.time ? x / day : x;
  if (!(std::abs(in_days) < furthest)) return fmt::format("{}", x);
  double whole = std::floor(in_days);
  double rest = f.time ? x - whole * day : std::round((x - whole) * day);
  rest = std::round(rest * 1000) / 1000;
  if (rest >= day) rest -= day, whole += 1;
  const CivilDate c = civil_date(static_cast<std::int64_t>(whole));
  std::string m = fmt::format("{:02}", c.month);
  if (f.month_name) m = full_month_names[c.month - 1].substr(0, 3);
  const std::string y = fmt::format("{:04}", c.year), d = fmt::format("{:02}", c.day),
                    s = f.separator == '\0' ? (f.day ? "" : "-") : std::string(1, f.separator);
  const bool first_of_year = c.month == 1 && c.day == 1;
  std::string out = year_alone(f) && first_of_year ? y
                    : f.order == DateOrder::ymd    ? y + s + m + (f.day || c.day != 1 ? s + d : "")
                    : f.order == DateOrder::dmy    ? d + s + m + s + y
                                                   : m + s + d + (f.month_name ? "," : "") + s + y;
  if (rest == 0 && !f.time) return out;
  const auto t = static_cast<int>(rest);
  out += fmt::format("{}{:02}:{:02}:{:02}", f.time ? f.before_time : 'T', t / 3600, t / 60 % 60, t % 60);
  if (const double part = rest - t; part > 0) out += fmt::format("{:.3f}", part).substr(1);
  return out + (f.zone ? "Z" : "");
}

}  // namespace covary::internal
