// The one table that feeds the parser, the command and the documentation.
#include "covary/kernels/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support.h"

namespace covary::test::registry_test {
namespace {

TEST(Registry, HasTheKernelsThatAreSpokenOf) {
  std::set<std::string> names;
  for (const Entry<Row>& e : registry<Row>()) names.insert(e.name);
  EXPECT_EQ(names.size(), registry<Row>().size()) << "a name twice";
  for (const char* name : {"constant", "se", "matern12", "matern32", "matern52", "rational_quadratic",
                           "periodic", "linear", "polynomial"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Registry, EveryEntrySaysWhatItIs) {
  for (const Entry<Row>& e : registry<Row>()) {
    EXPECT_FALSE(e.formula.empty()) << e.name;
    EXPECT_FALSE(e.about.empty()) << e.name;
    EXPECT_EQ(e.about.find('\n'), std::string::npos) << e.name;
    EXPECT_TRUE(e.make) << e.name;
  }
}

TEST(Registry, TextBeginsWithTheNameAndNamesEveryArgument) {
  Random rng(1);
  for (const Entry<Row>& e : registry<Row>()) {
    if (e.name == "constant") continue;  // prints as a number
    const Kernel<Row> k = parse<Row>(random_call(rng, e, e.columns ? e.columns : 2));
    EXPECT_TRUE(k.text().starts_with(e.name + "(")) << k.text();
    for (const std::string& p : e.parameters)
      EXPECT_NE(k.text().find(p + "="), std::string::npos) << k.text();
  }
}

TEST(Registry, PositionalArgumentsFollowTheEntry) {
  EXPECT_EQ(parse<Row>("periodic(0.5, 12)").text(),
            parse<Row>("periodic(lengthscale=0.5, period=12)").text());
  EXPECT_EQ(parse<Row>("rational_quadratic(0.5, 2)").text(),
            parse<Row>("rational_quadratic(alpha=2, lengthscale=0.5)").text());
}

TEST(Registry, ArgumentsAreCheckedByKind) {
  const Arguments a({{"degree", {2}, false}, {"lengthscale", {1, 2}, true}});
  EXPECT_EQ(a.integer("degree", 5, 1, 3), 2);
  EXPECT_EQ(a.integer("other", 5, 1, 3), 5);
  EXPECT_THROW(a.integer("degree", 5, 3, 4), Error);
  EXPECT_TRUE(std::isnan(a.number("other")));
  EXPECT_THROW(a.number("lengthscale"), Error);
  EXPECT_EQ(a.vector("lengthscale").size(), 2);
  EXPECT_EQ(a.vector("other").size(), 0);
}

/// A kernel of one column refuses two, by name, and works under on(...).
TEST(Registry, KernelsOfAFixedNumberOfColumnsSaySo) {
  Random rng(2);
  for (const Entry<Row>& e : registry<Row>()) {
    if (!e.columns) continue;
    const Kernel<Row> k = parsed_call(random_call(rng, e, e.columns));
    const Matrix x = points_for(e, 3, 3, e.columns + 1);
    EXPECT_NE(error_of([&] { k.cross(x, x); }, Problem::usage).find(e.name), std::string::npos) << e.name;
    EXPECT_TRUE(parsed_call(random_call(rng, e, e.columns + 1)).cross(x, x).allFinite());
  }
}

}  // namespace
}  // namespace covary::test::registry_test
