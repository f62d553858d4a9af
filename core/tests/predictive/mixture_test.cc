// Mixtures of predictive distributions: a family like others, and what a value tells of the part it comes from.
#include "covary/predictive/mixture.h"

#include <cmath>
#include <numbers>

#include "conformance.h"
#include "covary/gaussian/normal_mixture.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/predictive/untransformed.h"
#include "covary/testing/distribution_conformance.h"
#include "support.h"

namespace covary::test::mixture_test {
namespace {

using internal::mixture_of;
using internal::NormalMixture;

const Eigen::Vector3d weights(0.5, 0.3, 0.2);

/// Three normals at three points: alike, apart, and one much wider than the others.
std::vector<Prediction> normals() {
  return {StudentT{Eigen::Vector3d(0.3, 0, 0), Eigen::Vector3d(0.5, 0.3, 0.2)},
          StudentT{Eigen::Vector3d(0.4, 2, 0.1), Eigen::Vector3d(0.4, 0.5, 0.1)},
          StudentT{Eigen::Vector3d(0.2, -1, 0.5), Eigen::Vector3d(0.7, 0.4, 3)}};
}

TEST(Mixture, OfNormalsConforms) {
  const Prediction p = mixture_of(normals(), weights);
  expect_none(conformance::predictive(p));
  expect_none(conformance::moments(p, 1e-5));  // its quantiles bend sharply between parts
  EXPECT_FALSE(p.symmetric());
  EXPECT_EQ(p.text(), "a mixture of 3 normal");
}

TEST(Mixture, OfTransformedAndOfStudentsConforms) {
  std::vector<Prediction> logs, students;
  for (const Prediction& p : normals()) {
    logs.push_back(internal::untransformed(p.scaled(0.4), Transform("log")));
    students.push_back(StudentT{p.mean, p.sd, 7});
  }
  expect_none(conformance::predictive(mixture_of(logs, weights), 1e-4));
  expect_none(conformance::predictive(mixture_of(students, weights), 1e-5));
}

TEST(Mixture, OfEqualPartsIsThePart) {
  const Prediction one = normals()[0], p = mixture_of({one, one, one}, weights);
  const Vector y = Eigen::Vector3d(0.1, 0.7, -2);
  EXPECT_TRUE(near(p.sd, one.sd, 1e-14));
  EXPECT_TRUE(near(p.log_density(y), one.log_density(y), 1e-13));
  EXPECT_TRUE(near(p.crps(y), one.crps(y), 1e-13));
  for (const double share : {1e-6, 0.3, 0.999})
    EXPECT_TRUE(near(p.quantile(share), one.quantile(share), 1e-12));
  EXPECT_EQ(mixture_of({one}, Vector::Ones(1)).text(), "normal");
}

TEST(Mixture, CertainPartsHaveQuantiles) {
  const Prediction p = mixture_of(
      {StudentT{Vector::Constant(1, 1), Vector::Zero(1)}, StudentT{Vector::Constant(1, 2), Vector::Zero(1)}},
      Eigen::Vector2d(0.25, 0.75));
  EXPECT_NEAR(p.quantile(0.2)[0], 1, 1e-12);
  EXPECT_NEAR(p.quantile(0.3)[0], 2, 1e-12);
  EXPECT_NEAR(p.crps(Vector::Constant(1, 1))[0], 0.75 * 0.75, 1e-12);
}

TEST(Mixture, RefusesWhatIsNone) {
  const std::vector<Prediction> parts = normals();
  EXPECT_NE(error_of([&] { mixture_of({}, Vector()); }, Problem::usage).find("1 or more"), std::string::npos);
  EXPECT_NE(error_of([&] { mixture_of(parts, Eigen::Vector2d(0.5, 0.5)); }, Problem::usage)
                .find("2 weights for 3 parts"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { mixture_of(parts, Eigen::Vector3d(0.5, 0.5, 0.5)); }, Problem::usage).find("sum of 1.5"),
      std::string::npos);
  EXPECT_THROW((void)mixture_of({parts[0], parts[0].picked({0})}, Eigen::Vector2d(0.5, 0.5)), Error);
  const Prediction a = mixture_of(parts, weights), b = mixture_of(parts, weights.reverse());
  EXPECT_NE(error_of([&] { (void)a.joined(b); }, Problem::usage).find("different weights"),
            std::string::npos);
}

/// -int p log p by the trapezoid rule.
double entropy_of(const Vector& w, const Vector& m, const Vector& s) {
  const double low = (m - 12 * s).minCoeff(), high = (m + 12 * s).maxCoeff(), step = 1e-4;
  double sum = 0;
  for (double y = low; y < high; y += step) {
    double p = 0;
    for (Index i = 0; i < w.size(); ++i) {
      const double z = (y - m[i]) / s[i];
      p += w[i] * std::exp(-0.5 * z * z) / (s[i] * std::sqrt(2 * std::numbers::pi));
    }
    if (p > 0) sum -= p * std::log(p) * step;
  }
  return sum;
}

TEST(NormalMixture, EntropyAndInformation) {
  const Vector w = weights;
  Random rng(4);
  for (int k = 0; k < 6; ++k) {
    const Vector m = 2.0 * rng.normal(3, 1), s = (0.4 * rng.normal(3, 1)).array().exp();
    const NormalMixture p{w, m, s};
    const double own =
        w.dot(s.array().log().matrix()) + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);
    const double want = entropy_of(w, m, s);
    EXPECT_NEAR(p.entropy(), want, 2e-3 * (1 + std::abs(want)));
    EXPECT_NEAR(p.information(), want - own, 2e-3 * (1 + std::abs(want)));
  }
}

TEST(NormalMixture, InformationLiesBetweenNothingAndTheEntropyOfTheParts) {
  const Vector w = weights, same = Vector::Constant(3, 0.7), one = Vector::Ones(3);
  EXPECT_NEAR((NormalMixture{w, same, one}.information()), 0, 1e-14);
  const Vector apart = Eigen::Vector3d(0, 1e3, 2e3);
  const double entropy = -(w.array() * w.array().log()).sum();
  EXPECT_NEAR((NormalMixture{w, apart, one}.information()), entropy, 1e-12);
  const Vector none = Vector::Zero(3);
  EXPECT_EQ((NormalMixture{w, apart, none}.information()), 0) << "points have no density";
}

}  // namespace
}  // namespace covary::test::mixture_test
