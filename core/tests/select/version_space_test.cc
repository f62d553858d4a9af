// The version space decides exactly what follows from labels, and names labels that cannot hold together.
#include "covary/select/version_space.h"

#include <cmath>

#include "support.h"

namespace covary::test::version_space_test {
namespace {

/// Points around the origin, labelled by a separator through it.
struct Scene {
  Matrix x;
  Vector w;
  Scene(std::uint64_t seed, Index n, Index d) {
    Random rng(seed);
    x = rng.normal(n, d), w = rng.normal(d, 1);
  }
  int label(Index i) const { return x.row(i).dot(w) > 0 ? 1 : -1; }
  VersionSpace told(Index labels) const {
    VersionSpace v(x.cols());
    for (Index i = 0; i < labels; ++i) v.tell(x.row(i).transpose(), label(i));
    return v;
  }
};

TEST(VersionSpace, TheMiddleAgreesWithAllLabels) {
  for (const Index d : {1, 2, 3, 6, 12}) {
    const Scene s(std::uint64_t(d), 60, d);
    const VersionSpace v = s.told(60);
    EXPECT_NEAR(v.middle().norm(), 1, 1e-12);
    double least = 1;
    for (Index i = 0; i < 60; ++i)
      least = std::min(least, s.label(i) * s.x.row(i).dot(v.middle()) / s.x.row(i).norm());
    EXPECT_NEAR(least, v.margin(), 1e-12);
    EXPECT_GT(least, 0);
  }
}

// No direction near the middle has a larger least sine.
TEST(VersionSpace, TheMiddleIsTheWidest) {
  const Scene s(3, 40, 4);
  const VersionSpace v = s.told(40);
  Random rng(9);
  for (int t = 0; t < 2000; ++t) {
    const Vector w = (v.middle() + 0.02 * rng.normal(4, 1)).normalized();
    double least = 1;
    for (Index i = 0; i < 40; ++i)
      least = std::min(least, s.label(i) * s.x.row(i).dot(w) / s.x.row(i).norm());
    EXPECT_LE(least, v.margin() + 1e-12);
  }
}

// What is inferred holds; what is open can have either label: told, neither empties the version space.
TEST(VersionSpace, InfersWhatFollowsAndNoMore) {
  for (const Index d : {2, 3, 5})
    for (const Index labels : {1, 4, 15, 60}) {
      const Scene s(std::uint64_t(10 * d + labels), 400, d);
      VersionSpace v = s.told(labels);
      const Eigen::VectorXi agreed = v.agreed(s.x);
      for (Index i = 0; i < 400; ++i) {
        if (agreed[i] != 0) {
          EXPECT_EQ(agreed[i], s.label(i));
          VersionSpace other = v;
          EXPECT_THROW(other.tell(s.x.row(i).transpose(), -agreed[i]), EmptyVersionSpace);
          EXPECT_EQ(other.labels(), labels);
        } else {
          for (const int label : {1, -1}) {
            VersionSpace with = v;
            with.tell(s.x.row(i).transpose(), label);
            EXPECT_GT(with.margin(), 0);
          }
        }
      }
    }
}

TEST(VersionSpace, CertificatesDoNotChangeAnswers) {
  const Scene s(5, 600, 4);
  VersionSpace v = s.told(30);
  const Eigen::VectorXi all = v.agreed(s.x);
  for (Index i = 599; i >= 0; --i) EXPECT_EQ(s.told(30).agreed(s.x.row(i))[0], all[i]) << i;
  EXPECT_LT(v.solved(), 400);
}

TEST(VersionSpace, EveryContradictionIsNamed) {
  for (int scene = 0; scene < 50; ++scene) {
    Random rng(std::uint64_t(scene) + 77);
    const Index d = 2 + scene % 4;
    const Matrix x = rng.normal(200, d);
    VersionSpace v(d);
    std::vector<int> labels;
    try {
      for (Index i = 0; i < 200; ++i) {
        labels.push_back(rng.uniform() < 0.5 ? 1 : -1);
        v.tell(x.row(i).transpose(), labels.back());
      }
      FAIL() << "labels by chance were separated";
    } catch (const EmptyVersionSpace& e) {
      EXPECT_LE(std::ssize(e.labels()), d + 1);
      VersionSpace few(d);
      EXPECT_THROW(
          {
            for (const Index i : e.labels()) few.tell(x.row(i).transpose(), labels[static_cast<size_t>(i)]);
          },
          EmptyVersionSpace);
      EXPECT_EQ(v.labels() + 1, std::ssize(labels));  // nothing has changed
      EXPECT_GT(v.margin(), 0);
    }
  }
}

TEST(VersionSpace, HalvesAThresholdDownToRounding) {
  VersionSpace v(2);
  const auto at = [](double t) { return Vector((Vector(2) << t - 0.3, 1).finished()); };
  double low = 0, high = 1;
  v.tell(at(low), -1), v.tell(at(high), 1);
  for (int step = 0; step < 24; ++step) {
    const double middle = (low + high) / 2;
    Matrix x(3, 2);
    x << at(low - 1e-9).transpose(), at(middle).transpose(), at(high + 1e-9).transpose();
    const Eigen::VectorXi agreed = v.agreed(x);
    EXPECT_EQ(agreed, (Eigen::VectorXi(3) << -1, 0, 1).finished()) << step;
    const bool above = middle > 0.3;
    v.tell(at(middle), above ? 1 : -1);
    (above ? high : low) = middle;
  }
}

TEST(VersionSpace, NonNegativeLeastSquaresMeetsItsConditions) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Matrix a = random_points(seed, 6, 15);
    const Vector b = random_points(seed + 100, 6, 1);
    const internal::NonNegative found = internal::non_negative_least_squares(a, b);
    EXPECT_LE((a.transpose() * found.residual).maxCoeff(), 1e-9);
    if (found.support.empty()) continue;
    const Matrix own = a(Eigen::all, found.support);
    const Vector x = qr_solved(own, b - found.residual);
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_TRUE(near(own * x, b - found.residual, 1e-9));
    EXPECT_LE((own.transpose() * found.residual).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(VersionSpace, MistakesAreNamed) {
  VersionSpace v(3);
  EXPECT_NE(
      error_of([&] { v.tell(Vector::Ones(2), 1); }, Problem::usage).find("expected 3 features, found 2"),
      std::string::npos);
  EXPECT_NE(error_of([&] { v.tell(Vector::Ones(3), 0); }, Problem::usage).find("1 or -1, found 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] { v.tell(Vector::Zero(3), 1); }, Problem::data).find("origin"), std::string::npos);
  EXPECT_NE(error_of([&] { v.agreed(Matrix::Ones(4, 2)); }, Problem::usage).find("found 2"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::version_space_test
