// What the arithmetic runs on, what it refuses, and that threads do not change its bits.
#include "covary/base/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "algebra/blas.h"
#include "base/simd/simd.h"
#include "covary/base/parallel.h"
#include "covary/learn/fit.h"
#include "support.h"

namespace covary::test::machine_test {
namespace {

TEST(Machine, SaysWhatItIs) {
  const internal::Machine& m = internal::machine();
  EXPECT_FALSE(m.blas.empty());
  EXPECT_FALSE(m.loops.empty());
  EXPECT_GE(m.threads, 1);
  EXPECT_NE(m.text().find(m.blas), std::string::npos);
  EXPECT_NE(m.text().find(m.loops + " loops"), std::string::npos);
  EXPECT_EQ(&internal::machine(), &m);
}

TEST(Machine, TextHasOneThreadOrMany) {
  EXPECT_EQ((internal::Machine{"OpenBLAS 0.3.21", "SkylakeX", "Prescott", "avx512", 2}).text(),
            "OpenBLAS 0.3.21 (SkylakeX kernels; Prescott overridden), 2 threads, avx512 loops");
  EXPECT_EQ((internal::Machine{"Eigen", "", "", "baseline", 1}).text(), "Eigen, 1 thread, baseline loops");
}

/// On a processor with AVX2 no OpenBLAS is left on kernels that are older, unless the user chose them.
TEST(Machine, OldKernelsArePutRight) {
  const internal::Machine& m = internal::machine();
  if (!m.blas.starts_with("OpenBLAS")) GTEST_SKIP() << "not OpenBLAS";
  if (m.repaired.empty() && std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    for (const char* old : {"Prescott", "Core2", "Nehalem", "Sandybridge", "Atom"}) EXPECT_NE(m.core, old);
  }
#endif
  EXPECT_NE(m.core, m.repaired);
}

TEST(Machine, MemoryIsRefusedWithTheFigure) {
  EXPECT_NO_THROW(internal::check_memory(1e3, "this"));
  const std::string said =
      error_of([] { internal::check_memory(1e18, "a covariance matrix"); }, Problem::limit);
  EXPECT_NE(said.find("a covariance matrix needs 9.31e+08 GiB"), std::string::npos) << said;
}

/// Right after the repair and for every size around its blocks: L L' = A.
TEST(Blas, ResidualsOfEverySize) {
  for (const Index n : {1, 2, 5, 31, 64, 100, 129, 255, 513}) {
    const Matrix b = random_points(101, n, n);
    Matrix a = b * b.transpose();
    a.diagonal().array() += double(n);
    for (const int threads : {1, 2}) {
      Matrix l = a;
      ASSERT_EQ(blas::cholesky(l, threads), 0);
      const Matrix lower = l.triangularView<Eigen::Lower>();
      EXPECT_TRUE(near(lower * lower.transpose(), a, 1e-14)) << n;
      Matrix x = b;
      blas::solve_lower(l, x, threads);
      EXPECT_TRUE(near(lower * x, b, 1e-12)) << n;
      blas::inverse_from_cholesky(l, threads);
      const Matrix inverse = l.selfadjointView<Eigen::Lower>();
      EXPECT_TRUE(near(a * inverse, Matrix::Identity(n, n), 1e-12)) << n;
      Matrix c = Matrix::Zero(n, n);
      blas::rank_update(2, b, 0, c, threads);
      EXPECT_TRUE(near(c.triangularView<Eigen::Lower>(),
                       Matrix(2 * b * b.transpose()).triangularView<Eigen::Lower>(), 1e-13));
    }
  }
}

TEST(Blas, TheFirstBadPivotIsTold) {
  Matrix a = Matrix::Identity(6, 6);
  a(3, 3) = -1;
  EXPECT_EQ(blas::cholesky(a, 1), 4);
}

/// exp of every size of argument against the library's.
TEST(Loops, Exp) {
  std::vector<double> x;
  for (double v = -745; v < 709; v += 0.37) x.push_back(v);
  for (const double v : {0.0, -0.0, 1e-300, -1e-20, 709.7, -700.0}) x.push_back(v);
  std::vector<double> e = x;
  simd::loops().exp(e.data(), std::ssize(e));
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(x[i]);
    if (x[i] < -708)
      EXPECT_EQ(e[i], 0) << x[i];
    else
      EXPECT_NEAR(e[i], exact, 3.5e-16 * exact) << x[i];
  }
  double special[] = {-INFINITY, INFINITY, -1e308, 1e308};
  simd::loops().exp(special, 4);
  EXPECT_EQ(special[0], 0);
  EXPECT_EQ(special[1], INFINITY);
  EXPECT_EQ(special[2], 0);
  EXPECT_EQ(special[3], INFINITY);
}

TEST(Loops, DotsOfEveryLength) {
  const Vector a = random_points(102, 300, 1), b = random_points(103, 300, 1);
  for (Index n = 0; n <= 300; ++n) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(simd::loops().dot(a.data(), b.data(), n), sum, 1e-13 * double(n + 1)) << n;
  }
}

TEST(Parallel, EachTaskOnceAndExceptionsComeBack) {
  for (const int threads : {1, 2, 16}) {
    std::vector<std::atomic<int>> done(100);
    internal::parallel_for(100, threads, [&](Index i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& d : done) EXPECT_EQ(d, 1);
    EXPECT_THROW(internal::parallel_for(50, threads,
                                        [](Index i) {
                                          if (i == 7) throw Error(Problem::failed, "seven");
                                        }),
                 Error);
  }
  internal::parallel_for(0, 4, [](Index) { FAIL(); });
}

/// Predictions on many threads while another fits and conditions with threaded BLAS: nothing waits for ever,
/// and not one bit of a prediction changes.
TEST(Threads, PredictWhileAnotherFits) {
  const Matrix x = random_points(104, 150, 2), at = random_points(105, 300, 2);
  const Vector y = random_targets(106, x);
  const Process<Row> p =
      Process<Row>(parse<Row>("1.5 * matern32([1, 2])"), constant_mean<Row>(), Noise::of(0.1))
          .condition(x, y);
  const Marginals alone = p.predict(at, Of::f, 1);
  std::atomic<int> wrong{0}, done{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 4; ++i, ++done) {
          const Marginals m = p.predict(at, Of::f, 1 + t % 2);
          wrong += !(m.mean == alone.mean && m.variance == alone.variance);
        }
      });
    threads.emplace_back([&] {
      FitOptions options;
      options.starts = 2;
      (void)fit<Row>({parse<Row>("matern32()")}, x.topRows(60), y.head(60), options);
      (void)p.condition(at, alone.mean, 2);
    });
  }
  EXPECT_EQ(done, 16);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace covary::test::machine_test
