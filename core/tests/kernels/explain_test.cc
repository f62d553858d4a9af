#include "covary/kernels/explain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/process/process.h"

namespace covary::explain_test {
namespace {

Matrix line(Index d = 1) { return Vector::LinSpaced(41, -4, 4).replicate(1, d); }

Kernel<Row> ready(const std::string& text, const Rows& x) { return parse<Row>(text).amplified().sized(x); }

Term explained(const std::string& text) { return explain(ready(text, line())); }

TEST(Explain, EveryKernelOfTheRegistryHasWords) {
  for (const Entry<Row>& e : registry<Row>()) {
    const Matrix codes = Vector::LinSpaced(5, 0, 4);
    const Term t = explain(
        ready(e.name + "()", e.reads == Reads::numbers ? line(std::max<Index>(1, e.columns)) : codes));
    EXPECT_FALSE(t.words.empty()) << e.name;
    EXPECT_TRUE(e.nature == Nature::level || t.words.find(e.about) != std::string::npos) << t.words;
    EXPECT_EQ(t.nature, e.nature);
  }
}

TEST(Explain, PathsAreThoseOfTheParameters) {
  const std::string text = "2 * se() * periodic(period=12) + linear() + (se() + 3) * matern32()";
  const Kernel<Row> k = ready(text, line());
  const Term whole = explain(k);
  std::vector<std::string> known;
  const std::function<void(const Term&)> collect = [&](const Term& t) {
    known.push_back(t.path);
    for (const Term& part : t.parts) collect(part);
  };
  collect(whole);
  for (const Parameter& p : k.parameters()) {
    const size_t dot = p.path.rfind('.');
    const std::string owner = dot == p.path.npos ? "" : p.path.substr(0, dot);
    EXPECT_NE(std::find(known.begin(), known.end(), owner), known.end()) << p.path;
  }
}

TEST(Explain, SaysWhatIsGivenLearnedAndKept) {
  EXPECT_NE(explained("se(lengthscale=2)").words.find("distances of about 2"), std::string::npos);
  EXPECT_NE(explained("se()").words.find("lengthscale is learned"), std::string::npos);
  EXPECT_NE(explained("se()").words.find("variance is learned"), std::string::npos);
  EXPECT_NE(explained("4 * se()").words.find("variance 4 (standard deviation 2)"), std::string::npos);
  EXPECT_NE(explained("fixed(4 * se(lengthscale=1))").words.find("kept"), std::string::npos);
  EXPECT_NE(explained("periodic(period=12)").words.find(", every 12"), std::string::npos);
  EXPECT_NE(explained("linear() * periodic()").words.find("trend times season"), std::string::npos);
}

TEST(Explain, StationaryByTrying) {
  const Matrix x = line();
  for (const char* text : {"se()", "matern12() + 2", "cosine() * rational_quadratic()", "periodic() * se()"})
    EXPECT_TRUE(internal::is_stationary(internal::drawable(ready(text, x), x), x)) << text;
  for (const char* text : {"linear()", "se() + polynomial()", "linear() * periodic()"})
    EXPECT_FALSE(internal::is_stationary(internal::drawable(ready(text, x), x), x)) << text;
}

TEST(Explain, DrawableKeepsWhatWasGivenAndFillsTheRest) {
  const Matrix x = line();
  const Kernel<Row> k = internal::drawable(ready("3 * se() + matern32(lengthscale=7)", x), x);
  const std::vector<Parameter> p = k.parameters();
  ASSERT_EQ(p.size(), 4U);
  EXPECT_DOUBLE_EQ(p[0].value, 3);
  EXPECT_DOUBLE_EQ(p[1].value, 1);  // an eighth of the range
  EXPECT_DOUBLE_EQ(p[2].value, 1);
  EXPECT_DOUBLE_EQ(p[3].value, 7);
  EXPECT_EQ(Process<Row>(k).sample(x, 2, 1).cols(), 2);
}

TEST(Explain, AsManyColumnsAsItNeeds) {
  EXPECT_EQ(internal::least_columns(parse<Row>("se()")), 1);
  EXPECT_EQ(internal::least_columns(parse<Row>("se(lengthscale=[1, 2, 3])")), 3);
  EXPECT_EQ(internal::least_columns(parse<Row>("on(4, se()) + linear()")), 4);
  EXPECT_THROW(internal::least_columns(parse<Row>("cosine() + on(2, se())")), Error);
}

TEST(Explain, ColumnsInTheOrderTheyAreNamed) {
  const Expression e =
      internal::read_expression("on(temp, se()) * on([depth, temp], se()) + on(3, linear())");
  EXPECT_EQ(internal::named_columns(e), (std::vector<std::string>{"temp", "depth"}));
}

TEST(Explain, NamesAreCheckedBeforeColumnsAreKnown) {
  EXPECT_NO_THROW(
      internal::check_names("fixed(2) * features(\"a, splines(b)\") + on([a, b], se(lengthscale=[1, 2]))"));
  for (const char* text : {"2 * mattern52()", "on(a, se(lengthscal=1))", "se(lengthscale=-1)", "se("})
    EXPECT_THROW(internal::check_names(text), Error) << text;
}

/// The types that on(...) names, and one column for each type that is read without a name.
TEST(Explain, ColumnsAreOfTheTypesThatTheirKernelsRead) {
  const auto types = [](const std::string& text) {
    std::string out;
    const Schema columns = internal::columns_for(internal::read_expression(text));
    for (const TypedColumn& c : columns.columns())
      out += (out.empty() ? "" : ", ") + c.name + " " + text_of(c.type);
    return out;
  };
  EXPECT_EQ(types("on(t, se()) * on(c, category()) + on(s, 2 * spectrum(k=3) + 1)"),
            "t number, c category, s text");
  EXPECT_EQ(types("se() * periodic() + category()"), "x number, category category");
  EXPECT_EQ(types("on(tags, jaccard()) + on([a, b], jaccard())"), "tags set, a number, b number");
  EXPECT_EQ(types("on(s, category()) * on(s, spectrum())"), "s text");
  EXPECT_EQ(types("on(n, graph_matern()) + on(g, weisfeiler_lehman(h=2))"), "n node, g graph");
  EXPECT_EQ(types("features(\"a, log(b)\") + 2"), "a number, b number");
  EXPECT_EQ(types("2 + constant()"), "");
}

TEST(Explain, KernelsOverTextAreTakenByTheirNames) {
  EXPECT_NO_THROW(internal::check_names("on(s, spectrum(k=2)) + on(g, shortest_path())"));
  for (const char* text : {"on(s, spectrum(k=0))", "on(s, spectrum(n=2))"})
    EXPECT_THROW(internal::check_names(text), Error) << text;
  try {
    internal::check_names("spectrm()");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'spectrum'?"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace covary::explain_test
