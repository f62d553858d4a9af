// The gap-weighted subsequence kernel against exact rationals (oracles/make_subsequence_oracles.py), and its
// limits.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance.h"
#include "covary/kernels/strings/strings.h"
#include "kernels/strings/text_support.h"

namespace covary::test::subsequence_test {
namespace {

using Json = nlohmann::json;

const Json& subsequences() {
  static const Json all = Json::parse(std::ifstream(COVARY_TEST_DATA "/oracles/subsequence.json"));
  return all;
}

Matrix symmetric(const Json& lower) {
  const Index n = std::ssize(lower);
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) m(i, j) = m(j, i) = lower[size_t(i)][size_t(j)].get<double>();
  return m;
}

/// Each entry to some roundings of its own size: nothing is subtracted anywhere.
void expect_each_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a.data()[i], b.data()[i], tolerance * std::abs(b.data()[i])) << i / a.rows() << i % a.rows();
}

/// dK_ij/d decay, an entry at a time.
Matrix slopes(const Kernel<std::string>& k, const Texts& x, double decay) {
  Matrix d(std::ssize(x), std::ssize(x));
  for (Index j = 0; j < d.cols(); ++j)
    for (Index i = 0; i < d.rows(); ++i)
      d(i, j) = k.pullback(slice(x, {i, 1}), slice(x, {j, 1}), Matrix::Ones(1, 1))[0] / (decay * (1 - decay));
  return d;
}

TEST(Subsequence, IsTheSumOfTheDefinition) {
  const Texts x = subsequences()["texts"].get<Texts>();
  for (const Json& c : subsequences()["cases"])
    for (const bool normalized : {false, true}) {
      const Kernel<std::string> k = subsequence(c["n"], c["decay"], normalized);
      SCOPED_TRACE(k.text());
      const std::string form = normalized ? "normalized" : "plain";
      expect_each_near(k.cross(x, x), symmetric(c[form]), 1e-14);
      expect_each_near(k.diag(x), symmetric(c[form]).diagonal(), 1e-14);
      const Matrix expected = symmetric(c[form + "_slope"]);
      if (normalized)
        EXPECT_TRUE(near(slopes(k, x, c["decay"]), expected, 1e-13));  // differences of the three slopes
      else
        expect_each_near(slopes(k, x, c["decay"]), expected, 1e-13);
    }
}

/// Swapping the texts, and what else is computed beside them, changes no bit.
TEST(Subsequence, IsSymmetricInEveryBit) {
  const Texts x = random_texts(1, 23, 0, 40, "acgt");
  const Kernel<std::string> k = subsequence(3, 0.7);
  const Matrix all = k.cross(x, x);
  EXPECT_TRUE(same_bits(all, all.transpose()));
  for (Index i = 0; i < all.rows(); i += 5)
    for (Index j = 0; j < all.cols(); ++j)
      EXPECT_EQ(k.cross(slice(x, {i, 1}), slice(x, {j, 1}))(0, 0), all(i, j));
}

/// Without weight for gaps it is the spectrum kernel; with full weight texts of one letter all look the same.
TEST(Subsequence, EndsOfTheDecay) {
  const Texts x = random_texts(2, 20, 4, 30, "acgt");
  EXPECT_TRUE(near(subsequence(3, 1e-18).cross(x, x), spectrum(3).cross(x, x), 1e-15));
  const Texts ones{"aaaa", "aaaaaaaaaaaaa"};
  EXPECT_NEAR(subsequence(3, 1 - 1e-15).cross(ones, ones)(0, 1), 1, 1e-12);
  const Kernel<std::string> k = subsequence(3, 0.5).with(Vector::Constant(1, 50));
  EXPECT_EQ(parse<std::string>(k.text()).text(), k.text()) << "a decay that rounds to 1 is still one";
}

TEST(Subsequence, LongTextsAreRefusedWithTheirCost) {
  const Texts x{std::string(1000000, 'a')};
  const std::string said = error_of([&] { subsequence(3, 0.5).diag(x); }, Problem::limit);
  EXPECT_NE(said.find("1000000 x 1000000 x 3 = 3e+12 steps"), std::string::npos) << said;
}

}  // namespace
}  // namespace covary::test::subsequence_test
