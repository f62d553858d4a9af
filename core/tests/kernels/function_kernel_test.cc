// Functions as kernels: everything a kernel does, and nothing but an Error from a function that is none.
#include <cmath>

#include "conformance.h"
#include "covary/kernels/columns.h"
#include "covary/kernels/function.h"
#include "covary/kernels/stationary.h"
#include "covary/model/model_file.h"

namespace covary::function_kernel_test {
namespace {

using test::error_of;
using test::random_points;

using Block = std::function<Matrix(const Rows&, const Rows&, const Vector&)>;

/// Entry by entry, so that the bits of one do not depend on its block: differences would show it.
Matrix smooth_block(const Rows& a, const Rows& b, const Vector& v) {
  Matrix k(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.rows(); ++j) {
      double s = 0;
      for (Index c = 0; c < a.cols(); ++c) s += std::pow((a(i, c) - b(j, c)) / v[1], 2);
      k(i, j) = v[0] * std::exp(-0.5 * s);
    }
  return k;
}

std::shared_ptr<const BlockFunction> smooth(const std::string& name = "smooth") {
  return std::make_shared<BlockFunction>(BlockFunction{name, {"variance", "lengthscale"}, smooth_block});
}

Kernel<Row> smooth_kernel() { return internal::kernel_of(smooth(), Vector{{1.5, 0.8}}); }

Kernel<Row> of(Block block, std::function<Vector(const Rows&, const Vector&)> diag = {}) {
  return internal::kernel_of(
      std::make_shared<BlockFunction>(BlockFunction{"f", {"l"}, std::move(block), std::move(diag)}),
      Vector{{2}});
}

TEST(FunctionKernel, IsAKernel) {
  const Matrix a = random_points(1, 40, 2), b = random_points(2, 23, 2);
  test::expect_conforms<Row>(smooth_kernel(), a, b);
  test::expect_conforms<Row>(smooth_kernel() * se(0.5) + 2.0 * fixed(smooth_kernel()), a, b);
}

TEST(FunctionKernel, DerivativesHaveTenDigits) {
  const Matrix a = random_points(1, 30, 2), b = random_points(2, 20, 2), w = random_points(3, 30, 20);
  const Vector exact = (1.5 * se(0.8)).pullback(a, b, w);
  EXPECT_TRUE(test::near(smooth_kernel().pullback(a, b, w), exact, 1e-9));
}

TEST(FunctionKernel, LearnsWhatTheKernelLearns) {
  const Matrix x = random_points(1, 60, 1);
  const Vector y = test::random_targets(2, x);
  const FitResult<Row> one =
      fit(Model<Row>{internal::kernel_of(smooth(), Vector{{1, 1}})}, x, y, {.prior = Prior::none});
  const FitResult<Row> two = fit(Model<Row>{1.0 * se(1.0)}, x, y, {.prior = Prior::none});
  EXPECT_NEAR(one.summary.log_marginal_likelihood, two.summary.log_marginal_likelihood, 1e-6);
}

TEST(FunctionKernel, IsReadBackByItsName) {
  const Kernel<Row> k = 2.0 * on({1}, smooth_kernel(), {"depth"}) + se(1.0);
  EXPECT_EQ(k.text(), "2 * on(depth, smooth(variance=1.5, lengthscale=0.8)) + se(lengthscale=1)");
  const Functions inside = internal::functions_in(k);
  ASSERT_EQ(inside.size(), 1);
  const Matrix x = random_points(1, 10, 2);
  const Kernel<Row> again = parse(k.text(), {"temp", "depth"}, inside);
  EXPECT_TRUE(test::same_bits(again.cross(x, x), k.cross(x, x)));
  EXPECT_EQ(internal::functions_in(fixed(k) * smooth_kernel()).size(), 2);
  EXPECT_EQ(error_of([&] { parse("smoth(1, 1)", {}, inside); }, Problem::usage),
            "kernel: no kernel is named 'smoth', did you mean 'smooth'?, at position 1 of 'smoth(1, 1)'");
  EXPECT_NE(error_of([&] { parse("smooth(variance=1)", {}, inside); }, Problem::usage).find("lengthscale"),
            std::string::npos);
}

TEST(FunctionKernel, FunctionsThatAreNoKernels) {
  const Matrix x = random_points(1, 5, 2);
  const auto said = [&](const Kernel<Row>& k) {
    return error_of([&] { k.cross(x, x), k.diag(x); }, Problem::data);
  };
  EXPECT_EQ(said(of([](const Rows&, const Rows&, const Vector&) -> Matrix { return Matrix::Ones(2, 3); })),
            "kernel: the function f gave 2 x 3 numbers for 5 x 5 covariances at l=2");
  EXPECT_EQ(said(of([](const Rows& a, const Rows& b, const Vector&) -> Matrix {
              Matrix k = Matrix::Ones(a.rows(), b.rows());
              k(1, 2) = NAN;
              return k;
            })),
            "kernel: the function f gave nan in row 2, column 3 of 5 x 5 covariances, expected finite "
            "numbers at l=2");
  EXPECT_NE(said(of([](const Rows& a, const Rows& b, const Vector&) -> Matrix {
              return a.col(0).replicate(1, b.rows());
            })).find("the function f is not symmetric: of one block with itself it gave"),
            std::string::npos);
  const Block ones = [](const Rows& a, const Rows& b, const Vector&) -> Matrix {
    return Matrix::Ones(a.rows(), b.rows());
  };
  EXPECT_EQ(
      said(of(ones, [](const Rows& a, const Vector&) -> Vector { return Vector::Constant(a.rows(), 3); })),
      "kernel: the function f and its diag disagree: 1 and 3 for the same point at l=2");
}

TEST(FunctionKernel, APriorThatIsNoneIsNotDrawnFrom) {
  const Matrix x = random_points(1, 6, 2);
  const Kernel<Row> indefinite = of([](const Rows& a, const Rows& b, const Vector&) -> Matrix {
    return a.col(0) * b.col(1).transpose() + a.col(1) * b.col(0).transpose();
  });
  const FittedModel prior({}, Process<Row>(indefinite, zero_mean<Row>(), Noise::of(0.1)));
  for (const auto& act :
       std::vector<std::function<void()>>{[&] { prior.joint(x); }, [&] { prior.sample(x, 1, 1); }})
    EXPECT_NE(error_of(act, Problem::numerical).find("not positive semi-definite"), std::string::npos);
  const FittedModel fine({}, Process<Row>(smooth_kernel(), zero_mean<Row>(), Noise::of(0.1)));
  EXPECT_TRUE(test::near(fine.joint(x).covariance(), (1.5 * se(0.8)).cross(x, x), 1e-14));
}

TEST(FunctionKernel, NamesAndValuesAreLookedAt) {
  const auto said = [](const std::string& name, double value) {
    return error_of([&] { internal::kernel_of(smooth(name), Vector{{1, value}}); }, Problem::usage);
  };
  EXPECT_NE(said("a b", 1).find("expected a name of letters, digits and _, found 'a b'"), std::string::npos);
  EXPECT_NE(said("se", 1).find("'se' is the name of a kernel"), std::string::npos);
  EXPECT_NE(said("f", -1).find("f: lengthscale must be a number from"), std::string::npos);
}

TEST(FunctionKernel, AModelFileCannotHoldOne) {
  const Matrix x = random_points(1, 10, 1);
  const Vector y = test::random_targets(2, x);
  Request request;
  request.kernel = smooth_kernel().text(), request.noise = "0.1", request.functions = {smooth()};
  const FitOptions options{.starts = 1};
  const FittedModel kept = fit(request, {x, y, {"x"}, "y", Noise::of(0.1)}, options);
  EXPECT_EQ(error_of([&] { model_text(kept); }, Problem::usage),
            "the kernel uses 'smooth', a function of this program: a model file cannot hold it");
  EXPECT_TRUE(test::same_bits(FittedModel(kept.record()).predict(x).mean, kept.predict(x).mean));
}

}  // namespace
}  // namespace covary::function_kernel_test
