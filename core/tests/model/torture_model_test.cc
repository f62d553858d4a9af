// Case 31: a model file cut at every length, or with any one bit flipped, is refused or says the very same.
#include <gtest/gtest.h>

#include "covary/base/error.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::torture_model_test {
namespace {

ModelRecord small(const Noise& noise, const std::string& mean) {
  ModelRecord m;
  m.kernel = "1.3 * matern52(lengthscale=[0.7, 2])";
  m.mean = mean;
  m.noise = noise;
  m.features = {"a", "sea \"depth\""};
  m.target = "y";
  m.x = test::random_points(1, 3, 2);
  m.y = test::random_targets(2, m.x);
  m.summary.notes = {"3 rows: the prior decides"};
  return m;
}

/// Weights of explicit features, placed.
ModelRecord small_line() {
  ModelRecord m = small(Noise::of(0.1), "zero");
  m.weights = WeightModel{.features = parse_features("a, bumps(a, centers=[0, 1.5], width=0.7)", m.features),
                          .variances = Vector::Constant(4, 0.3)};
  m.weights->variances[0] = std::numeric_limits<double>::infinity();
  m.summary.model = m.request.model = "ridge";
  return m;
}

class DamagedModel : public testing::TestWithParam<int> {
 protected:
  std::string text() const {
    if (GetParam() == 2) return model_text(FittedModel(small_line()));
    return model_text(FittedModel(GetParam() == 0
                                      ? small(Noise::of(0.1), "constant")
                                      : small(Noise::rows(Vector::LinSpaced(3, 0.1, 0.2)), "zero")));
  }
};

/// Whether `damaged` is refused with a data Error.
bool refused(const std::string& damaged) {
  try {
    parse_model(damaged, "m.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::data) << e.what();
    return true;
  }
  return false;
}

TEST_P(DamagedModel, Case31CutAtEveryLength) {
  const std::string whole = text();
  ASSERT_FALSE(refused(whole));
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_TRUE(refused(whole.substr(0, n))) << n;
}

TEST_P(DamagedModel, Case31EveryBitFlipped) {
  const std::string whole = text();
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      if (refused(damaged)) continue;
      EXPECT_EQ(model_text(parse_model(damaged)), whole) << "byte " << i << " bit " << bit;
    }
  }
}

TEST_P(DamagedModel, Case31BytesAdded) {
  const std::string whole = text();
  for (const char* more : {"\n", " ", "0", "}", "{}"}) EXPECT_TRUE(refused(whole + more)) << more;
}

INSTANTIATE_TEST_SUITE_P(Noises, DamagedModel, testing::Values(0, 1, 2));

}  // namespace
}  // namespace covary::torture_model_test
