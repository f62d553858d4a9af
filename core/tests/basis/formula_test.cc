// Formulas: what they mean, that their text means the same, and where an error says it is.
#include "covary/basis/formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "covary/base/names.h"
#include "support.h"

namespace covary::test::formula_test {
namespace {

using Names = std::vector<std::string>;
const Names& columns() {
  static const Names names{"x", "y", "my col", "exp", "a\"b"};
  return names;
}

double value(const std::string& text, const std::vector<double>& row) {
  return internal::parse_formula(text, columns())(Eigen::Map<const Vector>(row.data(), 5).transpose())[0];
}

/// Equal to the bit, or both NaN.
::testing::AssertionResult same(double a, double b) {
  if (a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format("{} against {}", a, b);
}

TEST(Formula, BindsAsInMathematics) {
  const double x = 1.7, y = -0.6, c = 2.3, e = 0.9, q = 3.1;
  const std::vector<double> row{x, y, c, e, q};
  const std::vector<std::pair<std::string, double>> cases{
      {"-x^2", -std::pow(x, 2)},
      {"(-x)^2", std::pow(-x, 2)},
      {"x^2^y", std::pow(x, std::pow(2.0, y))},
      {"(x^2)^y", std::pow(std::pow(x, 2), y)},
      {"2^-x", std::pow(2, -x)},
      {"2^-x^2", std::pow(2, -std::pow(x, 2))},
      {"x - y - 1", (x - y) - 1},
      {"x - (y - 1)", x - (y - 1)},
      {"x / y / 3", (x / y) / 3},
      {"x / y * 3", (x / y) * 3},
      {"x + y * 3", x + y * 3},
      {"(x + y) * 3", (x + y) * 3},
      {"-x * -y", -x * -y},
      {"--x", x},
      {"+x", x},
      {"x--y", x + y},
      {"x * y^2", x * std::pow(y, 2)},
      {"\"my col\" * 2", c * 2},
      {"exp", e},
      {"exp(exp)", std::exp(e)},
      {"\"a\"\"b\"", q},
      {"sqrt(abs(y)) + tanh(x)", std::sqrt(std::abs(y)) + std::tanh(x)},
      {"log(x)*sin(y)/cos(x)", std::log(x) * std::sin(y) / std::cos(x)},
      {".5e1*x", 5 * x},
      {"1", 1},
      {"(((x)))", x}};
  for (const auto& [text, expected] : cases) EXPECT_TRUE(same(value(text, row), expected)) << text;
}

TEST(Formula, EdgesOfArithmeticAreThoseOfDoubles) {
  const std::vector<double> row{0, -1, 1e300, 1, 1};
  EXPECT_EQ(value("x^x", row), 1) << "0^0";
  EXPECT_EQ(value("1/x", row), HUGE_VAL);
  EXPECT_EQ(value("\"my col\"^2", row), HUGE_VAL);
  EXPECT_TRUE(std::isnan(value("log(y)", row)));
  EXPECT_EQ(value("1e-320", row), 1e-320);
}

TEST(Formula, PrintsNoMoreBracketsThanItNeeds) {
  const std::vector<std::pair<std::string, std::string>> cases{{"( x * ( y ^ 2 ) )", "x*y^2"},
                                                               {"(-x)^2", "(-x)^2"},
                                                               {"-(x^2)", "-x^2"},
                                                               {"-(x*y)", "-(x*y)"},
                                                               {"(-x)*y", "-x*y"},
                                                               {"x-(y-1)", "x-(y-1)"},
                                                               {"(x-y)-1", "x-y-1"},
                                                               {"x^(y^2)", "x^y^2"},
                                                               {"(x^y)^2", "(x^y)^2"},
                                                               {"x^(-y)", "x^-y"},
                                                               {"2.50*\"x\"", "2.5*x"},
                                                               {"exp ( (\"my col\") )", "exp(\"my col\")"}};
  for (const auto& [typed, printed] : cases)
    EXPECT_EQ(internal::parse_formula(typed, columns()).text(), printed);
}

/// A random tree: as text with brackets everywhere, and as C++.
struct Tree {
  std::string text;
  std::function<double(const double*)> value;
};

Tree random_leaf(Random& rng) {
  if (rng.uniform() < 0.4) {
    const double v = std::abs(rng.normal());
    return {number_text(v), [v](const double*) { return v; }};
  }
  const Index k = rng.integer(5);
  return {internal::quoted_if_needed(columns()[static_cast<size_t>(k)]),
          [k](const double* row) { return row[k]; }};
}

Tree random_tree(Random& rng, int depth) {
  if (depth == 0) return random_leaf(rng);
  using Unary = double (*)(double);
  const std::vector<std::pair<std::string, Unary>> unary{{"-", [](double v) { return -v; }},
                                                         {"exp", [](double v) { return std::exp(v); }},
                                                         {"log", [](double v) { return std::log(v); }},
                                                         {"sqrt", [](double v) { return std::sqrt(v); }},
                                                         {"sin", [](double v) { return std::sin(v); }},
                                                         {"cos", [](double v) { return std::cos(v); }},
                                                         {"tanh", [](double v) { return std::tanh(v); }},
                                                         {"abs", [](double v) { return std::abs(v); }}};
  using Binary = double (*)(double, double);
  const std::vector<std::pair<std::string, Binary>> binary{
      {"+", [](double a, double b) { return a + b; }},
      {"-", [](double a, double b) { return a - b; }},
      {"*", [](double a, double b) { return a * b; }},
      {"/", [](double a, double b) { return a / b; }},
      {"^", [](double a, double b) { return std::pow(a, b); }}};
  const Tree l = random_tree(rng, static_cast<int>(rng.integer(depth)));
  if (rng.uniform() < 0.3) {
    const auto& [name, f] = unary[static_cast<size_t>(rng.integer(std::ssize(unary)))];
    const std::string text = name == "-" ? "(-(" + l.text + "))" : name + "(" + l.text + ")";
    return {text, [f = f, l](const double* row) { return f(l.value(row)); }};
  }
  const Tree r = random_tree(rng, static_cast<int>(rng.integer(depth)));
  const auto& [sign, f] = binary[static_cast<size_t>(rng.integer(std::ssize(binary)))];
  return {"(" + l.text + ")" + sign + "(" + r.text + ")",
          [f = f, l, r](const double* row) { return f(l.value(row), r.value(row)); }};
}

TEST(Formula, RandomOnesAreTheirDefinitionsToTheBit) {
  Random rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Tree tree = random_tree(rng, 6);
    const internal::Formula f = internal::parse_formula(tree.text, columns()),
                            again = internal::parse_formula(f.text(), columns());
    EXPECT_EQ(again.text(), f.text());
    const Matrix x = rng.normal(3, 5);
    const Vector typed = f(x), printed = again(x);
    for (Index r = 0; r < 3; ++r) {
      const Vector row = x.row(r);
      ASSERT_TRUE(same(typed[r], tree.value(row.data()))) << tree.text;
      ASSERT_TRUE(same(printed[r], typed[r])) << tree.text << " printed as " << f.text();
    }
  }
}

TEST(Formula, BlocksOfAnySizeHaveTheSameBits) {
  const internal::Formula f = internal::parse_formula("exp(-x^2)*sin(y) + tanh(\"my col\")/3", columns());
  const Matrix x = random_points(2, 700, 5);
  const Vector all = f(x);
  for (const Index step : {1, 3, 255, 256, 257})
    for (Index i = 0; i < 700; i += step) {
      const Index n = std::min<Index>(step, 700 - i);
      ASSERT_TRUE(same_bits(f(x.middleRows(i, n)), all.segment(i, n))) << "by " << step;
    }
  EXPECT_EQ(f(x.topRows(0)).size(), 0);
}

TEST(Formula, KnowsItsColumns) {
  EXPECT_EQ(internal::parse_formula("exp*x + x^2", columns()).columns(), (std::vector<Index>{0, 3}));
  EXPECT_TRUE(internal::parse_formula("2*3", columns()).columns().empty());
}

struct Mistake {
  std::string name, text;
  size_t position;
  std::vector<std::string> words;
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << "'" << m.text << "'"; }

class FormulaMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(FormulaMistake, IsToldWithItsPosition) {
  const Mistake& m = GetParam();
  const std::string said = error_of(
      [&] {
        internal::parse_formula(m.text, {"temp", "depth"});
      },
      Problem::usage);
  EXPECT_NE(said.find(fmt::format("at position {} of", m.position)), std::string::npos) << said;
  for (const std::string& w : m.words) EXPECT_NE(said.find(w), std::string::npos) << w << " in: " << said;
}
INSTANTIATE_TEST_SUITE_P(
    Table, FormulaMistake,
    ::testing::Values(
        Mistake{"Empty", "", 1, {"expected a column, a number or '('", "the end"}},
        Mistake{"UnknownColumn", "1 + tmp", 5, {"no column is named 'tmp'", "did you mean 'temp'"}},
        Mistake{"UnknownQuotedColumn", "\"my col\"", 1, {"no column is named 'my col'"}},
        Mistake{"UnknownFunction", "lg(temp)", 1, {"no function is named 'lg'", "did you mean 'log'"}},
        Mistake{"MissingParenthesis", "exp(temp", 9, {"expected an operator or ')'", "the end"}},
        Mistake{"MissingClosing", "(temp + 1", 10, {"expected an operator or ')'"}},
        Mistake{"SpareParenthesis", "temp)", 5, {"expected an operator or the end", "')'"}},
        Mistake{"MissingOperand", "temp *", 7, {"expected a column, a number or '('", "the end"}},
        Mistake{"MissingOperator", "2 temp", 3, {"expected an operator or the end", "'temp'"}},
        Mistake{"PowerByStars", "temp**2", 6, {"a power is written ^"}},
        Mistake{"NotANumber", "1e999", 1, {"expected a number"}},
        Mistake{"LonePoint", "temp + .", 8, {"expected a number"}},
        Mistake{"UnclosedQuote", "\"temp", 6, {"expected '\"'"}},
        Mistake{"TwoArguments", "exp(temp, depth)", 9, {"expected an operator or ')'", "', depth)'"}},
        Mistake{"CharactersAreCounted", "\xC3\xA9", 1, {"found '\xC3\xA9'"}},
        Mistake{"AfterCharacters", "temp + \xC3\x97", 8, {"expected a column"}},
        Mistake{"NulByte", std::string("temp\0", 5), 5, {"found '\\x00'"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(FormulaMistake, TooDeep) {
  for (const char* opening : {"(", "-", "exp(", "x^", "+"}) {
    std::string text;
    for (int i = 0; i < 10000; ++i) text += opening;
    const std::string said =
        error_of([&] { internal::parse_formula(text + "x", columns()); }, Problem::usage);
    EXPECT_NE(said.find("nested deeper than 50"), std::string::npos) << said;
  }
  EXPECT_EQ(internal::parse_formula(std::string(40, '(') + "x" + std::string(40, ')'), columns()).text(),
            "x");
}

TEST(FormulaMistake, TooLong) {
  std::string text = "x";
  for (int i = 0; i < 4000; ++i) text += "+x";
  EXPECT_EQ(value(text, {1, 0, 0, 0, 0}), 4001);
  for (int i = 0; i < 4000; ++i) text += "+x";
  EXPECT_NE(error_of([&] { internal::parse_formula(text, columns()); }, Problem::usage)
                .find("more than 10000 parts"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::formula_test
