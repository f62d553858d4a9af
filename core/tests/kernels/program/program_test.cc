// Kernels as programs: the interpreter that a device runs gives the kernel's own covariances and slopes.
#include <gtest/gtest.h>

#include "algebra/remote/kernel_program.h"
#include "covary/kernels/common_offset.h"
#include "covary/kernels/expression.h"
#include "covary/kernels/function.h"
#include "covary/kernels/held.h"
#include "covary/kernels/on_device.h"
#include "covary/kernels/stationary.h"
#include "support.h"

namespace covary::test::program_test {
namespace {

using namespace internal;

PointView row(const ProgramOnPoints& p, Index i) { return {p.points.data() + i, p.points.rows()}; }

Matrix interpreted(const ProgramOnPoints& a, const ProgramOnPoints& b) {
  Matrix out(a.points.rows(), b.points.rows());
  double v[KernelProgram::most_steps];
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = program::value(*a.program, row(a, i), row(b, j), v);
  return out;
}

Vector contracted(const ProgramOnPoints& a, const ProgramOnPoints& b, const Matrix& w) {
  Vector out = Vector::Zero(a.program->slots);
  double v[KernelProgram::most_steps], u[KernelProgram::most_steps];
  for (Index j = 0; j < w.cols(); ++j)
    for (Index i = 0; i < w.rows(); ++i) {
      (void)program::value(*a.program, row(a, i), row(b, j), v);
      program::slopes(*a.program, row(a, i), row(b, j), v, u, w(i, j),
                      [&](int slot, double s) { out[slot] += s; });
    }
  return out;
}

void expect_agreement(const Kernel<Row>& k, Index d) {
  const Matrix x = random_points(3, 9, d), z = random_points(4, 7, d), w = random_points(5, 9, 7);
  const auto px = program_on_points(k, x), pz = program_on_points(k, z);
  ASSERT_TRUE(px && pz) << k.text();
  EXPECT_TRUE(near(interpreted(*px, *pz), k.cross(x, z), 1e-13)) << k.text();
  EXPECT_TRUE(near(contracted(*px, *pz, w), k.pullback(x, z, w), 1e-11)) << k.text();
  const Vector diagonal = interpreted(*px, *px).diagonal();
  EXPECT_TRUE(near(diagonal, k.diag(x), 1e-13)) << k.text();
}

TEST(KernelProgram, AgreesWithEveryKernelItTakes) {
  for (const char* text :
       {"se(lengthscale=0.7)", "matern12(lengthscale=[0.4, 1, 2])", "matern32(lengthscale=1.3)",
        "matern52(lengthscale=[0.5, fixed(2), 0.9])", "rational_quadratic(lengthscale=[1, 2, 3], alpha=0.8)",
        "wendland(lengthscale=3, smoothness=1)", "wendland(lengthscale=[3, 4, 5], smoothness=2)",
        "periodic(period=1.7, lengthscale=[1, 2, 3])", "linear(lengthscale=[1, 2, 3])",
        "linear(lengthscale=2)", "polynomial(degree=3, offset=0.5)", "on(2, cosine(period=0.9))",
        "on(1, circular(period=2.5, lengthscale=0.4))", "2.5 * se(lengthscale=1)",
        "constant(variance=fixed(2)) * se(lengthscale=fixed(0.3)) + 0.1"})
    expect_agreement(parse<Row>(text), 3);
}

TEST(KernelProgram, AgreesWithRandomExpressions) {
  Random rng(7);
  int compared = 0;
  for (int i = 0; i < 80; ++i) {
    const Kernel<Row> k = parse<Row>(random_expression(rng, 4, 1 + i % 3));
    if (!program_on_points(k, random_points(1, 3, 4))) continue;  // too long, or of a kernel without one
    expect_agreement(k, 4);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(KernelProgram, SeesColumnsThatAreHeldAndFeaturesThatAreLeft) {
  const Kernel<Row> k = parse<Row>("1.5 * se(lengthscale=[1, 2, 3]) + linear(lengthscale=2) + 3");
  expect_agreement(holding({{1, 0.25}}, k), 3);
  const Matrix x = random_points(6, 20, 3);
  const CommonOffset<Row> parted = shared_part(k, Rows(x));
  ASSERT_TRUE(bool(parted.along));
  const auto p = program_on_points(parted.rest, x);
  ASSERT_TRUE(p);
  EXPECT_GT(p->points.cols(), 3);
  EXPECT_TRUE(near(interpreted(*p, *p), parted.rest.cross(x, x), 1e-12));
}

/// A kernel whose node() does not say all of it.
struct Understated {
  double factor = 2;
  Matrix cross(Rows a, Rows b) const { return factor * se(1.0).cross(a, b); }
  Vector diag(Rows a) const { return Vector::Constant(a.rows(), factor); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return factor * se(1.0).pullback(a, b, w); }
  Vector theta() const { return Vector::Zero(1); }
  Understated with(const Vector&) const { return *this; }
  Expression node() const { return se(1.0).node(); }
};

TEST(KernelProgram, IsNoneForWhatADeviceCannotCompute) {
  const Matrix x = random_points(8, 10, 2);
  const auto none = [&](const Kernel<Row>& k) { return program_on_points(k, x) == nullptr; };
  EXPECT_TRUE(none(parse<Row>("se()")));  // its length-scale is not given
  EXPECT_TRUE(none(parse<Row>("sphere_matern32(lengthscale=1000)")));
  EXPECT_TRUE(none(Understated{}));
  const BlockFunction own{"own", {}, [](const Rows& a, const Rows& b, const Vector&) -> Matrix {
                            return Matrix::Constant(a.rows(), b.rows(), 1);
                          }};
  EXPECT_TRUE(none(kernel_of(std::make_shared<const BlockFunction>(own), Vector(0))));
  std::string many = "se(lengthscale=1)";
  for (int i = 0; i < 20; ++i) many += " + se(lengthscale=1)";
  EXPECT_TRUE(none(parse<Row>(many)));  // 41 steps
  EXPECT_FALSE(none(parse<Row>("se(lengthscale=1)")));
}

}  // namespace
}  // namespace covary::test::program_test
