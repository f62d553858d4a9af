// What every kernel over any index type must do. A kernel's test gives points and calls expect_conforms.
#pragma once
#include <cmath>
#include <thread>

#include "support.h"

namespace covary::test {

/// k(a, b) = k(b, a)', within the rounding of the largest variance.
template <class X>
void expect_symmetric(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  EXPECT_TRUE(near(k.cross(a, b), k.cross(b, a).transpose(), 1e-15));
  const Matrix own = k.cross(a, a);
  EXPECT_TRUE(near(own, own.transpose(), 1e-15));
}

/// Smallest eigenvalue >= -1e-10 of the largest.
template <class X>
void expect_positive(const Kernel<X>& k, Batch<X> a) {
  const Vector values = eigenvalues_of(k.cross(a, a));
  EXPECT_GE(values.minCoeff(), -1e-10 * values.maxCoeff());
}

template <class X>
void expect_diagonal(const Kernel<X>& k, Batch<X> a) {
  const Vector d = k.diag(a);
  const Vector c = k.cross(a, a).diagonal();
  for (Index i = 0; i < d.size(); ++i) EXPECT_NEAR(d[i], c[i], 1e-14 * d[i]);
}

/// 1e-6 of each entry, with a floor of 1e-10 of sum |w_ij K_ij|: what is left when large terms cancel.
template <class X>
void expect_pullback(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(7).normal(count(a), count(b));
  const Vector g = k.pullback(a, b, w), t = k.theta();
  ASSERT_EQ(g.size(), t.size());
  const Vector d =
      differences([&](const Vector& s) { return w.cwiseProduct(k.with(s).cross(a, b)).sum(); }, t);
  const double floor = 1e-10 * w.cwiseProduct(k.cross(a, b)).cwiseAbs().sum();
  for (Index i = 0; i < t.size(); ++i)
    EXPECT_NEAR(g[i], d[i], 1e-6 * std::abs(g[i]) + floor) << "entry " << i;
}

/// The same in the inputs, for points that have coordinates.
template <class X>
void expect_pullback_inputs(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  if constexpr (std::same_as<X, Row>) {
    const Matrix w = Random(11).normal(count(a), count(b)), g = k.pullback_inputs(a, b, w);
    ASSERT_EQ(g.rows(), a.rows());
    ASSERT_EQ(g.cols(), a.cols());
    const double floor = 1e-8 * w.cwiseProduct(k.cross(a, b)).cwiseAbs().rowwise().sum().maxCoeff();
    for (Index c = 0; c < a.cols(); ++c)
      for (Index i = 0; i < a.rows(); i += 5) {
        const auto moved = [&](const Vector& t) {
          Matrix p = a.row(i);
          p(0, c) += t[0];
          return w.row(i).dot(k.cross(p, b).row(0));
        };
        const double d = differences(moved, Vector::Zero(1))[0];
        EXPECT_NEAR(g(i, c), d, 1e-6 * std::abs(d) + floor) << "point " << i << ", column " << c;
      }
  }
}

/// The bits of an entry do not depend on the columns it is asked for with, and hardly on the rows: inner
/// loops take the last rows of a block one by one.
template <class X>
void expect_tiles(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix all = k.cross(a, b);
  const Vector diagonal = k.diag(a);
  for (const Index step : {1, 3, 17}) {
    for (Index j = 0; j < count(b); j += step) {
      const Range c{j, std::min(step, count(b) - j)};
      ASSERT_TRUE(same_bits(k.cross(a, slice(b, c)), all.middleCols(c.first, c.count)))
          << "columns by " << step;
    }
    for (Index i = 0; i < count(a); i += step) {
      const Range r{i, std::min(step, count(a) - i)};
      ASSERT_TRUE(near(k.cross(slice(a, r), b), all.middleRows(r.first, r.count), 1e-15))
          << "rows by " << step;
    }
    ASSERT_TRUE(same_bits(k.diag(slice(a, {step, step})), diagonal.segment(step, step)));
  }
}

/// pullback is linear in w and adds up over tiles.
template <class X>
void expect_pullback_adds(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(8).normal(count(a), count(b));
  const Index half = count(a) / 2, rest = count(a) - half;
  const Vector parts = k.pullback(slice(a, {0, half}), b, w.topRows(half)) +
                       k.pullback(slice(a, {half, rest}), b, w.bottomRows(rest));
  const Vector all = k.pullback(a, b, w);
  const double size = w.cwiseProduct(k.cross(a, b)).cwiseAbs().sum();
  for (Index i = 0; i < all.size(); ++i) EXPECT_NEAR(parts[i], all[i], 1e-13 * (size + std::abs(all[i])));
}

template <class X>
void expect_with_is_identity(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Kernel<X> same = k.with(k.theta());
  EXPECT_TRUE(near(same.theta(), k.theta(), 1e-14));
  EXPECT_TRUE(near(same.cross(a, b), k.cross(a, b), 1e-13));
  const Vector moved = k.theta().array() + 0.25;
  EXPECT_TRUE(near(k.with(moved).theta(), moved, 1e-14));
}

/// One parameter that is not fixed for each entry of theta, in order, with the value theta says.
template <class X>
void expect_parameters_match(const Kernel<X>& k) {
  const Vector t = k.theta();
  Index i = 0;
  for (const Parameter& p : k.parameters()) {
    EXPECT_FALSE(p.path.empty());
    if (p.fixed) continue;
    ASSERT_LT(i, t.size()) << p.path;
    if (p.role != Role::other) {
      EXPECT_NEAR(p.value, std::exp(t[i]), 1e-14 * p.value) << p.path;
    }
    ++i;
  }
  EXPECT_EQ(i, t.size());
}

template <class X>
void expect_start(const Kernel<X>& k, Batch<X> a) {
  const Kernel<X> s = k.sized(a);
  const Vector t = s.start(a, 2.5);
  ASSERT_EQ(t.size(), s.theta().size());
  EXPECT_TRUE(t.allFinite());
  EXPECT_TRUE(s.with(t).cross(a, a).allFinite());
  const Kernel<X> loud = k.amplified().sized(a);
  EXPECT_EQ(loud.start(a, 2.5).size(), loud.theta().size());
  EXPECT_TRUE(loud.start(a, 2.5).allFinite());
}

/// The mean of phi phi' over seeds is K within six standard errors.
template <class X>
void expect_features(const Kernel<X>& k, Batch<X> a) {
  constexpr int seeds = 40;
  const Matrix exact = k.cross(a, a);
  Matrix sum = Matrix::Zero(exact.rows(), exact.cols()), squares = sum;
  for (int s = 0; s < seeds; ++s) {
    Random rng(1000 + static_cast<std::uint64_t>(s));
    const FeatureMap<X> f = k.features(rng, 300);
    if (!f) return;
    const Matrix phi = f(a);
    ASSERT_EQ(phi.cols(), f.columns);
    const Matrix one = phi * phi.transpose();
    sum += one;
    squares += one.cwiseAbs2();
  }
  const Matrix mean = sum / seeds;
  const Matrix error = ((squares / seeds - mean.cwiseAbs2()).cwiseMax(0.0) / (seeds - 1)).cwiseSqrt();
  for (Index j = 0; j < mean.cols(); ++j)
    for (Index i = 0; i <= j; ++i)
      EXPECT_NEAR(mean(i, j), exact(i, j), 6 * error(i, j) + 1e-9 * exact.cwiseAbs().maxCoeff())
          << i << ", " << j;
}

template <class X>
void expect_thread_safe(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  const Matrix w = Random(9).normal(count(a), count(b));
  const Matrix alone = k.cross(a, b);
  const Vector gradient = k.pullback(a, b, w);
  std::vector<Matrix> crosses(4);
  std::vector<Vector> gradients(4);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t)
      threads.emplace_back(
          [&, t] { crosses[t] = k.cross(a, b), gradients[t] = k.with(k.theta()).pullback(a, b, w); });
  }
  for (size_t t = 0; t < 4; ++t) {
    EXPECT_TRUE(same_bits(crosses[t], alone));
    EXPECT_TRUE(near(gradients[t], gradient, 1e-12));
    EXPECT_TRUE(same_bits(gradients[t], gradients[0]));
  }
}

template <class X>
void expect_conforms(const Kernel<X>& k, Batch<X> a, Batch<X> b) {
  SCOPED_TRACE(k.text());
  expect_symmetric<X>(k, a, b);
  expect_positive<X>(k, a);
  expect_diagonal<X>(k, a);
  expect_pullback<X>(k, a, b);
  expect_pullback_inputs<X>(k, a, b);
  expect_tiles<X>(k, a, b);
  expect_pullback_adds<X>(k, a, b);
  expect_with_is_identity<X>(k, a, b);
  expect_parameters_match<X>(k);
  expect_start<X>(k, a);
  expect_features<X>(k, slice(a, {0, 6}));
  expect_thread_safe<X>(k, a, b);
}

}  // namespace covary::test
