// covary place on published data: the errors and picks of a reference in numpy.
#include "verbs/place.h"

namespace covary::cli::place_published_test {
namespace {

std::string shared(const std::string& name) { return std::string(COVARY_SHARED_DATA) + "/spatial/" + name; }

TEST_F(Place, IntelLabErrorsAreThoseOfTheReference) {
  const std::string lab = shared("intel_lab_temperature_50x240.csv.gz");
  if (!fs::exists(lab)) GTEST_SKIP() << "not there: " << lab;
  const std::map<std::string, std::vector<double>> expected{{"variance", {0.871, 0.506, 0.345}},
                                                            {"mutual-information", {0.804, 0.566, 0.369}},
                                                            {"entropy", {0.865, 0.493, 0.380}}};
  for (const auto& [criterion, at] : expected) {
    const Outcome o = covary({"place", lab, "-k", "20", "--history", "columns:train_*", "--nugget", "0.05",
                              "--held-out", "columns:test_*", "--name", "moteid_inferred", "--coordinates",
                              "x_m,y_m", "--criterion", criterion, "--repeats", "20"});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::vector<double> rmse = column(o.out, "rmse");
    EXPECT_NEAR(rmse[4], at[0], 2e-3) << criterion;
    EXPECT_NEAR(rmse[9], at[1], 2e-3) << criterion;
    EXPECT_NEAR(rmse[19], at[2], 2e-3) << criterion;
  }
}

TEST_F(Place, MercedLakePicksAreThoseOfTheReference) {
  const std::string lake = shared("merced_lake_ph_cov.csv.gz");
  if (!fs::exists(lake)) GTEST_SKIP() << "not there: " << lake;
  const std::map<std::string, std::vector<int>> expected{
      {"mutual-information", {3, 14, 2, 36, 81, 33, 62, 34, 80, 82}},
      {"entropy", {0, 85, 49, 54, 7, 83, 71, 38, 69, 56}}};
  for (const auto& [criterion, picks] : expected) {
    const Outcome o = covary({"place", lake, "-k", "10", "--covariance", "columns:s*", "--coordinates",
                              "along,depth", "--criterion", criterion});
    ASSERT_EQ(o.code, 0) << o.err;
    Strings rows;
    for (const int i : picks) rows.push_back(std::to_string(i + 1));
    EXPECT_EQ(names(o.out), rows) << criterion;
  }
}

}  // namespace
}  // namespace covary::cli::place_published_test
