// Axes of dates and of levels: two ticks or more, at the beginnings of years to seconds, labels short, apart and true.
#include "pictures/date_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "covary/base/dates.h"
#include "covary/base/random.h"
#include "pictures/chart.h"
#include "pictures/level_axis.h"

namespace covary::cli::date_axis_test {
namespace {

using Kind = Measure::Kind;

double day(int year, unsigned month = 1, unsigned of_month = 1) {
  return double(internal::days_of(year, month, of_month));
}

Axis days(double low, double high, double room = 600) {
  return axis_across(low, high, room, {}, {Kind::days});
}
Axis seconds(double low, double high, double room = 600) {
  return axis_across(low, high, room, {}, {Kind::seconds});
}

using Labels = std::vector<std::string>;

/// The tick as a date with a time of day, in as many of its parts as the words name.
std::string words_of(double tick, bool times) {
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const double unit = times ? 86400 : 1, whole = std::floor(tick / unit);
  const auto date = internal::civil_date(static_cast<std::int64_t>(whole));
  const int s = times ? static_cast<int>(std::lround(tick - whole * unit)) : 0;
  char out[64];
  std::snprintf(out, sizeof out, "%u %s %lld %02d:%02d:%02d", date.day, months[date.month - 1],
                static_cast<long long>(date.year), s / 3600, s / 60 % 60, s % 60);
  return out;
}

/// Whether every word of the label is a part of the date, a time of day up to its seconds.
bool true_label(const std::string& label, double tick, bool times) {
  const std::string date = " " + words_of(tick, times) + " ";
  std::istringstream in(label);
  for (std::string word; in >> word;) {
    const size_t at = date.find(" " + word);
    if (at == date.npos) return false;
    const std::string rest = date.substr(at + 1 + word.size());
    if (!rest.starts_with(" ") && rest != ":00 ") return false;
  }
  return true;
}

/// From minutes to millennia, before and after 1970.
TEST(DateAxes, HaveTwoTicksOrMoreWithLabelsThatDifferAndAreTrue) {
  Random rng(11);
  for (int i = 0; i < 6000; ++i) {
    const bool times = i % 2 == 0, across = i % 3 != 0;
    const double unit = times ? 86400 : 1;
    const double size = unit * std::pow(10.0, (times ? -4 : 0) + (times ? 9 : 6) * rng.uniform());
    const double low = unit * (rng.uniform() - 0.5) * 1e5, high = low + size, room = 60 + 900 * rng.uniform();
    SCOPED_TRACE(testing::Message() << low << " to " << high << (times ? " s" : " d") << " in " << room);
    const Measure measure{times ? Kind::seconds : Kind::days};
    const Axis a = across ? axis_across(low, high, room, {}, measure) : axis_up(low, high, room, {}, measure);
    ASSERT_GE(a.ticks.size(), 2U);
    ASSERT_LE(a.low, low);
    ASSERT_GE(a.high, high);
    std::set<std::string> seen;
    for (const double t : a.ticks) {
      EXPECT_GE(t, a.low);
      EXPECT_LE(t, a.high);
      EXPECT_TRUE(seen.insert(a.label(t)).second) << a.label(t) << " twice";
      EXPECT_TRUE(a.label(t).ends_with(" s") || true_label(a.label(t), t, times)) << a.label(t);
    }
  }
}

TEST(DateAxes, LabelsSideBySideDoNotTouch) {
  Random rng(12);
  const Lettering letters;
  for (int i = 0; i < 4000; ++i) {
    const double size = std::pow(10.0, 4 + 5.5 * rng.uniform()), low = 86400 * (rng.uniform() - 0.5) * 3e4;
    const double room = 200 + 900 * rng.uniform();
    const Axis a = seconds(low, low + size, room);
    EXPECT_TRUE(labels_apart(a, room, 0, [&](const std::string& l) { return text_width(l, letters); }))
        << low << " + " << size << " in " << room << ": " << a.label(a.ticks[0]);
  }
}

TEST(DateAxes, StandAtWhatFitsTheRange) {
  EXPECT_EQ(days(day(1958, 3), day(2019, 12)).labels,
            Labels({"1960", "1970", "1980", "1990", "2000", "2010"}));
  EXPECT_EQ(days(day(2003, 6), day(2008, 6)).labels, Labels({"2004", "2005", "2006", "2007", "2008"}));
  EXPECT_EQ(days(day(2008, 12, 15), day(2009, 6, 15), 400).labels,
            Labels({"Jan", "Feb", "Mar", "Apr", "May", "Jun"}));
  EXPECT_EQ(days(day(2008, 12, 15), day(2009, 6, 15), 400).note(), "2009");
  EXPECT_EQ(days(day(2008, 5), day(2010, 2)).labels[0], "Jul 2008");  // quarters of two years
  EXPECT_EQ(days(day(2008, 5), day(2010, 2)).note(), "");
  EXPECT_EQ(days(day(2009, 3, 12), day(2009, 3, 18)).labels,
            Labels({"12 Mar", "13 Mar", "14 Mar", "15 Mar", "16 Mar", "17 Mar", "18 Mar"}));
  for (const double monday : days(day(2009, 3, 1), day(2009, 4, 20)).ticks)
    EXPECT_EQ(std::fmod(monday - day(2024, 1, 1), 7), 0);  // which was a Monday
  const double noon = 86400 * day(2009, 3, 14) + 43200;
  EXPECT_EQ(seconds(noon, noon + 4 * 3600).labels[0], "12:00");
  EXPECT_EQ(seconds(noon, noon + 4 * 3600).note(), "14 Mar 2009");
  EXPECT_EQ(seconds(noon - 86400, noon + 86400, 900).labels[0], "13 Mar 12:00");  // 12:00 comes twice
  EXPECT_EQ(seconds(noon, noon + 40).labels[1], "12:00:05");
  EXPECT_EQ(seconds(noon, noon + 0.5).note(), "14 Mar 2009 12:00");
}

TEST(DateAxes, OneDayIsWidenedAndWhatIsNoDateIsANumber) {
  const Axis one = days(day(2009, 3, 14), day(2009, 3, 14));
  EXPECT_LT(one.low, one.high);
  EXPECT_GE(one.ticks.size(), 2U);
  EXPECT_TRUE(days(1e12, 3e12).labels.empty());
  EXPECT_GE(days(1e12, 3e12).ticks.size(), 2U);
}

TEST(DateAxes, OfATerminal) {
  Chart chart;
  chart.x_measure = {Kind::days};
  const Vector x = Vector::LinSpaced(50, day(1958, 3), day(2019, 12));
  chart.lines = {{x, x.array().sin(), ""}};
  const std::string text = as_text(chart);
  EXPECT_NE(text.find("1960"), std::string::npos) << text;
  EXPECT_NE(text.find("2010"), std::string::npos) << text;
  chart.lines = {{Vector::LinSpaced(50, day(2009, 3, 2), day(2009, 3, 20)), x.array().sin(), ""}};
  EXPECT_NE(as_text(chart).find("(2009)"), std::string::npos) << as_text(chart);
}

TEST(LevelAxes, TurnShrinkAndThenLeaveOutNames) {
  const auto names = [](int n, const std::string& stem) {
    Labels out;
    for (int i = 0; i < n; ++i) out.push_back(stem + std::to_string(i));
    return out;
  };
  const auto axis = [&](int n, const std::string& stem) {
    return axis_across(-0.5, n - 0.5, 500, {}, {Kind::levels, names(n, stem)});
  };
  EXPECT_FALSE(axis(4, "Pd").turned);
  EXPECT_EQ(axis(4, "Pd").labels, names(4, "Pd"));
  EXPECT_TRUE(axis(20, "palladium").turned);
  EXPECT_EQ(axis(20, "palladium").labels, names(20, "palladium"));
  EXPECT_LT(axis(45, "palladium").letters, 1);
  EXPECT_EQ(axis(45, "palladium").ticks.size(), 45U);
  EXPECT_LT(axis(300, "palladium").ticks.size(), 100U);
  EXPECT_GE(axis(300, "palladium").ticks.size(), 20U);
  EXPECT_LT(axis(3, std::string(500, 'x')).label_depth({}), 200);
  EXPECT_EQ(axis_up(-0.5, 2.5, 200, {}, {Kind::levels, names(3, "Pd")}).labels, names(3, "Pd"));
}

}  // namespace
}  // namespace covary::cli::date_axis_test
