// Dates and times of day in common notations, distinguished by format; as numbers they are days, or seconds,
// from 1970-01-01 (Gregorian, UTC where an offset is given).
//
//   1958-03-01   1958/03/01   1958-03               year first
//   01.03.1958   1.3.1958                           day first
//   01/03/1958   01-03-1958                         day or month first: a day above 12 decides, else to be given
//   1 Mar 1958   01-Mar-1958   Mar 1, 1958          by the name of the month (English)
//   any of these with 12:30, 12:30:15, 12:30:15.25, after a space or T, and Z or +01:00 after that
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covary::internal {

/// The order of the parts of a date.
enum class DateOrder { ymd, dmy, mdy };

/// How the dates of a column are written.
struct DateFormat {
  DateOrder order = DateOrder::ymd;
  char separator = '-';     // between the parts; ' ' with the name of a month
  bool month_name = false;  // "Mar" in place of 03
  bool day = true;          // false: 1958-03
  bool time = false;        // a time of day follows
  char before_time = ' ';   // or 'T'
  bool zone = false;        // Z or an offset follows: times are UTC
  bool operator==(const DateFormat&) const = default;
};

/// The name of the format in messages: "1958-03-01", "day.month.year".
std::string words_of(const DateFormat& format);

/// The date and time that a text gives in some format.
struct DateRead {
  std::int64_t days = 0;  // from 1970-01-01
  double seconds = 0;     // of that day; may leave it by the offset
  std::string wrong;      // why this is no date, although it has the format; empty: it is one
};
/// Nothing if the text does not have the format.
std::optional<DateRead> read_date(std::string_view text, const DateFormat& format);

/// The formats in which a text can be read, those with an impossible date too; none if it does not look like a
/// date.
std::vector<DateFormat> date_formats(std::string_view text);

/// days from 1970-01-01 of a date of the Gregorian calendar, and back.
std::int64_t days_of(std::int64_t year, unsigned month, unsigned day);
struct CivilDate {
  std::int64_t year = 1970;
  unsigned month = 1, day = 1;
};
CivilDate civil_date(std::int64_t days);

/// x days from 1970-01-01, or seconds where the format has a time of day, as the format writes it; what is not a
/// whole day without a time of day has one all the same.
std::string date_text(double x, const DateFormat& format);

}  // namespace covary::internal
