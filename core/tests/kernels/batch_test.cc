// Batches of any size and any number of threads give the same bits.
#include <gtest/gtest.h>

#include <thread>

#include "covary/process/process.h"
#include "support.h"

namespace covary::test::batch_test {
namespace {

/// Sizes on both sides of the padding of rows, of tiles and of blocks of predictions.
class BatchesOf : public ::testing::TestWithParam<Index> {
 protected:
  Matrix x = random_points(111, GetParam(), 2), at = random_points(112, 523, 2);
  Process<Row> process =
      Process<Row>(
          parse<Row>("1.5 * matern52([1, 2]) + 0.2 * linear(1) * se(1) + 0.1 * rational_quadratic(1, 2)"),
          parse_mean("linear"), Noise::of(0.1))
          .condition(x, random_targets(113, x));
};

TEST_P(BatchesOf, AnySizeGiveTheSameBits) {
  const Marginals all = process.predict(at, Of::f, 1);
  for (const Index size : {1, 7, 64, 255, 256, 257}) {
    for (Index i = 0; i < at.rows(); i += size) {
      const Index m = std::min(size, at.rows() - i);
      const Marginals some = process.predict(at.middleRows(i, m), Of::f, 1);
      ASSERT_TRUE(same_bits(some.mean, all.mean.segment(i, m))) << size;
      ASSERT_TRUE(same_bits(some.variance, all.variance.segment(i, m))) << size;
      ASSERT_TRUE(same_bits(process.mean(at.middleRows(i, m)), all.mean.segment(i, m))) << size;
    }
  }
}

TEST_P(BatchesOf, AnyNumberOfThreadsGiveTheSameBits) {
  const Marginals one = process.predict(at, Of::f, 1);
  for (const int threads : {0, 2, 16}) {
    const Marginals many = process.predict(at, Of::f, threads);
    EXPECT_TRUE(same_bits(many.mean, one.mean)) << threads;
    EXPECT_TRUE(same_bits(many.variance, one.variance)) << threads;
    EXPECT_TRUE(near(process.joint(at.topRows(40), Of::f, threads).covariance(),
                     process.joint(at.topRows(40), Of::f, 1).covariance(), 1e-12));
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, BatchesOf, ::testing::Values(3, 32, 33, 128, 200));

TEST(Threads, SixteenCallersOfOneProcess) {
  const Matrix x = random_points(114, 120, 2), at = random_points(115, 200, 2);
  const Process<Row> p =
      Process<Row>(parse<Row>("1.5 * matern52([1, 2])"), constant_mean<Row>(), Noise::of(0.1))
          .condition(x, random_targets(116, x));
  const Marginals alone = p.predict(at, Of::f, 1);
  const Matrix draws = p.sample(at.topRows(20), 3, 1);
  std::vector<Marginals> all(16);
  std::vector<Matrix> samples(16);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 16; ++t)
      threads.emplace_back([&, t] {
        const Process<Row> copy = p;
        all[t] = copy.predict(at, Of::f, t % 3 ? 1 : 2);
        samples[t] = copy.sample(at.topRows(20), 3, 1);
      });
  }
  for (size_t t = 0; t < 16; ++t) {
    EXPECT_TRUE(same_bits(all[t].mean, alone.mean));
    EXPECT_TRUE(same_bits(all[t].variance, alone.variance));
    EXPECT_TRUE(near(samples[t], draws, 1e-9));
  }
}

TEST(Threads, ConditioningOnManyThreadsIsTheSame) {
  const Matrix x = random_points(117, 300, 2), at = random_points(118, 20, 2);
  const Vector y = random_targets(119, x);
  const Process<Row> prior(parse<Row>("1.5 * matern52([1, 2])"), constant_mean<Row>(), Noise::of(0.1));
  const Process<Row> one = prior.condition(x, y, 1);
  for (const int threads : {2, 16}) {
    const Process<Row> many = prior.condition(x, y, threads);
    EXPECT_TRUE(near(many.mean(at), one.mean(at), 1e-12));
    EXPECT_TRUE(near(many.variance(at), one.variance(at), 1e-12));
    EXPECT_NEAR(many.log_evidence(), one.log_evidence(), 1e-11);
  }
}

}  // namespace
}  // namespace covary::test::batch_test
