// What the tests share: random data, random kernels, differences of high order, comparisons that say what
// differs.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "covary/base/random.h"
#include "covary/inference/objective.h"
#include "covary/kernels/expression.h"
#include "covary/process/dense_posterior.h"
#include "covary/process/process.h"
#include "covary/testing/differences.h"

namespace covary::test {

/// Objectives that are a function of theta.
Objectives objectives(std::function<Evaluation(const Vector&)> f);

/// n x d, standard normal.
Matrix random_points(std::uint64_t seed, Index n, Index d);

/// n: a smooth function of x with noise of standard deviation `noise`.
Vector random_targets(std::uint64_t seed, const Matrix& x, double noise = 0.3);

/// `x` with the first `repeats` rows again at its end.
Matrix with_repeats(const Matrix& x, Index repeats);

/// n x d points that the entry takes: standard normal, or what its table in support.cc names, as counts.
Matrix points_for(const Entry<Row>& entry, std::uint64_t seed, Index n, Index d);

/// Whether points_for gives any numbers, so that the kernel may be a part of a random expression.
bool takes_any_number(const Entry<Row>& entry);

/// A kernel of the registry with every argument given at random, on d columns.
std::string random_call(Random& rng, const Entry<Row>& entry, Index d);

/// The kernel of such a call; one that reads nodes is bound to a small network.
Kernel<Row> parsed_call(const std::string& text);

/// An expression of such kernels that take any number, joined by +, *, scaling, on(...) and fixed(...).
std::string random_expression(Random& rng, Index d, int depth);

/// The same seed, the same kernel: with at least one parameter to learn.
Kernel<Row> random_kernel(std::uint64_t seed, Index d);

using conformance::differences;

/// Equal in every bit (NaN equals NaN); the first entry that differs is told.
::testing::AssertionResult same_bits(const Matrix& a, const Matrix& b);

/// max |a - b| <= tolerance * max(|a|, |b|), largest entries.
::testing::AssertionResult near(const Matrix& a, const Matrix& b, double tolerance);

/// Dense algebra to compare with, by Eigen and compiled once: a decomposition in every test would take half
/// of the time of compiling them. The inverse and the determinant (LU), a^-1 b of a symmetric a (LDL'), the w
/// of least |a w - b| (QR), the eigenvalues of a symmetric a (ascending), and l of a = l l'.
Matrix inverse_of(const Matrix& a);
double determinant_of(const Matrix& a);
Matrix solved(const Matrix& a, const Matrix& b);
Matrix qr_solved(const Matrix& a, const Matrix& b);
Vector eigenvalues_of(const Matrix& a);
Matrix lower_root_of(const Matrix& a);

/// Every answer of two posteriors of the same observations at the rows of z: equal to 1e-10, what is divided by the
/// diagonal of K^-1 (leave-one-out, trend) to `divided`.
void expect_same_posterior(const DensePosterior<Row>& a, const DensePosterior<Row>& b, const Matrix& z,
                           int threads, double divided);

/// K + diag(noise).
Matrix covariance(const Kernel<Row>& k, const Matrix& x, const Vector& noise);

/// log N(y; 0, c).
double log_density(const Vector& y, const Matrix& c);

/// log N(y; mean, variance).
double log_density(double y, double mean, double variance);

/// The message of the Error that `f` throws; "" and a failure if it throws none.
std::string error_of(const std::function<void()>& f, Problem problem);

bool mentions(const std::vector<std::string>& notes, const std::string& words);

}  // namespace covary::test
