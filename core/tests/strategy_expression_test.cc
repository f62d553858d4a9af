#include "covary/select/strategy.h"
#include "support.h"

namespace covary {
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
  EXPECT_EQ(refused("uncertanty"),
            "strategy: there is no strategy 'uncertanty', did you mean 'uncertainty'?, at position 1 of "
            "'uncertanty'");
  EXPECT_NE(refused("svm_margin").find("did you mean 'svm-margin'?"), std::string::npos);
  EXPECT_NE(refused("").find("there is no strategy ''"), std::string::npos);
  EXPECT_NE(refused("variance").find("there is no strategy 'variance'"), std::string::npos);
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
  EXPECT_EQ(refused("density(weight=-1)"), "strategy: density: weight must not be negative");
  EXPECT_NE(refused("density(weight=inf)").find("expected a number, found 'inf)'"), std::string::npos);
  EXPECT_NE(refused("svm-margin(penalty=0)").find("penalty"), std::string::npos);
  EXPECT_NE(refused("variance-reduction(reference=0)").find("reference"), std::string::npos);
  EXPECT_NE(refused("variance-reduction(reference=1.5)").find("reference"), std::string::npos);
}

}  // namespace
}  // namespace covary
