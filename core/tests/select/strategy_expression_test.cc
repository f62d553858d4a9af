#include "covary/predictive/score.h"  // a program may include both: their names differ
#include "covary/select/strategy.h"
#include "support.h"

namespace covary::strategy_expression_test {
namespace {

std::string refused(const std::string& text) {
  return test::error_of([&] { parse_strategy(text).make(); }, Problem::usage);
}

TEST(StrategyExpression, NamesAndArguments) {
  EXPECT_EQ(parse_strategy("random").entry->name, "random");
  EXPECT_EQ(parse_strategy(" variance-reduction ").entry->name, "variance-reduction");
  EXPECT_EQ(parse_strategy("svm-margin()").entry->name, "svm-margin");
  const NamedStrategy s = parse_strategy("density( weight = 2.5 )");
  EXPECT_EQ(s.entry->name, "density");
  EXPECT_EQ(s.text, "density( weight = 2.5 )");
  EXPECT_EQ(s.arguments.number("weight"), 2.5);
}

TEST(StrategyExpression, EveryNameAndEveryParameterIsRead) {
  for (const StrategyEntry& e : strategies()) {
    EXPECT_EQ(parse_strategy(e.name).entry, &e);
    for (const std::string& p : e.parameters) {
      const NamedStrategy s = parse_strategy(e.name + "(" + p + "=7)");
      EXPECT_EQ(s.entry, &e);
      EXPECT_EQ(s.arguments.number(p), 7) << e.name << " " << p;
    }
  }
}

TEST(StrategyExpression, UnknownNames) {
  const std::string said = refused("uncertanty");
  EXPECT_TRUE(
      said.starts_with("strategy: there is no strategy 'uncertanty', did you mean 'uncertainty'? There are "
                       "uncertainty, random, "))
      << said;
  EXPECT_TRUE(said.ends_with(", at position 1 of 'uncertanty'")) << said;
  EXPECT_NE(refused("svm_margin").find("did you mean 'svm-margin'?"), std::string::npos);
  EXPECT_NE(refused("").find("there is no strategy ''"), std::string::npos);
  EXPECT_NE(refused("variance").find("there is no strategy 'variance'"), std::string::npos);
}

// Whoever types a name of another library, or a typo, sees every name there is.
TEST(StrategyExpression, UnknownNamesListWhatThereIs) {
  for (const char* name : {"ei", "ucb", "random-forest", "bald", "x", "density2", "Uncertainty"})
    for (const StrategyEntry& e : strategies())
      EXPECT_NE(refused(name).find(e.name), std::string::npos) << name << ": " << refused(name);
}

// A hard margin.
TEST(StrategyExpression, InfinityIsAPenalty) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* text : {"svm-margin(penalty=inf)", "svm-margin( penalty = infinity )"}) {
    const NamedStrategy s = parse_strategy(text);
    EXPECT_EQ(s.arguments.number("penalty"), infinity);
    EXPECT_EQ(s.text, text);
    EXPECT_EQ(s.svm({.penalty = 2}).penalty, infinity);
    s.make();
  }
  EXPECT_EQ(parse_strategy("svm-margin").svm({.penalty = 2}).penalty, 2);
  EXPECT_EQ(parse_strategy("uncertainty").svm({.penalty = 2}).penalty, 2);
  for (const char* bad : {"svm-margin(penalty=-inf)", "svm-margin(penalty=nan)", "svm-margin(penalty=-1)",
                          "svm-margin(penalty=info)"})
    EXPECT_FALSE(refused(bad).empty()) << bad;
}

TEST(StrategyExpression, UnknownParameters) {
  EXPECT_EQ(refused("density(wieght=2)"),
            "strategy: density has no parameter 'wieght', did you mean 'weight'?, at position 9 of "
            "'density(wieght=2)'");
  EXPECT_NE(refused("random(weight=2)").find("random has no parameter 'weight'"), std::string::npos);
}

TEST(StrategyExpression, GivenTwice) {
  EXPECT_NE(refused("density(weight=1, weight=2)").find("weight was given twice"), std::string::npos);
}

TEST(StrategyExpression, TrailingText) {
  EXPECT_EQ(refused("random walk"),
            "strategy: expected the end, found 'walk', at position 8 of 'random walk'");
  EXPECT_NE(refused("density(weight=1").find("expected ')'"), std::string::npos);
  EXPECT_NE(refused("density(weight)").find("expected '='"), std::string::npos);
}

TEST(StrategyExpression, ValuesOutOfRange) {
  EXPECT_EQ(refused("density(weight=-1)"),
            "strategy: density: weight must be a number of 0 or more, found -1");
  EXPECT_EQ(refused("density(weight=inf)"),
            "strategy: density: weight must be a number of 0 or more, found inf");
  EXPECT_NE(refused("committee(members=inf)").find("must be a whole number"), std::string::npos);
  EXPECT_NE(refused("density(weight=x)").find("expected a number or inf, found 'x)'"), std::string::npos);
  EXPECT_NE(refused("svm-margin(penalty=0)").find("penalty"), std::string::npos);
  EXPECT_NE(refused("variance-reduction(reference=0)").find("reference"), std::string::npos);
  EXPECT_NE(refused("variance-reduction(reference=1.5)").find("reference"), std::string::npos);
}

}  // namespace
}  // namespace covary::strategy_expression_test
