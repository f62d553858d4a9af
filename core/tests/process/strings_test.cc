// A user's own struct as a kernel over std::string: it conforms, conditions, samples and learns like any
// other.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "conformance.h"
#include "covary/learn/fit.h"
#include "covary/linear/kernel_ridge.h"
#include "covary/place/placement.h"

namespace covary::test::strings_test {
namespace {

using Strings = std::vector<std::string>;

/// k(x, z) = sum_j weight_j sum_u count_u(x) count_u(z), over the substrings u of length j = 1, 2, 3.
struct Spectrum {
  std::array<double, 3> weights{1, 1, 1};
  using Counts = std::map<std::string, double>;

  static Counts counts(const std::string& s, size_t length) {
    Counts all;
    for (size_t i = 0; i + length <= s.size(); ++i) all[s.substr(i, length)] += 1;
    return all;
  }
  static double common(const Counts& a, const Counts& b) {
    double sum = 0;
    for (const auto& [u, n] : a)
      if (const auto it = b.find(u); it != b.end()) sum += n * it->second;
    return sum;
  }
  /// Of the substrings of one length alone.
  static Matrix part(std::span<const std::string> a, std::span<const std::string> b, size_t length) {
    std::vector<Counts> ca, cb;
    for (const std::string& s : a) ca.push_back(counts(s, length));
    for (const std::string& s : b) cb.push_back(counts(s, length));
    Matrix k(count(a), count(b));
    for (size_t j = 0; j < b.size(); ++j)
      for (size_t i = 0; i < a.size(); ++i) k(Index(i), Index(j)) = common(ca[i], cb[j]);
    return k;
  }

  Matrix cross(std::span<const std::string> a, std::span<const std::string> b) const {
    return weights[0] * part(a, b, 1) + weights[1] * part(a, b, 2) + weights[2] * part(a, b, 3);
  }
  Vector diag(std::span<const std::string> a) const {
    Vector d(count(a));
    for (Index i = 0; i < d.size(); ++i) d[i] = cross(slice(a, {i, 1}), slice(a, {i, 1}))(0, 0);
    return d;
  }
  Vector pullback(std::span<const std::string> a, std::span<const std::string> b, const Matrix& w) const {
    Vector g(3);
    for (size_t l = 0; l < 3; ++l) g[Index(l)] = weights[l] * w.cwiseProduct(part(a, b, l + 1)).sum();
    return g;
  }
  Vector theta() const {
    return Eigen::Vector3d(std::log(weights[0]), std::log(weights[1]), std::log(weights[2]));
  }
  Spectrum with(const Vector& t) const { return {{std::exp(t[0]), std::exp(t[1]), std::exp(t[2])}}; }
  std::string text() const { return "spectrum()"; }
};

static_assert(KernelOver<Spectrum, std::string>);
static_assert(!KernelOver<Spectrum, Row>);
static_assert(!KernelOver<int, std::string>);
static_assert(KernelOver<Kernel<std::string>, std::string>, "a kernel of kernels is a kernel");
static_assert(!std::convertible_to<Kernel<Row>, Kernel<std::string>>);

Strings random_strings(std::uint64_t seed, Index n) {
  Random rng(seed);
  Strings all;
  for (Index i = 0; i < n; ++i) {
    std::string s;
    for (Index k = 4 + rng.integer(8); k > 0; --k) s += "acgt"[rng.integer(4)];
    all.push_back(s);
  }
  return all;
}

/// Grows with the number of times "ac" is found.
Vector targets(const Strings& x, std::uint64_t seed, double noise) {
  Random rng(seed);
  Vector y(std::ssize(x));
  for (Index i = 0; i < y.size(); ++i) {
    const auto counts = Spectrum::counts(x[static_cast<size_t>(i)], 2);
    y[i] = (counts.contains("ac") ? 2 * counts.at("ac") : 0.0) - 1 + noise * rng.normal();
  }
  return y;
}

TEST(Strings, AUsersKernelConforms) {
  const Strings a = random_strings(1, 40), b = random_strings(2, 36);
  expect_conforms<std::string>(Spectrum{{0.5, 1.2, 0.3}}, a, b);
  expect_conforms<std::string>(2.0 * Kernel<std::string>(Spectrum{}) + 0.5, a, b);
  const Kernel<std::string> k = Spectrum{{0.5, 1.2, 0.3}};
  expect_conforms<std::string>(k * k + fixed(Kernel<std::string>(Spectrum{})), a, b);
}

TEST(Strings, ParametersHaveNumbersForNames) {
  const Kernel<std::string> k = Spectrum{};
  ASSERT_EQ(k.parameters().size(), 3U);
  EXPECT_EQ(k.parameters()[1].path, "theta.2");
  EXPECT_EQ((2.0 * k).parameters()[0].path, "variance");
}

TEST(Strings, ConditionPredictUpdateSample) {
  const Strings x = random_strings(3, 30), at = random_strings(4, 12);
  const Vector y = targets(x, 5, 0.2);
  const Kernel<std::string> k = Spectrum{{0.05, 0.1, 0.02}};
  const Process<std::string> prior(k, constant_mean<std::string>(0.3), Noise::of(0.04));
  const Process<std::string> p = prior.condition(x, y);
  Matrix full = k.cross(x, x);
  full.diagonal().array() += 0.04;
  const Matrix c = k.cross(at, x);
  const Vector centered = y.array() - 0.3;
  EXPECT_TRUE(near(p.mean(at), (c * solved(full, centered)).array() + 0.3, 1e-11));
  EXPECT_NEAR(p.log_evidence(), log_density(centered, full), 1e-9);
  const std::span<const std::string> all(x);
  const Process<std::string> twice =
      prior.condition(all.first(20), y.head(20)).condition(all.subspan(20), y.tail(10));
  EXPECT_TRUE(near(twice.mean(at), p.mean(at), 1e-10));
  EXPECT_TRUE(near(twice.variance(at), p.variance(at), 1e-10));
  EXPECT_TRUE(p.sample(at, 5, 1).allFinite());
  EXPECT_TRUE(prior.sample(at, 5, 1).allFinite());
  EXPECT_THROW(p.path(1), Error) << "no random features were given";
  EXPECT_EQ(p.leave_one_out().mean.size(), 30);
}

TEST(Strings, RepeatsMerge) {
  Strings x = random_strings(6, 8);
  x.push_back(x[2]);
  x.push_back(x[2]);
  const Process<std::string> p = Process<std::string>(Kernel<std::string>(Spectrum{}), {}, Noise::of(0.1))
                                     .condition(x, targets(x, 7, 0.2));
  EXPECT_EQ(p.distinct(), 8);
  EXPECT_TRUE(mentions(p.notes(), "2 rows merged"));
}

TEST(Strings, KernelRidge) {
  Strings x = random_strings(12, 40);
  x.push_back(x[1]);
  const Strings at = random_strings(13, 12);
  const Vector y = targets(x, 14, 0.2);
  const KernelRidge<std::string> r = kernel_ridge<std::string>(Spectrum{{0.05, 0.1, 0.02}}, x, y);
  EXPECT_FALSE(r.at_end);
  EXPECT_TRUE(near(internal::process_of(r).mean(at), r(at), 1e-9));
  EXPECT_NEAR(internal::process_of(r).leave_one_out().rmse, r.leave_one_out, 1e-8);
  EXPECT_LT(r.leave_one_out, 0.5 * std::sqrt((y.array() - y.mean()).square().mean()));
  EXPECT_TRUE(mercer_check<std::string>(Spectrum{}, x).holds);
}

TEST(Strings, Fit) {
  const Strings x = random_strings(8, 50), at = random_strings(9, 40);
  const Vector y = targets(x, 10, 0.1), truth = targets(at, 11, 0.0);
  const FitResult<std::string> f = fit<std::string>({Kernel<std::string>(Spectrum{})}, x, y);
  EXPECT_GT(f.summary.evaluations, 5);
  const double error = std::sqrt((f.process.mean(at) - truth).squaredNorm() / double(truth.size()));
  const double spread = std::sqrt((truth.array() - truth.mean()).square().mean());
  EXPECT_LT(error, 0.25 * spread) << "the substring that matters is found";
  FitOptions plain;
  plain.prior = Prior::none;
  plain.starts = 2;
  const FitResult<std::string> best = fit<std::string>({Kernel<std::string>(Spectrum{})}, x, y, plain);
  const Process<std::string> start =
      Process<std::string>(Kernel<std::string>(Spectrum{}), constant_mean<std::string>(), Noise::of(0.01))
          .condition(x, y);
  EXPECT_GT(best.summary.log_marginal_likelihood, start.log_evidence());
}

TEST(Strings, SensorsArePlacedAmongThem) {
  const std::vector<std::string> words{"aaab", "aaaba", "abab", "ababa", "bbba", "bbbab", "cab", "cabab"};
  const Kernel<std::string> k = Spectrum{};
  PlacementProblem p, matrix;
  p.fields = {internal::with_nugget(field_of(k, words), 0.1)};
  Matrix covariance = k.cross(words, words);
  covariance.diagonal().array() += 0.1;
  matrix.fields = {field_of(covariance)};
  for (const CriterionEntry& e : criteria())
    EXPECT_EQ(place(p, e, 3).places(), place(matrix, e, 3).places()) << e.name;
}

}  // namespace
}  // namespace covary::test::strings_test
