// covary place: every slip that has words of its own.
#include "verbs/place.h"

namespace covary::cli::place_errors_test {
namespace {

TEST_F(Place, NothingIsKnownOfTheField) {
  EXPECT_TRUE(fails(place({"-k", "3"}), 2, "the prior of the field is missing"));
}
TEST_F(Place, TwoSourcesOfTheField) {
  EXPECT_TRUE(fails(place({"-k", "3", "--history", path("readings.csv"), "--covariance", "c.csv"}), 2,
                    "--history and --covariance do not go together"));
}
TEST_F(Place, NoNumberOfSensors) {
  EXPECT_TRUE(fails(place({"--kernel", kernel}), 2, "the number of sensors is missing"));
}
TEST_F(Place, MoreSensorsThanPlaces) {
  EXPECT_TRUE(fails(place({"-k", "20", "--kernel", kernel, "--coordinates", "x,y", "--forbid", "locked"}), 2,
                    "20 sensors were asked for, 19 can be placed"));
}
TEST_F(Place, ABudgetBelowTheCheapest) {
  EXPECT_TRUE(fails(place({"--kernel", kernel, "--coordinates", "x,y", "--cost", "euros", "--budget", "9"}),
                    2, "the cheapest allowed place costs 10"));
}
TEST_F(Place, ABudgetWithoutCosts) {
  EXPECT_TRUE(fails(place({"--kernel", kernel, "--budget", "9"}), 2, "--budget needs --cost"));
}
TEST_F(Place, AnUnknownCriterion) {
  EXPECT_TRUE(
      fails(place({"-k", "3", "--kernel", kernel, "--criterion", "entropie"}), 2, "did you mean 'entropy'?"));
}
TEST_F(Place, AKernelWithoutItsParameters) {
  EXPECT_TRUE(
      fails(place({"-k", "3", "--kernel", "2 * matern52()", "--coordinates", "x,y"}), 2, "lengthscale"));
}
TEST_F(Place, AnUnknownColumn) {
  EXPECT_TRUE(
      fails(place({"-k", "3", "--kernel", kernel, "--forbid", "lockt"}), 2, "did you mean 'locked'?"));
}
TEST_F(Place, AForbidColumnOfOtherWords) {
  EXPECT_TRUE(fails(place({"-k", "3", "--kernel", kernel, "--coordinates", "x,y", "--forbid", "floor"}), 3,
                    "line 2, column 'floor': expected yes or no"));
}
TEST_F(Place, ACostOfNothing) {
  file("free.csv", "x,price\n1,3\n2,0\n3,1\n");
  EXPECT_TRUE(fails(covary({"place", path("free.csv"), "--kernel", "se(lengthscale=1)", "--cost", "price",
                            "--budget", "5"}),
                    3, "line 3, column 'price': expected a positive cost, found 0"));
}
TEST_F(Place, NamesThatDoNotMatch) {
  std::string other = contents(path("readings.csv"));
  other.replace(0, 2, "a-1");
  const Outcome o = place({"-k", "3", "--history", file("other.csv", other)});
  EXPECT_EQ(o.code, 0) << o.err;  // left out by name, with a note
  EXPECT_NE(o.err.find("1 of 20 places left out, for lack of readings in the history: a1"), std::string::npos)
      << o.err;
}
TEST_F(Place, ASensorThatIsNowhere) {
  const auto with = [&](const char* option, const std::string& list) {
    return place({"-k", "3", "--history", path("readings.csv"), option, list});
  };
  const std::string unknown = "is none of the candidates, no column of " + path("readings.csv");
  EXPECT_TRUE(fails(with("--existing", "a1,c33"), 3, "--existing: 'c33' " + unknown));
  EXPECT_TRUE(fails(with("--existing", "a1,c33"), 3, "did you mean 'c3'?"));
  EXPECT_TRUE(fails(with("--existing", "a1,c33"), 3, "the candidates are called a1, a2"));
  EXPECT_TRUE(fails(with("--existing", "sensros.csv"), 3, "'sensros.csv' " + unknown + " and no file"));
  EXPECT_TRUE(fails(with("--existing", file("s.csv", "name\na1\nq9\n")), 3, "--existing: 'q9' " + unknown));
  EXPECT_TRUE(fails(with("--targets", "c33"), 3, "--targets: 'c33' " + unknown));
}
TEST_F(Place, TwoPlacesOfOneName) {
  EXPECT_TRUE(fails(covary({"place", file("twice.csv", "name,x\na,1\nb,2\na,3\n"), "-k", "1", "--kernel",
                            "se(lengthscale=1)"}),
                    3, "line 4, column 'name': 'a' is the name of another place too, on line 2"));
}
TEST_F(Place, ASetOfPlacesThatAreNot) {
  EXPECT_TRUE(fails(place({"--kernel", kernel, "--coordinates", "x,y", "--evaluate", "a1,b9"}), 3,
                    "'b9' is none of the candidates"));
}
TEST_F(Place, FewerReadingsThanSensors) {
  const std::string all = contents(path("readings.csv"));
  std::string few;
  std::istringstream in(all);
  for (int i = 0; i < 12; ++i) {
    std::string line;
    std::getline(in, line);
    few += line + "\n";
  }
  file("few.csv", few);
  const Outcome o = place({"-k", "3", "--history", path("few.csv")});
  EXPECT_TRUE(fails(o, 3, "11 times are too few for the covariances of 20 places"));
  EXPECT_TRUE(fails(o, 3, "--shrink, --nugget"));
  EXPECT_TRUE(notes(place({"-k", "3", "--history", path("few.csv"), "--nugget", "0.1"}), "shrinkage auto"));
  EXPECT_EQ(place({"-k", "3", "--history", path("few.csv"), "--shrink", "auto"}).code, 0);
}
TEST_F(Place, ACovarianceThatIsNotSymmetric) {
  file("p.csv", "name,x\na,1\nb,2\n");
  EXPECT_TRUE(
      fails(covary({"place", path("p.csv"), "-k", "1", "--covariance", file("c.csv", "a,b\n1,0.5\n0.4,1\n")}),
            3, "a covariance matrix is symmetric"));
}
TEST_F(Place, ACovarianceThatIsNotPositiveDefinite) {
  file("p.csv", "name,x\na,1\nb,2\n");
  EXPECT_TRUE(
      fails(covary({"place", path("p.csv"), "-k", "1", "--covariance", file("c.csv", "a,b\n1,2\n2,1\n")}), 4,
            "smallest eigenvalue is -1"));
}
TEST_F(Place, ACovarianceThatIsNotSquare) {
  file("p.csv", "name,x\na,1\nb,2\n");
  EXPECT_TRUE(fails(covary({"place", path("p.csv"), "-k", "1", "--covariance", file("c.csv", "a,b\n1,0\n")}),
                    3, "has 1 rows and 2 columns; it has to be square"));
}
TEST_F(Place, HeldOutReadingsWithoutWhatToExpect) {
  EXPECT_TRUE(fails(place({"-k", "3", "--kernel", kernel, "--held-out", path("later.csv")}), 2,
                    "--held-out needs --history or --model"));
}
TEST_F(Place, AMapOfOneCoordinate) {
  EXPECT_TRUE(fails(place({"-k", "3", "--kernel", kernel, "--coordinates", "x", "--plot", "m.svg"}), 2,
                    "--plot draws a map over two coordinates, there are 1"));
}
TEST_F(Place, WaysThatDoNotGoTogether) {
  EXPECT_TRUE(fails(place({"-k", "3", "--kernel", kernel, "--refine", "--optimal"}), 2,
                    "--refine and --optimal do not go together"));
  EXPECT_TRUE(
      fails(place({"-k", "3", "--kernel", kernel, "--evaluate", "a1"}), 2, "-k does not go with --evaluate"));
  EXPECT_TRUE(
      fails(place({"-k", "3", "--kernel", kernel, "--shrink", "auto"}), 2, "--shrink needs --history"));
}
TEST_F(Place, NoColumnsOfThatPattern) {
  EXPECT_TRUE(
      fails(place({"-k", "3", "--history", "columns:train_*"}), 3, "is called so; it has name, x, y"));
}
TEST_F(Place, AShrinkageOutOfRange) {
  EXPECT_TRUE(fails(place({"-k", "3", "--history", path("readings.csv"), "--shrink", "2"}), 2, "0 to 1"));
}

}  // namespace
}  // namespace covary::cli::place_errors_test
