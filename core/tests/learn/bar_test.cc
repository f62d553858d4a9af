// The bar for learning: on random small data sets the default fit is within 1e-3 nats of the best of thirty
// starts for at least 95 % of them, and never throws.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::bar_test {
namespace {

struct Set {
  Matrix x;
  Vector y;
  Model<Row> model;
};

/// Half are draws from the model, half are not; 15 to 40 rows, one to three columns.
Set random_set(std::uint64_t seed) {
  static const std::vector<std::string> kernels{"se()", "matern32()", "matern52()", "rational_quadratic()"};
  static const std::vector<std::string> truths{"2 * se(0.7)", "matern32(1.5)", "matern52(0.5)",
                                               "0.5 * se(3)"};
  Random rng(7000 + seed);
  const Index n = 15 + rng.integer(26), d = 1 + rng.integer(3);
  const Matrix x = rng.normal(n, d);
  const double noise = std::pow(10, -3 + 3 * rng.uniform());
  const Vector y = seed % 2 ? random_targets(seed, x, std::sqrt(noise))
                            : Vector(Process<Row>(parse<Row>(truths[seed / 2 % 4]), {}, Noise::of(noise))
                                         .sample(x, 1, seed, Of::y)
                                         .col(0));
  return {x, y, {parse<Row>(kernels[seed % 4]), parse_mean(seed % 3 ? "constant" : "zero")}};
}

void expect_bar(std::uint64_t all, Prior prior) {
  int good = 0;
  std::string missed;
  for (std::uint64_t seed = 0; seed < all; ++seed) {
    const Set s = random_set(seed);
    FitOptions usual, many;
    usual.prior = many.prior = prior;
    many.starts = 30, many.polish = 5;
    double reached = -INFINITY, best = 0;
    ASSERT_NO_THROW(reached = fit<Row>(s.model, s.x, s.y, usual).summary.basins[0].objective) << seed;
    ASSERT_NO_THROW(best = fit<Row>(s.model, s.x, s.y, many).summary.basins[0].objective) << seed;
    good += reached >= best - 1e-3;
    if (reached < best - 1e-3) missed += fmt::format("; set {} by {:.3g}", seed, best - reached);
  }
  EXPECT_GE(good, std::ceil(0.95 * double(all))) << "of " << all << missed;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t sets = 40;
#else
constexpr std::uint64_t sets = 200;
#endif

TEST(OptimizerBar, DefaultFit) { expect_bar(sets, Prior::weak); }
TEST(OptimizerBar, WithoutPrior) { expect_bar(sets, Prior::none); }

}  // namespace
}  // namespace covary::test::bar_test
