#include "pictures/date_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "covary/base/dates.h"
#include "covary/base/error.h"

namespace covary::cli {
namespace {

constexpr double seconds_of_a_day = 86400, days_of_a_year = 365.2425;
constexpr double most_days = 3e8;  // beyond these dates are numbers
constexpr double most_ticks_made = 1000;

/// `count` seconds, days, months or years.
struct Step {
  enum class Unit { seconds, days, months, years } unit;
  double count;

  double days() const {
    switch (unit) {
      case Unit::seconds:
        return count / seconds_of_a_day;
      case Unit::days:
        return count;
      case Unit::months:
        return count * days_of_a_year / 12;
      default:
        return count * days_of_a_year;
    }
  }
};

/// From a second to a hundred thousand years; those of less than a day only where there are times of day.
std::vector<Step> date_steps(bool times) {
  using Unit = Step::Unit;
  std::vector<Step> out;
  if (times)
    for (const double s :
         {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200})
      out.push_back({Unit::seconds, s});
  for (const double d : {1, 2, 7, 14}) out.push_back({Unit::days, d});
  for (const double m : {1, 3, 6}) out.push_back({Unit::months, m});
  for (double power = 1; power < 1e6; power *= 10)
    for (const double y : {1, 2, 5}) out.push_back({Unit::years, y * power});
  return out;
}

/// The k-th multiple of the step, in days: of the year 0, of 1970-01-01, or of Monday 1970-01-05.
double multiple(const Step& step, double k) {
  const auto whole = static_cast<std::int64_t>(k * step.count);
  switch (step.unit) {
    case Step::Unit::seconds:
      return k * step.count / seconds_of_a_day;
    case Step::Unit::days:
      return double(whole) + (step.count < 7 ? 0 : 4);
    case Step::Unit::months: {
      const std::int64_t year = static_cast<std::int64_t>(std::floor(double(whole) / 12));
      return double(internal::days_of(year, unsigned(whole - 12 * year) + 1, 1));
    }
    default:
      return double(internal::days_of(whole, 1, 1));
  }
}

/// The first multiple from `day` on: a guess that is never too late, and what follows it.
double first_multiple(const Step& step, double day) {
  const double from =
      step.unit == Step::Unit::months || step.unit == Step::Unit::years ? day - multiple(step, 0) : day;
  double k = std::floor(from / step.days()) - 2;
  while (multiple(step, k) < day) ++k;
  return k;
}

/// In the unit of the axis, of which a day has `day`.
std::vector<double> ticks_at(const Step& step, double low, double high, double day) {
  std::vector<double> out;
  for (double k = first_multiple(step, low / day);; ++k) {
    const double at = step.unit == Step::Unit::seconds && day > 1 ? k * step.count : multiple(step, k) * day;
    if (at > high) return out;
    if (at >= low) out.push_back(at);
  }
}

const char* month_name(unsigned month) {
  static constexpr std::array names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return names[month - 1];
}

/// A tick in words, by parts.
struct Moment {
  internal::CivilDate date;
  int seconds = 0;  // of the day

  std::string year() const { return fmt::format("{}", date.year); }
  std::string month() const { return month_name(date.month); }
  std::string day() const { return fmt::format("{} {}", date.day, month()); }
  std::string time() const {
    const std::string minutes = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    return seconds % 60 == 0 ? minutes : fmt::format("{}:{:02}", minutes, seconds % 60);
  }
};

Moment moment(double tick, double day) {
  const double days = std::floor(tick / day);
  return {internal::civil_date(static_cast<std::int64_t>(days)),
          day > 1 ? static_cast<int>(std::lround(tick - days * day)) : 0};
}

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

bool all_differ(const std::vector<std::string>& labels) {
  return std::set<std::string>(labels.begin(), labels.end()).size() == labels.size();
}

/// Each tick by its unit alone where these differ, else with the next larger one; what is left is said once.
void label_dates(Axis& axis, Step::Unit unit, double day) {
  std::vector<Moment> at;
  for (const double t : axis.ticks) at.push_back(moment(t, day));
  const auto each = [&](auto words) {
    std::vector<std::string> out;
    out.reserve(at.size());
    for (const Moment& m : at) out.push_back(words(m));
    return out;
  };
  const auto shared = [&](auto words) { return from_to(words(at.front()), words(at.back())); };
  const auto year = [](const Moment& m) { return m.year(); };
  const auto short_words = [unit](const Moment& m) {
    return unit == Step::Unit::years    ? m.year()
           : unit == Step::Unit::months ? m.month()
           : unit == Step::Unit::days   ? m.day()
                                        : m.time();
  };
  axis.labels = each(short_words);
  if (unit == Step::Unit::years) return;
  const bool times = unit == Step::Unit::seconds;
  axis.said = times ? shared([](const Moment& m) { return m.day() + " " + m.year(); }) : shared(year);
  if (all_differ(axis.labels)) return;
  axis.said = times ? shared(year) : "";
  axis.labels = each(
      [&](const Moment& m) { return times ? m.day() + " " + m.time() : short_words(m) + " " + m.year(); });
}

Axis axis_at(const Step& step, double low, double high, double day) {
  Axis axis{low, high, ticks_at(step, low, high, day)};
  if (!axis.ticks.empty()) label_dates(axis, step.unit, day);
  return axis;
}

/// A few seconds and less: numbers, from the beginning of the minute.
Axis seconds_axis(double low, double high, int most, const std::function<bool(const Axis&)>& fits) {
  const double minute = 60 * std::floor(low / 60);
  Axis out;
  for (int n = std::max(2, most); n >= 2; --n) {
    const Axis numbers = make_axis(low - minute, high - minute, n);
    if (numbers.ticks.size() < 2) continue;
    out = {low, high, {}};
    for (const double t : numbers.ticks)
      out.ticks.push_back(t + minute), out.labels.push_back(numbers.label(t) + " s");
    const Moment at = moment(minute, seconds_of_a_day);
    out.said = at.day() + " " + at.year() + " " + at.time();
    if (fits(out)) break;
  }
  return out;
}

void widen_dates(double& low, double& high, double least) {
  if (high - low >= least) return;
  const double middle = low + (high - low) / 2;
  low = middle - least / 2, high = middle + least / 2;
}

}  // namespace

Axis date_axis(double low, double high, Measure::Kind kind, int most,
               const std::function<bool(const Axis&)>& fits) {
  const bool times = kind == Measure::Kind::seconds;
  const double day = times ? seconds_of_a_day : 1;
  if (!(std::max(std::abs(low), std::abs(high)) < most_days * day)) return make_axis(low, high, most);
  widen_dates(low, high, times ? 1e-4 : 2);
  if (times && high - low < 4) return seconds_axis(low, high, most, fits);
  const std::vector<Step> all = date_steps(times);
  const auto count = [&](const Step& s) { return (high - low) / day / s.days(); };
  for (const Step& s : all)
    if (count(s) <= std::max(2, most))
      if (Axis axis = axis_at(s, low, high, day); axis.ticks.size() > 1 && fits(axis)) return axis;
  Axis ends;
  for (auto s = all.rbegin(); s != all.rend() && count(*s) < most_ticks_made; ++s) {
    Axis axis = axis_at(*s, low, high, day);
    if (axis.ticks.size() < 2) continue;
    axis.ticks = {axis.ticks.front(), axis.ticks.back()};
    label_dates(axis, s->unit, day);
    if (fits(axis)) return axis;
    if (ends.ticks.empty()) ends = axis;
  }
  return ends;
}

}  // namespace covary::cli
