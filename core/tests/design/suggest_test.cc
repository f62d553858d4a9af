// Suggestions of a fitted model are those of a selector over its candidates and rows.
#include "covary/design/suggest.h"

#include <gtest/gtest.h>

#include "design/design_support.h"

namespace covary::test::suggest_test {
namespace {

/// The choices that a selector makes whose pool is the candidates and, labelled, the rows of the model.
std::vector<Choice> by_selector(const FittedModel& m, const Matrix& candidates, const std::string& strategy,
                                Index count, SelectorOptions o) {
  const Matrix all = join(candidates, m->x);
  Pool pool = pool_of<Row>(m.process(), all);
  pool.noise_known = m->request.noise != "learn";
  if (o.cost.size()) o.cost = internal::concat(o.cost, Vector::Ones(m->y.size()));
  Selector s(parse_strategy(strategy), pool, o);
  for (Index i = 0; i < m->y.size(); ++i) s.tell(candidates.rows() + i, m->latent_target()[i]);
  return s.suggest(count);
}

std::vector<Index> candidates_of(const std::vector<Choice>& choices) {
  std::vector<Index> out;
  for (const Choice& c : choices) out.push_back(c.candidate);
  return out;
}

Vector scores_of(const std::vector<Choice>& choices) {
  Vector out(std::ssize(choices));
  for (Index i = 0; i < out.size(); ++i) out[i] = choices[static_cast<size_t>(i)].score;
  return out;
}

TEST(Suggest, ChoosesWhatASelectorOverThePoolDoes) {
  const FittedModel m = small_model();
  const Matrix x = random_points(3, 60, 2);
  for (const StrategyEntry& e : strategies()) {
    if (!e.applies(false)) continue;
    SCOPED_TRACE(e.name);
    for (const bool costs : {false, true}) {
      SelectorOptions o{.seed = 5};
      if (costs) o.cost = random_points(4, 60, 1).cwiseAbs().array() + 0.2;
      const Suggestions s = suggest(m, x, {.count = 4, .strategy = e.name, .selector = o});
      const std::vector<Choice> expected = by_selector(m, x, e.name, 4, o);
      EXPECT_EQ(candidates_of(s.choices), candidates_of(expected));
      EXPECT_TRUE(near(scores_of(s.choices), scores_of(expected), 1e-7));
    }
  }
}

TEST(Suggest, TheSdIsThatOfTheModelWhateverTheSizeOfY) {
  const Matrix x = random_points(3, 40, 2);
  for (const double scale : {1.0, 0x1p600}) {
    const FittedModel m = small_model(Noise::of(0.05), "learn", scale);
    const Suggestions s = suggest(m, x, {.count = 3});
    for (Index i = 0; i < 3; ++i) {
      const Index c = s.choices[static_cast<size_t>(i)].candidate;
      EXPECT_NEAR(s.sd[i] / m.predict(x.row(c)).sd[0], 1, 1e-7);
    }
  }
}

TEST(Suggest, BitsDoNotDependOnThreads) {
  const FittedModel m = small_model();
  const Matrix x = random_points(3, 500, 2);
  const Suggestions one = suggest(m, x, {.count = 5, .selector = {.threads = 1}, .stop_sd = 0.5}),
                    two = suggest(m, x, {.count = 5, .selector = {.threads = 2}, .stop_sd = 0.5});
  EXPECT_EQ(candidates_of(one.choices), candidates_of(two.choices));
  EXPECT_TRUE(same_bits(scores_of(one.choices), scores_of(two.choices)));
  EXPECT_TRUE(same_bits(one.sd, two.sd));
  EXPECT_EQ(one.notes, two.notes);
}

TEST(Suggest, NotesNameTheCandidateTheColumnAndTheUnit) {
  const FittedModel m = small_model();
  Matrix far = random_points(3, 200, 2);
  far.bottomRows(120).col(0).array() -= 9;
  const Suggestions s = suggest(
      m, far, {.stop_sd = 0.3, .unit = "degC", .name = [](Index i) { return "site " + std::to_string(i); }});
  EXPECT_TRUE(mentions(s.notes, "around site "));
  EXPECT_TRUE(mentions(s.notes, "the labelled points are biased towards large a: by "));
  EXPECT_TRUE(mentions(s.notes, "0.3 degC"));
  EXPECT_TRUE(suggest(m, Matrix(m->x.array() + 0.01)).notes.empty());
}

TEST(Suggest, AForecastLeavesTheChoicesAsTheyAre) {
  const FittedModel m = small_model();
  const Matrix x = random_points(3, 60, 2);
  const Suggestions plain = suggest(m, x, {.count = 4}), ahead = suggest(m, x, {.count = 4, .stop_sd = 0.2});
  EXPECT_EQ(candidates_of(plain.choices), candidates_of(ahead.choices));
  EXPECT_EQ(ahead.notes.size(), plain.notes.size() + 1);
  CandidatePool pool(m, x, "uncertainty");
  const Forecast f = pool.forecast(0.2);
  EXPECT_NEAR(f.now, pool.sd().maxCoeff(), 1e-9);
}

TEST(Suggest, WhatCannotBeAnsweredIsRefused) {
  const FittedModel m = small_model();
  const Matrix x = random_points(3, 6, 2);
  EXPECT_EQ(error_of([&] { suggest(m, x, {.count = 7}); }, Problem::data),
            "7 candidates were asked for, the pool has 6");
  EXPECT_EQ(error_of([&] { suggest(m, x.leftCols(1)); }, Problem::usage),
            "candidates: expected 2 columns, as the model has, found 1");
  EXPECT_EQ(error_of([&] { suggest(m, x, {.selector = {.cost = Vector::Ones(5)}}); }, Problem::usage),
            "costs: 5 for 6 candidates");
  EXPECT_NE(
      error_of([&] { suggest(small_linear_model(), x); }, Problem::usage).find("needs a Gaussian process"),
      std::string::npos);
  EXPECT_NE(error_of([&] { suggest(small_model(Noise::rows(Vector::Constant(12, 0.1)), "column:sd"), x); },
                     Problem::usage)
                .find("one noise for each row"),
            std::string::npos);
  EXPECT_NE(
      error_of(
          [&] { suggest(m, Matrix::Zero(3000000, 2), {.strategy = "variance-reduction(reference=100000)"}); },
          Problem::limit)
          .find("strategy variance-reduction needs "),
      std::string::npos);
}

TEST(CandidatePool, ToldLabelsAreThoseOfAConditionedModel) {
  const FittedModel m = small_model(Noise::of(0.05), "0.05");
  const Matrix x = random_points(3, 30, 2);
  const Vector y = Eigen::Vector2d(0.4, -1.1);
  CandidatePool pool(m, x, "uncertainty");
  pool.tell({7, 3}, y);
  const FittedModel more = told(m, x(std::vector<Index>{7, 3}, Eigen::all), y);
  EXPECT_TRUE(near(pool.mean(), more.mean(x), 1e-9));
  EXPECT_TRUE(near(pool.sd(), more.predict(x).sd, 1e-7));
  EXPECT_EQ(pool.open(), 28);
  EXPECT_EQ(error_of([&] { pool.tell({30}, Vector::Ones(1)); }, Problem::usage),
            "indices: expected a candidate from 0 to 29, found 30");
  EXPECT_EQ(error_of([&] { pool.tell({1}, y); }, Problem::usage), "tell: 1 indices and 2 labels");
}

TEST(CandidatePool, ClassesHaveOnePenaltyAndNoOtherModel) {
  const Matrix x = random_points(3, 20, 2);
  const ClassifiedRows rows{parse<Row>("se(lengthscale=1)"), x.topRows(4), {0, 1, 0, 1}, 2, {.penalty = 10}};
  CandidatePool pool(rows, x.bottomRows(16), "svm-margin");
  EXPECT_EQ(pool.suggest(3).size(), 3u);
  EXPECT_EQ(error_of([&] { pool.replace(small_model()); }, Problem::usage),
            "replace: this pool has classes, not numbers");
  EXPECT_NE(error_of([&] { CandidatePool(rows, x, "svm-margin(penalty=3)"); }, Problem::usage)
                .find("the Classifier has penalty 10"),
            std::string::npos);
}

/// 4200 rows of two columns, each given its 20 nearest.
FittedModel large_model() {
  ModelRecord r;
  r.request.kernel = "matern32()", r.request.noise = "learn", r.request.inference = "vecchia(neighbors=20)";
  r.features = {"a", "b"}, r.x = random_points(1, 4200, 2), r.y = random_targets(2, r.x);
  r.kernel = "2 * matern32(lengthscale=[0.7, 1.3])", r.noise = Noise::of(0.05);
  return FittedModel(std::move(r));
}

TEST(Suggest, OfManyRowsThePosteriorOfTheInferenceStandsForTheLabels) {
  const FittedModel m = large_model();
  Matrix x = random_points(3, 30, 2);
  x.row(7) << 9, 9;  // away from all rows
  const Suggestions s = suggest(m, x, {.count = 3, .strategy = "uncertainty"});
  EXPECT_EQ(s.choices[0].candidate, 7);
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(s.sd[i] / m.predict(x.row(s.choices[static_cast<size_t>(i)].candidate)).sd[0], 1, 1e-7);
  CandidatePool pool(m, x, "variance-reduction");
  const double before = pool.sd()[7], mean = pool.mean()[7];
  EXPECT_NEAR(mean, m.predict(x.row(7)).mean[0], 1e-9);
  pool.tell({7}, Vector::Constant(1, mean + 1));
  EXPECT_LT(pool.sd()[7], 0.5 * before);
  EXPECT_GT(pool.mean()[7], mean + 0.5);
  for (const StrategyEntry& e : strategies())
    if (e.applies(false) && e.pool) {
      SCOPED_TRACE(e.name);
      if (e.labels)
        EXPECT_THROW(suggest(m, x, {.strategy = e.name}), Error);
      else
        EXPECT_EQ(std::ssize(suggest(m, x, {.count = 2, .strategy = e.name}).choices), 2);
    }
}

}  // namespace
}  // namespace covary::test::suggest_test
