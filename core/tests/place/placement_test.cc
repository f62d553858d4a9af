// Placement: where criteria end, ties, fields of kernels and of models, searches, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "covary/kernels/stationary.h"
#include "place/placement_support.h"

namespace covary::placement_test {
namespace {

using namespace covary::test;

TEST(Place, InformationStopsWhereItWouldFall) {
  // Nearly independent places: each tells nothing of the others, so the second half takes away what the first
  // half was told about.
  Matrix k = Matrix::Identity(6, 6);
  for (Index i = 0; i < 5; ++i) k(i, i + 1) = k(i + 1, i) = 0.45;
  PlacementProblem p;
  p.fields = {field_of(k)};
  const Placed set = place(p, criterion_called("mutual-information"), 6);
  EXPECT_LT(set.picks.size(), 6u);
  EXPECT_THAT(set.stopped, testing::HasSubstr("would lower the mutual-information"));
  const Best truth = best_of_all(p, 6, Worth(p, k, "mutual-information"), false);
  EXPECT_GE(set.picks.back().bound, truth.value - 1e-12);
}

TEST(Place, ABudgetMayBuyNothingWorthHaving) {
  PlacementProblem p;  // entropies in these units are negative
  p.fields = {field_of(Matrix(1e-4 * Matrix::Identity(4, 4)))};
  p.cost = Vector::Ones(4), p.budget = 2;
  const CriterionEntry& entropy = criterion_called("entropy");
  for (const Placed& set :
       {place(p, entropy, 4), internal::best(p, entropy, 4), internal::robust(p, entropy, 4)}) {
    EXPECT_TRUE(set.picks.empty());
    EXPECT_THAT(set.stopped, testing::HasSubstr("in smaller units of the field it would not"));
  }
}

TEST(Place, TiesGoToTheFirst) {
  PlacementProblem p;
  p.fields = {field_of(Matrix(Matrix::Identity(5, 5) * 2))};
  p.noise = Vector::Constant(1, 0.1);
  for (const std::string& name : names_of(false))
    EXPECT_EQ(place(p, criterion_called(name), 3).places(), (std::vector<Index>{0, 1, 2})) << name;
}

TEST(Place, AKernelAndItsMatrixAreTheSameField) {
  Random random(10);
  const Matrix x = random.normal(40, 2);
  const Kernel<Row> kernel = 1.3 * matern52(0.8);
  PlacementProblem a, b;
  a.fields = {internal::with_nugget(field_of(kernel, x), 0.01)};
  Matrix k = kernel.cross(x, x);
  k.diagonal().array() += 0.01;
  b.fields = {field_of(k)};
  for (const std::string& name : all_names())
    EXPECT_EQ(place(a, criterion_called(name), 6).places(), place(b, criterion_called(name), 6).places())
        << name;
}

TEST(Place, AFittedModelIsItsPosterior) {
  Random random(11);
  const Matrix x = random.normal(15, 2), at = random.normal(30, 2);
  const Process<Row> posterior =
      Process<Row>(1.3 * matern52(0.8), {}, Noise::of(0.05)).condition(x, random.normal(15, 1));
  PlacementProblem a;
  a.fields = {field_of(posterior, at)}, a.noise = Vector::Constant(1, 0.05);
  PlacementProblem b;  // the data as sensors that stand already
  b.fields = {field_of(posterior.kernel(), join(at, x))}, b.noise = Vector::Constant(1, 0.05);
  for (Index i = 30; i < 45; ++i) b.existing.push_back(i);
  const Placed first = place(a, criterion_called("entropy"), 5),
               second = place(b, criterion_called("entropy"), 5);
  EXPECT_EQ(first.places(), second.places());
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(first.picks[i].gain, second.picks[i].gain, 1e-9);
}

TEST(Place, WhatDataLeavesIsRoundedAsThePriorIs) {
  Random random(13);
  const Matrix x = random.normal(30, 1), at = join(x, random.normal(10, 1));
  const Process<Row> posterior =
      Process<Row>(4.0 * se(1.0), {}, Noise::of(1e-10)).condition(x, random.normal(30, 1));
  PlacementProblem p;
  p.fields = {field_of(posterior, at)}, p.noise = Vector::Constant(1, 0.01);
  EXPECT_GE(p.fields[0].diagonal.minCoeff(), 0);
  EXPECT_LT(p.fields[0].diagonal.mean(), 1e-6) << "hardly anything is left";
  for (const char* name : {"entropy", "variance", "mutual-information", "max-variance"}) {
    const Placed found = place(p, criterion_called(name), 3);
    ASSERT_EQ(found.picks.size(), 3U) << name;
    for (const Pick& pick : found.picks) EXPECT_TRUE(std::isfinite(pick.gain)) << name;
  }
}

TEST(Place, LazyIsGreedyWithFewerGains) {
  Random random(12);
  const RandomPlacement p = random_placement(60, random);
  const Worth worth(p.problem, p.k, "entropy");
  const auto gain = [&](Index y, const std::vector<Index>& set) {
    std::vector<Index> more = set;
    if (std::find(set.begin(), set.end(), y) != set.end()) return -1e300;
    more.push_back(y);
    return worth(more) - (set.empty() ? 0 : worth(set));
  };
  const internal::LazyChoice lazy = internal::lazy_greedy(60, 8, gain);
  EXPECT_EQ(lazy.places, place(p.problem, criterion_called("entropy"), 8).places());
  EXPECT_LT(lazy.evaluations, 60 * 8 / 2);
}

TEST(Place, CanBeCancelled) {
  Random random(13);
  const RandomPlacement p = random_placement(20, random);
  PlaceOptions o;
  o.progress = [](double share) { return share < 0.5; };
  try {
    place(p.problem, criterion_called("entropy"), 10, o);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::interrupted);
  }
}

TEST(Place, BranchAndBoundSaysWhatItDidNotProve) {
  Random random(14);
  const RandomPlacement p = random_placement(30, random);
  PlaceOptions o;
  o.max_nodes = 3;
  const Placed some = internal::best(p.problem, criterion_called("variance"), 5, o);
  const Placed proven = internal::best(p.problem, criterion_called("variance"), 5);
  EXPECT_FALSE(some.optimal);
  EXPECT_THAT(some.notes, testing::Contains(testing::HasSubstr("not proven")));
  EXPECT_GE(some.picks.back().bound, proven.picks.back().value - 1e-9);
  o = {.max_seconds = 1e-9};
  const Placed at_once = internal::best(p.problem, criterion_called("variance"), 5, o);
  EXPECT_FALSE(at_once.optimal);
  EXPECT_GE(at_once.picks.back().bound, proven.picks.back().value - 1e-9);
}

template <class F>
std::string said(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(PlaceMistakes, AreNamed) {
  Random random(15);
  const RandomPlacement base = random_placement(10, random);
  const auto with = [&](const std::function<void(PlacementProblem&)>& change, Index k = 3,
                        const char* criterion = "entropy") {
    PlacementProblem p = base.problem;
    change(p);
    return said([&] { place(p, criterion_called(criterion), k); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(with([](auto&) {}, 11), HasSubstr("11 sensors were asked for, 10 can be placed"));
  EXPECT_THAT(with(
                  [](auto& p) {
                    p.forbidden = {1, 2, 3};
                  },
                  8),
              HasSubstr("of 10 places 3 are forbidden; ask for 7 at most"));
  EXPECT_THAT(with([](auto& p) { p.group.assign(10, 4), p.per_group = 2; }),
              HasSubstr("at most 2 are allowed in a group"));
  EXPECT_THAT(with([](auto& p) { p.per_group = 2; }), HasSubstr("expected the group of every place"));
  EXPECT_THAT(with([](auto& p) { p.group.assign(10, 4), p.per_group = -1; }), HasSubstr("0 or more"));
  EXPECT_EQ(with([](auto& p) { p.group.assign(10, 4); }), "nothing");  // no limit: groups do not matter
  EXPECT_THAT(with([](auto& p) { p.noise = Vector::Constant(1, INFINITY); }),
              HasSubstr("variance, at least 0"));
  EXPECT_THAT(with([](auto&) {}, 0), HasSubstr("at least 1"));
  EXPECT_THAT(with([](auto& p) { p.cost = Vector::Constant(10, 5), p.budget = 4; }),
              HasSubstr("the budget of 4 buys no sensor: the cheapest allowed place costs 5"));
  EXPECT_THAT(with([](auto& p) { p.cost = Vector::Ones(10), p.cost[3] = 0; }),
              HasSubstr("a cost is positive; at place 4 it is 0"));
  EXPECT_THAT(with([](auto& p) { p.cost = Vector::Ones(9); }), HasSubstr("cost has 9 values"));
  EXPECT_THAT(with([](auto& p) { p.cost = Vector::Ones(1); }), HasSubstr("cost has 1 values"));
  EXPECT_THAT(with([](auto& p) { p.noise = Vector::Constant(1, -1); }), HasSubstr("variance, at least 0"));
  EXPECT_THAT(with([](auto& p) {
                p.existing = {3, 3};
              }),
              HasSubstr("existing sensors: place 3 is there twice"));
  EXPECT_THAT(with([](auto& p) { p.forbidden = {12}; }), HasSubstr("there is no place 12"));
  EXPECT_THAT(with([](auto& p) { p.min_distance = 1; }), HasSubstr("needs a distance"));
  EXPECT_THAT(with([](auto& p) { p.targets = {2}; }, 3, "mutual-information"),
              HasSubstr("place 3 is a target and may hold a sensor"));
  EXPECT_THAT(said([] { criterion_called("mutual-informaton"); }),
              HasSubstr("did you mean 'mutual-information'"));
  EXPECT_THAT(said([] { criterion_called("xyz"); }),
              HasSubstr("there are mutual-information, local-mutual-information, entropy"));
}

TEST(PlaceMistakes, Covariances) {
  using testing::HasSubstr;
  Matrix k = Matrix::Identity(3, 3);
  EXPECT_THAT(said([] { field_of(Matrix(2, 3)); }), HasSubstr("square, this one has 2 rows and 3 columns"));
  k(0, 2) = 0.5;
  EXPECT_THAT(said([&] { field_of(k); }),
              HasSubstr("symmetric: row 3, column 1 is 0, but row 1, column 3 is 0.5"));
  k(2, 0) = 0.5, k(0, 1) = k(1, 0) = k(1, 2) = k(2, 1) = -0.9;
  EXPECT_THAT(said([&] { field_of(k); }),
              HasSubstr("not positive semi-definite: its smallest eigenvalue is -0."));
  EXPECT_THAT(said([&] { internal::field_left(k, 10); }), HasSubstr("not positive semi-definite"));
  k(1, 1) = std::nan("");
  EXPECT_THAT(said([&] { field_of(k); }), HasSubstr("row 2, column 2 is nan"));
  EXPECT_THAT(said([] { internal::with_nugget(field_of(Matrix(Matrix::Identity(2, 2))), -1); }),
              HasSubstr("expected 0 or more, found -1"));
}

TEST(Place, AFieldWithoutVariationOfItsOwnGetsSome) {
  const Matrix x = Vector::LinSpaced(60, 0, 1);
  PlacementProblem p;
  p.fields = {field_of(se(1.0), x)};  // singular to rounding
  p.noise = Vector::Constant(1, 0.01);
  const Placed set = place(p, criterion_called("mutual-information"), 3);
  EXPECT_EQ(set.picks.size(), 3u);
  EXPECT_THAT(set.notes, testing::Contains(testing::HasSubstr("was added everywhere")));
  // And where noise hides what little that is, mutual information is entropy, which is said.
  const testing::Matcher<std::string> said = testing::HasSubstr("then chooses as entropy does");
  const Placed edges = place(p, criterion_called("entropy"), 3);
  EXPECT_GT(internal::assessed(p, criterion_called("mutual-information"), edges.places()).value(),
            0.999 * set.value());
  EXPECT_THAT(set.notes, testing::Contains(said));
  p.fields = {internal::with_nugget(field_of(se(1.0), x), 0.01)};
  EXPECT_THAT(place(p, criterion_called("mutual-information"), 3).notes,
              testing::Not(testing::Contains(said)));
}

}  // namespace
}  // namespace covary::placement_test
