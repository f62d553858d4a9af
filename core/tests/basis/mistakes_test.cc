// Lists of features that are wrong, by their text or for the data: every mistake by name and place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "covary/basis/basis.h"
#include "covary/basis/basis_kernel.h"
#include "support.h"

namespace covary::test::features_mistakes_test {
namespace {

using Names = std::vector<std::string>;

const Names& columns() {
  static const Names names{"x", "temp", "my col"};
  return names;
}

struct Mistake {
  std::string name, text;
  size_t position;
  std::vector<std::string> words;
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << "'" << m.text << "'"; }

class FeaturesMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(FeaturesMistake, IsToldWithItsPosition) {
  const Mistake& m = GetParam();
  const std::string said = error_of([&] { parse_features(m.text, {"temp", "depth"}); }, Problem::usage);
  EXPECT_TRUE(said.starts_with("features: ")) << said;
  EXPECT_NE(said.find(fmt::format("at position {} of", m.position)), std::string::npos) << said;
  for (const std::string& w : m.words) EXPECT_NE(said.find(w), std::string::npos) << w << " in: " << said;
}
INSTANTIATE_TEST_SUITE_P(
    Table, FeaturesMistake,
    ::testing::Values(
        Mistake{"Empty", "", 1, {"expected a feature", "the end"}},
        Mistake{"EmptyItem", "temp, , depth", 7, {"expected a feature", "', depth'"}},
        Mistake{"TrailingComma", "temp,", 6, {"expected a feature", "the end"}},
        Mistake{"UnknownColumn", "temp, dept^2", 7, {"no column is named 'dept'", "did you mean 'depth'"}},
        Mistake{"UnknownFunction", "spline(temp)", 1, {"no function or map", "did you mean 'splines'"}},
        Mistake{"UnknownInside", "1 + lg(temp)", 5, {"no function is named 'lg'", "did you mean 'log'"}},
        Mistake{"MissingParenthesis", "splines(temp", 13, {"expected ')'", "the end"}},
        Mistake{"MissingInFormula", "(temp, depth", 6, {"expected an operator or ')'"}},
        Mistake{"SpareParenthesis", "temp)", 5, {"expected an operator, ',' or the end"}},
        Mistake{"MapInAFormula", "2*splines(temp)", 3, {"no function is named 'splines'"}},
        Mistake{"FormulaAfterMap", "splines(temp)*2", 14, {"expected an operator, ',' or the end"}},
        Mistake{"UnknownColumnInMap", "splines(tmp)", 9, {"no column is named 'tmp'", "did you mean 'temp'"}},
        Mistake{"ColumnTwice", "bumps([temp, temp])", 14, {"bumps is given the column 'temp' twice"}},
        Mistake{"ColumnAfterArgument", "splines(knots=3, temp)", 18, {"columns come before"}},
        Mistake{
            "UnknownArgument", "splines(temp, knot=3)", 15, {"no argument 'knot'", "did you mean 'knots'"}},
        Mistake{"ArgumentTwice", "polynomial(2, degree=3)", 15, {"given 'degree' twice"}},
        Mistake{"TooManyArguments", "polynomial(2, 3)", 15, {"at most 1 arguments"}},
        Mistake{"DegreeNotWhole", "polynomial(degree=2.5)", 12, {"whole number from 1 to 100", "2.5"}},
        Mistake{"DegreeZero", "interactions(0)", 14, {"whole number from 1 to 100"}},
        Mistake{"DegreeAList", "polynomial(degree=[1, 2])", 12, {"whole number", "[1, 2]"}},
        Mistake{"OneKnot", "splines(temp, knots=1)", 15, {"whole number from 2 to 500"}},
        Mistake{"OneKnotGiven", "splines(temp, knots=[1])", 15, {"from 2 to 500 knots, found 1"}},
        Mistake{"KnotsDescend", "splines(temp, knots=[1, 0])", 15, {"must ascend", "[1, 0]"}},
        Mistake{"KnotsCoincide", "splines(temp, knots=[0, 1e-300, 1])", 15, {"not coincide"}},
        Mistake{"KnotsTooFar", "splines(temp, knots=[-1e308, 1e308])", 15, {"must ascend"}},
        Mistake{"KnotsEmpty", "splines(temp, knots=[])", 22, {"expected a number"}},
        Mistake{"WidthZero", "bumps(temp, width=0)", 13, {"width of bumps must be above 0"}},
        Mistake{"WidthsTooMany", "bumps(temp, width=[1, 2])", 13, {"1 number or 1", "found 2"}},
        Mistake{"CentersIncomplete", "bumps(centers=[1, 2, 3])", 7, {"2 numbers each, found 3"}},
        Mistake{"UnknownKernel", "fourier(kernel=sse(1))", 9, {"no kernel is named 'sse'", "'se'"}},
        Mistake{"KernelOfOtherColumns", "fourier(kernel=se([1, 2, 3]))", 9, {"3 length-scales"}},
        Mistake{"KernelOfOneColumn", "fourier(kernel=cosine(1))", 9, {"kernel of one column"}},
        Mistake{"KernelMissing", "fourier(kernel=)", 9, {"expected a kernel"}},
        Mistake{"TooFewForASum", "fourier(1, kernel=se(1) + se(2))", 12, {"at least 2 features, found 1"}},
        Mistake{"SeedNegative", "fourier(seed=-1)", 9, {"whole number from 0"}},
        Mistake{"CharactersAreCounted", "\"\xC3\xA9\"", 1, {"no column is named '\xC3\xA9'"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(FeaturesMistake, TooDeep) {
  const std::string said =
      error_of([] { parse_features(std::string(10000, '(') + "x", columns()); }, Problem::usage);
  EXPECT_NE(said.find("nested deeper than 50"), std::string::npos) << said;
  EXPECT_THROW(parse_features("fourier(kernel=" + std::string(10000, '(') + "se(1)", columns()), Error);
}

TEST(FeaturesMistake, TooManyFeatures) {
  Names many;
  for (int i = 0; i < 2000; ++i) many.push_back(fmt::format("c{}", i));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"interactions(degree=2)", "2001000"},   {"polynomial(degree=100)", "200000"},
      {"splines(knots=100)", "200000"},        {"splines(knots=[1, 2]), fourier(features=99000)", "103000"},
      {"bumps(centers=100001)", "100001"},     {"fourier(features=1e12)", "1000000000000"},
      {"interactions(degree=100)", "features"}};
  for (const auto& [text, number] : cases) {
    const std::string said = error_of([&] { parse_features(text, many); }, Problem::limit);
    EXPECT_NE(said.find(number), std::string::npos) << said;
    EXPECT_NE(said.find("at most 100000"), std::string::npos) << said;
  }
  std::string list = "1";
  for (int i = 0; i < 100000; ++i) list += ",1";
  EXPECT_NE(error_of([&] { parse_features(list, many); }, Problem::limit).find("100001"), std::string::npos);
}

/// The Error of a list at rows that are 1 but for the third: 1, its value of x.
std::string data_error(const std::string& text, double value, Index before = 0) {
  Matrix x = Matrix::Ones(5, 3);
  x(2, 0) = value;
  return error_of([&] { parse_features(text, columns())(x, before); }, Problem::data);
}

TEST(FeaturesMistake, Overflow) {
  const std::string said = data_error("temp, exp(x)*temp", 1000);
  for (const char* words : {"row 3", "exp(x)*temp", "inf", "x = 1000", "temp = 1"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in: " << said;
  EXPECT_NE(data_error("interactions(degree=2), polynomial(x, 3)", 1e300).find("x^2 is inf"),
            std::string::npos);
}

TEST(FeaturesMistake, LogOfNegative) {
  const std::string said = data_error("log(x)", -2);
  for (const char* words : {"row 3", "log(x)", "nan", "x = -2"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in: " << said;
}

TEST(FeaturesMistake, DivisionByZero) {
  const std::string said = data_error("x, temp/x", 0);
  for (const char* words : {"row 3", "temp/x", "inf", "x = 0"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in: " << said;
}

TEST(FeaturesMistake, NotANumberInTheData) {
  for (const char* list : {"x", "bumps(x, [0, 1], 1)", "fourier(kernel=se(1))", "splines(x, knots=[0, 1])"})
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      const std::string said = data_error(list, bad);
      EXPECT_NE(said.find("row 3: column x is"), std::string::npos) << said;
    }
  EXPECT_NO_THROW(parse_features("temp", columns())(Matrix{{HUGE_VAL, 1, 1}})) << "a column not looked at";
}

TEST(FeaturesMistake, RowsAreCountedFromTheFirstOfTheData) {
  EXPECT_NE(data_error("log(x)", -2, 1000).find("row 1003"), std::string::npos);
  EXPECT_EQ(data_error("log(x)", -2, -1).find("row"), std::string::npos) << "unknown";
  Matrix x = Matrix::Ones(1000, 3);
  x(700, 0) = -1;
  EXPECT_NE(error_of([&] { parse_features("log(x)", columns())(x); }, Problem::data).find("row 701"),
            std::string::npos);
}

TEST(FeaturesMistake, ConstantColumnInSplines) {
  const Matrix x = Matrix::Ones(20, 3);
  const auto said = [&](const std::string& text) {
    return error_of([&] { parse_features(text, columns()).placed(x); }, Problem::data);
  };
  EXPECT_NE(
      said("splines(temp)").find("8 knots cannot be placed in column temp, which has 1 different value"),
      std::string::npos);
  EXPECT_NE(said("bumps(temp)").find("bumps cannot be placed in column temp, which goes from 1 to 1"),
            std::string::npos);
  EXPECT_NE(said("bumps()").find("cannot be placed in column x"), std::string::npos);
}

TEST(FeaturesMistake, TooFewRowsToPlaceOn) {
  Matrix x = random_points(22, 3, 3);
  const auto said = [&](const std::string& text) {
    return error_of([&] { parse_features(text, columns()).placed(x); }, Problem::data);
  };
  EXPECT_NE(said("bumps(centers=4)").find("4 centers of bumps cannot be placed, there are 3 different rows"),
            std::string::npos);
  EXPECT_NE(said("splines(x, knots=4)").find("which has 3 different values"), std::string::npos);
  x(1, 1) = std::nan("");
  EXPECT_NE(said("splines(temp)").find("row 2: column temp is nan"), std::string::npos);
  x.resize(0, 3);
  EXPECT_NE(said("splines(temp)").find("no rows"), std::string::npos);
}

TEST(FeaturesMistake, NotPlacedYet) {
  const Features f = parse_features("1, splines(temp)", columns());
  EXPECT_TRUE(f.needs_data());
  const auto said = [&](const std::function<void()>& use) { return error_of(use, Problem::usage); };
  EXPECT_NE(said([&] { f(Matrix::Ones(1, 3)); }).find("splines(temp, knots=8) has to be placed"),
            std::string::npos);
  EXPECT_NE(said([&] { (void)f.names(); }).find("has to be placed"), std::string::npos);
}

TEST(FeaturesMistake, OtherColumns) {
  const Features f = parse_features("1", columns());
  EXPECT_NE(error_of([&] { f(Matrix::Ones(1, 2)); }, Problem::usage).find("3 columns were expected, found 2"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_features("fourier()", {}); }, Problem::usage).find("needs columns"),
            std::string::npos);
}

TEST(FeaturesMistake, OtherVariances) {
  const Features f = parse_features("1, x", columns());
  EXPECT_NE(error_of([&] { internal::kernel_of(f, Vector::Ones(3)); }, Problem::usage).find("3 variances"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { internal::kernel_of(f, Vector::Zero(2)); }, Problem::usage).find("variances must be"),
      std::string::npos);
}

}  // namespace
}  // namespace covary::test::features_mistakes_test
