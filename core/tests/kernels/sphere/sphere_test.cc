// Kernels of the sphere and the circle: chords by their definition, near, far, at the poles and across the date line.
#include "covary/kernels/sphere/sphere.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "conformance.h"
#include "covary/kernels/stationary.h"

namespace covary::test::sphere_test {
namespace {

constexpr double pi = std::numbers::pi, radius = internal::earth_radius_km;

struct Family {
  Kernel<Row> (*sphere)(double);
  Kernel<Row> (*plane)(double);
};
const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {sphere_se, se}, {sphere_matern12, matern12}, {sphere_matern32, matern32}, {sphere_matern52, matern52}};
  return all;
}

/// n x 2: uniform in latitude and longitude.
Matrix places(std::uint64_t seed, Index n) {
  Random rng(seed);
  Matrix x(n, 2);
  for (Index i = 0; i < n; ++i) x.row(i) << 180 * rng.uniform() - 90, 720 * rng.uniform() - 360;
  return x;
}

/// n x 3, in km.
Matrix in_space(const Matrix& x) {
  Matrix out(x.rows(), 3);
  for (Index i = 0; i < x.rows(); ++i) {
    const double phi = x(i, 0) * pi / 180, lambda = x(i, 1) * pi / 180;
    out.row(i) << std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi);
  }
  return radius * out;
}

TEST(Sphere, IsTheKernelOfThePointsInSpace) {
  const Matrix a = places(1, 40), b = places(2, 30);
  for (const Family& f : families())
    for (const double l : {300.0, 4000.0})
      EXPECT_TRUE(near(f.sphere(l).cross(a, b), f.plane(l).cross(in_space(a), in_space(b)), 1e-12));
}

/// A patch of `size` km: at the equator the plane's error is of second order in size/R, elsewhere of first order.
TEST(Sphere, SmallPatchesAreThePlane) {
  for (const auto& [latitude, size] : {std::pair{0.0, 1.0}, {60.0, 1e-4}, {-45.0, 1e-4}, {0.0, 1e-6}}) {
    const double degrees = size / (radius * pi / 180);
    const Matrix plane = size * random_points(3, 20, 2);
    Matrix x(20, 2);
    x.col(0) = latitude + plane.col(1).array() / size * degrees;
    x.col(1) = 12 + plane.col(0).array() / size * degrees / std::cos(latitude * pi / 180);
    Matrix back(20, 2);  // the places as they were rounded
    back.col(1) = (x.col(0).array() - latitude) * radius * pi / 180;
    back.col(0) = (x.col(1).array() - 12) * radius * pi / 180 * std::cos(latitude * pi / 180);
    for (const Family& f : families()) {
      const Matrix k = f.sphere(size).cross(x, x), flat = f.plane(size).cross(back, back);
      EXPECT_LT(((k - flat).array() / flat.array()).abs().maxCoeff(), 1e-6) << latitude << ", " << size;
    }
  }
}

TEST(Sphere, AntipodesPolesAndRepeatsArePositiveDefinite) {
  Matrix x(12, 2);
  x << 90, 0, 90, 77, -90, 0, -90, -120, 0, 180, 0, -180, 0, 0, 30, 40, -30, -140, 30, 40, 30, 400, 0, 90;
  for (const Family& f : families())
    for (const double l : {500.0, 6000.0, 40000.0}) {
      const Matrix k = f.sphere(l).cross(x, x);
      EXPECT_GE(eigenvalues_of(k)[0], -1e-14 * double(x.rows()));
      for (const auto& [i, j] : {std::pair{0, 1}, {2, 3}, {4, 5}, {7, 9}, {7, 10}}) {
        EXPECT_EQ(k(i, j), 1) << i << ", " << j;
        EXPECT_TRUE(near(k.row(i), k.row(j), 1e-15)) << "one place";
      }
      const double across = f.plane(l).cross(Matrix::Zero(1, 1), Matrix::Constant(1, 1, 2 * radius))(0, 0);
      for (const auto& [i, j] : {std::pair{0, 2}, {4, 6}, {7, 8}}) EXPECT_NEAR(k(i, j), across, 1e-15);
      const Matrix many = places(4, 150);
      const Vector values = eigenvalues_of(f.sphere(l).cross(many, many));
      EXPECT_GE(values[0], -1e-12 * values[149]);
    }
}

TEST(Sphere, DerivativesInThePlacesAreThoseOfDifferences) {
  const Matrix a = places(5, 25), b = places(6, 20);
  for (const Family& f : families()) expect_none(conformance::pullback_inputs<Row>(f.sphere(2500), a, b));
  const Matrix pole = Eigen::RowVector2d(90, 10);
  EXPECT_TRUE(sphere_se(2500).pullback_inputs(pole, b, Matrix::Ones(1, 20)).allFinite());
}

TEST(Sphere, LengthscalesAreInKmOrDegrees) {
  const auto scale = [](const std::string& text) { return parse<Row>(text).parameters()[0].value; };
  EXPECT_EQ(scale("sphere_matern32(lengthscale=500)"), 500);
  EXPECT_EQ(scale("sphere_matern32(lengthscale=500 km)"), 500);
  EXPECT_NEAR(scale("sphere_matern32(lengthscale=10 degrees)"), 10 * pi / 180 * radius, 1e-9);
  EXPECT_EQ(parse<Row>("sphere_se(lengthscale=100..3000 km)").parameters()[0].upper, 3000);
  const auto said = [](const std::string& text) {
    return error_of([&] { parse<Row>(text); }, Problem::usage);
  };
  EXPECT_NE(said("sphere_se(lengthscale=3 days)").find("must be in km or degrees, found days"),
            std::string::npos);
  EXPECT_NE(said("sphere_se(lengthscale=1..5 degrees)").find("must be in km"), std::string::npos);
}

TEST(Sphere, LatitudesComeFirst) {
  const Matrix x = Eigen::RowVector2d(103.8, 1.3);
  const std::string said = error_of([&] { sphere_se(100).cross(x, x); }, Problem::data);
  EXPECT_NE(said.find("found 103.8; the order of the columns is [lat, lon]"), std::string::npos) << said;
}

double circle_value(double period, double l, double a, double b) {
  return circular(period, l).cross(Matrix::Constant(1, 1, a), Matrix::Constant(1, 1, b))(0, 0);
}

TEST(Circular, IsMatern52OfTheChord) {
  for (const auto& [a, b] : {std::pair{1.0, 4.5}, {23.5, 0.25}, {-6.0, 42.0}, {12.0, 0.0}}) {
    const double angle = 2 * pi * (a - b) / 24, r = 24 / (2 * pi);
    const double chord = std::hypot(r * std::cos(angle) - r, r * std::sin(angle));
    const double s = std::sqrt(5.0) * chord / 3;
    EXPECT_NEAR(circle_value(24, 3, a, b), (1 + s + s * s / 3) * std::exp(-s), 1e-14);
  }
}

TEST(Circular, RepeatsAndIsTheLineForSmallDistances) {
  EXPECT_EQ(circle_value(24, 3, 23.5, -0.5), 1);
  EXPECT_NEAR(circle_value(24, 3, 23.5, 0.5), circle_value(24, 3, 1.0, 0.0), 1e-15);
  const Matrix near_by = 1e-4 * random_points(7, 20, 1);
  EXPECT_TRUE(
      near(circular(360, 2e-4).cross(near_by, near_by), matern52(2e-4).cross(near_by, near_by), 1e-10));
}

TEST(Circular, IsPositiveDefiniteAndHasDerivatives) {
  const Matrix x = 360 * random_points(8, 80, 1), b = 360 * random_points(9, 20, 1);
  for (const double l : {5.0, 60.0, 500.0}) {
    const Vector values = eigenvalues_of(circular(360, l).cross(x, x));
    EXPECT_GE(values[0], -1e-12 * values[79]) << l;
  }
  expect_none(conformance::pullback_inputs<Row>(circular(360, 60), x, b));
}

TEST(Circular, ThePeriodIsASetting) {
  const Kernel<Row> k = parse<Row>("circular(lengthscale=2, period=24)");
  EXPECT_EQ(k.theta().size(), 1);
  EXPECT_EQ(k.text(), "circular(period=24, lengthscale=2)");
  EXPECT_EQ(parse<Row>("circular()").text(), "circular(period=360)");
}

}  // namespace
}  // namespace covary::test::sphere_test
