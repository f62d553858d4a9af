// covary plot: every kind on small data, as XML with the properties a picture must have.
#include "pictures/pictures.h"

namespace covary::cli::plot_test {
namespace {

TEST_F(Plot, CurveShowsDataMeanBandsAndSamples) {
  model({"time [s]"}, "height [mm]");
  const std::vector<Element> all = elements(plot({"--interval", "50,95", "--samples", "3"}));
  EXPECT_EQ(number_of(all, "circle"), 20U);
  for (const char* label : {"time [s]", "height [mm]", "50 % band of f", "95 % band of f", "mean of f",
                            "samples of f", "observations", "20 observations"})
    EXPECT_TRUE(says(all, label)) << label;
  EXPECT_TRUE(says(elements(plot({"--of", "y"})), "95 % band of y"));
  expect_readable_at_any_width({"--interval", "50,80,95", "--samples", "2"});
}

TEST_F(Plot, TheSameBytesAgain) {
  model({"x"});
  EXPECT_EQ(plot({"--samples", "3", "--seed", "7"}), plot({"--samples", "3", "--seed", "7"}));
  EXPECT_NE(plot({"--samples", "3", "--seed", "7"}), plot({"--samples", "3", "--seed", "8"}));
}

TEST_F(Plot, CurveOverAnotherRange) {
  model({"x"});
  EXPECT_TRUE(says(elements(plot({"--over=-10,20"})), "20"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--over", "3,1"}), 2, "expected LOW,HIGH"));
}

TEST_F(Plot, MapShowsMeanAndSdWithTheDataOnBoth) {
  model({"east [m]", "north [m]"}, "zinc [ppm]", 30);
  const std::vector<Element> all = elements(plot({"--grid", "20", "--contours"}));
  EXPECT_EQ(number_of(all, "circle"), 60U);
  for (const char* label : {"east [m]", "north [m]", "mean of f: zinc [ppm]", "sd of f: zinc [ppm]"})
    EXPECT_TRUE(says(all, label)) << label;
  expect_readable_at_any_width({"--grid", "10"});
}

/// The bars' rectangles come from low values to high ones; their lightness must fall.
TEST_F(Plot, ColorsOfAMapFallInLightness) {
  model({"a", "b"});
  double before = 1e9;
  size_t bars = 0;
  for (const Element& e : elements(plot({"--grid", "10"}))) {
    if (e.name != "rect" || e.attributes.count("fill") == 0 || e.attributes.at("fill") == "#ffffff") continue;
    const unsigned long color = std::stoul(e.attributes.at("fill").substr(1), nullptr, 16);
    const double light =
        0.2126 * double(color >> 16U) + 0.7152 * double(color >> 8U & 0xFFU) + 0.0722 * double(color & 0xFFU);
    EXPECT_TRUE(bars % 64 == 0 || light < before) << light;
    before = light;
    ++bars;
  }
  EXPECT_EQ(bars, 128U);
}

TEST_F(Plot, ObservedSaysHowManyAreInside) {
  model({"a", "b", "c"}, "y", 40);
  const std::vector<Element> all = elements(plot());  // the kind that auto gives three inputs
  EXPECT_TRUE(says(all, "of 40 ("));
  EXPECT_TRUE(says(all, "observed y"));
  EXPECT_TRUE(says(all, "predicted y"));
  const std::vector<Element> half = elements(plot({"--interval", "50"}));
  EXPECT_TRUE(says(half, "outside"));
  EXPECT_LT(number_of(half, "circle"), 40U);  // the others are crosses
  expect_readable_at_any_width({"--interval", "50,95"});
}

TEST_F(Plot, SlicesHaveAPanelForEachInput) {
  model({"a", "b [K]", "c"}, "y", 30);
  const std::vector<Element> all = elements(plot({"--kind", "slices", "--at", "b [K]=2.5,c=1"}));
  for (const char* label : {"a", "b [K]", "c", "b [K] = 2.5, c = 1"}) EXPECT_TRUE(says(all, label)) << label;
  EXPECT_EQ(number_of(all, "circle"), 0U);
  expect_readable_at_any_width({"--kind", "slices"});
}

TEST_F(Plot, OfManyInputsTheTwelveThatMatterMost) {
  Strings inputs;
  for (int k = 1; k <= 15; ++k) inputs.push_back("x" + std::to_string(k));
  model(inputs, "y", 40);
  const std::string svg = plot({"--kind", "slices", "--grid", "11"});
  EXPECT_TRUE(says(elements(svg), "The 12 of 15 inputs"));
  expect_readable_at_any_width({"--kind", "slices", "--grid", "11"});
}

TEST_F(Plot, NamesAreEscapedAndLongOnesShortened) {
  model({"a<b & \"\"c\"\""}, "d > e");
  const std::string svg = plot();
  EXPECT_TRUE(says(elements(svg), "a<b & \"c\""));
  EXPECT_NE(svg.find("a&lt;b &amp; \"c\""), std::string::npos);
  const std::string name =
      "a quantity with a name that nobody would print on an axis of a small picture, nor "
      "on one of a large picture, because it goes on and on and on [kg]";
  model({name, "b"}, "another quantity with a long name, which goes on for quite a while as well [m/s]");
  for (const char* kind : {"map", "observed", "slices"}) {
    SCOPED_TRACE(kind);
    expect_readable_at_any_width({"--kind", kind, "--grid", "10"});
  }
  EXPECT_TRUE(says(elements(plot({"--grid", "10"})), "\u2026 [kg]"));
  expect_readable_at_any_width({"--title", name + name, "--grid", "10"});
}

TEST_F(Plot, ValuesOfAnySizeAndNoSpread) {
  for (const char* rows : {"1,1e12\n2,3e12\n3,2e12\n4,5e12\n", "1,1e-9\n2,3e-9\n3,2e-9\n4,1e-9\n",
                           "1,5\n2,5\n3,5\n4,5\n", "100000001,1\n100000002,2\n100000003,1\n100000004,2\n",
                           "0.1,1e250\n0.2,2e250\n0.3,1e250\n0.4,3e250\n"}) {
    SCOPED_TRACE(rows);
    fitted({file("d.csv", std::string("x,y\n") + rows), "--target", "y", "--starts", "1", "-o", "m.json"});
    expect_readable_at_any_width({});
    expect_readable_at_any_width({"--kind", "observed"});
    expect_readable_at_any_width({"--kind", "slices"});
  }
}

TEST_F(Plot, ThousandsOfPointsStaySmall) {
  fitted({file("d.csv", table({"x"}, "y", 3000)), "--target", "y", "--kernel", "fixed(1 * se(lengthscale=1))",
          "--noise", "0.01", "-o", "m.json"});
  EXPECT_LT(plot().size(), 500'000U);
  EXPECT_LT(plot({"--kind", "observed"}).size(), 500'000U);
}

TEST_F(Plot, HelpBeginsWithAnExample) {
  EXPECT_TRUE(covary({"plot", "--help"}).out.starts_with("  covary plot model.json -o fit.svg\n"));
}

TEST_F(Plot, Mistakes) {
  model({"a", "b", "temperature"});
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "curv"}), 2, "did you mean 'curve'?"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "map"}), 2, "two inputs"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "curve"}), 2, "one input"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "slices", "--at", "temprature=3"}), 2,
                    "did you mean 'temperature'?"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "slices", "--at", "a=hot"}), 2, "expected a=NUMBER"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--samples", "3"}), 2, "--samples belongs to --kind curve"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--interval", "100"}), 2, "100"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "-o", "m.pdf"}), 2, ".svg or .png"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "slices", "--height", "130"}), 2, "it needs"));
  EXPECT_TRUE(fails(covary({"plot", "d.csv"}), 3, "not a Covary model file"));
  model({"a", "b"});
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--grid", "401"}), 5, "at most 400"));
  model({"a"}, "y", 1);
  EXPECT_TRUE(fails(covary({"plot", "m.json", "--kind", "observed"}), 3, "1 observation is too few"));
  plot();
  EXPECT_TRUE(fails(covary({"plot", "none.json"}), 3, "no such file"));
  EXPECT_TRUE(fails(covary({"plot", "m.json", "-o", "no/such/m.svg"}), 1, "cannot be written"));
}

TEST_F(Plot, PngThroughTheConverter) {
  model({"x"});
  EXPECT_TRUE(
      fails(covary({"plot", "m.json", "-o", "m.png"}, "", {{"PATH", "/nowhere"}}), 1, "librsvg2-bin"));
  EXPECT_EQ(files(), Strings({"d.csv", "m.json"}));
  if (std::system("command -v rsvg-convert >/dev/null") != 0) GTEST_SKIP() << "rsvg-convert is not here";
  const Outcome o = covary({"plot", "m.json", "-o", "m.png", "--width", "500", "--height", "300"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string png = contents(path("m.png"));
  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto number = [&](size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_EQ(number(16), 500);
  EXPECT_EQ(number(20), 300);
}

class Kernels : public Command {};

TEST_F(Kernels, ExplainsAnExpression) {
  const Outcome o = covary({"kernels", "0.5 * se() * periodic(period=12) + linear()"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* words :
       {"a sum of 2 independent parts", "every 12", "shape drifts", "straight lines", "Not stationary",
        "1.1.lengthscale", "1.2.period", "length-scale", "learned", "chosen for this range"})
    EXPECT_NE(o.out.find(words), std::string::npos) << words << "\n" << o.out;
}

TEST_F(Kernels, JsonOfAnExpression) {
  const auto j = nlohmann::json::parse(covary({"kernels", "fixed(2 * se(lengthscale=3))", "--json"}).out);
  EXPECT_EQ(j["stationary"], true);
  EXPECT_EQ(j["parameters"].size(), 2U);
  EXPECT_EQ(j["parameters"][0]["fixed"], true);
  EXPECT_EQ(j["parameters"][1]["drawn_with"], 3);
  const auto trend = nlohmann::json::parse(covary({"kernels", "linear() * cosine(period=2)", "--json"}).out);
  EXPECT_EQ(trend["stationary"], false);
  EXPECT_NE(trend["terms"]["words"].get<std::string>().find("trend times season"), std::string::npos);
  EXPECT_EQ(trend["terms"]["parts"].size(), 2U);
}

TEST_F(Kernels, EveryKernelIsExplainedAndDrawn) {
  for (const auto& k : nlohmann::json::parse(covary({"kernels", "--json"}).out)) {
    if (k["reads"] != "numbers" || k["name"] == "jaccard" || k["name"] == "minmax" ||
        k["name"] == "intersection")
      continue;  // those of records: kernels_test.cc
    const std::string name = k["name"], inside = name == "features" ? "\"x, x^2\"" : "";
    const Outcome o = covary({"kernels", name + "(" + inside + ")", "-o", "k.svg"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("draws"), std::string::npos);
    EXPECT_EQ(o.out.find("nan"), std::string::npos) << o.out;
    expect_readable(contents(path("k.svg")));
  }
}

TEST_F(Kernels, ColumnsByNameAndByNumber) {
  const Outcome named =
      covary({"kernels", "on(temp, se()) * on(depth, matern32(lengthscale=4))", "-o", "k.svg"});
  ASSERT_EQ(named.code, 0) << named.err;
  for (const char* words : {"of temp alone", "the columns act together", "lengthscale.temp", "along temp"})
    EXPECT_NE(named.out.find(words), std::string::npos) << words << "\n" << named.out;
  EXPECT_TRUE(says(elements(contents(path("k.svg"))), "depth"));
  EXPECT_EQ(covary({"kernels", "on(2, se()) + se(lengthscale=[1, 4])"}).code, 0);
  EXPECT_TRUE(fails(covary({"kernels", "sse()"}), 2, "did you mean 'se'?"));
}

TEST_F(Kernels, TheSameDrawsFromTheSameSeed) {
  const Strings words{"kernels", "matern32()", "--over=-3,3", "-n", "2", "--seed", "4"};
  const Outcome one = covary(words), two = covary(words);
  EXPECT_EQ(one.out, two.out);
  EXPECT_NE(one.out.find("2 draws of f from -3 to 3"), std::string::npos) << one.out;
}

class DemoPictures : public Command {};

TEST_F(DemoPictures, EveryStudy) {
  const Outcome o = covary({"demo", "all", "-o", "here"});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* name : {"lecture", "sinc", "sine-points", "sine-noise", "sinc-points", "sinc-noise",
                           "bias", "clusters", "explore", "best", "density", "sensors"}) {
    SCOPED_TRACE(name);
    expect_readable(contents(folder_ / "here" / (std::string(name) + ".svg")));
  }
  EXPECT_EQ(number_of(elements(contents(folder_ / "here" / "lecture.svg")), "circle"), 16U);
  EXPECT_EQ(number_of(elements(contents(folder_ / "here" / "sine-points.svg")), "circle"), 45U);
  EXPECT_TRUE(fails(covary({"demo", "sinus"}), 2, "did you mean 'sine'?"));
}

}  // namespace
}  // namespace covary::cli::plot_test
