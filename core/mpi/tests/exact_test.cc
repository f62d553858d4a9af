// Exact processes in tiles on a grid of ranks: the numbers of one process.
#include <covary/learn/fit.h>
#include <gtest/gtest.h>

#include "covary/base/ranks.h"
#include "covary/inference/registry.h"
#include "grid.h"
#include "place.h"
#include "support.h"

namespace covary::test::cluster_exact_test {
namespace {

using namespace internal;

World& world() { return dynamic_cast<World&>(*ranks()); }

/// In tiles whatever the number of rows, also on one rank.
std::shared_ptr<const Place> grid() { return cluster_place_of(world(), 1); }

struct Problem {
  explicit Problem(Index n) : x(with_repeats(random_points(1, n, 3), 20)), y(random_targets(2, x)) {}
  Matrix x;
  Vector y;
  Kernel<Row> kernel = parse<Row>("1.3 * matern52(lengthscale=[1, 2, 0.7]) + linear(lengthscale=2)");
  Mean<Row> mean = parse_mean("linear");
};

/// A kernel of the user's own.
struct Own {
  Kernel<Row> inner;
  Matrix cross(Rows a, Rows b) const { return inner.cross(a, b); }
  Vector diag(Rows a) const { return inner.diag(a); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return inner.pullback(a, b, w); }
  Vector theta() const { return inner.theta(); }
  Own with(const Vector& t) const { return {inner.with(t)}; }
  std::string text() const { return "own"; }
};

/// Rows that fill tiles, and that do not.
class OnGrid : public ::testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Rows, OnGrid, ::testing::Values(512, 513, 700, 1151));

void expect_same_evidence(Index n, const Kernel<Row>& kernel, ObjectiveKind kind) {
  const Problem p(n);
  const Vector theta = concat(kernel.theta(), Vector::Constant(1, std::log(0.2)));
  Evidence<Row> here(kernel, p.mean, Noise::learn(), Rows(p.x), p.y, kind);
  Evidence<Row> there(kernel, p.mean, Noise::learn(), Rows(p.x), p.y, kind, grid());
  const Evaluation a = here.at(theta, true, 1), b = there.at(theta, true, 1);
  EXPECT_NEAR(a.value, b.value, 1e-10 * std::abs(a.value));
  EXPECT_TRUE(near(a.gradient, b.gradient, 1e-10));
  EXPECT_EQ(there.at(theta, false, 1).value, b.value);
  const Evaluation two = there.at(theta, true, 2);
  EXPECT_NEAR(two.value, b.value, 1e-10 * std::abs(b.value));
  EXPECT_TRUE(near(two.gradient, b.gradient, 1e-10));
}

TEST_P(OnGrid, HasTheEvidenceOfOneProcess) {
  expect_same_evidence(GetParam(), Problem(30).kernel, ObjectiveKind::evidence);
}
TEST_P(OnGrid, HasTheLeaveOneOutScoreOfOneProcess) {
  expect_same_evidence(GetParam(), Problem(30).kernel, ObjectiveKind::leave_one_out);
}
TEST_P(OnGrid, TakesKernelsOfTheUsersOwn) {
  expect_same_evidence(GetParam(), Own{parse<Row>("1.3 * se(lengthscale=[1, 2, 0.7])")},
                       ObjectiveKind::evidence);
}

TEST_P(OnGrid, HasThePosteriorOfOneProcess) {
  const Problem p(GetParam());
  const auto posterior = [&](const std::shared_ptr<const Place>& place) {
    return DensePosterior<Row>(p.kernel, p.mean, Rows(p.x), p.y, Vector::Constant(p.y.size(), 0.1), 1,
                               nullptr, place);
  };
  expect_same_posterior(posterior({}), posterior(grid()), random_points(9, 50, 3), 1, 1e-10);
}

TEST(OnGridToo, SolvesForAnyNumberOfColumns) {
  const Problem p(600);
  const Gram gram = gram_at<Row>({}, p.kernel, Rows(p.x));
  const Vector noise = Vector::Constant(p.x.rows(), 0.1);
  const Factor f = factorize(gram, noise);
  const auto l = grid()->matrix(p.x.rows());
  l->fill(gram, noise, 1);
  ASSERT_EQ(l->factorize(), 0);
  for (const Index m : {0, 1, 2, 3, 5, 300}) {
    const Matrix b = random_points(3, p.x.rows(), m);
    Matrix x = b, y = b;
    l->solve(x, false), l->solve(y, true);
    EXPECT_TRUE(near(x, f.half_solve(b), 1e-11)) << m;
    EXPECT_TRUE(near(y, f.half_solve_transposed(b), 1e-11)) << m;
  }
}

TEST(OnGridToo, NamesThePivotThatFailed) {
  const Problem p(600);
  Gram gram = gram_at<Row>({}, p.kernel, Rows(p.x));
  Vector noise = Vector::Constant(p.x.rows(), 0.1);
  noise[432] = -100;
  const auto k = grid()->matrix(p.x.rows());
  k->fill(gram, noise, 1);
  EXPECT_EQ(k->factorize(), 433);
}

TEST(OnGridToo, EveryRankHoldsItsShareOnly) {
  const Index n = 1280;
  const Grid g(world());
  const Layout a(g, n, n, tile_rows);
  Vector own = Vector::Constant(1, double(a.local_rows) * double(a.local_columns));
  world().sum(own);
  EXPECT_EQ(own[0], double(n) * double(n));
  const auto [rows, columns] = grid_of(world().count());
  EXPECT_EQ(rows * columns, world().count());
  EXPECT_LE(double(a.local_rows), double(n) / rows + tile_rows);
}

TEST(OnGridToo, RefusesOtherDataOnARank) {
  if (world().count() == 1) GTEST_SKIP() << "there is one rank";
  Problem p(600);
  if (world().rank() == world().count() - 1) p.x(7, 1) += 0.1;
  const auto k = grid()->matrix(p.x.rows());
  try {
    k->fill(gram_at<Row>({}, p.kernel, Rows(p.x)), Vector::Constant(p.x.rows(), 0.1), 1);
    k->factorize();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& e) {
    world().failed(e);
    EXPECT_NE(std::string(e.what()).find("are not those of rank 0"), std::string::npos) << e.what();
  }
  world().begin_again();
}

TEST(OnGridToo, RefusesMoreRanksThanTiles) {
  if (world().count() == 1) GTEST_SKIP() << "there is one rank";
  try {
    (void)grid()->matrix(100);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), covary::Problem::limit);
    EXPECT_NE(std::string(e.what()).find("100 rows are 1 x 1 tiles of 128"), std::string::npos) << e.what();
  }
}

/// A search whose starts are dealt out, and whose last steps are taken together.
TEST(OnGridToo, LearnsWhatOneProcessLearns) {
  World& all = world();
  const Matrix x = random_points(5, 1100, 2);
  const Vector y = random_targets(6, x);
  const auto learned = [&](const std::string& inference) {
    FitOptions o{.starts = 3, .inference = inference};
    return fit<Row>({.kernel = parse<Row>("matern52()")}, Rows(x), y, o);
  };
  set_ranks(nullptr);
  const auto here = learned("exact()");
  set_ranks(&all);
  const auto there = learned("exact(device=cluster)");
  EXPECT_NEAR(here.summary.log_marginal_likelihood, there.summary.log_marginal_likelihood,
              1e-5 * std::abs(here.summary.log_marginal_likelihood));
  EXPECT_EQ(here.summary.evaluations > 0, there.summary.evaluations > 0);
  const Vector same = numbers_of(world().from_first("theta", bytes_of(there.process.kernel().theta())));
  EXPECT_EQ(same, there.process.kernel().theta());
}

}  // namespace
}  // namespace covary::test::cluster_exact_test
