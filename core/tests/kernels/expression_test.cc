// Kernel expressions: what they mean, and where an error says it is.
#include "covary/kernels/expression.h"

#include <gtest/gtest.h>

#include "covary/base/names.h"
#include "support.h"

namespace covary::test::expression_test {
namespace {

TEST(Expression, ReadsATree) {
  const Expression e = internal::read_expression("2.5 * se(lengthscale=[1, 4]) + on([a, b], x(3))");
  ASSERT_EQ(e.kind, Expression::Kind::sum);
  ASSERT_EQ(e.parts.size(), 2U);
  const Expression& product = e.parts[0];
  ASSERT_EQ(product.kind, Expression::Kind::product);
  EXPECT_EQ(product.parts[0].value, 2.5);
  EXPECT_EQ(product.parts[1].name, "se");
  EXPECT_EQ(product.parts[1].position, 7U);
  EXPECT_EQ(product.parts[1].arguments[0].values, (std::vector<double>{1, 4}));
  EXPECT_TRUE(product.parts[1].arguments[0].list);
  EXPECT_EQ(e.parts[1].columns, (std::vector<std::string>{"a", "b"}));
}

TEST(Expression, SpacesAndBracketsDoNotMatter) {
  const std::string plain = parse<Row>("2*se(1)+matern32(lengthscale=[1,2])").text();
  for (const char* same : {" 2 * se( 1 ) + matern32 ( lengthscale = [ 1 , 2 ] ) ",
                           "((2)*(se(1)))+(matern32([1,2]))", "2\t*\nse(+1) + matern32([1.0, 2e0])"})
    EXPECT_EQ(parse<Row>(same).text(), plain) << same;
}

TEST(Expression, NamesAloneAreCalls) { EXPECT_EQ(parse<Row>("se").text(), "se()"); }

TEST(Expression, NumbersAreExact) {
  for (const double v : {0.1, 1.0 / 3, 1e-99, 123456789.123456789, 5e99})
    EXPECT_EQ(parse<Row>(number_text(v)).diag(Matrix::Zero(1, 1))[0], v);
}

TEST(Expression, EveryDigitCanBeginANumberAndStandInAName) {
  const Matrix x = Matrix::Zero(1, 1);
  for (int digit = 0; digit < 10; ++digit) {
    const std::string d = std::to_string(digit);
    EXPECT_EQ(parse<Row>(d + "1").diag(x)[0], 10 * digit + 1);
    EXPECT_EQ(parse<Row>("on(x" + d + ", 3)", {"x" + d}).diag(x)[0], 3);
  }
}

TEST(Expression, ColumnsInsideOnAreThoseThatItNames) {
  const Matrix x = random_points(21, 20, 3);
  const std::vector<std::string> columns{"a", "b", "c"};
  EXPECT_TRUE(same_bits(parse<Row>("on([b, c], on(b, se(1)))", columns).cross(x, x),
                        parse<Row>("on(b, se(1))", columns).cross(x, x)));
}

struct Mistake {
  std::string text;
  size_t position;  // 0: none is said
  std::vector<std::string> words;
};
void PrintTo(const Mistake& m, std::ostream* out) { *out << "'" << m.text << "'"; }

class EveryMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(EveryMistake, IsToldWithItsPosition) {
  const Mistake& m = GetParam();
  const std::string said = error_of(
      [&] {
        parse<Row>(m.text, {"temp", "year", "\xC3\xA9t\xC3\xA9"});
      },
      Problem::usage);
  if (m.position) {
    EXPECT_NE(said.find("at position " + std::to_string(m.position) + " of"), std::string::npos) << said;
  }
  for (const std::string& w : m.words) EXPECT_NE(said.find(w), std::string::npos) << w << " in: " << said;
}
INSTANTIATE_TEST_SUITE_P(
    Table, EveryMistake,
    ::testing::Values(
        Mistake{"", 1, {"expected a kernel or a number", "the end"}}, Mistake{"   ", 4, {"the end"}},
        Mistake{"se(1", 5, {"expected ')'", "the end"}}, Mistake{"(se(1)", 7, {"expected ')'"}},
        Mistake{"se(1))", 6, {"expected '+', '*' or the end", "')'"}},
        Mistake{"se(1) +", 8, {"a kernel or a number"}},
        Mistake{"se(1) + * se(2)", 9, {"a kernel or a number", "'* se(2)'"}},
        Mistake{"se(1) se(2)", 7, {"expected '+', '*' or the end"}},
        Mistake{"se(1) - se(2)", 7, {"'- se(2)'"}},
        Mistake{"sse(1)", 1, {"no kernel is named 'sse'", "did you mean 'se'"}},
        Mistake{"2 * matern42(1)", 5, {"no kernel is named 'matern42'", "did you mean 'matern"}},
        Mistake{"1 + rational(1)", 5, {"did you mean 'rational_quadratic'"}},
        Mistake{"xyzzyxyzzy(1)", 1, {"no kernel is named 'xyzzyxyzzy'"}},
        Mistake{"fixd(se(1))", 8, {"expected '='"}},
        Mistake{"se(lengthscal=1)", 1, {"no parameter 'lengthscal'", "did you mean 'lengthscale'"}},
        Mistake{"se(period=1)", 1, {"no parameter 'period'", "it has: lengthscale"}},
        Mistake{"se(1, 2)", 1, {"takes 1 arguments, found 2"}},
        Mistake{"se(1, lengthscale=2)", 1, {"given 'lengthscale' twice"}},
        Mistake{"se(lengthscale=)", 16, {"expected a number or a list"}},
        Mistake{"se(lengthscale=[])", 17, {"expected a number"}},
        Mistake{"se(lengthscale=[1, )", 20, {"expected a number"}},
        Mistake{"se(lengthscale=[1", 18, {"expected ']'"}},
        Mistake{"se(lengthscale=1e999)", 16, {"expected a number"}},
        Mistake{"se(lengthscale=nan)", 16, {"expected a number"}},
        Mistake{"se(lengthscale=inf)", 16, {"expected a number"}},
        Mistake{"se(lengthscale=0)", 0, {"se: lengthscale must be", "found 0"}},
        Mistake{"se(lengthscale=-1)", 0, {"found -1"}},
        Mistake{"se(lengthscale=1e-320)", 0, {"lengthscale", "1e-320"}},
        Mistake{"se(lengthscale=1e308)", 0, {"lengthscale", "1e+308"}},
        Mistake{"se(lengthscale=[1, 0])", 0, {"lengthscale must be"}},
        Mistake{"periodic(period=0)", 0, {"periodic: period must be"}},
        Mistake{"periodic(period=[1, 2])", 0, {"period takes one number"}},
        Mistake{"rational_quadratic(alpha=-2)", 0, {"alpha must be"}},
        Mistake{"polynomial(degree=2.5)", 0, {"degree must be a whole number"}},
        Mistake{"polynomial(degree=0)", 0, {"degree must be a whole number"}},
        Mistake{"polynomial(degree=21)", 0, {"degree must be a whole number from 1 to 20"}},
        Mistake{"polynomial(offset=0)", 0, {"offset must be"}},
        Mistake{"0 * se(1)", 0, {"variance at position 1"}},
        Mistake{"se(1) + -2", 0, {"variance at position 9", "-2"}},
        Mistake{"1e308 * se(1)", 0, {"position 1"}},
        Mistake{"on(tmp, se(1))", 1, {"no column is named 'tmp'", "did you mean 'temp'"}},
        Mistake{"on(4, se(1))", 1, {"no column is named '4'"}},
        Mistake{"on(0, se(1))", 1, {"no column is named '0'"}},
        Mistake{"on(temp se(1))", 9, {"expected ','"}},
        Mistake{"on(, se(1))", 4, {"expected the name of a column"}},
        Mistake{"on([temp, year, se(1))", 19, {"expected ']'"}},
        Mistake{"on(\"temp, se(1))", 17, {"expected '\"'"}}, Mistake{"on(temp)", 8, {"expected ','"}},
        Mistake{"fixed()", 7, {"a kernel or a number"}}, Mistake{"fixed", 1, {"no kernel is named 'fixed'"}},
        Mistake{"se(1) \xC3\x97 se(2)", 7, {"\xC3\x97"}},
        Mistake{"\xCE\xBBse(1)", 1, {"a kernel or a number"}},
        Mistake{"se\xEF\xBC\x88"
                "1)",
                3,
                {"or the end"}},
        Mistake{"se(1)#", 6, {"'#'"}}, Mistake{std::string("se(1)\0", 6), 6, {"or the end", "found '\\x00'"}},
        Mistake{"on(\"\xC3\xA9t\xC3\xA9\", se(1)) + sse(1)", 20, {"no kernel is named 'sse'"}},
        Mistake{"se(1) + \"1234567890\xC3\xA9\"", 9, {"found '\"1234567890\xC3\xA9'"}}));

TEST(Expression, TenThousandNestedBracketsAreRefused) {
  const std::string open(10000, '('), close(10000, ')');
  EXPECT_NE(
      error_of([&] { parse<Row>(open + "se(1)" + close); }, Problem::usage).find("nested deeper than 50"),
      std::string::npos);
  EXPECT_THROW(parse<Row>(open), Error);
  std::string calls;
  for (int i = 0; i < 10000; ++i) calls += "fixed(";
  EXPECT_THROW(parse<Row>(calls), Error);
  std::string shallow = "se(1)";
  for (int i = 0; i < 40; ++i) shallow = "(" + shallow + ")";
  EXPECT_EQ(parse<Row>(shallow).text(), "se(lengthscale=1)");
}

TEST(Expression, LongSumsAreFine) {
  std::string text = "se(1)";
  for (int i = 0; i < 2000; ++i) text += " + se(1)";
  const Kernel<Row> k = parse<Row>(text);
  EXPECT_EQ(k.theta().size(), 2001);
  EXPECT_EQ(k.diag(Matrix::Zero(1, 1))[0], 2001);
}

/// Random strings of the language's own pieces, and random edits of good ones: only covary::Error, and what
/// is read prints and reads again.
TEST(Expression, FuzzThrowsOnlyErrors) {
  const std::vector<std::string> pieces{
      "se",  "matern32", "linear",   "(",          ")",          "[", "]",  ",", "+",      "*", "=",  "1",
      "2.5", "1e-3",     "period",   "on",         "1",          "x", "\"", "-", "fixed(", " ", "\t", "e",
      ".",   "\xC3\xA9", "constant", "polynomial", "lengthscale"};
  Random rng(20);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    if (i % 2) {
      for (Index n = rng.integer(14); n >= 0; --n)
        text += pieces[static_cast<size_t>(rng.integer(std::ssize(pieces)))];
    } else {
      text = random_expression(rng, 2, 1);
      for (Index n = rng.integer(3); n >= 0; --n)
        text[static_cast<size_t>(rng.integer(std::ssize(text)))] = static_cast<char>(rng.integer(256));
    }
    try {
      const Kernel<Row> k = parse<Row>(text, {"x", "y"});
      EXPECT_EQ(parse<Row>(k.text(), {"x", "y"}).text(), k.text()) << text;
      ++read;
    } catch (const Error& e) {
      EXPECT_EQ(static_cast<int>(e.problem()), static_cast<int>(Problem::usage)) << text;
    }
  }
  EXPECT_GT(read, 300) << "the fuzz must reach valid expressions too";
}

TEST(Expression, QuotesOnlyWhatNeedsThem) {
  EXPECT_EQ(internal::quoted_if_needed("temp_2"), "temp_2");
  EXPECT_EQ(internal::quoted_if_needed("two words"), "\"two words\"");
  EXPECT_EQ(internal::quoted_if_needed("2nd"), "\"2nd\"");
  EXPECT_EQ(internal::quoted_if_needed("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(internal::quoted_if_needed(""), "\"\"");
}

TEST(Nearest, NamesThatAreMeant) {
  const std::vector<std::string> known{"se", "matern32", "matern52", "periodic", "linear"};
  EXPECT_EQ(internal::nearest("perodic", known), "periodic");
  EXPECT_EQ(internal::nearest("matern33", known), "matern32");
  EXPECT_EQ(internal::nearest("lin", known), "linear");
  EXPECT_EQ(internal::nearest("zzzzzzzzzz", known), "");
  EXPECT_EQ(internal::nearest(std::string(1000000, 'a'), known), "");
  EXPECT_EQ(internal::did_you_mean("perodic", known), ", did you mean 'periodic'?");
}

}  // namespace
}  // namespace covary::test::expression_test
