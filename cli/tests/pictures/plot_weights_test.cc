// covary plot --kind weights: ellipses of two weights and the lines they imply, as rows arrive.
#include "pictures/pictures.h"

namespace covary::cli::plot_weights_test {
namespace {

class PlotWeights : public Plot {};

/// Filled curves with a pen around them.
size_t ellipses_in(const std::vector<Element>& all) {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Element& e) {
    return e.name == "path" && e.attributes.count("fill") == 1 && e.attributes.at("fill") != "none" &&
           e.attributes.count("stroke") == 1;
  }));
}

TEST_F(PlotWeights, ShowEllipsesBesideTheLines) {
  for (const char* kind : {"linear", "ridge", "bayes"}) {
    SCOPED_TRACE(kind);
    weights(kind, {"x"});
    const std::vector<Element> all = elements(plot({"--kind", "weights", "--rows", "2,5,20"}));
    EXPECT_EQ(ellipses_in(all), 6U);
    EXPECT_EQ(number_of(all, "clipPath"), 6U);  // three pairs of panels
    EXPECT_EQ(number_of(all, "circle"), 60U);   // every row, seen or to come
    for (const char* words : {"intercept", "weight of x", "after 2 rows", "after all 20 rows",
                              "50 % of the weights", "95 % band of f", "rows to come", "the noise is taken"})
      EXPECT_TRUE(says(all, words)) << words;
    expect_readable_at_any_width({"--kind", "weights"});
  }
}

TEST_F(PlotWeights, BeginWhereTheyAreDetermined) {
  weights("linear", {"x"});
  EXPECT_TRUE(says(elements(plot({"--kind", "weights"})), "after 2 rows"));
  weights("bayes", {"x"}, {"--intercept", "no", "--basis", "x, x^2"});
  EXPECT_TRUE(says(elements(plot({"--kind", "weights"})), "before any row"));
  weights("linear", {"x"}, {"--basis", "x, x^2"});
  const std::vector<Element> all = elements(plot({"--kind", "weights", "--rows", "1,3,20"}));
  EXPECT_TRUE(says(all, "Not drawn: after 1 row the weights are not determined"));
  EXPECT_EQ(ellipses_in(all), 4U);
}

TEST_F(PlotWeights, OfSeveralInputsAreEllipsesAlone) {
  weights("ridge", {"a", "b", "c [m]"});
  const std::vector<Element> all =
      elements(plot({"--kind", "weights", "--weights", "c [m],a", "--rows", "1,20", "--interval", "90"}));
  EXPECT_EQ(ellipses_in(all), 2U);
  EXPECT_EQ(number_of(all, "circle"), 0U);
  for (const char* words : {"weight of c [m]", "weight of a", "90 % of the weights"})
    EXPECT_TRUE(says(all, words)) << words;
  expect_readable_at_any_width({"--kind", "weights"});
}

/// A cubic from four rows side by side leaves the picture by far: viewers must still be able to count.
TEST_F(PlotWeights, CoordinatesStayWithinReach) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(i < 4 ? 1e-3 * i : i) + "," + std::to_string(i + std::sin(7.0 * i)) + "\n";
  fitted(
      {file("d.csv", rows), "--target", "y", "--model", "linear", "--basis", "x, x^2, x^3", "-o", "m.json"});
  for (const Element& e : elements(plot({"--kind", "weights", "--rows", "4,40"}))) {
    if (e.name != "path") continue;
    std::string path = e.attributes.at("d");
    std::replace_if(
        path.begin(), path.end(), [](char c) { return std::isalpha(c) != 0; }, ' ');
    std::istringstream in(path);
    for (double at = 0; in >> at;) ASSERT_LE(std::abs(at), 1e6);
  }
}

/// A noise that was given needs no note.
TEST_F(PlotWeights, UnderAGivenNoise) {
  weights("bayes", {"x"}, {"--noise", "0.5", "--prior-sd", "2"});
  EXPECT_FALSE(says(elements(plot({"--kind", "weights"})), "the noise is taken"));
}

TEST_F(PlotWeights, Mistakes) {
  model({"x"});
  EXPECT_TRUE(
      fails(covary({"plot", "m.json", "--kind", "weights"}), 2,
            "--kind weights: expected a linear, ridge or bayes model, this one is a Gaussian process"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--rows", "3"}), 2, "--rows belongs to --kind weights"));
  weights("linear", {"x"}, {"--intercept", "no"});
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "weights"}), 2, "this one has only 'x'"));
  weights("linear", {"x", "temperature"});
  const auto refused = [&](const Strings& more, int code, const std::string& part) {
    Strings words{"plot", "m.json", "--kind", "weights"};
    words.insert(words.end(), more.begin(), more.end());
    return fails(covary(words), code, part);
  };
  EXPECT_TRUE(refused({"--weights", "x,temprature"}, 2, "did you mean 'temperature'?"));
  EXPECT_TRUE(refused({"--weights", "x"}, 2, "expected two different names A,B, found 'x'"));
  EXPECT_TRUE(refused({"--weights", "x,x"}, 2, "expected two different names A,B, found 'x,x'"));
  EXPECT_TRUE(refused({"--rows", "3,21"}, 2, "expected whole numbers from 0 to 20, found 21"));
  EXPECT_TRUE(refused({"--rows", "2.5"}, 2, "expected whole numbers from 0 to 20, found 2.5"));
  EXPECT_TRUE(refused({"--rows", "0,4"}, 3, "determined only after 5 rows"));  // the inputs begin in a line
  EXPECT_TRUE(refused({"--rows", "3,4,5,6,7,8,9,10,11,12,13,14,15"}, 5, "at most 12 stages"));
  EXPECT_TRUE(refused({"--contours"}, 2, "--contours belongs to --kind map"));
  weights("linear", {"x"}, {"--basis", "x, x"});
  EXPECT_TRUE(refused({"--weights", "intercept,x"}, 3, "do not determine both weights"));
  weights("linear", {"x"}, {}, 2);
  EXPECT_TRUE(refused({}, 3, "2 rows for 2 weights: no residual degrees of freedom to estimate the noise"));
}

}  // namespace
}  // namespace covary::cli::plot_weights_test
