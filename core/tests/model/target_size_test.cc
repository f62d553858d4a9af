// y of any size a double has is y of size 1, rescaled: whatever the model, whatever is said of it.
#include <cmath>

#include "covary/base/finite.h"
#include "covary/evaluate/cross_validation.h"
#include "covary/kernels/stationary.h"
#include "covary/learn/summary_words.h"
#include "covary/predictive/score.h"
#include "covary/predictive/student_t.h"
#include "covary/table/table.h"
#include "support.h"

namespace covary::target_size_test {
namespace {

using test::error_of;
using test::near;
using test::random_points;

struct Case {
  Matrix x = random_points(31, 25, 2);
  Vector y = x.col(0).array() - 0.5 * x.col(1).array().square() + 0.3 * random_points(32, 25, 1).array();
  std::vector<std::string> columns{"a", "b"};
};

FittedModel learned(const std::string& model, const Case& c, double size) {
  Request request;
  request.model = model, request.kernel = "se()", request.noise = "learn", request.mean = "constant";
  FitOptions o;
  o.starts = 2, o.threads = 1;
  return fit(request, {c.x, c.y * size, c.columns}, o);
}

// Powers of two, so that nothing but the size differs.
TEST(TargetSize, EveryModelSaysTheSame) {
  const Case c;
  for (const char* model : {"gp", "linear", "ridge", "bayes", "kernel-ridge"}) {
    const FittedModel one = learned(model, c, 1);
    const Prediction at_one = one.leave_one_out();
    const Scores score_one = score(at_one, c.y);
    for (const int power : {996, 520, -520, -996}) {
      const double size = std::exp2(power);
      SCOPED_TRACE(testing::Message() << model << ", y times 2^" << power);
      const FittedModel other = learned(model, c, size);
      const Summary &a = one->summary, &b = other->summary;
      if (std::string(model) != "linear") {
        EXPECT_NEAR(b.log_marginal_likelihood, a.log_marginal_likelihood - 25 * std::log(size), 1e-2);
      }
      EXPECT_NEAR(b.loo_skill, a.loo_skill, 1e-3);
      EXPECT_NEAR(b.loo_rmse / size, a.loo_rmse, 1e-3 * a.loo_rmse);
      EXPECT_NEAR(b.loo_nlpd, a.loo_nlpd + std::log(size), 1e-2);
      const Prediction p = other.leave_one_out();
      const Scores s = score(p, c.y * size);
      EXPECT_NEAR(s.rmse / size, score_one.rmse, 1e-3 * score_one.rmse);
      EXPECT_NEAR(s.mae / size, score_one.mae, 1e-3 * score_one.mae);
      EXPECT_NEAR(s.crps / size, score_one.crps, 1e-3 * score_one.crps);
      EXPECT_NEAR(s.skill, score_one.skill, 1e-3);
      EXPECT_NEAR(s.nlpd, score_one.nlpd + std::log(size), 1e-2);
      EXPECT_EQ(verdict(s), verdict(score_one));
    }
  }
}

TEST(TargetSize, ScoresNeitherOverflowNorUnderflow) {
  const Case c;
  const Vector mean = c.y + 0.2 * random_points(33, 25, 1), sd = Vector::Constant(25, 0.25);
  const Scores one = score(StudentT{mean, sd, 7}, c.y);
  for (const int power : {1020, -1000}) {
    const double size = std::exp2(power);
    const Scores s = score(StudentT{mean * size, sd * size, 7}, c.y * size);
    EXPECT_NEAR(s.rmse / size, one.rmse, 1e-14);
    EXPECT_NEAR(s.mae / size, one.mae, 1e-14);
    EXPECT_NEAR(s.skill, one.skill, 1e-13);
    EXPECT_NEAR(s.nlpd, one.nlpd + std::log(size), 1e-11);
    EXPECT_NEAR(s.crps / size, one.crps, 1e-13);
  }
  EXPECT_TRUE(std::isnan(internal::root_mean_square((Vector(2) << 1, NAN).finished())));
  EXPECT_EQ(internal::root_mean_square((Vector(2) << 0, 0).finished()), 0);
  EXPECT_EQ(skill(1, Vector::Constant(4, 1e300)), 0);
}

// What is not finite is an error, whoever says or writes it.
TEST(NotFinite, IsNeverAnAnswer) {
  for (const double bad : {NAN, INFINITY, -INFINITY}) {
    EXPECT_NE(error_of([&] { internal::rounded(bad); }, Problem::numerical).find("not a finite number"),
              std::string::npos);
    EXPECT_NE(error_of([&] { internal::format_number(bad); }, Problem::numerical).find("not a finite number"),
              std::string::npos);
    Table t;
    t.columns.push_back({.name = "draw", .values = {1, bad}});
    std::string out;
    EXPECT_NE(error_of([&] { write_csv(out, t); }, Problem::numerical).find("'draw' of row 2"),
              std::string::npos);
    EXPECT_EQ(internal::rounded_or(bad, "not defined"), "not defined");
  }
}

// A measurement that no evidence can weigh is refused, and the summary says of what.
TEST(NotFinite, ASummaryOfAnOverflowIsRefused) {
  const Case c;
  const FittedModel l = learned("gp", c, 1);
  const auto with = [&](double y) { return told(l, random_points(34, 1, 2), Vector::Constant(1, y)); };
  for (const double wild : {1e160, -1e200, 1e308})
    EXPECT_NE(error_of([&] { (void)with(wild); }, Problem::numerical).find("the log marginal likelihood"),
              std::string::npos)
        << wild;
  const FittedModel m = with(1e100);
  EXPECT_TRUE(std::isfinite(m->summary.loo_nlpd) && std::isfinite(m->summary.loo_skill));
}

// Of processes: the one observation that dwarfs the others is predicted from them all the same.
TEST(WildObservation, AProcessPredictsItFromTheOthers) {
  Case c;
  const Process<Row> prior(se(1.0), zero_mean<Row>(), Noise::of(0.1));
  const Vector tame = prior.condition(c.x, c.y).leave_one_out().mean;
  for (const double value : {1e8, 1e12, 1e15}) {
    c.y[4] = value;
    EXPECT_NEAR(prior.condition(c.x, c.y).leave_one_out().mean[4], tame[4], 1e-7) << value;
  }
}

}  // namespace
}  // namespace covary::target_size_test
