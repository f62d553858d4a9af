// svm-margin by its three methods, and by hashing.
#include <cmath>

#include "covary/select/selector.h"
#include "support.h"

namespace covary::test::svm_margin_test {
namespace {

struct Scene {
  Matrix x = random_points(40, 150, 2);
  Process<Row> prior{parse<Row>("se(lengthscale=1)")};
  double label(Index i) const { return double(x(i, 0) + 0.5 * std::sin(2 * x(i, 1)) > 0.1); }
  Selector begun(const std::string& strategy, double penalty, Index labels = 8) const {
    Selector s(parse_strategy(strategy), pool_of<Row>(prior, x), {.kinds = 2, .svm = {.penalty = penalty}});
    for (Index i = 0; i < labels; ++i) s.tell(i, label(i));
    return s;
  }
  /// The margin of the user's own machine with one label more.
  double margin(const Selector& s, Index i, Index kind, double penalty) const {
    std::vector<Index> at = s.belief().order(), classes = s.classes();
    at.resize(classes.size());
    at.push_back(i), classes.push_back(kind);
    const auto c = Classifier<Row>::train(prior.kernel(), x(at, Eigen::all), classes, {.penalty = penalty});
    return c.machine(1).margin;
  }
};

TEST(SvmMargin, MaxminAndRatioAreWhatTheyAreByDefinition) {
  const Scene scene;
  for (const double penalty : {1.0, 10.0, std::numeric_limits<double>::infinity()})
    for (const std::string method : {"maxmin", "ratio"}) {
      SCOPED_TRACE(method + ", penalty " + std::to_string(penalty));
      Selector s = scene.begun("svm-margin(method=" + method + ", tried=0)", penalty);
      const Choice c = s.suggest()[0];
      double best = 0;
      for (Index i = 8; i < 150; i += 1) {
        const double one = scene.margin(s, i, 1, penalty), other = scene.margin(s, i, 0, penalty);
        const double own = method == "maxmin" ? std::min(one, other) : std::min(one / other, other / one);
        EXPECT_NEAR(s.scores()[i], own, 1e-5 * own) << i;
        best = std::max(best, own);
      }
      EXPECT_NEAR(c.score, best, 1e-5 * best);
      EXPECT_NE(c.reason.find("of 142 candidates tried"), std::string::npos) << c.reason;
    }
}

TEST(SvmMargin, TriesTheNearestToTheSeparator) {
  const Scene scene;
  Selector all = scene.begun("svm-margin", 10), some = scene.begun("svm-margin(method=maxmin, tried=10)", 10);
  const Vector near = (all.suggest(), all.scores());
  some.suggest();
  std::vector<double> nearest;
  for (Index i = 8; i < 150; ++i) nearest.push_back(near[i]);
  std::sort(nearest.rbegin(), nearest.rend());
  for (Index i = 8; i < 150; ++i) EXPECT_EQ(some.scores()[i] > 0, near[i] >= nearest[9]) << i;
}

// Which of them needs the fewest labels depends on the pool; all find the separator.
TEST(SvmMargin, EveryMethodLearns) {
  const Scene scene;
  for (const std::string method : {"simple", "maxmin", "ratio"}) {
    Selector s = scene.begun("svm-margin(method=" + method + ", tried=20)", 10);
    for (int round = 0; round < 25; ++round) {
      const Index i = s.suggest()[0].candidate;
      s.tell(i, scene.label(i));
    }
    const auto c =
        Classifier<Row>::train(scene.prior.kernel(), scene.x(s.belief().order(), Eigen::all), s.classes());
    const std::vector<Index> found = c.predict(scene.x);
    Index wrong = 0;
    for (Index i = 0; i < 150; ++i) wrong += double(found[static_cast<size_t>(i)]) != scene.label(i);
    EXPECT_LE(wrong, 6) << method;
  }
}

TEST(SvmMargin, SimpleIsTheDefault) {
  const Scene scene;
  EXPECT_EQ(scene.begun("svm-margin", 10).suggest()[0].candidate,
            scene.begun("svm-margin(method=simple)", 10).suggest()[0].candidate);
}

TEST(SvmMargin, HashingFindsNearTheSeparatorAndSaysHowWell) {
  const Matrix x = random_points(41, 4000, 5);
  const auto label = [&](Index i) { return double(x(i, 0) + x(i, 1) > 0.2); };
  const Process<Row> prior(parse<Row>("linear(lengthscale=1)"));
  Selector s(parse_strategy("svm-margin(hash=6)"), pool_of<Row>(prior, x), {.kinds = 2});
  for (Index i = 0; i < 10; ++i) s.tell(i, label(i));
  for (int round = 0; round < 8; ++round) {
    const Choice c = s.suggest()[0];
    EXPECT_NE(c.reason.find("hashing looked at"), std::string::npos) << c.reason;
    const auto machine = Classifier<Row>::train(prior.kernel(), x(internal::all_indices(10), Eigen::all),
                                                {s.classes().begin(), s.classes().begin() + 10});
    if (round == 0) {
      const Vector f = machine.decision(x).col(1).cwiseAbs();
      EXPECT_NEAR(c.score, 1 / (1 + f[c.candidate]), 1e-5);
      Index nearer = 0;
      for (Index i = 10; i < 4000; ++i) nearer += f[i] < f[c.candidate];
      EXPECT_LE(nearer, 200);
    }
    s.tell(c.candidate, label(c.candidate));
  }
}

TEST(SvmMargin, MistakesAreNamed) {
  const auto refused = [](const std::string& text) {
    return error_of([&] { parse_strategy(text).make(); }, Problem::usage);
  };
  EXPECT_NE(refused("svm-margin(method=minmax)")
                .find("method must be one of simple, maxmin, ratio, found 'minmax'"),
            std::string::npos);
  EXPECT_NE(refused("svm-margin(hash=4, method=ratio)").find("method=simple alone"), std::string::npos);
  EXPECT_NE(refused("svm-margin(hash=25)").find("hash"), std::string::npos);
  EXPECT_NE(refused("svm-margin(methd=ratio)").find("did you mean 'method'?"), std::string::npos);
  const Matrix x = random_points(42, 800, 3);
  Selector s(parse_strategy("svm-margin(hash=4)"),
             pool_of<Row>(Process<Row>(parse<Row>("matern12(lengthscale=1)")), x), {.kinds = 2});
  s.tell({0, 1}, (Vector(2) << 0, 1).finished());
  EXPECT_NE(error_of([&] { s.suggest(); }, Problem::usage).find("hash needs a kernel with few features"),
            std::string::npos);
}

}  // namespace
}  // namespace covary::test::svm_margin_test
