// Axes: round ticks, at least two of them, and labels that are short, apart and true, over ranges of any
// kind.
#include "pictures/axis.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>

#include "covary/base/random.h"

namespace covary::cli::axis_test {
namespace {

struct Range {
  double low, high;
};

/// Tiny, huge, negative, far from zero, and of no extent.
Range random_range(Random& rng) {
  const double size = std::pow(10.0, -12 + 24 * rng.uniform());
  const double from = size * (rng.uniform() - 0.5) * 3;
  switch (rng.integer(6)) {
    case 0:
      return {from, from + size};
    case 1:
      return {-from - size, -from};
    case 2:
      return {1e8 + from, 1e8 + from + size};
    case 3:
      return {-1.34e9 + from, -1.34e9 + from + size * 1e-3};
    case 4:
      return {from, from};  // constant
    default:
      return {from * 1e200, from * 1e200 + size * 1e200};
  }
}

double value_of(const std::string& label) {
  const std::string minus = "\u2212";
  return label.starts_with(minus) ? -std::stod(label.substr(minus.size())) : std::stod(label);
}

/// Whether the first two ticks are 1, 2 or 5 times a power of ten apart, to the rounding of their difference.
bool is_round(const Axis& a) {
  const double step = a.ticks[1] - a.ticks[0], power = std::pow(10.0, std::floor(std::log10(step) + 1e-6));
  const double rounding = 1e-9 + 1e-15 * std::abs(a.ticks[0]) / power;
  for (const double f : {1.0, 2.0, 5.0})
    if (std::abs(step / power - f) < rounding) return true;
  return false;
}

void expect_true_labels(const Axis& a) {
  const double step = (a.ticks[1] - a.ticks[0]);
  std::set<std::string> seen;
  for (const double t : a.ticks) {
    const std::string label = a.label(t);
    EXPECT_GE(t, a.low - 1e-6 * step);
    EXPECT_LE(t, a.high + 1e-6 * step);
    EXPECT_TRUE(seen.insert(label).second) << label << " twice";
    EXPECT_NEAR(value_of(label) * std::pow(10.0, a.power) + a.offset, t, 1e-3 * step) << label << a.note();
    EXPECT_LE(label.size(), 12U) << label;  // seven digits, a sign of three bytes, a point
    EXPECT_EQ(label.find('e'), std::string::npos) << label;
  }
}

/// F: one tick on an axis; labels as 1.34e9.
TEST(Axes, OfAnyRangeHaveTwoTicksOrMoreThatSayWhereTheyAre) {
  Random rng(7);
  const Lettering letters;
  for (int i = 0; i < 4000; ++i) {
    const auto [low, high] = random_range(rng);
    const double room = 60 + 900 * rng.uniform();
    SCOPED_TRACE(testing::Message() << low << " to " << high << " in " << room);
    for (const bool across : {true, false}) {
      const Axis a = across ? axis_across(low, high, room, letters) : axis_up(low, high, room, letters);
      ASSERT_GE(a.ticks.size(), 2U);
      ASSERT_LE(a.low, low);
      ASSERT_GE(a.high, high);
      EXPECT_TRUE(a.ticks.size() == 2 || is_round(a)) << a.ticks[1] - a.ticks[0];
      expect_true_labels(a);
    }
  }
}

TEST(Axes, LabelsSideBySideDoNotTouch) {
  Random rng(8);
  const Lettering letters;
  for (int i = 0; i < 4000; ++i) {
    const auto [low, high] = random_range(rng);
    const double room = 130 + 900 * rng.uniform();
    const Axis a = axis_across(low, high, room, letters);
    for (size_t k = 1; k < a.ticks.size(); ++k)
      ASSERT_LT(
          text_width(a.label(a.ticks[k]), letters) / 2 + text_width(a.label(a.ticks[k - 1]), letters) / 2,
          (a.place(a.ticks[k]) - a.place(a.ticks[k - 1])) * room)
          << low << " to " << high << " in " << room << ": " << a.label(a.ticks[k]);
  }
}

TEST(Axes, NoteAPowerOfTenOrAnOffsetOnce) {
  const auto axis = [](double low, double high) { return axis_across(low, high, 600, {}); };
  const auto first = [](const Axis& a) { return a.label(a.ticks[0]); };
  EXPECT_EQ(axis(0, 10).note(), "");
  EXPECT_EQ(axis(0, 8e9).note(), "\u00d7 10\u2079");
  EXPECT_EQ(axis(1.34e9, 1.35e9).note(), "\u00d7 10\u2079");
  EXPECT_EQ(first(axis(1.34e9, 1.35e9)), "1.340");
  EXPECT_EQ(axis(2e-7, 9e-7).note(), "\u00d7 10\u207b\u2079");
  EXPECT_EQ(first(axis(2e-7, 9e-7)), "200");
  EXPECT_EQ(axis(1e8 + 1, 1e8 + 4).note(), "+ 10\u2078");
  EXPECT_EQ(first(axis(-1e8 - 4, -1e8 - 1)), "\u22124.0");
  EXPECT_EQ(axis(-1e8 - 4, -1e8 - 1).note(), "\u2212 10\u2078");
  EXPECT_EQ(axis(1.34e9 + 200, 1.34e9 + 204).note(), "+ 1.34 \u00d7 10\u2079");
  EXPECT_EQ(axis(2451545, 2451595).note(), "");  // days: seven digits are read as they are
  EXPECT_EQ(axis(1958, 2008).note(), "");
}

TEST(Letters, LongTextIsShortenedInNoTime) {
  const Lettering letters;
  for (const std::string& word : {std::string("x"), std::string("many words "), std::string("\u00e4\xff")}) {
    std::string text;
    while (text.size() < 1'000'000) text += word;
    text += " [kg]";
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) {
      EXPECT_LE(text_width(shortened(text, 300, letters), letters), 300);
      for (const std::string& line : wrapped(text, 300, 3, letters))
        EXPECT_LE(text_width(line, letters), 300);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
}

TEST(Letters, NamesOfOneBeginningAreShortenedWhereTheyDiffer) {
  const Lettering letters;
  const auto all = [](const std::string& before, const std::string& after) {
    std::vector<std::string> out;
    for (int i = 0; i < 30; ++i) out.push_back(before + std::to_string(i) + after);
    return out;
  };
  const std::string far(100, 'm');
  for (const auto& names :
       {all("", far), all("station number ", " north"), all(far, ""), all(far, far + "\u00e4")}) {
    const std::vector<std::string> labels = shortened_apart(names, 110, letters);
    for (const std::string& l : labels) EXPECT_LE(text_width(l, letters), 110) << l;
    const size_t different = std::set<std::string>(labels.begin(), labels.end()).size();
    EXPECT_EQ(different, names[0].size() < 202 ? 30U : 1U) << labels[0];
  }
  EXPECT_EQ(shortened_apart({"Pd", "Pt"}, 110, letters), std::vector<std::string>({"Pd", "Pt"}));
}

TEST(Letters, WrappedTextKeepsItsWordsInOrder) {
  const Lettering letters;
  const std::vector<std::string> lines = wrapped("one two three four [m] five", 80, 9, letters);
  std::string all;
  for (const std::string& l : lines) all += (all.empty() ? "" : " ") + l;
  EXPECT_EQ(all, "one two three four [m] five");
  EXPECT_GT(lines.size(), 1U);
  EXPECT_EQ(wrapped("one two three four five six", 80, 1, letters).size(), 1U);
  EXPECT_TRUE(wrapped("one two three four five six", 80, 1, letters)[0].ends_with("\u2026"));
}

}  // namespace
}  // namespace covary::cli::axis_test
