// Inference `auto`: the rule as properties over random estimates, and fits that resolve it.
#include "covary/learn/auto_inference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "covary/learn/fit.h"
#include "covary/model/model_file.h"
#include "support.h"

namespace covary::test::auto_inference_test {
namespace {

using internal::choose_inference;
using internal::FitLimits;

InferenceEstimate estimate(const std::string& inference, double seconds, double bytes,
                           const std::string& refusal = "") {
  InferenceEstimate e{inference, inference != "exact()" && inference != "state_space()", refusal};
  if (refusal.empty()) e.seconds = seconds, e.bytes = bytes;
  return e;
}

/// Each of the four with random seconds and bytes, refused one time in four; exact() and vecchia() are not.
std::vector<InferenceEstimate> drawn(Random& rng) {
  std::vector<InferenceEstimate> all;
  for (const char* name : {"exact()", "state_space()", "vecchia(neighbors=30)", "inducing(points=512)"}) {
    const bool refused = (name[0] == 's' || name[0] == 'i') && rng.uniform() < 0.25;
    all.push_back(
        estimate(name, std::exp(6 * rng.uniform()), std::exp(4 * rng.uniform()), refused ? "not this" : ""));
    if (all.back().approximate && rng.uniform() < 0.5) all.back().held_out = rng.normal();
  }
  return all;
}

TEST(AutoInference, TakesWhatFitsAndTheFirstThatIsExact) {
  Random rng(11);
  int exact = 0, linear = 0, approximate = 0, none = 0;
  for (int draw = 0; draw < 5000; ++draw) {
    const std::vector<InferenceEstimate> all = drawn(rng);
    const FitLimits limits{std::exp(6 * rng.uniform()), std::exp(4 * rng.uniform())};
    const auto fits = [&](const InferenceEstimate& e) {
      return e.refusal.empty() && e.bytes <= limits.bytes;
    };
    if (std::none_of(all.begin(), all.end(), fits)) {
      (void)error_of([&] { (void)choose_inference(all, limits); }, Problem::limit);
      ++none;
      continue;
    }
    const InferenceEstimate& e = all[choose_inference(all, limits)];
    ASSERT_TRUE(fits(e)) << e.inference;
    if (fits(all[0]) && all[0].seconds <= limits.seconds) {
      EXPECT_EQ(e.inference, "exact()");
      ++exact;
    } else if (fits(all[1])) {
      EXPECT_EQ(e.inference, "state_space()");
      ++linear;
    } else if (e.approximate) {
      ++approximate;
      for (const InferenceEstimate& other : all)
        if (other.approximate && fits(other) && other.seconds <= limits.seconds &&
            e.seconds <= limits.seconds) {
          EXPECT_FALSE(other.held_out > e.held_out + 0.01) << "another predicts better";
        }
    }
  }
  for (const int seen : {exact, linear, approximate, none}) EXPECT_GT(seen, 100);
}

/// More time and more memory never turn an exact fit that was within the limits into an approximate one.
TEST(AutoInference, IsMonotoneInTheLimits) {
  Random rng(12);
  for (int draw = 0; draw < 2000; ++draw) {
    const std::vector<InferenceEstimate> all = drawn(rng);
    const FitLimits less{std::exp(6 * rng.uniform()), std::exp(4 * rng.uniform())},
        more{less.seconds * (1 + rng.uniform()), less.bytes * (1 + rng.uniform())};
    try {
      const InferenceEstimate& e = all[choose_inference(all, less)];
      if (!e.approximate && (e.seconds <= less.seconds || e.inference == "state_space()")) {
        EXPECT_FALSE(all[choose_inference(all, more)].approximate);
      }
    } catch (const Error&) {  // nothing fits into less
    }
  }
}

TEST(AutoInference, ComparesOnlyWhereThereIsAChoiceOfApproximations) {
  const InferenceEstimate exact = estimate("exact()", 100, 100), space = estimate("state_space()", 1, 1),
                          vecchia = estimate("vecchia(neighbors=30)", 1, 1),
                          inducing = estimate("inducing(points=512)", 20, 1);
  using Places = std::vector<size_t>;
  EXPECT_EQ(internal::to_compare({exact, vecchia, inducing}, {1000, 1000}), Places());
  EXPECT_EQ(internal::to_compare({exact, space, vecchia, inducing}, {50, 1000}), Places());
  EXPECT_EQ(internal::to_compare({exact, vecchia, inducing}, {50, 1000}), (Places{1, 2}));
  EXPECT_EQ(internal::to_compare({exact, vecchia, inducing}, {10, 1000}), (Places{1}));
}

TEST(AutoInference, RefusesWithTheLeastMemory) {
  const std::vector<InferenceEstimate> all{estimate("exact()", 1, 9e9),
                                           estimate("vecchia(neighbors=30)", 1, 4e9)};
  EXPECT_EQ(error_of(
                [&] {
                  (void)choose_inference(all, {600, 1e9});
                },
                Problem::limit),
            "inference auto: vecchia(neighbors=30) needs the least memory, 4 GB, and 1 GB are free");
}

TEST(AutoInference, FewRowsAreExactAndTheFilesTheSame) {
  const Matrix x = random_points(21, 40, 2);
  const Vector y = random_targets(22, x);
  Request open, given;
  open.kernel = given.kernel = "se()", open.noise = given.noise = "learn", given.inference = "exact()";
  const TrainingData data{x, y, {"a", "b"}};
  FitOptions one;
  one.threads = 1;
  const FittedModel a = fit(open, data, one), b = fit(given, data, one);
  EXPECT_EQ(model_text(a), model_text(b));
  EXPECT_EQ(a->request.inference, "exact()");
  EXPECT_TRUE(a->summary.considered.empty());
}

/// Everything given, so that only conditioning takes time.
struct ManyRows {
  Matrix x = random_points(31, 3200, 4);
  Vector y = random_targets(32, x);
  Request request;
  FitOptions options;
  ManyRows() {
    request.kernel = "fixed(2 * matern32(lengthscale=2))", request.noise = "0.1";
    options.max_seconds = 0.05;  // less than conditioning on them exactly
  }
  FittedModel fitted() const {
    return fit(request, {x, y, {"a", "b", "c", "d"}, "y", Noise::of(0.1)}, options);
  }
};

TEST(AutoInference, ManyRowsAreApproximatedAndSaidToBe) {
  const ManyRows many;
  const FittedModel m = many.fitted();
  ASSERT_GE(m->summary.considered.size(), 3U);
  EXPECT_EQ(m->request.inference, m->summary.inference);
  EXPECT_NE(m->summary.inference, "exact()");
  int chosen = 0;
  for (const InferenceEstimate& e : m->summary.considered) {
    chosen += e.chosen;
    EXPECT_EQ(e.chosen, e.inference == m->summary.inference);
    if (e.refusal.empty()) {
      EXPECT_TRUE(e.seconds > 0 && e.bytes > 0) << e.inference;
    }
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_TRUE(std::any_of(m->summary.notes.begin(), m->summary.notes.end(),
                          [](const std::string& n) { return n.starts_with("inference auto: "); }));
  const FittedModel back = parse_model(model_text(m));
  EXPECT_EQ(back->request.inference, m->summary.inference);
  EXPECT_EQ(told(back, many.x.topRows(1), many.y.head(1))->request.inference, m->summary.inference);
}

TEST(AutoInference, IdenticalRowsAreOneRow) {
  const Matrix x = Matrix::Ones(100000, 2);
  const Vector y = Random(1).normal(100000, 1);
  Request request;
  request.kernel = "fixed(matern32(lengthscale=2))", request.noise = "0.1";
  const FittedModel m = fit(request, {x, y, {"a", "b"}, "y", Noise::of(0.1)});
  EXPECT_EQ(m->request.inference, "exact()");
  EXPECT_EQ(m->summary.distinct, 1);
}

TEST(AutoInference, LeaveOneOutObjectivesStayExact) {
  ManyRows many;
  many.options.objective = ObjectiveKind::leave_one_out, many.options.max_seconds = 100;
  many.request.objective = ObjectiveKind::leave_one_out;
  EXPECT_EQ(many.fitted()->request.inference, "exact()");
}

}  // namespace
}  // namespace covary::test::auto_inference_test
