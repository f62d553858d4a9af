// Dates as people write them.
#include "covary/base/dates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace covary::test::dates_test {
namespace {

using namespace covary::internal;

/// The one format in which a text can be read.
DateFormat only_format(const std::string& text) {
  const std::vector<DateFormat> all = date_formats(text);
  EXPECT_EQ(all.size(), 1U) << text;
  return all.empty() ? DateFormat{} : all.front();
}

double days(const std::string& text) {
  const auto read = read_date(text, only_format(text));
  EXPECT_TRUE(read && read->wrong.empty()) << text;
  return double(read->days) + read->seconds / 86400;
}

TEST(Dates, TheSameDayInEveryFormat) {
  const double day = days("1958-03-14");
  for (const char* text :
       {"1958/03/14", "1958.03.14", "14.03.1958", "14.3.1958", "14/03/1958", "03/14/1958", "14-03-1958",
        "14 Mar 1958", "14-Mar-1958", "Mar 14, 1958", "14 March 1958", "march 14 1958"})
    EXPECT_EQ(days(text), day) << text;
  EXPECT_EQ(days("1958-03"), days("1958-03-01"));
}

TEST(Dates, DaysCountFrom1970AndBack) {
  EXPECT_EQ(days("1970-01-01"), 0);
  EXPECT_EQ(days("1969-12-31"), -1);
  EXPECT_EQ(days("2000-03-01") - days("2000-02-28"), 2);  // a leap year of the fourth century
  EXPECT_EQ(days("1900-03-01") - days("1900-02-28"), 1);
  for (std::int64_t d = -1'000'000; d < 1'000'000; d += 997) {
    const CivilDate c = civil_date(d);
    ASSERT_EQ(days_of(c.year, c.month, c.day), d);
    ASSERT_GE(c.month, 1U);
    ASSERT_LE(c.month, 12U);
  }
}

TEST(Dates, TimesOfDayAndOffsets) {
  const double rounding = 4e-12;  // of 20 000 days, in doubles
  EXPECT_NEAR(days("2024-03-10T06:00") - days("2024-03-10"), 0.25, rounding);
  EXPECT_NEAR(days("2024-03-10 06:00:36") - days("2024-03-10"), 0.25 + 36.0 / 86400, rounding);
  EXPECT_NEAR(days("2024-03-10T06:00:00.5") - days("2024-03-10"), 0.25 + 0.5 / 86400, rounding);
  EXPECT_NEAR(days("2024-03-10T06:00+02:00"), days("2024-03-10T04:00Z"), rounding);
  EXPECT_NEAR(days("2024-03-10T24:00"), days("2024-03-11T00:00"), rounding);
}

TEST(Dates, HoursOfHalfADay) {
  EXPECT_EQ(days("3/14/2024 12:05 AM"), days("2024-03-14 00:05"));
  EXPECT_EQ(days("3/14/2024 12:05 pm"), days("2024-03-14 12:05"));
  EXPECT_EQ(days("2024-03-14 3:04:05PM"), days("2024-03-14 15:04:05"));
  const auto formats = date_formats("2024-03-14 15:04 PM");
  ASSERT_FALSE(formats.empty());
  EXPECT_EQ(read_date("2024-03-14 15:04 PM", formats[0])->wrong, "there is no such time of day");
  EXPECT_TRUE(date_formats("2024-03-14 3:04 XM").empty());
}

/// Only where a column is said to hold dates: they are numbers otherwise.
TEST(Dates, DigitsAlone) {
  const DateFormat whole{.separator = '\0'}, year{.separator = '\0', .day = false};
  EXPECT_EQ(double(read_date("19580314", whole)->days), days("1958-03-14"));
  EXPECT_EQ(double(read_date("1958", year)->days), days("1958-01-01"));
  EXPECT_EQ(read_date("19580230", whole)->wrong, "February 1958 has 28 days");
  EXPECT_FALSE(read_date("1958031", whole));
  EXPECT_EQ(date_text(days("1958-03-14"), whole), "19580314");
  EXPECT_EQ(date_text(days("1958-01-01"), year), "1958");
  EXPECT_EQ(date_text(days("1958-03-14"), year), "1958-03-14");
  EXPECT_EQ(words_of(whole), "YYYYMMDD");
  EXPECT_EQ(words_of(year), "YYYY");
}

TEST(Dates, DayOrMonthFirstIsToldByADayAboveTwelve) {
  EXPECT_EQ(date_formats("03/04/2024").size(), 2U);
  EXPECT_EQ(only_format("13/04/2024").order, DateOrder::dmy);
  EXPECT_EQ(only_format("04/13/2024").order, DateOrder::mdy);
}

TEST(Dates, WhatCannotBeSaysWhy) {
  const auto why = [](const std::string& text) {
    const auto formats = date_formats(text);
    return formats.empty() ? "" : read_date(text, formats.front())->wrong;
  };
  EXPECT_EQ(why("2021-02-30"), "February 2021 has 28 days");
  EXPECT_EQ(why("2021-13-01"), "there is no month 13");
  EXPECT_EQ(why("2021-04-31"), "April 2021 has 30 days");
  EXPECT_EQ(why("2021-04-30T25:00"), "there is no such time of day");
  for (const char* text :
       {"", "hot", "12", "2021", "20210401", "1.5", "1/2/21", "2021-04-30x", "-2021-04-30", "Mai 3 2021"})
    EXPECT_TRUE(date_formats(text).empty()) << text;
}

TEST(Dates, PrintedInTheirFormatTheyReadBack) {
  for (const char* text : {"1958-03-14", "1958/03/14", "14.03.1958", "14-Mar-1958", "Mar 14, 1958", "1958-03",
                           "2024-03-10T06:00:36", "10.03.2024 06:00:36", "2024-03-10T04:00:00Z"}) {
    const DateFormat f = only_format(text);
    const auto read = read_date(text, f);
    const double x = f.time ? 86400 * double(read->days) + read->seconds : double(read->days);
    EXPECT_EQ(date_text(x, f), text);
  }
}

}  // namespace
}  // namespace covary::test::dates_test
