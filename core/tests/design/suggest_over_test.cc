// Suggestions in a domain: intervals, lattices, lists, conditions, batches.
#include "covary/design/suggest_over.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/design/acquisition.h"
#include "covary/design/constraint.h"
#include "covary/model/model_gradients.h"
#include "design/design_support.h"

namespace covary::test::suggest_over_test {
namespace {

std::vector<DomainAxis> axes(const std::vector<std::string>& texts) {
  std::vector<DomainAxis> out;
  for (const std::string& t : texts) out.push_back(parse_axis(t));
  return out;
}

const std::vector<std::string> searching{"expected-improvement", "probability-of-improvement",
                                         "upper-confidence",     "thompson",
                                         "knowledge-gradient",   "uncertainty"};

class EverySearch : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySearch, IsAsGoodAsManyPoints) {
  const FittedModel m = small_model();
  const SuggestOptions o{.strategy = GetParam(), .selector = {.seed = 4}};
  const DomainSuggestions s = suggest(m, axes({"a=-2:2", "b=-2:2"}), o);
  ASSERT_EQ(s.x.rows(), 1);
  EXPECT_LE(s.x.cwiseAbs().maxCoeff(), 2);
  EXPECT_FALSE(s.reasons[0].empty());
  const Prediction f = m.predict(s.x);
  EXPECT_NEAR(s.mean[0], f.mean[0], 1e-9);
  EXPECT_NEAR(s.sd[0], f.sd[0], 1e-7);
  if (GetParam() == "thompson" || GetParam() == "knowledge-gradient") return;  // of their own seed
  const internal::Acquisition a = internal::acquisition(parse_strategy(GetParam()), m.process(), {});
  const Matrix many = 4 * (internal::quasi_random(20000, 2, 9).array() - 0.5);
  EXPECT_GE(a.values(s.x)[0], a.values(many).maxCoeff() - 1e-9);
}

TEST_P(EverySearch, TheSameSeedTheSamePointsOnAnyNumberOfThreads) {
  const FittedModel m = small_model();
  const auto points = [&](std::uint64_t seed, int threads) {
    SuggestOptions o{.count = 3, .strategy = GetParam()};
    o.selector.seed = seed, o.selector.threads = threads;
    return suggest(m, axes({"a=-2:2", "b=-2:2:0.25"}), o).x;
  };
  const Matrix one = points(5, 1);
  EXPECT_TRUE(same_bits(one, points(5, 1)));
  EXPECT_TRUE(same_bits(one, points(5, 2)));
}

TEST_P(EverySearch, ABatchHasNoNearRepeats) {
  const FittedModel m = small_model(Noise::of(1e-4));
  const DomainSuggestions s = suggest(m, axes({"a=-2:2", "b=-2:2"}), {.count = 5, .strategy = GetParam()});
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < i; ++j) EXPECT_GT((s.x.row(i) - s.x.row(j)).norm(), 1e-6) << i << " and " << j;
}

INSTANTIATE_TEST_SUITE_P(All, EverySearch, ::testing::ValuesIn(searching), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(SuggestOver, ALatticeIsWhatATableOfItsPointsGives) {
  const FittedModel m = small_model();
  Matrix table(9 * 7, 2);
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 7; ++j) table.row(7 * i + j) << -2 + 0.5 * double(i), -1.5 + 0.5 * double(j);
  for (const bool minimize : {false, true})
    for (const char* name : {"expected-improvement", "upper-confidence"}) {
      SuggestOptions o{.strategy = name};
      o.selector.minimize = minimize;
      const DomainSuggestions s = suggest(m, axes({"a=-2:2:0.5", "b=-1.5:1.5:0.5"}), o);
      const Suggestions t = suggest(m, table, o);
      EXPECT_TRUE(near(s.x.row(0), table.row(t.choices[0].candidate), 1e-12)) << name << ": " << s.x;
    }
}

TEST(SuggestOver, ALatticeIsUsedUpAndThenSaysSo) {
  const FittedModel m = small_model();
  SuggestOptions o{.count = 6, .strategy = "upper-confidence"};
  const std::vector<DomainAxis> six = axes({"a=0,1", "b=-1:1:1"});
  const Matrix x = suggest(m, six, o).x;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < i; ++j) EXPECT_FALSE(x.row(i) == x.row(j));
  o.count = 7;
  EXPECT_EQ(error_of([&] { suggest(m, six, o); }, Problem::data),
            "7 points were asked for, 6 of the domain are left");
}

TEST(SuggestOver, KeepsToConditions) {
  const FittedModel m = small_model();
  SuggestOptions o{.count = 3, .strategy = "upper-confidence", .where = {"a + b < -0.5", "a*b >= -1"}};
  const DomainSuggestions s = suggest(m, axes({"a=-2:2", "b=-2:2"}), o);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_LT(s.x.row(i).sum(), -0.5);
    EXPECT_GE(s.x.row(i).prod(), -1);
  }
  o.where = {"a + b > 9"};
  const std::string said = error_of([&] { suggest(m, axes({"a=-2:2", "b=-2:2"}), o); }, Problem::data);
  EXPECT_NE(said.find("satisfies 'a + b > 9'"), std::string::npos) << said;
}

TEST(SuggestOver, CandidatesKeepToConditions) {
  const FittedModel m = small_model();
  const Matrix x = random_points(3, 60, 2);
  SuggestOptions o{.count = 4, .strategy = "expected-improvement", .where = {"a < 0"}};
  o.selector.cost = random_points(4, 60, 1).cwiseAbs().array() + 0.2;
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i)
    if (x(i, 0) < 0) rows.push_back(i);
  const Suggestions s = suggest(m, x, o);
  SuggestOptions plain = o;
  plain.where.clear(), plain.selector.cost = Vector(o.selector.cost(rows));
  const Suggestions t = suggest(m, Matrix(x(rows, Eigen::all)), plain);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(s.choices[i].candidate, rows[static_cast<size_t>(t.choices[i].candidate)]);
  o.where = {"a > 99"};
  EXPECT_EQ(error_of([&] { suggest(m, x, o); }, Problem::data), "none of 60 candidates satisfies 'a > 99'");
}

TEST(SuggestOver, TheSizeOfYDoesNotMatter) {
  const std::vector<DomainAxis> over = axes({"a=-2:2", "b=-2:2"});
  const DomainSuggestions s = suggest(small_model(), over),
                          t = suggest(small_model(Noise::of(0.05), "learn", 0x1p600), over);
  EXPECT_TRUE(near(s.x, t.x, 1e-6));
  EXPECT_NEAR(t.mean[0] / 0x1p600, s.mean[0], 1e-6);
}

TEST(SuggestOver, AxesAreRead) {
  const DomainAxis a = parse_axis("temp=20:90:0.5"), b = parse_axis("catalyst=Pd,Pt"),
                   c = parse_axis("x=-1e-3:2");
  EXPECT_EQ(a.name, "temp");
  EXPECT_EQ(a.lower, 20);
  EXPECT_EQ(a.upper, 90);
  EXPECT_EQ(a.step, 0.5);
  EXPECT_EQ(b.values, (std::vector<std::string>{"Pd", "Pt"}));
  EXPECT_EQ(c.lower, -1e-3);
  EXPECT_EQ(c.step, 0);
  for (const char* bad :
       {"temp", "=1:2", "temp=", "temp=1:2:3:4", "temp=2:1", "temp=1:1", "temp=1:x", "temp=1:2:0",
        "temp=1:2:-1", "temp=1:2:5", "temp=1:inf", "temp=0:1:1e-12", "temp=1,,2"})
    EXPECT_THROW(parse_axis(bad), Error) << bad;
}

TEST(SuggestOver, RefusesWhatIsNoDomain) {
  const FittedModel m = small_model();
  const auto said = [&](const std::vector<std::string>& texts) {
    return error_of([&] { suggest(m, axes(texts)); }, Problem::usage);
  };
  EXPECT_EQ(said({"a=0:1"}), "domain: column 'b' of the model has no range");
  EXPECT_NE(said({"a=0:1", "c=0:1"}).find("the model has no column 'c'"), std::string::npos);
  EXPECT_EQ(said({"a=0:1", "a=0:1", "b=1,2"}), "domain of 'a': it was given twice");
  EXPECT_NE(said({"a=1", "b=2"}).find("a single point"), std::string::npos);
  EXPECT_NE(said({"a=1,1", "b=0:1"}).find("twice"), std::string::npos);
  EXPECT_NE(said({"a=1,x", "b=0:1"}).find("expected a number, found 'x'"), std::string::npos);
  EXPECT_NE(error_of(
                [&] {
                  suggest(m, axes({"a=0:1", "b=0:1"}), {.strategy = "variance-reduction"});
                },
                Problem::usage)
                .find("needs a table of candidates"),
            std::string::npos);
  EXPECT_THROW(suggest(small_linear_model(), axes({"a=0:1", "b=0:1"})), Error);
}

TEST(Constraint, IsReadAndChecked) {
  const std::vector<std::string> names{"temp", "p h"};
  Matrix x(3, 2);
  x << 1, 2, 3, 4, 5, 0;
  EXPECT_EQ(internal::feasible_rows(internal::constraints_of({"temp*\"p h\" < 12"}, names), x),
            (std::vector<Index>{0, 2}));
  EXPECT_EQ(internal::feasible_rows(internal::constraints_of({"temp >= 3", "1/\"p h\" < 9"}, names), x),
            (std::vector<Index>{1}));  // 1/0 is not below 9
  for (const char* bad : {"temp", "temp < ", "1 < temp < 3", "temp = 3", "temp == 3", "temp < speed"})
    EXPECT_THROW(internal::Constraint(bad, names), Error) << bad;
}

TEST(ModelGradients, AreInTheUnitsOfY) {
  const Matrix at = random_points(7, 4, 2);
  for (const double scale : {1.0, 0x1p600}) {
    const FittedModel m = small_model(Noise::of(0.05), "learn", scale);
    const InputGradients g = input_gradients(m, at);
    for (Index i = 0; i < 4; ++i) {
      const Vector d =
          differences([&](const Vector& t) { return m.mean(Matrix(at.row(i) + t.transpose()))[0] / scale; },
                      Vector::Zero(2));
      EXPECT_LT((g.mean.row(i).transpose() / scale - d).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
  EXPECT_NE(error_of([&] { input_gradients(small_linear_model(), at); }, Problem::usage).find("gradients"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::suggest_over_test
