// Mercer's condition: kernels pass, a function that is none is told by its eigenvalue or its asymmetry.
#include "covary/kernels/mercer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "process/pretenders.h"

namespace covary::test::mercer_test {
namespace {

TEST(Mercer, EveryRegisteredKernelHolds) {
  Random rng(1);
  for (const Entry<Row>& entry : registry<Row>()) {
    const Kernel<Row> k = parsed_call(random_call(rng, entry, 3));
    const Mercer m = mercer_check<Row>(k, with_repeats(points_for(entry, 2, 40, 3), 5));
    EXPECT_TRUE(m.holds) << entry.name << ": " << m.text();
    EXPECT_EQ(m.n, 45);
    EXPECT_NE(m.text().find("positive semi-definite: eigenvalues from"), std::string::npos);
  }
}

TEST(Mercer, EigenvaluesAreThoseOfTheMatrix) {
  const Matrix x = random_points(3, 200, 2);  // more than one tile
  const Kernel<Row> k = parse<Row>("1.3 * matern32(0.8) + 0.2");
  const Mercer m = mercer_check<Row>(k, x);
  const Vector values = eigenvalues_of(k.cross(x, x));
  EXPECT_NEAR(m.largest, values[199], 1e-12 * values[199]);
  EXPECT_NEAR(m.smallest, values[0], 1e-12 * values[199]);
  EXPECT_TRUE(near(internal::kernel_matrix(gram<Row>(k, x)), k.cross(x, x), 1e-15));
}

TEST(Mercer, ASigmoidIsToldByItsEigenvalue) {
  const Matrix x = random_points(4, 40, 2);
  const Mercer m = mercer_check<Row>(Sigmoid{1.5, -1}, x);
  EXPECT_FALSE(m.holds);
  const Vector values = eigenvalues_of(Sigmoid{1.5, -1}.cross(x, x));
  EXPECT_NEAR(m.smallest, values[0], 1e-12 * values[39]);
  EXPECT_LT(m.smallest, -0.1);
  EXPECT_NE(m.text().find("not positive semi-definite: smallest eigenvalue -"), std::string::npos);
  EXPECT_NE(m.text().find("on 40 points"), std::string::npos);
}

TEST(Mercer, AsymmetryIsTold) {
  const Matrix x = random_points(5, 30, 1);
  const Mercer m = mercer_check<Row>(Lopsided{}, x);
  EXPECT_FALSE(m.holds);
  const Matrix k = Lopsided{}.cross(x, x);
  EXPECT_DOUBLE_EQ(m.asymmetry, (k - k.transpose()).cwiseAbs().maxCoeff());
  EXPECT_NE(m.text().find("not symmetric: k(x, z) and k(z, x) differ by up to"), std::string::npos);
}

TEST(Mercer, RequireAgreesWithTheCheck) {
  Random rng(6);
  for (Index rank = 1; rank <= 12; ++rank) {
    const Matrix b = rng.normal(12, rank);
    Matrix k = b * b.transpose();
    EXPECT_TRUE(mercer_check(k).holds) << rank;
    EXPECT_NO_THROW(internal::require_mercer(k, "k")) << rank;
    k.diagonal().array() -= mercer_check(k).smallest + 1e-6;
    EXPECT_FALSE(mercer_check(k).holds) << rank;
    const std::string said = error_of([&] { internal::require_mercer(k, "k"); }, Problem::numerical);
    EXPECT_NE(said.find("kernel 'k' is not positive semi-definite: smallest eigenvalue -1e-06"),
              std::string::npos)
        << said;
  }
  EXPECT_NO_THROW(internal::require_mercer(Matrix::Zero(4, 4), "nothing"));
}

TEST(Mercer, BadInputsAreNamed) {
  EXPECT_NE(error_of([] { mercer_check(Matrix(2, 3)); }, Problem::usage).find("found 2 x 3"),
            std::string::npos);
  EXPECT_NE(error_of([] { mercer_check<Row>(parse<Row>("se(1)"), Matrix(0, 2)); }, Problem::usage)
                .find("one point or more, found 0 x 0"),
            std::string::npos);
  Matrix x = random_points(7, 5, 1);
  x(3, 0) = INFINITY;  // tanh stays finite, infinity times 0 does not
  x(1, 0) = 0;
  EXPECT_NE(error_of([&] { mercer_check<Row>(Sigmoid{}, x); }, Problem::numerical)
                .find("the kernel of points 4 and 2 is"),
            std::string::npos);
  EXPECT_NE(error_of([&] { mercer_check<Row>(parse<Row>("se()"), x); }, Problem::usage).find("lengthscale"),
            std::string::npos);
  for (const Index i : {0, 2}) {  // alone on the diagonal, first and last
    Matrix k = Matrix::Identity(3, 3);
    k(i, i) = NAN;
    const std::string number = std::to_string(i + 1);
    EXPECT_NE(error_of([&] { mercer_check(k); }, Problem::numerical)
                  .find("the kernel of points " + number + " and " + number + " is nan"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace covary::test::mercer_test
