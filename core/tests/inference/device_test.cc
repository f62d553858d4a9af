// Exact processes on a device, by a module in host memory and by a GPU where there is one: the same numbers as without.
#include <gtest/gtest.h>

#include "algebra/remote/host_module.h"
#include "covary/base/error.h"
#include "covary/inference/registry.h"
#include "support.h"

namespace covary::test::device_test {
namespace {

using namespace internal;

constexpr Index n = smallest_remote + 13;

/// Where they are computed: "host", or "cuda" where there is a GPU.
std::vector<std::string> devices() {
  return device_lines().empty() ? std::vector<std::string>{"host"} : std::vector<std::string>{"host", "cuda"};
}
std::shared_ptr<const Place> at(const std::string& device) {
  return device == "host" ? host_place() : place_called(device);
}

class Device : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Device, ::testing::ValuesIn(devices()),
                         [](const auto& of) { return of.param; });

struct Problem {
  Matrix x = with_repeats(random_points(1, n, 3), 20);
  Vector y = random_targets(2, x);
  Kernel<Row> kernel = parse<Row>("1.3 * matern52(lengthscale=[1, 2, 0.7]) + linear(lengthscale=2)");
  Mean<Row> mean = parse_mean("linear");
};

/// A kernel without a program.
struct Plain {
  Kernel<Row> inner;
  Matrix cross(Rows a, Rows b) const { return inner.cross(a, b); }
  Vector diag(Rows a) const { return inner.diag(a); }
  Vector pullback(Rows a, Rows b, const Matrix& w) const { return inner.pullback(a, b, w); }
  Vector theta() const { return inner.theta(); }
  Plain with(const Vector& t) const { return {inner.with(t)}; }
  std::string text() const { return "plain"; }
};

void expect_same_evidence(const Kernel<Row>& kernel, ObjectiveKind kind, const std::string& device) {
  const Problem p;
  Vector theta = kernel.theta();
  theta.conservativeResize(theta.size() + 1);
  theta[theta.size() - 1] = std::log(0.2);
  Evidence<Row> here(kernel, p.mean, Noise::learn(), Rows(p.x), p.y, kind);
  Evidence<Row> there(kernel, p.mean, Noise::learn(), Rows(p.x), p.y, kind, at(device));
  const Evaluation a = here.at(theta, true, 2), b = there.at(theta, true, 2);
  EXPECT_NEAR(a.value, b.value, 1e-10 * std::abs(a.value));
  EXPECT_TRUE(near(a.gradient, b.gradient, 1e-9));
  Evidence<Row> copy = there;  // has a matrix of its own
  EXPECT_EQ(copy.at(theta, false, 1).value, there.at(theta, false, 1).value);
}

TEST_P(Device, HasTheEvidenceOfTheHost) {
  const HostModuleCounts before = host_module_counts();
  expect_same_evidence(Problem().kernel, ObjectiveKind::evidence, GetParam());
  if (GetParam() == "host") {
    EXPECT_EQ(host_module_counts().filled, before.filled + 3);
  }
  expect_same_evidence(parse<Row>("1.3 * matern52(lengthscale=[1, 2, 0.7])"), ObjectiveKind::evidence,
                       GetParam());
  EXPECT_EQ(host_module_counts().columns_sent, before.columns_sent);
}

TEST_P(Device, HasTheLeaveOneOutScoreOfTheHost) {
  expect_same_evidence(Problem().kernel, ObjectiveKind::leave_one_out, GetParam());
}

TEST_P(Device, TakesCovariancesOfTheHostWhereAKernelHasNoProgram) {
  const Index before = host_module_counts().columns_sent;
  expect_same_evidence(Plain{parse<Row>("1.3 * se(lengthscale=[1, 2, 0.7])")}, ObjectiveKind::evidence,
                       GetParam());
  if (GetParam() == "host") {
    EXPECT_EQ(host_module_counts().columns_sent, before + 3 * n);
  }
}

DensePosterior<Row> posterior(const Problem& p, const Kernel<Row>& k,
                              const std::shared_ptr<const Place>& place) {
  return {k, p.mean, Rows(p.x), p.y, Vector::Constant(p.y.size(), 0.1), 2, nullptr, place};
}

void expect_same_posterior(const Kernel<Row>& k, const std::string& device) {
  const Problem p;
  test::expect_same_posterior(posterior(p, k, {}), posterior(p, k, at(device)), random_points(9, 50, 3), 2,
                              1e-9);
}

TEST_P(Device, HasThePosteriorOfTheHost) {
  expect_same_posterior(Problem().kernel, GetParam());
  expect_same_posterior(parse<Row>("1.3 * matern32(lengthscale=[1, 2, 0.7])"), GetParam());
}

TEST_P(Device, HasThePosteriorOfTheHostWithoutAProgram) {
  expect_same_posterior(Plain{parse<Row>("1.3 * se(lengthscale=[1, 2, 0.7])")}, GetParam());
}

/// The density of each given its 10 nearest.
void expect_same_density(const Kernel<Row>& kernel, const Mean<Row>& mean, const std::string& device) {
  const Problem p;
  const Process<Row> prior(kernel, mean, Noise::learn());
  Vector theta = kernel.theta();
  theta.conservativeResize(theta.size() + 1);
  theta[theta.size() - 1] = std::log(0.2);
  VecchiaDensity<Row> here({10}, prior, Rows(p.x), p.y), there({10}, prior, Rows(p.x), p.y, at(device));
  const Evaluation a = here.at(theta, true, 2), b = there.at(theta, true, 2);
  EXPECT_NEAR(a.value, b.value, 1e-10 * std::abs(a.value));
  EXPECT_TRUE(near(a.gradient, b.gradient, 1e-9));
  EXPECT_EQ(there.at(theta, true, 1).value, b.value);
  EXPECT_NEAR(here.at(theta, false, 1).value, there.at(theta, false, 1).value, 1e-10 * std::abs(a.value));
}

TEST_P(Device, HasTheDensityOfNeighborsOfTheHost) {
  const HostModuleCounts before = host_module_counts();
  expect_same_density(Problem().kernel, Problem().mean, GetParam());
  expect_same_density(parse<Row>("1.3 * matern52(lengthscale=[1, 2, 0.7])"), zero_mean<Row>(), GetParam());
  expect_same_density(
      parse<Row>(
          "se(lengthscale=2) + 0.5 * on(1, periodic(lengthscale=1, period=3)) * matern12(lengthscale=4)"),
      constant_mean<Row>(), GetParam());
  if (GetParam() == "host") {
    EXPECT_EQ(host_module_counts().whitened, before.whitened + 9);
  }
  expect_same_density(Plain{parse<Row>("1.3 * se(lengthscale=[1, 2, 0.7])")}, constant_mean<Row>(),
                      GetParam());
  if (GetParam() == "host") {
    EXPECT_EQ(host_module_counts().whitened, before.whitened + 9);
  }
}

TEST(DeviceNotes, SaysWhereAndWhatItComputed) {
  const Problem p;
  const auto notes = [&](const Kernel<Row>& k) {
    const std::vector<std::string> all = posterior(p, k, host_place(1e12)).report().notes;
    std::string out;
    for (const std::string& note : all) out += note + "\n";
    return out;
  };
  EXPECT_NE(notes(p.kernel).find("computed on cuda (host, 931 GiB)"), std::string::npos) << notes(p.kernel);
  EXPECT_EQ(notes(p.kernel).find("device form"), std::string::npos);
  EXPECT_NE(notes(Plain{parse<Row>("se(lengthscale=1)")})
                .find("the kernel plain has no device form: its covariances are computed on the host"),
            std::string::npos);
}

TEST_P(Device, GrowsFromAFactorThatIsElsewhere) {
  const Problem p;
  const DensePosterior<Row> there = posterior(p, p.kernel, at(GetParam()));
  const Matrix x = random_points(11, 4, 3);
  const Vector y = random_targets(12, x), v = Vector::Constant(4, 0.1);
  const DensePosterior<Row> more = there.extended(Rows(x), y, v, 1),
                            same = posterior(p, p.kernel, {}).extended(Rows(x), y, v, 1);
  EXPECT_NEAR(more.log_evidence(), same.log_evidence(), 1e-9 * std::abs(same.log_evidence()));
}

TEST(DeviceNotes, RefusesWhatDoesNotFitWithTheFigures) {
  try {
    (void)host_place(8e6)->matrix(2000);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), covary::Problem::limit);
    EXPECT_STREQ(
        e.what(),
        "a covariance matrix of 2000 rows needs 0.0298 GiB on host, 0.00745 GiB are free: 1000 rows fit");
  }
}

TEST(DeviceNotes, IsNamedInTheInference) {
  EXPECT_EQ(on_device("exact()", "cpu"), "exact()");
  EXPECT_EQ(on_device("exact()", "cuda"), "exact(device=cuda)");
  EXPECT_EQ(on_device("exact(device=cuda)", "cuda"), "exact(device=cuda)");
  EXPECT_EQ(without_device("exact(device=cuda)"), "exact()");
  EXPECT_EQ(on_device("vecchia(neighbors=9)", "cuda"), "vecchia(neighbors=9, device=cuda)");
  EXPECT_EQ(without_device("vecchia(neighbors=9, device=cuda)"), "vecchia(neighbors=9)");
  EXPECT_THROW((void)on_device("inducing(points=10)", "cuda"), Error);
  EXPECT_THROW((void)parse_inference<Row>("exact(device=abacus)"), Error);
  EXPECT_THROW((void)place_called("abacus"), Error);
}

}  // namespace
}  // namespace covary::test::device_test
