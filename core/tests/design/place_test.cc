// Sensors for a fitted model are those for its covariance; random sets and held-out readings stand beside them.
#include "covary/design/place.h"

#include <gtest/gtest.h>

#include <cmath>

#include "design/design_support.h"

namespace covary::test::design_place_test {
namespace {

PlaceRequest request(PlaceSearch search, Index k = 3) {
  return {.criterion = &criterion_called("variance"), .k = k, .search = search, .repeats = 20};
}

struct Scene {
  FittedModel model = small_model();
  Matrix x = random_points(3, 12, 2);
  FieldPrior prior = field_prior({model}, x, {.nugget = 0.01});
  PlacementProblem problem = problem_of(prior, {.noise = {}, .existing = {4}});
};

TEST(DesignPlace, OfAModelItIsThatOfItsCovariance) {
  const Scene s;
  const FieldPrior given = field_prior(internal::covariance_of(s.prior.plain));
  const PlacementProblem same =
      problem_of(given, {.noise = Vector::Constant(1, s.prior.noise), .existing = {4}});
  for (const CriterionEntry& e : criteria()) {
    SCOPED_TRACE(e.name);
    PlaceRequest r = request(PlaceSearch::greedy);
    r.criterion = &e;
    const Placed a = place(s.prior, s.problem, r).placed, b = place(given, same, r).placed;
    EXPECT_EQ(a.places(), b.places());
    EXPECT_NEAR(a.value(), b.value(), 1e-9 * (1 + std::abs(b.value())));
  }
}

TEST(DesignPlace, EverySearchIsTheOneAskedFor) {
  const Scene s;
  const CriterionEntry& c = criterion_called("variance");
  const Placed greedy = place(s.problem, c, 3);
  EXPECT_EQ(place(s.prior, s.problem, request(PlaceSearch::greedy)).placed.places(), greedy.places());
  EXPECT_EQ(place(s.prior, s.problem, request(PlaceSearch::refined)).placed.places(),
            internal::refined(s.problem, c, greedy).places());
  EXPECT_TRUE(place(s.prior, s.problem, request(PlaceSearch::optimal)).placed.optimal);
  EXPECT_EQ(place(s.prior, s.problem, request(PlaceSearch::robust)).placed.places(),
            internal::robust(s.problem, c, 3).places());
  PlaceRequest given = request(PlaceSearch::given);
  given.set = {7, 1};
  EXPECT_EQ(place(s.prior, s.problem, given).placed.places(), given.set);
}

TEST(DesignPlace, BitsDoNotDependOnThreads) {
  const Scene s;
  PlaceRequest one = request(PlaceSearch::refined), two = one;
  one.compare = two.compare = true, one.options.threads = 1, two.options.threads = 2;
  const SensorPlan a = place(s.prior, s.problem, one), b = place(s.prior, s.problem, two);
  EXPECT_EQ(a.placed.places(), b.placed.places());
  EXPECT_TRUE(same_bits(a.by_chance->mean, b.by_chance->mean));
  EXPECT_TRUE(same_bits(a.by_chance->upper, b.by_chance->upper));
}

TEST(DesignPlace, HeldOutReadingsAreScoredUnderTheBestParameters) {
  Scene s;
  s.prior = field_prior({s.model}, s.x, {.nugget = 0.01, .draws = 2});
  s.problem = problem_of(s.prior, {.noise = {}, .existing = {4}});
  PlaceRequest r = request(PlaceSearch::greedy);
  r.held_out = random_points(8, 6, 12);
  const SensorPlan plan = place(s.prior, s.problem, r);
  const std::vector<HeldOutScore> expected = internal::held_out_scores(
      internal::as_predicted(s.prior, s.problem), {s.prior.mean, r.held_out}, plan.placed.places());
  EXPECT_TRUE(same_bits(internal::rmses(plan.scores), internal::rmses(expected)));
  ASSERT_TRUE(plan.by_chance.has_value());
  EXPECT_EQ(plan.by_chance->mean.size(), 4);
  EXPECT_TRUE(plan.notes.empty());
  r.held_out.col(4).setConstant(std::nan(""));
  EXPECT_TRUE(
      mentions(place(s.prior, s.problem, r).notes, "some sensor that stands already has no readings"));
}

TEST(DesignPlace, WithoutReadingsNothingIsComparedUnlessAsked) {
  const Scene s;
  PlaceRequest r = request(PlaceSearch::greedy);
  EXPECT_FALSE(place(s.prior, s.problem, r).by_chance);
  r.compare = true;
  const SensorPlan plan = place(s.prior, s.problem, r);
  EXPECT_TRUE(plan.scores.empty());
  EXPECT_NEAR(plan.by_chance->mean[0], plan.placed.mean_sd, 1e-9);
}

TEST(DesignPlace, TheNoiseIsThePriorsUnlessGiven) {
  const Scene s;
  EXPECT_EQ(s.problem.noise_at(3), s.prior.noise);
  EXPECT_EQ(problem_of(s.prior, {.noise = Vector::Constant(1, 2)}).noise_at(3), 2);
  EXPECT_NE(
      error_of([&] { (void)problem_of(s.prior, {.existing = {12}}); }, Problem::usage).find("no place 12"),
      std::string::npos);
}

TEST(DesignPlace, FurtherPlacesHaveWhatDoesNoHarm) {
  PlacementProblem p{.noise = Eigen::Vector2d(1, 3), .cost = Eigen::Vector2d(5, 6), .group = {0, 4}};
  internal::extend(p, 4);
  EXPECT_EQ(p.cost, Vector(Eigen::Vector4d(5, 6, 1, 1)));
  EXPECT_EQ(p.noise, Vector(Eigen::Vector4d(1, 3, 2, 2)));
  EXPECT_EQ(p.group, (std::vector<Index>{0, 4, 5, 6}));
  const auto distance = internal::distance_between(Eigen::MatrixXd{{0, 0}, {3, 4}, {std::nan(""), 0}});
  EXPECT_EQ(distance(0, 1), 5);
  EXPECT_TRUE(std::isinf(distance(0, 2)));
}

}  // namespace
}  // namespace covary::test::design_place_test
