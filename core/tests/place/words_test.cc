// What is said of a placement: the number, the proof and the units, and nothing that is not known.
#include "covary/place/words.h"

#include <gtest/gtest.h>

#include "place/placement_support.h"

namespace covary::test::place_words_test {
namespace {

bool says(const std::vector<std::string>& words, const std::string& piece) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& w) { return w.find(piece) != std::string::npos; });
}

struct Scene {
  Random random{3};
  RandomPlacement p = random_placement(9, random);
  const CriterionEntry& by(const char* name) const { return criterion_called(name); }
};

TEST(PlaceWords, SayWhatWasChosenAndWhatIsProven) {
  const Scene s;
  const Placed greedy = place(s.p.problem, s.by("mutual-information"), 3);
  const auto said = internal::words(greedy, {&s.by("mutual-information"), "a matrix", 9});
  EXPECT_TRUE(says(said,
                   "three sensors among 9 candidates, chosen by mutual-information from a matrix; "
                   "values are in nats"));
  EXPECT_TRUE(says(said, "of the best possible three: none can be worth more than"));
  const Placed proven = internal::best(s.p.problem, s.by("mutual-information"), 3);
  EXPECT_TRUE(says(internal::words(proven, {&s.by("mutual-information"), "a matrix", 9}),
                   "proven: no other three are worth more"));
}

TEST(PlaceWords, UnitsAndBudgetsAreNamed) {
  const Scene s;
  const Placed set = place(s.p.problem, s.by("variance"), 2);
  const auto said = internal::words(set, {&s.by("variance"), "a matrix", 9, true, true, "K"});
  EXPECT_TRUE(says(said, "two sensors among 9 candidates, scored by variance"));
  EXPECT_TRUE(says(said, "variances of the field, in K squared"));
  EXPECT_TRUE(says(said, "of the best possible set that the budget buys"));
  EXPECT_TRUE(says(said, " K before; largest "));
}

TEST(PlaceWords, BaselinesAndEmptySetsClaimNothing) {
  const Scene s;
  const auto by_lot =
      internal::words(place(s.p.problem, s.by("random"), 2), {&s.by("random"), "a matrix", 9});
  EXPECT_FALSE(says(by_lot, "best possible"));
  Placed none;
  none.stopped = "the budget buys nothing";
  const auto said = internal::words(none, {&s.by("variance"), "a matrix", 1});
  EXPECT_TRUE(says(said, "no sensors among 1 candidate,"));
  EXPECT_TRUE(says(said, "none was placed: the budget buys nothing"));
  EXPECT_FALSE(says(said, "remaining sd"));
}

TEST(PlaceWords, HeldOutReadings) {
  const RandomSets chance{Vector::Constant(2, 0.5), Vector::Constant(2, 0.25), Vector::Constant(2, 0.75)};
  const std::vector<HeldOutScore> scores{{1, 0.9, 2, 0}, {0.125, 0.98, 0.25, 1}};
  const auto said = internal::held_out_words(scores, &chance, {"noon", "night"}, "K");
  EXPECT_TRUE(says(said, "an error (rmse) of 0.125 K; 98 %"));
  EXPECT_TRUE(says(said, "drawn by chance: 0.5 K on average, 0.25 to 0.75 K"));
  EXPECT_TRUE(says(said, "the error is largest at night: 0.25 K"));
  EXPECT_FALSE(says(internal::held_out_words(scores, nullptr, {"noon", "night"}), "chance"));
  EXPECT_TRUE(says(internal::held_out_words({{}, {}}, nullptr, {}), "there is no reading"));
}

}  // namespace
}  // namespace covary::test::place_words_test
